package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The methods of one translated class as a recording sees them.
 *
 * <p>The blocks of a class are numbered through, in the order of its methods; the same class gives
 * the same numbers each time.
 */
final class CodeModel {
  private final ClassNode type;
  private final List<MethodModel> methods = new ArrayList<>();
  private final List<Integer> firsts = new ArrayList<>();
  private int blockCount;

  private CodeModel(ClassNode type) {
    this.type = type;
  }

  /**
   * Models a class.
   *
   * @param opaque reasons why methods write no words, by name and descriptor
   */
  static CodeModel of(RecordedTypes types, byte[] bytes, Map<String, String> opaque) {
    ClassNode type = new ClassNode();
    new ClassReader(bytes).accept(type, ClassReader.SKIP_FRAMES);
    return of(types, type, opaque);
  }

  static CodeModel of(RecordedTypes types, ClassNode type, Map<String, String> opaque) {
    CodeModel model = new CodeModel(type);
    Set<String> lambdaBodies = MethodModel.lambdaBodies(type);
    for (MethodNode method : type.methods) {
      if (method.instructions.size() > 0) {
        MethodModel one = MethodModel.of(types, type, method, lambdaBodies);
        String reason = opaque.get(one.key());
        if (reason != null) {
          one.setOpaque(reason);
        }
        model.methods.add(one);
        model.firsts.add(model.blockCount);
        model.blockCount += one.blocks().size();
      }
    }
    return model;
  }

  ClassNode type() {
    return type;
  }

  /** Methods with code, in class file order. */
  List<MethodModel> methods() {
    return methods;
  }

  /** The number of a method's first block within the class, by the method's position. */
  int first(int method) {
    return firsts.get(method);
  }

  /** How many blocks all methods have. */
  int blockCount() {
    return blockCount;
  }
}
