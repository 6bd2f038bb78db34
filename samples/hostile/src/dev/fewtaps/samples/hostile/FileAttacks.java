package dev.fewtaps.samples.hostile;

import android.os.Environment;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Reads what is not the app's, and writes where it should not. Nothing here destroys: run outside of a jail, it leaves
 * canaries behind, no more.
 */
final class FileAttacks {
  /** The name of every file that this app tries to leave behind: whoever finds one has a hole. */
  static final String CANARY = "fewtaps-hostile-canary";

  private static final long DISK_LIMIT_BYTES = 10L << 30;
  private static final int BLOCK_BYTES = 1 << 20;

  private FileAttacks() {}

  static void readHome(Outcomes outcomes) {
    String home = System.getProperty("user.home");
    for (String folder : new String[] {"/root", "/home", home, home + "/.ssh", home + "/.bash_history"}) {
      outcomes.attempt("list " + folder, () -> list(new File(folder)));
    }
    outcomes.attempt("list " + home + " by path", () -> Files.list(Paths.get(home)).count() + " entries");
    outcomes.attempt("read a file of " + home, () -> readAny(new File(home)));
  }

  static void writeOutside(Outcomes outcomes) {
    String card = Environment.getExternalStorageDirectory().getPath();
    String[] folders = {
      "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local", "/root", System.getProperty("user.home"),
      System.getProperty("user.dir"), System.getProperty("java.io.tmpdir"), card + "/../..", "/sdcard/../..", "/sdcard",
    };
    for (String folder : folders) {
      outcomes.attempt("write to " + folder, () -> write(new File(folder, CANARY)));
    }
    outcomes.attempt("write to the working folder", () -> write(new File(CANARY)));
    outcomes.attempt("write by path", () -> Files.write(Paths.get("/tmp", CANARY), new byte[] {1}).toString());
    outcomes.attempt("write at random", () -> {
      try (RandomAccessFile file = new RandomAccessFile("/etc/hosts", "rw")) {
        return file.length() + " bytes";
      }
    });
    outcomes.attempt("temporary file", () -> File.createTempFile(CANARY, null).getPath());
    outcomes.attempt("make a link", () -> {
      Path link = Paths.get("/tmp", CANARY + "-link");
      return Files.createSymbolicLink(link, Paths.get("/etc/shadow")).toString();
    });
  }

  static void systemFiles(Outcomes outcomes) {
    String[] names = {"/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/1/cmdline", "/proc/net/route"};
    for (String name : names) {
      outcomes.attempt("read " + name, () -> readSome(new File(name)));
    }
    outcomes.attempt("list /proc", () -> list(new File("/proc")));
    outcomes.attempt("list /", () -> list(new File("/")));
    outcomes.attempt("list /mnt", () -> list(new File("/mnt")));
  }

  /** Writes until the disk is full, or ten gigabytes; takes it all away again. */
  static void fillDisk(Outcomes outcomes, File folder) {
    File file = new File(folder, CANARY + "-big");
    outcomes.attempt("fill the disk", () -> {
      long written = 0;
      byte[] block = new byte[BLOCK_BYTES];
      try (OutputStream out = new FileOutputStream(file)) {
        while (written < DISK_LIMIT_BYTES) {
          out.write(block);
          written += block.length;
        }
        return (written >> 20) + " MB";
      } finally {
        file.delete();
      }
    });
  }

  private static String list(File folder) throws IOException {
    String[] names = folder.list();
    if (names == null) {
      throw new FileNotFoundException(folder.getPath());
    }
    return names.length + " entries";
  }

  private static String readAny(File folder) throws IOException {
    File[] files = folder.listFiles(File::isFile);
    if (files == null || files.length == 0) {
      throw new FileNotFoundException(folder.getPath());
    }
    return readSome(files[0]);
  }

  private static String readSome(File file) throws IOException {
    try (InputStream in = new FileInputStream(file)) {
      return Math.max(0, in.read(new byte[4096])) + " bytes";
    }
  }

  private static String write(File file) throws IOException {
    try (OutputStream out = new FileOutputStream(file)) {
      out.write("here I was\n".getBytes(StandardCharsets.UTF_8));
    }
    return file.getCanonicalPath();
  }
}
