package dev.fewtaps.twin.world;

import dev.fewtaps.twin.world.HostPaths.Access;
import dev.fewtaps.twin.world.HostPaths.Place;
import java.io.File;
import java.io.FileFilter;
import java.io.FileNotFoundException;
import java.io.FilenameFilter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Files: the app's own and the shared storage are there; the host's are not. */
public final class FileHooks {
  private static final String FILE = "java/io/File";
  private static final String STRING = "Ljava/lang/String;";

  private FileHooks() {}

  /** Returns where a path of the app leads on the host; for the Android side. */
  public static String realPath(String path) {
    Strand me = Strand.current();
    World world = me != null ? me.world : World.current();
    if (path == null || world == null) {
      return path;
    }
    Place place = world.paths.place(path);
    return place.access() == Access.OWN || place.access() == Access.READ
        ? place.real()
        : "/denied" + HostPaths.normal(path);
  }

  private static Place place(Strand me, String path) {
    return me.world.paths.place(path);
  }

  /**
   * What lies below /proc tells of the machine and of other processes, whether this phone has it or
   * not.
   */
  private static void note(Strand me, Place place, String verb) {
    boolean hidden = place.access() == Access.ABSENT || place.access() == Access.FOLDER;
    if (place.access() == Access.DENIED || (hidden && (place.real() + "/").startsWith("/proc/"))) {
      me.world.note("tried to " + verb + " " + place.real());
    }
  }

  private static FileNotFoundException failure(Place place, String code) {
    return new FileNotFoundException(place.visible() + ": open failed: " + code);
  }

  private static String open(String path, boolean write) throws FileNotFoundException {
    Strand me = Strand.here();
    if (me == null || path == null) {
      return path;
    }
    Place place = place(me, path);
    note(me, place, write ? "write" : "read");
    if (place.access() == Access.ABSENT) {
      throw failure(place, "ENOENT (No such file or directory)");
    }
    if (place.access() == Access.DENIED || (write && place.access() == Access.READ)) {
      throw failure(place, "EACCES (Permission denied)");
    }
    if (place.access() == Access.FOLDER) {
      throw failure(place, write ? "EROFS (Read-only file system)" : "EISDIR (Is a directory)");
    }
    File real = new File(place.real());
    if (real.isDirectory()) {
      throw failure(place, "EISDIR (Is a directory)");
    }
    File parent = real.getParentFile();
    if (write ? parent != null && !parent.isDirectory() : !real.exists()) {
      throw failure(place, "ENOENT (No such file or directory)");
    }
    if (write) {
      if (me.world.isFull() && !real.exists()) {
        throw failure(place, "ENOSPC (No space left on device)");
      }
      touch(me, place.real());
    }
    return place.real();
  }

  /** Remembers, in virtual time, that a file was changed. */
  private static void touch(Strand me, String real) {
    synchronized (me.world.fileTimes) {
      me.world.fileTimes.put(real, new long[] {-1, me.world.wallMillis()});
    }
  }

  @FirstArgument(owner = "java/io/FileInputStream")
  @FirstArgument(owner = "java/io/FileReader")
  @FirstArgument(owner = "java/util/zip/ZipFile")
  @FirstArgument(owner = "java/util/jar/JarFile")
  public static String readPath(String path) throws FileNotFoundException {
    return open(path, false);
  }

  @FirstArgument(owner = "java/io/FileInputStream")
  @FirstArgument(owner = "java/io/FileReader")
  @FirstArgument(owner = "java/util/zip/ZipFile")
  @FirstArgument(owner = "java/util/jar/JarFile")
  @FirstArgument(owner = "java/util/Scanner")
  public static File readFile(File path) throws FileNotFoundException {
    return path == null || Strand.current() == null ? path : new File(open(path.getPath(), false));
  }

  @FirstArgument(owner = "java/io/FileOutputStream")
  @FirstArgument(owner = "java/io/FileWriter")
  @FirstArgument(owner = "java/io/PrintWriter")
  @FirstArgument(owner = "java/io/PrintStream")
  public static String writePath(String path) throws FileNotFoundException {
    return open(path, true);
  }

  @FirstArgument(owner = "java/io/FileOutputStream")
  @FirstArgument(owner = "java/io/FileWriter")
  @FirstArgument(owner = "java/io/PrintWriter")
  @FirstArgument(owner = "java/io/PrintStream")
  @FirstArgument(owner = "java/util/Formatter")
  public static File writeFile(File path) throws FileNotFoundException {
    return path == null || Strand.current() == null ? path : new File(open(path.getPath(), true));
  }

  private static String random(String path) throws FileNotFoundException {
    Strand me = Strand.here();
    if (me == null || path == null) {
      return path;
    }
    Place place = place(me, path);
    boolean exists = HostPaths.visible(place) != null && new File(place.real()).exists();
    return open(path, place.access() != Access.READ && !exists);
  }

