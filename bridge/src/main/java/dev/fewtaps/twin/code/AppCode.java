package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexConverter.ClassHead;
import dev.fewtaps.twin.code.DexConverter.Converted;
import dev.fewtaps.twin.code.DexConverter.References;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/**
 * The code of one APK: its classes as JVM classes, translated when first asked for and kept on
 * disk.
 *
 * <p>Class names are dotted. Safe for use by several threads and processes.
 */
public final class AppCode implements Closeable {
  private static final Pattern DEX_NAME = Pattern.compile("classes(\\d*)\\.dex");
  private static final String INSTANT_RUN = "instant-run.zip";
  private static final Pattern LIBRARY_NAME = Pattern.compile("lib/([^/]+)/([^/]+\\.so)");

  private final Path apk;
  private final String digest;
  private final Path directory;
  private final ZipFile zip;
  private final DexConverter converter;
  private final ClassStore store;
  private final CacheWriter writer;
  private final Set<String> classNames;

  /** The names of classes in the sources, by those in the build, where these differ. */
  private final Map<String, String> sourceNames;

  private final AppPackages packages;

  /** The app's own classes that lie outside of its packages because a shrinker renamed them. */
  private final Set<String> renamedClasses;

  private final Map<String, SortedSet<String>> nativeLibraries;
  private final Set<String> notes = Collections.synchronizedSet(new LinkedHashSet<>());
  private final Map<String, ClassHead> heads = new ConcurrentHashMap<>();
  private final Map<String, Map<String, Integer>> methods = new ConcurrentHashMap<>();

  private AppCode(
      Path apk, Path cacheDirectory, ZipFile zip, boolean keepsLines, Map<String, String> names)
      throws IOException {
    this.apk = apk;
    this.zip = zip;
    this.digest = digest(apk);
    this.directory = directory(cacheDirectory, digest, keepsLines);
    this.converter = new DexConverter(dexFiles(), keepsLines);
    this.store = ClassStore.open(directory);
    this.writer = new CacheWriter(store);
    this.sourceNames = names;
    Set<String> dotted = new LinkedHashSet<>();
    for (String name : converter.classNames()) {
      dotted.add(name.replace('/', '.'));
    }
    this.classNames = Collections.unmodifiableSet(dotted);
    ZipEntry manifest = zip.getEntry("AndroidManifest.xml");
    byte[] xml = manifest == null ? new byte[0] : read(manifest);
    this.packages =
        AppPackages.of(Manifest.read(xml), classNames.stream().map(this::sourceName).toList());
    this.renamedClasses =
        names.isEmpty() && ShrunkClasses.isShrunk(classNames)
            ? findRenamedClasses()
            : Collections.emptySet();
    this.nativeLibraries = findNativeLibraries();
  }

  /**
   * Opens an APK; translated classes are kept below {@code cacheDirectory}.
   *
   * @throws IOException if the APK cannot be read or has no DEX file that can be
   */
  public static AppCode open(Path apk, Path cacheDirectory) throws IOException {
    return open(apk, cacheDirectory, false, Map.of());
  }

  /**
   * Opens an APK of which another process has translated classes.
   *
   * @param translated what {@link TranslatedClasses#pack} made of that process's directory
   * @throws IOException if the APK cannot be read or has no DEX file that can be
   */
  public static AppCode open(Path apk, Path cacheDirectory, Path translated) throws IOException {
    return open(apk, cacheDirectory, translated, null);
  }

  /**
   * Opens an APK with what is known of it.
   *
   * @param translated a file of classes that another process has translated, or null
   * @param names a file with a line for each class that has another name in the sources: its name,
   *     a tab, and that name; or null
   * @throws IOException if the APK cannot be read or has no DEX file that can be
   */
  public static AppCode open(Path apk, Path cacheDirectory, Path translated, Path names)
      throws IOException {
    if (translated != null) {
      TranslatedClasses.unpack(translated, directory(cacheDirectory, digest(apk), false));
    }
    Map<String, String> found = new HashMap<>();
    for (String line : names == null ? List.<String>of() : Files.readAllLines(names)) {
      int tab = line.indexOf('\t');
      if (tab > 0) {
        found.put(line.substring(0, tab), line.substring(tab + 1));
      }
    }
    return open(apk, cacheDirectory, false, found);
  }

