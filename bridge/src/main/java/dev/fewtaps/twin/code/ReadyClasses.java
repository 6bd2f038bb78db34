package dev.fewtaps.twin.code;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jacoco.core.JaCoCo;

/**
 * Remembers classes as they are after all preparation: in memory for the next reset, and on disk
 * for the next process. Notes on them are in {@link AppCode#notes}.
 */
public final class ReadyClasses implements Transform, Closeable {
  private final AppCode code;
  private final Transform work;
  private final ClassStore store;
  private final CacheWriter writer;
  private final Map<String, byte[]> known = new ConcurrentHashMap<>();

  /**
   * Makes a memory for what {@code work} does to the classes of an APK.
   *
   * @param key tells apart settings under which the same class is prepared in another way
   */
  public ReadyClasses(AppCode code, Transform work, String key) {
    this.code = code;
    this.work = work;
    this.store = ClassStore.open(code.directory().resolve("ready-" + key));
    this.writer = new CacheWriter(store);
  }

  /**
   * Prepares classes with the twin's hooks and, unless {@code probes} is null, for coverage.
   *
   * @param platform names the Android below, whose classes the rewriting depends on
   */
  public static ReadyClasses standard(
      AppCode code, ClassLoader parent, CoverageProbes probes, String platform) {
    HookTable hooks = HookTable.standard();
    CallRewriter rewriter = new CallRewriter(hooks, code, parent);
    String key =
        Fingerprint.of(
            List.of(
                "CallRewriter",
                "AppTransform",
                "TypeLookup",
                "CoverageProbes",
                "AppPackages",
                "ShrunkClasses"),
            hooks.describe(),
            probes == null ? "off" : probes.scope(),
            JaCoCo.VERSION,
            platform);
    return new ReadyClasses(code, new AppTransform(rewriter, probes), key);
  }

  @Override
  public byte[] recall(String className) {
    byte[] bytes = known.get(className);
    if (bytes == null) {
      ClassStore.Entry entry = store.get(className);
      if (entry != null) {
        bytes = entry.bytes();
        known.put(className, bytes);
        code.note(entry.notes());
      }
    }
    return bytes;
  }

  @Override
  public byte[] apply(String className, byte[] bytes) {
    byte[] result = work.apply(className, bytes);
    known.put(className, result);
    List<String> notes = new ArrayList<>(code.notesOf(className));
    notes.addAll(work.notesOf(className));
    code.note(notes);
    store.put(className, new ClassStore.Entry(result, notes));
    writer.poke();
    return result;
  }

  /** Prepares a class without probes, and remembers nothing of it. */
  byte[] prepareUnmeasured(String className, byte[] bytes) {
    return work instanceof AppTransform preparation
        ? preparation.applyUnmeasured(className, bytes)
        : work.apply(className, bytes);
  }

  /** Writes to disk what is not there yet. */
  public void flush() {
    store.flush();
  }

  /** Writes to disk what is not there yet, for the last time. */
  @Override
  public void close() {
    writer.stop();
    store.flush();
  }
}
