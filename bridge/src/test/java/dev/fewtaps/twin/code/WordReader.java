package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.MethodModel.Block;
import dev.fewtaps.twin.code.MethodModel.Instruction;
import dev.fewtaps.twin.code.fixture.TestRecorder.Word;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.objectweb.asm.Opcodes;

/** Reads the words of one thread by the model alone, and refuses what the model does not allow. */
final class WordReader {
  private static final Set<Integer> DIVISIONS =
      Set.of(Opcodes.IDIV, Opcodes.IREM, Opcodes.LDIV, Opcodes.LREM);

  private final TreeMap<Integer, MethodModel> methods = new TreeMap<>();
  private final Deque<Open> open = new ArrayDeque<>();

  /** Instructions that threw: each as method, operation and line. */
  final List<String> throwers = new ArrayList<>();

  /** The methods that were entered, each with its depth. */
  final List<String> entered = new ArrayList<>();

  /** Adds a class whose first block has a number. */
  void add(CodeModel model, int first) {
    for (int i = 0; i < model.methods().size(); i++) {
      if (model.methods().get(i).opaque() == null) {
        methods.put(first + model.first(i), model.methods().get(i));
      }
    }
  }

  /** A frame: its method, its block, and the words that the block still has to write. */
  private static final class Open {
    final MethodModel method;
    int block;
    final StringBuilder due = new StringBuilder();
    final List<Instruction> dueOf = new ArrayList<>();
    Instruction last;
    boolean nested;

    Open(MethodModel method) {
      this.method = method;
    }

    Block now() {
      return method.blocks().get(block);
    }

    void enter(int number, boolean byException) {
      Instruction returned = byException ? null : method.blocks().get(number).returned;
      block = number;
      due.setLength(0);
      dueOf.clear();
      last = null;
      nested = false;
      if (byException) {
        expect("o", null);
      } else if (returned != null) {
        expect(returned.after(), null);
      }
      for (int i = now().first; i <= now().last; i++) {
        Instruction instruction = method.code().get(i);
        expect(instruction.before(), instruction);
        if (instruction.op() != MethodModel.Op.CALL) {
          expect(instruction.after(), null);
        }
      }
    }

    void expect(String letters, Instruction of) {
      due.append(letters);
      for (int i = 0; i < letters.length(); i++) {
        dueOf.add(of);
      }
    }

    boolean isFinished() {
      return due.length() == 0 && now().successors.contains(MethodModel.RETURNS);
    }

    String thrower() {
      Instruction found = last;
      if (found == null) {
        for (int i = now().first; i <= now().last; i++) {
          Instruction instruction = method.code().get(i);
          boolean silent =
              switch (instruction.op()) {
                case CAST, THROW, NEWARRAY -> true;
                case CALL -> instruction.before().isEmpty();
                case MATH -> DIVISIONS.contains(instruction.node().getOpcode());
                default -> false;
              };
          found = found == null && silent ? instruction : found;
        }
      }
      for (int i = now().first; i <= now().last && found == null; i++) {
        Instruction instruction = method.code().get(i);
        boolean loads =
            switch (instruction.op()) {
              case NEW, GETSTATIC, PUTSTATIC -> true;
              default -> false;
            };
        found = loads ? instruction : null;
      }
      boolean isEmpty = now().last < now().first;
      if (nested && !isEmpty && method.code().get(now().last).op() == MethodModel.Op.CALL) {
        found = method.code().get(now().last);
      }
      return method.method.name + " " + (found == null ? null : found.op());
    }
  }

  void read(List<Word> words) {
    for (Word word : words) {
      read(word);
    }
    while (!open.isEmpty()) {
      check(open.pop().isFinished(), "a frame is open at the end");
    }
  }

  private void read(Word word) {
    switch (word.kind()) {
      case 'b' -> begin((int) word.content());
      case 'u' -> {
        popFinished();
        throwers.add(open.peek().thrower() + " leaves");
        open.pop();
      }
      default -> {
        while (open.peek().isFinished()) {
          open.pop();
        }
        Open frame = open.peek();
        check(frame.due.length() > 0, "no word is due in " + frame.method.key() + frame.block);
        check(frame.due.charAt(0) == word.kind(), "due is " + frame.due + ", not " + word);
        frame.due.deleteCharAt(0);
        Instruction of = frame.dueOf.remove(0);
        frame.last = of == null ? frame.last : of;
      }
    }
  }

  private void begin(int number) {
    Map.Entry<Integer, MethodModel> entry = methods.floorEntry(number);
    MethodModel method = entry.getValue();
    int block = number - entry.getKey();
    check(block < method.blocks().size(), "no block " + number);
    if (block == 0) {
      if (!open.isEmpty()) {
        open.peek().nested = true;
      }
      Open frame = new Open(method);
      frame.expect(entryWords(method), null);
      String words = frame.due.toString();
      frame.enter(0, false);
      frame.due.insert(0, words);
      for (int i = 0; i < words.length(); i++) {
        frame.dueOf.add(0, null);
      }
      open.push(frame);
      entered.add(method.method.name);
      return;
    }
    while (open.peek().method != method || !follows(open.peek(), block)) {
      check(
          open.peek().isFinished(),
          "block " + block + " of " + method.key() + " does not follow " + open.peek().block);
      open.pop();
    }
    Open frame = open.peek();
    boolean thrown = method.blocks().get(block).handler;
    if (thrown) {
      throwers.add(frame.thrower());
    }
    frame.enter(block, thrown);
  }

  private static boolean follows(Open frame, int block) {
    return frame.now().handlers.contains(block)
        || frame.due.length() == 0 && frame.now().successors.contains(block);
  }

  private static String entryWords(MethodModel method) {
    StringBuilder letters = new StringBuilder();
    method.entryTypes().forEach(type -> letters.append(MethodModel.words(type)));
    return letters.toString();
  }

  /** Closes frames that had returned when an exception left the one below them. */
  private void popFinished() {
    while (open.peek().isFinished() && open.peek().thrower().endsWith(" null")) {
      open.pop();
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
