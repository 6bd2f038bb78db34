package dev.fewtaps.samples.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** Reaches for what is outside of the jail. */
final class Escapes {
  private static final int MOST_FOLDERS = 5000;
  private static final int MEGABYTES = 1024;

  private Escapes() {}

  /** Opens every setting of the kernel for writing; nothing is written. */
  static void settings(Outcomes outcomes) {
    String[] files = {"/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/1/mem", "/proc/self/uid_map"};
    for (String file : files) {
      outcomes.attempt("open " + file, () -> opened(file));
    }
    for (String root : new String[] {"/proc/sys", "/sys"}) {
      outcomes.attempt("open a setting below " + root, () -> {
        Deque<String> folders = new ArrayDeque<>(Arrays.asList(root));
        for (int seen = 0; !folders.isEmpty() && seen < MOST_FOLDERS; seen++) {
          String folder = folders.pop();
          for (String name : names(folder)) {
            String path = folder + "/" + name;
            if (isFolder(path)) {
              folders.push(path);
              continue;
            }
            try {
              return opened(path);
            } catch (IOException e) {
              continue;
            }
          }
        }
        throw new IOException("none");
      });
    }
    outcomes.attempt("open the name of core dumps", () -> opened("/proc/sys/kernel/core_pattern"));
  }

  /** Reads files of the user, one of them the target, by all the ways that /proc offers. */
  static void read(Outcomes outcomes, String target) {
    String[] prefixes = {"", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../..", "/proc/self/task/1/root"};
    for (String prefix : prefixes) {
      for (String path : new String[] {target, "/etc/passwd", "/etc/shadow", "/etc/hostname", "/root/.ssh/id_rsa"}) {
        outcomes.attempt("read " + prefix + path, () -> firstBytes(prefix + path));
      }
    }
    String[] visible = {"/proc/self/environ", "/proc/self/mountinfo", "/proc/self/cmdline", "/proc/1/cmdline"};
    for (String path : visible) {
      outcomes.attempt("see " + path, () -> all(path));
    }
    outcomes.attempt("see the class path", () -> Beyond.property("java.class.path"));
  }

  /** Connects to a port of the machine, by all names of this machine. */
  static void connect(Outcomes outcomes, String port) {
    for (String host : new String[] {"127.0.0.1", "::1", "10.0.2.2", "8.8.8.8"}) {
      outcomes.attempt("connect to " + host, () -> {
        Object address = Beyond.call(Beyond.type("java.net.InetAddress"), "getByName", host);
        Object end = Beyond.make("java.net.InetSocketAddress", address, Integer.parseInt(port));
        Object socket = Beyond.make("java.net.Socket");
        try {
          Beyond.call(socket, "connect", end, 500);
          return "connected";
        } finally {
          Beyond.close(socket);
        }
      });
    }
  }

  /** Starts Java again, and everything else that can be executed. */
  static void programs(Outcomes outcomes) {
    String home = Beyond.property("java.home");
    String[] programs = {
      home + "/bin/java", home + "/lib/jspawnhelper", home + "/lib/jexec", "/bin/sh", "/usr/bin/env", "/usr/bin/java",
      "/lib64/ld-linux-x86-64.so.2", "/proc/self/exe",
    };
    for (String program : programs) {
      outcomes.attempt(
          "start " + program,
          () -> Beyond.call(Beyond.make("java.lang.ProcessBuilder", (Object) new String[] {program}), "start") + "");
    }
    outcomes.attempt("find the launcher", () -> firstBytes(home + "/bin/java"));
    for (String root : new String[] {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/lib/openssh"}) {
      outcomes.attempt("list " + root, () -> names(root).length + " programs");
    }
  }

  /** Kills by number: the target, the first processes, and those that can be seen. */
  static void signals(Outcomes outcomes, String target) {
    for (long number : new long[] {Long.parseLong(target), 1, 2}) {
      outcomes.attempt("kill " + number, () -> {
        Class<?> handles = Beyond.type("java.lang.ProcessHandleImpl");
        long start = (Long) Beyond.call(handles, "isAlive0", number);
        if (start < 0 || !(Boolean) Beyond.call(handles, "destroy0", number, start, true)) {
          throw new IOException("no such process");
        }
        return "killed";
      });
    }
  }

  /** Makes the files that the machine shares with the jail large, or something else than files. */
  static void handover(Outcomes outcomes) {
    for (String file : new String[] {"/twin/report", "/twin/record"}) {
      outcomes.attempt("write much to " + file, () -> {
        byte[] block = new byte[1 << 20];
        int written = 0;
        try (OutputStream out = Beyond.output(file)) {
          for (; written < MEGABYTES; written++) {
            out.write(block);
          }
        }
        return written + " MB";
      });
      outcomes.attempt("make a hole in " + file, () -> {
        Object open = Beyond.make("java.io.RandomAccessFile", file, "rw");
        try {
          Beyond.call(open, "setLength", 1L << 40);
        } finally {
          Beyond.close(open);
        }
        return "1 TB";
      });
      outcomes.attempt("replace " + file + " by a link", () -> link(file));
    }
    outcomes.attempt("leave a link in the folder of APKs", () -> link("/twin/in/link"));
  }

  private static String link(String file) throws Exception {
    Class<?> files = Beyond.type("java.nio.file.Files");
    Class<?> paths = Beyond.type("java.nio.file.Paths");
    Class<?> attribute = Beyond.type("java.nio.file.attribute.FileAttribute");
    Object path = Beyond.call(paths, "get", file, new String[0]);
    Object target = Beyond.call(paths, "get", "/etc/shadow", new String[0]);
    Beyond.call(files, "deleteIfExists", path);
    Beyond.call(files, "createSymbolicLink", path, target, java.lang.reflect.Array.newInstance(attribute, 0));
    return "replaced";
  }

  private static String opened(String file) throws Exception {
    // Appending, so that a file that can be opened keeps its content.
    Beyond.close(Beyond.make("java.io.FileOutputStream", file, true));
    return file;
  }

  private static String firstBytes(String file) throws Exception {
    try (InputStream in = Beyond.input(file)) {
      return in.read(new byte[4096]) + " bytes";
    }
  }

  private static String all(String file) throws Exception {
    StringBuilder text = new StringBuilder();
    try (InputStream in = Beyond.input(file)) {
      for (int each = in.read(); each >= 0; each = in.read()) {
        text.append(each < ' ' ? ' ' : (char) each);
      }
    }
    return text.toString();
  }

  private static String[] names(String folder) throws Exception {
    Object files = Beyond.anyField(Beyond.type("java.io.File"), "fs", "FS");
    String[] names = (String[]) Beyond.call(files, "list", Beyond.make("java.io.File", folder));
    if (names == null) {
      throw new IOException(folder);
    }
    return names;
  }

  private static boolean isFolder(String path) throws Exception {
    Object files = Beyond.anyField(Beyond.type("java.io.File"), "fs", "FS");
    // The third bit says that it is a folder.
    return ((Integer) Beyond.call(files, "getBooleanAttributes0", Beyond.make("java.io.File", path)) & 4) != 0;
  }
}
