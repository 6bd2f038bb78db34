package dev.fewtaps.twin.world;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/** The files that the app has open, so that none stays open after its run. */
public final class OpenFiles {
  private final Set<Closeable> open = Collections.newSetFromMap(new WeakHashMap<>());

  OpenFiles() {}

  @AfterNew(owner = "java/io/FileInputStream", desc = "(Ljava/lang/String;)V")
  @AfterNew(owner = "java/io/FileInputStream", desc = "(Ljava/io/File;)V")
  public static void opened(FileInputStream file) {
    add(file);
  }

  @AfterNew(owner = "java/io/FileReader", desc = "(Ljava/lang/String;)V")
  @AfterNew(owner = "java/io/FileReader", desc = "(Ljava/io/File;)V")
  public static void opened(FileReader file) {
    add(file);
  }

  @AfterNew(owner = "java/io/RandomAccessFile", desc = "(Ljava/lang/String;Ljava/lang/String;)V")
  @AfterNew(owner = "java/io/RandomAccessFile", desc = "(Ljava/io/File;Ljava/lang/String;)V")
  public static void opened(RandomAccessFile file) {
    add(file);
  }

  /** Remembers a file that the present app has opened. */
  static void add(Closeable file) {
    Strand me = Strand.current();
    if (me != null) {
      me.world.openFiles.keep(file);
    }
  }

  private synchronized void keep(Closeable file) {
    open.add(file);
  }

  /** Closes what the app has left open. */
  void closeAll() {
    List<Closeable> left;
    synchronized (this) {
      left = List.copyOf(open);
      open.clear();
    }
    for (Closeable file : left) {
      try {
        file.close();
      } catch (IOException | RuntimeException e) {
        // A class of the app may override close(). The collector closes the file later.
      }
    }
  }
}
