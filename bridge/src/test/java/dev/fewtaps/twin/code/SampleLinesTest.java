package dev.fewtaps.twin.code;

import static org.junit.Assert.assertTrue;

import com.googlecode.d2j.DexLabel;
import com.googlecode.d2j.node.DexClassNode;
import com.googlecode.d2j.node.DexDebugNode.DexDebugOpNode;
import com.googlecode.d2j.node.DexFileNode;
import com.googlecode.d2j.node.DexMethodNode;
import com.googlecode.d2j.node.insn.DexLabelStmtNode;
import com.googlecode.d2j.node.insn.DexStmtNode;
import com.googlecode.d2j.reader.DexFileReader;
import com.googlecode.d2j.reader.Op;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.LineNumberNode;

/** The lines of the sample apps: those of their DEX tables, and those of a recording's classes. */
public class SampleLinesTest {
  /** The smallest share of the lines in a DEX table that have code in a recording. */
  private static final double KEPT = 0.99;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Test
  public void recordingsHaveCodeForTheLinesOfTheDexTables() throws IOException {
    int all = 0;
    Set<String> missing = new TreeSet<>();
    try (DirectoryStream<Path> apks =
        Files.newDirectoryStream(Path.of(System.getProperty("fewtaps.samples")), "*.apk")) {
      for (Path apk : apks) {
        try (AppCode code = AppCode.openWithLines(apk, folder.newFolder().toPath())) {
          for (Map.Entry<String, Set<Integer>> each : linesInDex(apk).entrySet()) {
            if (!code.hasClass(each.getKey())) {
              continue;
            }
            Set<Integer> lines = each.getValue();
            all += lines.size();
            lines.removeAll(linesOf(code.bytes(each.getKey())));
            lines.forEach(
                line -> missing.add(apk.getFileName() + " " + each.getKey() + ":" + line));
          }
        }
      }
    }
    assertTrue("only " + all + " lines", all > 1000);
    assertTrue(
        missing.size() + " of " + all + " lines have no code: " + missing,
        missing.size() <= all * (1 - KEPT));
  }

  /** For each class the lines of its methods. */
  private static Map<String, Set<Integer>> linesInDex(Path apk) throws IOException {
    Map<String, Set<Integer>> found = new TreeMap<>();
    try (ZipFile zip = new ZipFile(apk.toFile())) {
      for (ZipEntry entry : zip.stream().toArray(ZipEntry[]::new)) {
        if (!entry.getName().matches("classes\\d*\\.dex")) {
          continue;
        }
        DexFileNode file = new DexFileNode();
        try (InputStream content = zip.getInputStream(entry)) {
          new DexFileReader(content.readAllBytes()).accept(file, DexFileReader.SKIP_ANNOTATION);
        }
        file.clzs.forEach(each -> found.put(dotted(each), linesOf(each)));
      }
    }
    return found;
  }

  private static String dotted(DexClassNode node) {
    return node.className.substring(1, node.className.length() - 1).replace('/', '.');
  }

  /**
   * The lines of a class in DEX with at least one instruction each. D8 leaves a line that does
   * nothing any more with a `nop`, where a debugger can stop; that is no code.
   */
  private static Set<Integer> linesOf(DexClassNode node) {
    Set<Integer> lines = new TreeSet<>();
    for (DexMethodNode method : node.methods == null ? List.<DexMethodNode>of() : node.methods) {
      if (method.codeNode == null || method.codeNode.debugNode == null) {
        continue;
      }
      Map<DexLabel, Integer> begins = new IdentityHashMap<>();
      for (DexDebugOpNode each : method.codeNode.debugNode.debugNodes) {
        if (each instanceof DexDebugOpNode.LineNumber number) {
          begins.put(number.label, number.line);
        }
      }
      int line = 0;
      for (DexStmtNode each : method.codeNode.stmts) {
        if (each instanceof DexLabelStmtNode place) {
          line = begins.getOrDefault(place.label, line);
        } else if (line > 0 && each.op != Op.NOP) {
          lines.add(line);
        }
      }
    }
    return lines;
  }

  /** The lines of a class file with at least one instruction each. */
  private static Set<Integer> linesOf(byte[] bytes) {
    ClassNode node = new ClassNode();
    new ClassReader(bytes).accept(node, 0);
    Set<Integer> lines = new TreeSet<>();
    node.methods.forEach(
        method -> {
          int line = 0;
          for (AbstractInsnNode each : method.instructions) {
            if (each instanceof LineNumberNode number) {
              line = number.line;
            } else if (each.getOpcode() >= 0) {
              lines.add(line);
            }
          }
        });
    return lines;
  }
}
