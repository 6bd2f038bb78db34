package dev.fewtaps.twin.world;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;

/**
 * A file that an app writes: when the disk of the run is full, it fails as on a phone and the user
 * is told.
 */
@ReplacesType("java/io/FileOutputStream")
public class WorldFileOutputStream extends FileOutputStream {
  private static final String FULL = "write failed: ENOSPC (No space left on device)";

  public WorldFileOutputStream(String name) throws FileNotFoundException {
    super(name);
    OpenFiles.add(this);
  }

  public WorldFileOutputStream(String name, boolean append) throws FileNotFoundException {
    super(name, append);
    OpenFiles.add(this);
  }

  public WorldFileOutputStream(File file) throws FileNotFoundException {
    super(file);
    OpenFiles.add(this);
  }

  public WorldFileOutputStream(File file, boolean append) throws FileNotFoundException {
    super(file, append);
    OpenFiles.add(this);
  }

  public WorldFileOutputStream(FileDescriptor descriptor) {
    super(descriptor);
  }

  @Override
  public void write(int value) throws IOException {
    requireRoom();
    try {
      super.write(value);
    } catch (IOException e) {
      throw asOnAndroid(e);
    }
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    write(bytes, 0, bytes.length);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    requireRoom();
    try {
      super.write(bytes, offset, length);
    } catch (IOException e) {
      throw asOnAndroid(e);
    }
  }

  private static void requireRoom() throws IOException {
    World world = World.current();
    if (world != null && world.isFull() && Strand.here() != null) {
      throw new IOException(FULL);
    }
  }

  /** The size of one file is limited as well as the disk; to an app both are the same. */
  private static IOException asOnAndroid(IOException error) {
    String message = String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT);
    if (!message.contains("no space left") && !message.contains("file too large")) {
      return error;
    }
    Strand me = Strand.here();
    if (me != null) {
      me.world.note("tried to write more than the disk holds");
    }
    return new IOException(FULL);
  }
}
