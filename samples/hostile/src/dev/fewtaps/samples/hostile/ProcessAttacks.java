package dev.fewtaps.samples.hostile;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Starts programs, looks around in the process, and speaks in its name. */
final class ProcessAttacks {
  private static final String FORGED = "{\"id\":1,\"ok\":{\"forged\":true}}\n";

  private ProcessAttacks() {}

  static void start(Outcomes outcomes) {
    outcomes.attempt("exec id", () -> firstLine(Runtime.getRuntime().exec("id")));
    String[] shell = {"/bin/sh", "-c", "echo shell"};
    outcomes.attempt("exec a shell", () -> firstLine(Runtime.getRuntime().exec(shell)));
    outcomes.attempt("process builder", () -> firstLine(new ProcessBuilder("uname", "-a").start()));
    outcomes.attempt("write by a shell", () -> {
      new ProcessBuilder("/bin/sh", "-c", "echo x > /tmp/" + FileAttacks.CANARY + "-shell").start().waitFor();
      return "ran";
    });
    outcomes.attempt("see the parent", () -> {
      // Not in Android's classes: found by reflection, as an attacker who knows the twin would.
      Class<?> handles = Class.forName("java.lang.ProcessHandle");
      Object current = handles.getMethod("current").invoke(null);
      return ((Optional<?>) handles.getMethod("parent").invoke(current)).get().toString();
    });
  }

  static void environment(Outcomes outcomes) {
    outcomes.attempt("read the environment", () -> {
      Map<String, String> all = System.getenv();
      if (all.isEmpty()) {
        throw new IOException("empty");
      }
      return all.size() + " variables";
    });
    for (String name : new String[] {"HOME", "USER", "PATH", "FEWTAPS_CANARY"}) {
      outcomes.attempt("variable " + name, () -> known(System.getenv(name)));
    }
    for (String name : new String[] {"user.home", "user.name", "java.class.path", "sun.java.command"}) {
      outcomes.attempt("property " + name, () -> known(System.getProperty(name)));
    }
  }

  /** Writes to the process's real standard output, where the twin's own replies go. */
  static void forge(Outcomes outcomes) {
    outcomes.attempt("forge through System.out", () -> {
      System.out.print(FORGED);
      System.out.flush();
      return "printed";
    });
    outcomes.attempt("forge through the descriptor", () -> forge(new FileOutputStream(FileDescriptor.out)));
    outcomes.attempt("forge through /proc", () -> forge(new FileOutputStream("/proc/self/fd/1")));
    outcomes.attempt("read requests", () -> System.in.available() + " bytes waiting");
  }

  private static String forge(FileOutputStream out) throws IOException {
    out.write(FORGED.getBytes(StandardCharsets.UTF_8));
    out.flush();
    return "written";
  }

  private static String firstLine(Process process) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      return String.valueOf(reader.readLine());
    }
  }

  private static String known(String value) throws IOException {
    if (value == null || value.isEmpty()) {
      throw new IOException("absent");
    }
    return value.length() + " characters";
  }
}
