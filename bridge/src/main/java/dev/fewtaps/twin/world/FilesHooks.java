package dev.fewtaps.twin.world;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The methods of Files, each with its paths led to where the app may go. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class FilesHooks {
  private static final String FILES = "java/nio/file/Files";

  private FilesHooks() {}

  @Replaces(
      owner = FILES,
      name = "newInputStream",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)" + "Ljava/io/InputStream;")
  public static java.io.InputStream newInputStream(Path a0, java.nio.file.OpenOption[] a1)
      throws IOException {
    return Files.newInputStream(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "newOutputStream",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)" + "Ljava/io/OutputStream;")
  public static java.io.OutputStream newOutputStream(Path a0, java.nio.file.OpenOption[] a1)
      throws IOException {
    return Files.newOutputStream(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "newByteChannel",
      desc =
          "(Ljava/nio/file/Path;Ljava/util/Set;[Ljava/nio/file/attribute/FileAttribute;)"
              + "Ljava/nio/channels/SeekableByteChannel;")
  public static java.nio.channels.SeekableByteChannel newByteChannel(
      Path a0, java.util.Set a1, java.nio.file.attribute.FileAttribute[] a2) throws IOException {
    return Files.newByteChannel(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "newByteChannel",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)"
              + "Ljava/nio/channels/SeekableByteChannel;")
  public static java.nio.channels.SeekableByteChannel newByteChannel(
      Path a0, java.nio.file.OpenOption[] a1) throws IOException {
    return Files.newByteChannel(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "newDirectoryStream",
      desc = "(Ljava/nio/file/Path;)Ljava/nio/file/DirectoryStream;")
  public static java.nio.file.DirectoryStream newDirectoryStream(Path a0) throws IOException {
    return Folders.sorted(Files.newDirectoryStream(FileHooks.safe(a0)));
  }

  @Replaces(
      owner = FILES,
      name = "newDirectoryStream",
      desc = "(Ljava/nio/file/Path;Ljava/lang/String;)" + "Ljava/nio/file/DirectoryStream;")
  public static java.nio.file.DirectoryStream newDirectoryStream(Path a0, String a1)
      throws IOException {
    return Folders.sorted(Files.newDirectoryStream(FileHooks.safe(a0), a1));
  }

  @Replaces(
      owner = FILES,
      name = "newDirectoryStream",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/file/DirectoryStream$Filter;)"
              + "Ljava/nio/file/DirectoryStream;")
  public static java.nio.file.DirectoryStream newDirectoryStream(
      Path a0, java.nio.file.DirectoryStream.Filter a1) throws IOException {
    return Folders.sorted(Files.newDirectoryStream(FileHooks.safe(a0), a1));
  }

  @Replaces(
      owner = FILES,
      name = "createFile",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/attribute/FileAttribute;)" + "Ljava/nio/file/Path;")
  public static Path createFile(Path a0, java.nio.file.attribute.FileAttribute[] a1)
      throws IOException {
    return Files.createFile(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "createDirectory",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/attribute/FileAttribute;)" + "Ljava/nio/file/Path;")
  public static Path createDirectory(Path a0, java.nio.file.attribute.FileAttribute[] a1)
      throws IOException {
    return Files.createDirectory(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "createDirectories",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/attribute/FileAttribute;)" + "Ljava/nio/file/Path;")
  public static Path createDirectories(Path a0, java.nio.file.attribute.FileAttribute[] a1)
      throws IOException {
    return Files.createDirectories(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "createSymbolicLink",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/file/Path;[Ljava/nio/file/attribute/FileAttribute;)"
              + "Ljava/nio/file/Path;")
  public static Path createSymbolicLink(
      Path a0, Path a1, java.nio.file.attribute.FileAttribute[] a2) throws IOException {
    return Files.createSymbolicLink(FileHooks.safe(a0), FileHooks.safe(a1), a2);
  }

  @Replaces(
      owner = FILES,
      name = "createLink",
      desc = "(Ljava/nio/file/Path;Ljava/nio/file/Path;)Ljava/nio/file/Path;")
  public static Path createLink(Path a0, Path a1) throws IOException {
    return Files.createLink(FileHooks.safe(a0), FileHooks.safe(a1));
  }

  @Replaces(owner = FILES, name = "delete", desc = "(Ljava/nio/file/Path;)V")
  public static void delete(Path a0) throws IOException {
    Files.delete(FileHooks.safe(a0));
  }

  @Replaces(owner = FILES, name = "deleteIfExists", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean deleteIfExists(Path a0) throws IOException {
    return Files.deleteIfExists(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "copy",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/file/Path;[Ljava/nio/file/CopyOption;)"
              + "Ljava/nio/file/Path;")
  public static Path copy(Path a0, Path a1, java.nio.file.CopyOption[] a2) throws IOException {
    return Files.copy(FileHooks.safe(a0), FileHooks.safe(a1), a2);
  }

  @Replaces(
      owner = FILES,
      name = "move",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/file/Path;[Ljava/nio/file/CopyOption;)"
              + "Ljava/nio/file/Path;")
  public static Path move(Path a0, Path a1, java.nio.file.CopyOption[] a2) throws IOException {
    return Files.move(FileHooks.safe(a0), FileHooks.safe(a1), a2);
  }

  @Replaces(
      owner = FILES,
      name = "readSymbolicLink",
      desc = "(Ljava/nio/file/Path;)Ljava/nio/file/Path;")
  public static Path readSymbolicLink(Path a0) throws IOException {
    return Files.readSymbolicLink(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "getFileStore",
      desc = "(Ljava/nio/file/Path;)Ljava/nio/file/FileStore;")
  public static java.nio.file.FileStore getFileStore(Path a0) throws IOException {
    return Files.getFileStore(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "isSameFile",
      desc = "(Ljava/nio/file/Path;Ljava/nio/file/Path;)Z")
  public static boolean isSameFile(Path a0, Path a1) throws IOException {
    return Files.isSameFile(FileHooks.safe(a0), FileHooks.safe(a1));
  }

  @Replaces(owner = FILES, name = "mismatch", desc = "(Ljava/nio/file/Path;Ljava/nio/file/Path;)J")
  public static long mismatch(Path a0, Path a1) throws IOException {
    return Files.mismatch(FileHooks.safe(a0), FileHooks.safe(a1));
  }

  @Replaces(owner = FILES, name = "isHidden", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean isHidden(Path a0) throws IOException {
    return Files.isHidden(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "probeContentType",
      desc = "(Ljava/nio/file/Path;)Ljava/lang/String;")
  public static String probeContentType(Path a0) throws IOException {
    return Files.probeContentType(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "getFileAttributeView",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/Class;[Ljava/nio/file/LinkOption;)"
              + "Ljava/nio/file/attribute/FileAttributeView;")
  public static java.nio.file.attribute.FileAttributeView getFileAttributeView(
      Path a0, Class a1, java.nio.file.LinkOption[] a2) throws IOException {
    return Files.getFileAttributeView(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "readAttributes",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/Class;[Ljava/nio/file/LinkOption;)"
              + "Ljava/nio/file/attribute/BasicFileAttributes;")
  public static java.nio.file.attribute.BasicFileAttributes readAttributes(
      Path a0, Class a1, java.nio.file.LinkOption[] a2) throws IOException {
    return Files.readAttributes(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "setAttribute",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/String;Ljava/lang/Object;[Ljava/nio/file/LinkOption;)"
              + "Ljava/nio/file/Path;")
  public static Path setAttribute(Path a0, String a1, Object a2, java.nio.file.LinkOption[] a3)
      throws IOException {
    return Files.setAttribute(FileHooks.safe(a0), a1, a2, a3);
  }

  @Replaces(
      owner = FILES,
      name = "getAttribute",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/String;[Ljava/nio/file/LinkOption;)"
              + "Ljava/lang/Object;")
  public static Object getAttribute(Path a0, String a1, java.nio.file.LinkOption[] a2)
      throws IOException {
    return Files.getAttribute(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "readAttributes",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/String;[Ljava/nio/file/LinkOption;)" + "Ljava/util/Map;")
  public static java.util.Map readAttributes(Path a0, String a1, java.nio.file.LinkOption[] a2)
      throws IOException {
    return Files.readAttributes(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "getPosixFilePermissions",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Ljava/util/Set;")
  public static java.util.Set getPosixFilePermissions(Path a0, java.nio.file.LinkOption[] a1)
      throws IOException {
    return Files.getPosixFilePermissions(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "setPosixFilePermissions",
      desc = "(Ljava/nio/file/Path;Ljava/util/Set;)Ljava/nio/file/Path;")
  public static Path setPosixFilePermissions(Path a0, java.util.Set a1) throws IOException {
    return Files.setPosixFilePermissions(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "getOwner",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)"
              + "Ljava/nio/file/attribute/UserPrincipal;")
  public static java.nio.file.attribute.UserPrincipal getOwner(
      Path a0, java.nio.file.LinkOption[] a1) throws IOException {
    return Files.getOwner(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "setOwner",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/file/attribute/UserPrincipal;)" + "Ljava/nio/file/Path;")
  public static Path setOwner(Path a0, java.nio.file.attribute.UserPrincipal a1)
      throws IOException {
    return Files.setOwner(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "isSymbolicLink", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean isSymbolicLink(Path a0) throws IOException {
    return Files.isSymbolicLink(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "isDirectory",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z")
  public static boolean isDirectory(Path a0, java.nio.file.LinkOption[] a1) throws IOException {
    return Files.isDirectory(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "isRegularFile",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z")
  public static boolean isRegularFile(Path a0, java.nio.file.LinkOption[] a1) throws IOException {
    return Files.isRegularFile(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "setLastModifiedTime",
      desc = "(Ljava/nio/file/Path;Ljava/nio/file/attribute/FileTime;)" + "Ljava/nio/file/Path;")
  public static Path setLastModifiedTime(Path a0, java.nio.file.attribute.FileTime a1)
      throws IOException {
    return Files.setLastModifiedTime(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "size", desc = "(Ljava/nio/file/Path;)J")
  public static long size(Path a0) throws IOException {
    return Files.size(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "exists",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z")
  public static boolean exists(Path a0, java.nio.file.LinkOption[] a1) throws IOException {
    return Files.exists(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "notExists",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)Z")
  public static boolean notExists(Path a0, java.nio.file.LinkOption[] a1) throws IOException {
    return Files.notExists(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "isReadable", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean isReadable(Path a0) throws IOException {
    return Files.isReadable(FileHooks.safe(a0));
  }

  @Replaces(owner = FILES, name = "isWritable", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean isWritable(Path a0) throws IOException {
    return Files.isWritable(FileHooks.safe(a0));
  }

  @Replaces(owner = FILES, name = "isExecutable", desc = "(Ljava/nio/file/Path;)Z")
  public static boolean isExecutable(Path a0) throws IOException {
    return Files.isExecutable(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "walkFileTree",
      desc =
          "(Ljava/nio/file/Path;Ljava/util/Set;ILjava/nio/file/FileVisitor;)"
              + "Ljava/nio/file/Path;")
  public static Path walkFileTree(Path a0, java.util.Set a1, int a2, java.nio.file.FileVisitor a3)
      throws IOException {
    return Files.walkFileTree(FileHooks.safe(a0), a1, a2, a3);
  }

  @Replaces(
      owner = FILES,
      name = "walkFileTree",
      desc = "(Ljava/nio/file/Path;Ljava/nio/file/FileVisitor;)" + "Ljava/nio/file/Path;")
  public static Path walkFileTree(Path a0, java.nio.file.FileVisitor a1) throws IOException {
    return Files.walkFileTree(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "newBufferedReader",
      desc = "(Ljava/nio/file/Path;Ljava/nio/charset/Charset;)" + "Ljava/io/BufferedReader;")
  public static java.io.BufferedReader newBufferedReader(Path a0, java.nio.charset.Charset a1)
      throws IOException {
    return Files.newBufferedReader(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "newBufferedReader",
      desc = "(Ljava/nio/file/Path;)Ljava/io/BufferedReader;")
  public static java.io.BufferedReader newBufferedReader(Path a0) throws IOException {
    return Files.newBufferedReader(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "newBufferedWriter",
      desc =
          "(Ljava/nio/file/Path;Ljava/nio/charset/Charset;[Ljava/nio/file/OpenOption;)"
              + "Ljava/io/BufferedWriter;")
  public static java.io.BufferedWriter newBufferedWriter(
      Path a0, java.nio.charset.Charset a1, java.nio.file.OpenOption[] a2) throws IOException {
    return Files.newBufferedWriter(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "newBufferedWriter",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/OpenOption;)" + "Ljava/io/BufferedWriter;")
  public static java.io.BufferedWriter newBufferedWriter(Path a0, java.nio.file.OpenOption[] a1)
      throws IOException {
    return Files.newBufferedWriter(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "copy",
      desc = "(Ljava/io/InputStream;Ljava/nio/file/Path;[Ljava/nio/file/CopyOption;)" + "J")
  public static long copy(java.io.InputStream a0, Path a1, java.nio.file.CopyOption[] a2)
      throws IOException {
    return Files.copy(a0, FileHooks.safe(a1), a2);
  }

  @Replaces(owner = FILES, name = "copy", desc = "(Ljava/nio/file/Path;Ljava/io/OutputStream;)J")
  public static long copy(Path a0, java.io.OutputStream a1) throws IOException {
    return Files.copy(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "readAllBytes", desc = "(Ljava/nio/file/Path;)[B")
  public static byte[] readAllBytes(Path a0) throws IOException {
    return Files.readAllBytes(FileHooks.safe(a0));
  }

  @Replaces(owner = FILES, name = "readString", desc = "(Ljava/nio/file/Path;)Ljava/lang/String;")
  public static String readString(Path a0) throws IOException {
    return Files.readString(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "readString",
      desc = "(Ljava/nio/file/Path;Ljava/nio/charset/Charset;)Ljava/lang/String;")
  public static String readString(Path a0, java.nio.charset.Charset a1) throws IOException {
    return Files.readString(FileHooks.safe(a0), a1);
  }

  @Replaces(
      owner = FILES,
      name = "readAllLines",
      desc = "(Ljava/nio/file/Path;Ljava/nio/charset/Charset;)Ljava/util/List;")
  public static java.util.List readAllLines(Path a0, java.nio.charset.Charset a1)
      throws IOException {
    return Files.readAllLines(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "readAllLines", desc = "(Ljava/nio/file/Path;)Ljava/util/List;")
  public static java.util.List readAllLines(Path a0) throws IOException {
    return Files.readAllLines(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "write",
      desc = "(Ljava/nio/file/Path;[B[Ljava/nio/file/OpenOption;)" + "Ljava/nio/file/Path;")
  public static Path write(Path a0, byte[] a1, java.nio.file.OpenOption[] a2) throws IOException {
    return Files.write(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "write",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/Iterable;Ljava/nio/charset/Charset;[Ljava/nio/file/OpenOption;)"
              + "Ljava/nio/file/Path;")
  public static Path write(
      Path a0, Iterable a1, java.nio.charset.Charset a2, java.nio.file.OpenOption[] a3)
      throws IOException {
    return Files.write(FileHooks.safe(a0), a1, a2, a3);
  }

  @Replaces(
      owner = FILES,
      name = "write",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/Iterable;[Ljava/nio/file/OpenOption;)"
              + "Ljava/nio/file/Path;")
  public static Path write(Path a0, Iterable a1, java.nio.file.OpenOption[] a2) throws IOException {
    return Files.write(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "writeString",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/CharSequence;[Ljava/nio/file/OpenOption;)"
              + "Ljava/nio/file/Path;")
  public static Path writeString(Path a0, CharSequence a1, java.nio.file.OpenOption[] a2)
      throws IOException {
    return Files.writeString(FileHooks.safe(a0), a1, a2);
  }

  @Replaces(
      owner = FILES,
      name = "writeString",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/CharSequence;Ljava/nio/charset/Charset;[Ljava/nio/file/OpenOption;)"
              + "Ljava/nio/file/Path;")
  public static Path writeString(
      Path a0, CharSequence a1, java.nio.charset.Charset a2, java.nio.file.OpenOption[] a3)
      throws IOException {
    return Files.writeString(FileHooks.safe(a0), a1, a2, a3);
  }

  @Replaces(owner = FILES, name = "list", desc = "(Ljava/nio/file/Path;)Ljava/util/stream/Stream;")
  public static java.util.stream.Stream list(Path a0) throws IOException {
    return Files.list(FileHooks.safe(a0)).sorted();
  }

  @Replaces(
      owner = FILES,
      name = "walk",
      desc =
          "(Ljava/nio/file/Path;I[Ljava/nio/file/FileVisitOption;)" + "Ljava/util/stream/Stream;")
  public static java.util.stream.Stream walk(Path a0, int a1, java.nio.file.FileVisitOption[] a2)
      throws IOException {
    return Files.walk(FileHooks.safe(a0), a1, a2).sorted();
  }

  @Replaces(
      owner = FILES,
      name = "walk",
      desc = "(Ljava/nio/file/Path;[Ljava/nio/file/FileVisitOption;)" + "Ljava/util/stream/Stream;")
  public static java.util.stream.Stream walk(Path a0, java.nio.file.FileVisitOption[] a1)
      throws IOException {
    return Files.walk(FileHooks.safe(a0), a1).sorted();
  }

  @Replaces(
      owner = FILES,
      name = "find",
      desc =
          "(Ljava/nio/file/Path;ILjava/util/function/BiPredicate;[Ljava/nio/file/FileVisitOption;)"
              + "Ljava/util/stream/Stream;")
  public static java.util.stream.Stream find(
      Path a0, int a1, java.util.function.BiPredicate a2, java.nio.file.FileVisitOption[] a3)
      throws IOException {
    return Files.find(FileHooks.safe(a0), a1, a2, a3).sorted();
  }

  @Replaces(
      owner = FILES,
      name = "lines",
      desc = "(Ljava/nio/file/Path;Ljava/nio/charset/Charset;)" + "Ljava/util/stream/Stream;")
  public static java.util.stream.Stream lines(Path a0, java.nio.charset.Charset a1)
      throws IOException {
    return Files.lines(FileHooks.safe(a0), a1);
  }

  @Replaces(owner = FILES, name = "lines", desc = "(Ljava/nio/file/Path;)Ljava/util/stream/Stream;")
  public static java.util.stream.Stream lines(Path a0) throws IOException {
    return Files.lines(FileHooks.safe(a0));
  }

  @Replaces(
      owner = FILES,
      name = "getLastModifiedTime",
      desc =
          "(Ljava/nio/file/Path;[Ljava/nio/file/LinkOption;)"
              + "Ljava/nio/file/attribute/FileTime;")
  public static java.nio.file.attribute.FileTime getLastModifiedTime(
      Path path, java.nio.file.LinkOption[] options) throws IOException {
    java.nio.file.attribute.FileTime real =
        Files.getLastModifiedTime(FileHooks.safe(path), options);
    return Strand.here() == null
        ? real
        : java.nio.file.attribute.FileTime.fromMillis(
            FileHooks.lastModified(new File(FileHooks.safe(path).toString())));
  }

  @Replaces(
      owner = FILES,
      name = "createTempFile",
      desc =
          "(Ljava/lang/String;Ljava/lang/String;[Ljava/nio/file/attribute/FileAttribute;)"
              + "Ljava/nio/file/Path;")
  public static Path createTempFile(
      String prefix, String suffix, java.nio.file.attribute.FileAttribute[] attributes)
      throws IOException {
    return createTempFile(null, prefix, suffix, attributes);
  }

  @Replaces(
      owner = FILES,
      name = "createTempFile",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/String;Ljava/lang/String;"
              + "[Ljava/nio/file/attribute/FileAttribute;)Ljava/nio/file/Path;")
  public static Path createTempFile(
      Path folder, String prefix, String suffix, java.nio.file.attribute.FileAttribute[] attributes)
      throws IOException {
    File where = folder == null ? null : FileHooks.safe(folder).toFile();
    String start = prefix == null || prefix.length() < 3 ? "tmp" + prefix : prefix;
    return FileHooks.createTempFile(start, suffix, where).toPath();
  }

  @Replaces(
      owner = FILES,
      name = "createTempDirectory",
      desc = "(Ljava/lang/String;[Ljava/nio/file/attribute/FileAttribute;)Ljava/nio/file/Path;")
  public static Path createTempDirectory(
      String prefix, java.nio.file.attribute.FileAttribute[] attributes) throws IOException {
    return createTempDirectory(null, prefix, attributes);
  }

  @Replaces(
      owner = FILES,
      name = "createTempDirectory",
      desc =
          "(Ljava/nio/file/Path;Ljava/lang/String;[Ljava/nio/file/attribute/FileAttribute;)"
              + "Ljava/nio/file/Path;")
  public static Path createTempDirectory(
      Path folder, String prefix, java.nio.file.attribute.FileAttribute[] attributes)
      throws IOException {
    Path file = createTempFile(folder, prefix, "", attributes);
    Files.delete(file);
    return Files.createDirectory(file);
  }
}
