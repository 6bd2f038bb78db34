package dev.fewtaps.twin.code;

import dev.fewtaps.twin.world.Recorder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/**
 * Prepares the classes of an APK for a recording: the probes first, then the rewriting of calls.
 *
 * <p>The blocks of a class get their numbers when the class is first asked for, and keep them as
 * long as this object lives. On disk, where other processes find them, prepared classes have
 * placeholders instead: constants in a range that the class does not use itself.
 */
final class RecordedClasses implements Transform, Closeable {
  /** The first number that is tried as placeholder of a class's first block. */
  private static final int FIRST_PLACEHOLDER = 0x6B000000;

  /** Block numbers have 28 bits. */
  private static final int MOST_BLOCKS = 1 << 28;

  private final AppCode code;
  private final RecordedTypes types;
  private final Probes probes;
  private final AppTransform plain;
  private final Transform store;
  private final Closeable cache;
  private final Map<String, byte[]> ready = new ConcurrentHashMap<>();
  private final Map<String, Numbered> numbered = new LinkedHashMap<>();

  /** Numbers begin at 1: no word of a recording is 0, and the end of a file is known by that. */
  private int nextBlock = 1;

  /**
   * Makes the classes of a recording.
   *
   * @param probes puts the probes into one method
   * @param plain the changes that are made after the probes
   * @param key names all that the result depends on besides the APK; null keeps nothing on disk
   */
  RecordedClasses(
      AppCode code, RecordedTypes types, Probes probes, AppTransform plain, String key) {
    this.code = code;
    this.types = types;
    this.probes = probes;
    this.plain = plain;
    Transform work =
        new Transform() {
          @Override
          public byte[] apply(String className, byte[] bytes) {
            return prepare(className, bytes);
          }

          @Override
          public List<String> notesOf(String className) {
            return plain.notesOf(className);
          }
        };
    if (key == null) {
      store = work;
      cache = () -> {};
    } else {
      ReadyClasses kept = new ReadyClasses(code, work, "recorded-" + key);
      store = kept;
      cache = kept;
    }
  }

  /** Puts probes into a method, the number of whose first block is given. */
  @FunctionalInterface
  interface Probes {
    void insert(MethodModel model, int firstBlock);
  }

  /** The first block of a class and the methods of it that write no words, with the reasons. */
  record Numbered(int first, int count, Map<String, String> opaque) {}

  /** The classes that were asked for, with their numbers, sorted by the numbers. */
  Map<String, Numbered> numbered() {
    synchronized (numbered) {
      return new LinkedHashMap<>(numbered);
    }
  }

  /** Returns the model of a class as it was when its probes were put in. */
  CodeModel model(String className) {
    return CodeModel.of(types, code.bytes(className), numbered().get(className).opaque);
  }

  @Override
  public byte[] recall(String className) {
    byte[] bytes = numberedBytes(className);
    return bytes == null ? null : told(className, bytes);
  }

  @Override
  public byte[] apply(String className, byte[] bytes) {
    return told(className, number(className, store.apply(className, bytes)));
  }

  /** Numbers the blocks of a class of the APK, if they have no numbers yet, without loading it. */
  void require(String className) {
    if (numberedBytes(className) == null) {
      number(className, store.apply(className, code.bytes(className)));
    }
  }

  private byte[] numberedBytes(String className) {
    byte[] bytes = ready.get(className);
    if (bytes != null) {
      return bytes;
    }
    byte[] packed = store.recall(className);
    return packed == null ? null : number(className, packed);
  }

  private byte[] told(String className, byte[] bytes) {
    Numbered numbers;
    synchronized (numbered) {
      numbers = numbered.get(className);
    }
    if (numbers != null) {
      Recorder.loaded(className, numbers.first);
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    cache.close();
  }

  /** Gives a class its numbers, once. */
  private byte[] number(String className, byte[] packed) {
    synchronized (numbered) {
      byte[] known = ready.get(className);
      if (known != null) {
        return known;
      }
      Packed content = Packed.read(packed);
      byte[] bytes = content.bytes;
      if (content.count > 0) {
        if (nextBlock > MOST_BLOCKS - content.count) {
          throw new IllegalStateException("the app has too many blocks to record");
        }
        Placeholders.replace(bytes, content.placeholder, content.count, nextBlock);
        numbered.put(className, new Numbered(nextBlock, content.count, content.opaque));
        nextBlock += content.count;
      }
      ready.put(className, bytes);
      return bytes;
    }
  }

  private byte[] prepare(String className, byte[] bytes) {
    Map<String, String> opaque = new TreeMap<>();
    boolean recorded = types.isRecorded(className.replace('.', '/'));
    // Each round either succeeds or names one more method that has to do without probes.
    while (recorded) {
      int known = opaque.size();
      int placeholder = Placeholders.choose(bytes, FIRST_PLACEHOLDER);
      int[] count = new int[1];
      AppTransform.Stage first =
          (same, reader, next) -> new ProbedClass(next, opaque, placeholder, count);
      List<AppTransform.Stage> stages = new ArrayList<>(List.of(first));
      stages.addAll(plain.stages());
      try {
        byte[] made = AppTransform.apply(bytes, stages);
        return new Packed(placeholder, count[0], opaque, made).write();
      } catch (MethodTooLargeException e) {
        opaque.put(e.getMethodName() + e.getDescriptor(), "it is too large for probes");
      } catch (ClassTooLargeException e) {
        break;
      }
      if (opaque.size() == known) {
        break;
      }
    }
    return new Packed(0, 0, Map.of(), plain.applyUnmeasured(className, bytes)).write();
  }

  /** Collects a class and passes it on with probes. */
  private final class ProbedClass extends ClassNode {
    private final ClassVisitor next;
    private final Map<String, String> opaque;
    private final int placeholder;
    private final int[] count;

    ProbedClass(ClassVisitor next, Map<String, String> opaque, int placeholder, int[] count) {
      super(Opcodes.ASM9);
      this.next = next;
      this.opaque = opaque;
      this.placeholder = placeholder;
      this.count = count;
    }

    @Override
    public void visitEnd() {
      CodeModel model = CodeModel.of(types, this, opaque);
      for (int i = 0; i < model.methods().size(); i++) {
        probes.insert(model.methods().get(i), placeholder + model.first(i));
      }
      count[0] = model.blockCount();
      accept(next);
    }
  }

  /** A prepared class as it is stored. */
  private record Packed(int placeholder, int count, Map<String, String> opaque, byte[] bytes) {
    byte[] write() {
      ByteArrayOutputStream packed = new ByteArrayOutputStream(bytes.length + 64);
      try (DataOutputStream out = new DataOutputStream(packed)) {
        out.writeInt(placeholder);
        out.writeInt(count);
        out.writeInt(opaque.size());
        for (Map.Entry<String, String> entry : opaque.entrySet()) {
          out.writeUTF(entry.getKey());
          out.writeUTF(entry.getValue());
        }
        out.write(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return packed.toByteArray();
    }

    static Packed read(byte[] packed) {
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(packed))) {
        int placeholder = in.readInt();
        int count = in.readInt();
        Map<String, String> opaque = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
          opaque.put(in.readUTF(), in.readUTF());
        }
        return new Packed(placeholder, count, opaque, in.readAllBytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