  /**
   * Opens an APK for recordings: its classes are translated so that every line that DEX has code
   * for has code, and local variables have their names.
   *
   * @throws IOException if the APK cannot be read or has no DEX file that can be
   */
  public static AppCode openWithLines(Path apk, Path cacheDirectory) throws IOException {
    return open(apk, cacheDirectory, true, Map.of());
  }

  /** Opens the same APK for recordings; see {@link #openWithLines}. */
  AppCode reopenWithLines() throws IOException {
    return open(apk, directory.getParent(), true, sourceNames);
  }

  private static AppCode open(
      Path apk, Path cacheDirectory, boolean keepsLines, Map<String, String> names)
      throws IOException {
    ZipFile zip = new ZipFile(apk.toFile());
    try {
      return new AppCode(apk, cacheDirectory, zip, keepsLines, names);
    } catch (IOException e) {
      zip.close();
      throw e;
    } catch (RuntimeException e) {
      zip.close();
      throw new IOException("the DEX code of " + apk.getFileName() + " cannot be read: " + e, e);
    }
  }

  private static Path directory(Path cacheDirectory, String digest, boolean keepsLines) {
    return cacheDirectory.resolve(
        digest.substring(0, 32) + "-" + DexConverter.version() + (keepsLines ? "-lines" : ""));
  }

  /** The APK. */
  public Path apk() {
    return apk;
  }

  /** SHA-256 of the APK in hexadecimal. */
  public String digest() {
    return digest;
  }

  /** Where things that belong to this APK and this way of translating it can be kept. */
  public Path directory() {
    return directory;
  }

  /** All classes in the APK. */
  public Set<String> classNames() {
    return classNames;
  }

  /** Whether the APK has that class. */
  public boolean hasClass(String className) {
    return classNames.contains(className);
  }

  /** Whether a class is the app's own code rather than a library's or a generated one. */
  public boolean isAppClass(String className) {
    return packages.contains(sourceName(className)) || renamedClasses.contains(className);
  }

  private String sourceName(String className) {
    return sourceNames.getOrDefault(className, className);
  }

  /** Tells apart the choices of the app's own classes in one APK; empty without names. */
  String choice() {
    return sourceNames.isEmpty()
        ? ""
        : "-" + Fingerprint.of(List.of("AppPackages"), new TreeMap<>(sourceNames).toString());
  }

  /** The packages below which the app's own code lies. */
  public List<String> appPackages() {
    return packages.roots();
  }

  /** The app's own classes, sorted by name. */
  public List<String> appClassNames() {
    return classNames.stream().filter(this::isAppClass).sorted().toList();
  }

  /** Returns the translated class, or null if it is absent or could not be translated at all. */
  public byte[] bytes(String className) {
    if (!classNames.contains(className)) {
      return null;
    }
    ClassStore.Entry entry = store.get(className);
    if (entry == null) {
      Converted converted = converter.convert(className.replace('.', '/'));
      entry = new ClassStore.Entry(converted.bytes(), converted.notes());
      store.put(className, entry);
      writer.poke();
    }
    note(entry.notes());
    return entry.bytes();
  }

  /** Adds notes on a class that was prepared by an earlier process. */
  void note(List<String> more) {
    if (!more.isEmpty()) {
      notes.addAll(more);
    }
  }

  /** A failure to translate one class. */
  List<String> notesOf(String className) {
    ClassStore.Entry entry = store.get(className);
    return entry == null ? List.of() : entry.notes();
  }

  /** Returns access flags and parents of a class without translating it, or null if absent. */
  public ClassHead head(String className) {
    if (!classNames.contains(className)) {
      return null;
    }
    return heads.computeIfAbsent(className, name -> converter.head(name.replace('.', '/')));
  }