  @FirstArgument(owner = "java/io/RandomAccessFile")
  public static String randomPath(String path) throws FileNotFoundException {
    return random(path);
  }

  @FirstArgument(owner = "java/io/RandomAccessFile")
  public static File randomFile(File path) throws FileNotFoundException {
    return path == null || Strand.current() == null ? path : new File(random(path.getPath()));
  }

  // ---- File

  /** The file on the host, or null when the app sees nothing there. */
  private static File real(Strand me, File file, String verb) {
    Place place = place(me, file.getPath());
    if (verb != null) {
      note(me, place, verb);
    }
    return HostPaths.visible(place);
  }

  private static File own(Strand me, File file, String verb) {
    Place place = place(me, file.getPath());
    note(me, place, verb);
    return place.access() == Access.OWN ? new File(place.real()) : null;
  }

  private static boolean isFolder(Strand me, File file) {
    return place(me, file.getPath()).access() == Access.FOLDER;
  }

  @Replaces(owner = FILE, name = "exists", desc = "()Z", subclasses = true)
  public static boolean exists(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.exists();
    }
    File real = real(me, file, null);
    return real == null ? isFolder(me, file) : real.exists();
  }

  @Replaces(owner = FILE, name = "isDirectory", desc = "()Z", subclasses = true)
  public static boolean isDirectory(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.isDirectory();
    }
    File real = real(me, file, null);
    return real == null ? isFolder(me, file) : real.isDirectory();
  }

  @Replaces(owner = FILE, name = "isFile", desc = "()Z", subclasses = true)
  public static boolean isFile(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.isFile();
    }
    File real = real(me, file, null);
    return real == null ? false : real.isFile();
  }

  @Replaces(owner = FILE, name = "canRead", desc = "()Z", subclasses = true)
  public static boolean canRead(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.canRead();
    }
    File real = real(me, file, null);
    return real == null ? false : real.canRead();
  }

  @Replaces(owner = FILE, name = "length", desc = "()J", subclasses = true)
  public static long length(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.length();
    }
    File real = real(me, file, null);
    return real == null ? 0 : real.length();
  }

  @Replaces(owner = FILE, name = "canExecute", desc = "()Z", subclasses = true)
  public static boolean canExecute(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.canExecute();
    }
    File real = real(me, file, null);
    return real == null ? false : real.canExecute();
  }

  @Replaces(owner = FILE, name = "canWrite", desc = "()Z", subclasses = true)
  public static boolean canWrite(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.canWrite();
    }
    Place place = place(me, file.getPath());
    return place.access() == Access.OWN && new File(place.real()).canWrite();
  }

  @Replaces(owner = FILE, name = "mkdir", desc = "()Z", subclasses = true)
  public static boolean mkdir(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.mkdir();
    }
    File own = own(me, file, "make");
    if (own == null || me.world.isFull() || !own.mkdir()) {
      return false;
    }
    touch(me, own.getPath());
    return true;
  }

  @Replaces(owner = FILE, name = "mkdirs", desc = "()Z", subclasses = true)
  public static boolean mkdirs(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.mkdirs();
    }
    File own = own(me, file, "make");
    if (own == null || me.world.isFull() || !own.mkdirs()) {
      return false;
    }
    touch(me, own.getPath());
    return true;
  }

  @Replaces(owner = FILE, name = "delete", desc = "()Z", subclasses = true)
  public static boolean delete(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.delete();
    }
    File own = own(me, file, "delete");
    if (own == null || !own.delete()) {
      return false;
    }
    touch(me, own.getPath());
    return true;
  }

  @Replaces(owner = FILE, name = "deleteOnExit", desc = "()V", subclasses = true)
  public static void deleteOnExit(File file) {}

  @Replaces(owner = FILE, name = "createNewFile", desc = "()Z", subclasses = true)
  public static boolean createNewFile(File file) throws IOException {
    Strand me = Strand.here();
    if (me == null) {
      return file.createNewFile();
    }
    File own = own(me, file, "write");
    if (own == null) {
      throw new IOException(
          isFolder(me, file) || isFolder(me, new File(parent(file)))
              ? "Read-only file system"
              : "Permission denied");
    }
    if (own.getParentFile() != null && !own.getParentFile().isDirectory()) {
      throw new IOException("No such file or directory");
    }
    if (me.world.isFull() && !own.exists()) {
      throw new IOException("No space left on device");
    }
    touch(me, own.getPath());
    return own.createNewFile();
  }

  private static String parent(File file) {
    String path = HostPaths.normal(file.getPath());
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }

  @Replaces(owner = FILE, name = "renameTo", desc = "(Ljava/io/File;)Z", subclasses = true)
  public static boolean renameTo(File file, File to) {
    Strand me = Strand.here();
    if (me == null) {
      return file.renameTo(to);
    }
    File from = own(me, file, "move");
    File target = own(me, to, "write");
    return from != null && target != null && from.renameTo(target);
  }

  /** Sorted, because the order of the host's folders is chance. */
  private static String[] names(Strand me, File file) {
    Place place = place(me, file.getPath());
    if (place.access() != Access.OWN) {
      note(me, place, "list");
    }
    File real = HostPaths.visible(place);
    String[] names = real == null ? null : real.list();
    if (names != null) {
      Arrays.sort(names);
    }
    return names;
  }

  @Replaces(owner = FILE, name = "list", desc = "()[Ljava/lang/String;", subclasses = true)
  public static String[] list(File file) {
    Strand me = Strand.here();
    return me == null ? file.list() : names(me, file);
  }

  @Replaces(
      owner = FILE,
      name = "list",
      desc = "(Ljava/io/FilenameFilter;)[Ljava/lang/String;",
      subclasses = true)
  public static String[] list(File file, FilenameFilter filter) {
    String[] names = list(file);
    if (names == null || filter == null) {
      return names;
    }
    return Arrays.stream(names).filter(name -> filter.accept(file, name)).toArray(String[]::new);
  }

  @Replaces(owner = FILE, name = "listFiles", desc = "()[Ljava/io/File;", subclasses = true)
  public static File[] listFiles(File file) {
    return listFiles(file, (FilenameFilter) null);
  }

  @Replaces(
      owner = FILE,
      name = "listFiles",
      desc = "(Ljava/io/FilenameFilter;)[Ljava/io/File;",
      subclasses = true)
  public static File[] listFiles(File file, FilenameFilter filter) {
    String[] names = list(file, filter);
    if (names == null) {
      return null;
    }
    return Arrays.stream(names).map(name -> new File(file, name)).toArray(File[]::new);
  }

  @Replaces(
      owner = FILE,
      name = "listFiles",
      desc = "(Ljava/io/FileFilter;)[Ljava/io/File;",
      subclasses = true)
  public static File[] listFiles(File file, FileFilter filter) {
    File[] files = listFiles(file);
    if (files == null || filter == null) {
      return files;
    }
    List<File> chosen = new ArrayList<>();
    for (File each : files) {
      if (filter.accept(each)) {
        chosen.add(each);
      }
    }
    return chosen.toArray(new File[0]);
  }

  @Replaces(owner = FILE, name = "listRoots", desc = "()[Ljava/io/File;")
  public static File[] listRoots() {
    return new File[] {new File("/")};
  }

  /**
   * When the file was changed, in virtual time: by the app, else when the change was first seen.
   */
  @Replaces(owner = FILE, name = "lastModified", desc = "()J", subclasses = true)
  public static long lastModified(File file) {
    Strand me = Strand.here();
    if (me == null) {
      return file.lastModified();
    }
    File real = real(me, file, null);
    long changed = real == null ? 0 : real.lastModified();
    if (changed == 0) {
      return 0;
    }
    synchronized (me.world.fileTimes) {
      long[] known = me.world.fileTimes.get(real.getPath());
      if (known == null || (known[0] != -1 && known[0] != changed)) {
        known = new long[] {changed, me.world.wallMillis()};
        me.world.fileTimes.put(real.getPath(), known);
      }
      return known[1];
    }
  }

  @Replaces(owner = FILE, name = "setLastModified", desc = "(J)Z", subclasses = true)
  public static boolean setLastModified(File file, long time) {
    Strand me = Strand.here();
    if (me == null) {
      return file.setLastModified(time);
    }
    File own = own(me, file, "write");
    if (own == null || !own.exists()) {
      return false;
    }
    synchronized (me.world.fileTimes) {
      me.world.fileTimes.put(own.getPath(), new long[] {-1, time});
    }
    return true;
  }

  @Replaces(
      owner = FILE,
      name = "getAbsolutePath",
      desc = "()Ljava/lang/String;",
      subclasses = true)
  public static String getAbsolutePath(File file) {
    String path = file.getPath();
    if (Strand.current() == null || path.startsWith("/")) {
      return file.getAbsolutePath();
    }
    return "/" + path;
  }

  @Replaces(owner = FILE, name = "getAbsoluteFile", desc = "()Ljava/io/File;", subclasses = true)
  public static File getAbsoluteFile(File file) {
    return new File(getAbsolutePath(file));
  }

  @Replaces(
      owner = FILE,
      name = "getCanonicalPath",
      desc = "()Ljava/lang/String;",
      subclasses = true)
  public static String getCanonicalPath(File file) throws IOException {
    return Strand.current() == null ? file.getCanonicalPath() : HostPaths.normal(file.getPath());
  }

  @Replaces(owner = FILE, name = "getCanonicalFile", desc = "()Ljava/io/File;", subclasses = true)
  public static File getCanonicalFile(File file) throws IOException {
    return new File(getCanonicalPath(file));
  }

  @Replaces(owner = FILE, name = "setReadable", desc = "(Z)Z", subclasses = true)
  public static boolean setReadable(File file, boolean on) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setReadable(on);
  }

  @Replaces(owner = FILE, name = "setReadable", desc = "(ZZ)Z", subclasses = true)
  public static boolean setReadable(File file, boolean on, boolean ownerOnly) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setReadable(on, ownerOnly);
  }

  @Replaces(owner = FILE, name = "setWritable", desc = "(Z)Z", subclasses = true)
  public static boolean setWritable(File file, boolean on) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setWritable(on);
  }

  @Replaces(owner = FILE, name = "setWritable", desc = "(ZZ)Z", subclasses = true)
  public static boolean setWritable(File file, boolean on, boolean ownerOnly) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setWritable(on, ownerOnly);
  }

  @Replaces(owner = FILE, name = "setExecutable", desc = "(Z)Z", subclasses = true)
  public static boolean setExecutable(File file, boolean on) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setExecutable(on);
  }

  @Replaces(owner = FILE, name = "setExecutable", desc = "(ZZ)Z", subclasses = true)
  public static boolean setExecutable(File file, boolean on, boolean ownerOnly) {
    Strand me = Strand.here();
    File own = me == null ? file : own(me, file, "change");
    return own != null && own.setExecutable(on, ownerOnly);
  }

  @Replaces(owner = FILE, name = "getTotalSpace", desc = "()J", subclasses = true)
  public static long getTotalSpace(File file) {
    return 16L << 30;
  }

  @Replaces(owner = FILE, name = "getFreeSpace", desc = "()J", subclasses = true)
  @Replaces(owner = FILE, name = "getUsableSpace", desc = "()J", subclasses = true)
  public static long getFreeSpace(File file) {
    World world = World.current();
    return world != null && world.isFull() ? 0 : 8L << 30;
  }

  @Replaces(owner = FILE, name = "createTempFile", desc = "(" + STRING + STRING + ")Ljava/io/File;")
  public static File createTempFile(String prefix, String suffix) throws IOException {
    return createTempFile(prefix, suffix, null);
  }

  @Replaces(
      owner = FILE,
      name = "createTempFile",
      desc = "(" + STRING + STRING + "Ljava/io/File;)Ljava/io/File;")
  public static File createTempFile(String prefix, String suffix, File folder) throws IOException {
    Strand me = Strand.here();
    if (me == null) {
      return File.createTempFile(prefix, suffix, folder);
    }
    if (prefix.length() < 3) {
      throw new IllegalArgumentException("Prefix string too short");
    }
    String cache = me.world.settings.cacheDir();
    File where = folder != null ? folder : new File(cache != null ? cache : "/sdcard");
    for (; ; ) {
      String name = prefix + (me.world.randomSeed() >>> 1) + (suffix == null ? ".tmp" : suffix);
      File file = new File(where, name);
      if (createNewFile(file)) {
        return file;
      }
    }
  }

  // ---- java.nio: a path that is not the app's leads nowhere

  private static String mapped(String path) {
    Strand me = Strand.here();
    if (me == null || path.startsWith("/denied/")) {
      return path;
    }
    note(me, place(me, path), "reach");
    return realPath(path);
  }

  /** Where a path leads that is about to be used. */
  static java.nio.file.Path safe(java.nio.file.Path path) {
    if (path == null || path.getFileSystem() != java.nio.file.FileSystems.getDefault()) {
      return path;
    }
    return Strand.current() == null ? path : java.nio.file.Path.of(mapped(path.toString()));
  }

  @Replaces(
      owner = "java/nio/file/Paths",
      name = "get",
      desc = "(" + STRING + "[" + STRING + ")Ljava/nio/file/Path;")
  @Replaces(
      owner = "java/nio/file/Path",
      name = "of",
      desc = "(" + STRING + "[" + STRING + ")Ljava/nio/file/Path;")
  public static java.nio.file.Path path(String first, String[] more) {
    java.nio.file.Path given = java.nio.file.Path.of(first, more);
    // A relative one may be a mere name; where it leads is asked when it is used.
    return given.isAbsolute() ? java.nio.file.Path.of(mapped(given.toString())) : given;
  }

  @Replaces(owner = FILE, name = "toPath", desc = "()Ljava/nio/file/Path;", subclasses = true)
  public static java.nio.file.Path toPath(File file) {
    return path(file.getPath(), new String[0]);
  }
}