  /**
   * Returns the access flags of the methods that a class declares, by name and descriptor, without
   * translating it, or null if it is absent.
   */
  public Map<String, Integer> methods(String className) {
    if (!classNames.contains(className)) {
      return null;
    }
    return methods.computeIfAbsent(className, name -> converter.methods(name.replace('.', '/')));
  }

  /** The failures to translate classes so far, one sentence each. */
  public List<String> notes() {
    synchronized (notes) {
      return List.copyOf(notes);
    }
  }

  /** File names of native libraries by ABI. */
  public Map<String, SortedSet<String>> nativeLibraries() {
    return nativeLibraries;
  }

  /** Returns a file of the APK, or null. */
  public byte[] resource(String path) throws IOException {
    ZipEntry entry = zip.getEntry(path);
    return entry == null || entry.isDirectory() ? null : read(entry);
  }

  /** Whether the APK has that file. */
  public boolean hasResource(String path) {
    ZipEntry entry = zip.getEntry(path);
    return entry != null && !entry.isDirectory();
  }

  /** Writes to disk what has been translated since the last time. */
  public void flush() {
    store.flush();
  }

  @Override
  public void close() throws IOException {
    writer.stop();
    store.flush();
    zip.close();
  }

  /** The names of the DEX files, in the order in which Android searches them. */
  List<String> dexNames() {
    SortedMap<Integer, String> found = new TreeMap<>();
    for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
      Matcher name = DEX_NAME.matcher(all.nextElement().getName());
      if (name.matches()) {
        found.put(name.group(1).isEmpty() ? 1 : Integer.parseInt(name.group(1)), name.group());
      }
    }
    return List.copyOf(found.values());
  }

  private List<byte[]> dexFiles() throws IOException {
    List<String> names = dexNames();
    if (names.isEmpty()) {
      throw new IOException(apk.getFileName() + " has no DEX code");
    }
    List<byte[]> files = new ArrayList<>();
    for (String name : names) {
      files.add(read(zip.getEntry(name)));
    }
    files.addAll(instantRunFiles());
    return files;
  }

  /**
   * Code that Android Studio 2 put into an archive of its own, to exchange parts of it in a running
   * app.
   */
  private Collection<byte[]> instantRunFiles() throws IOException {
    SortedMap<String, byte[]> found = new TreeMap<>();
    byte[] archive = resource(INSTANT_RUN);
    if (archive != null) {
      try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(archive))) {
        for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
          if (entry.getName().endsWith(".dex")) {
            found.put(entry.getName(), in.readAllBytes());
          }
        }
      }
    }
    return found.values();
  }

  /** Finds them, or reads what an earlier process found. */
  private Set<String> findRenamedClasses() throws IOException {
    String version = Fingerprint.of(List.of("ShrunkClasses", "AppPackages"));
    Path file = directory.resolve("own-" + version + ".txt");
    if (Files.exists(file)) {
      return Set.copyOf(Files.readAllLines(file));
    }
    Map<String, References> known = new HashMap<>();
    Set<String> found =
        ShrunkClasses.find(
            classNames,
            packages,
            name ->
                known.computeIfAbsent(name, key -> converter.references(key.replace('.', '/'))));
    Files.createDirectories(directory);
    Path draft = Files.createTempFile(directory, "own", ".tmp");
    Files.write(draft, found);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return found;
  }

  private Map<String, SortedSet<String>> findNativeLibraries() {
    Map<String, SortedSet<String>> found = new TreeMap<>();
    for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
      Matcher name = LIBRARY_NAME.matcher(all.nextElement().getName());
      if (name.matches()) {
        found.computeIfAbsent(name.group(1), abi -> new TreeSet<>()).add(name.group(2));
      }
    }
    return Collections.unmodifiableMap(found);
  }

  private byte[] read(ZipEntry entry) throws IOException {
    try (InputStream in = zip.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  private static String digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        sha.update(buffer, 0, n);
      }
      return HexFormat.of().formatHex(sha.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
