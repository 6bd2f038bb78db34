package dev.fewtaps.twin.code;

import static dev.fewtaps.twin.code.MutationOperator.CONDITIONALS_BOUNDARY;
import static dev.fewtaps.twin.code.MutationOperator.DROPPED_STORES;
import static dev.fewtaps.twin.code.MutationOperator.EMPTY_RETURNS;
import static dev.fewtaps.twin.code.MutationOperator.FALSE_RETURNS;
import static dev.fewtaps.twin.code.MutationOperator.INCREMENTS;
import static dev.fewtaps.twin.code.MutationOperator.INLINE_CONSTS;
import static dev.fewtaps.twin.code.MutationOperator.INVERT_NEGS;
import static dev.fewtaps.twin.code.MutationOperator.MATH;
import static dev.fewtaps.twin.code.MutationOperator.NEGATE_CONDITIONALS;
import static dev.fewtaps.twin.code.MutationOperator.NULL_RETURNS;
import static dev.fewtaps.twin.code.MutationOperator.PRIMITIVE_RETURNS;
import static dev.fewtaps.twin.code.MutationOperator.REMOVE_CONDITIONALS_EQUAL_ELSE;
import static dev.fewtaps.twin.code.MutationOperator.REMOVE_CONDITIONALS_EQUAL_IF;
import static dev.fewtaps.twin.code.MutationOperator.REMOVE_CONDITIONALS_ORDER_ELSE;
import static dev.fewtaps.twin.code.MutationOperator.REMOVE_CONDITIONALS_ORDER_IF;
import static dev.fewtaps.twin.code.MutationOperator.TRUE_RETURNS;
import static dev.fewtaps.twin.code.MutationOperator.VOID_METHOD_CALLS;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.fixture.Mutated;
import dev.fewtaps.twin.code.fixture.TestHooks;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class MutantsTest {
  private static final String NAME = Mutated.class.getName();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private AppCode code;
  private ReadyClasses ready;
  private byte[] original;

  @Before
  public void open() throws Exception {
    List<Class<?>> classes = new ArrayList<>(List.of(Mutated.class, Mutated.Size.class));
    Path apk =
        new TestApk().dex(classes.toArray(new Class<?>[0])).write(folder.newFile("a.apk").toPath());
    code = AppCode.open(apk, folder.newFolder().toPath());
    CallRewriter rewriter =
        new CallRewriter(HookTable.of(List.of(TestHooks.class)), code, getClass().getClassLoader());
    ready =
        new ReadyClasses(code, new AppTransform(rewriter, CoverageProbes.ofAll(code)), "mutants");
    original = code.bytes(NAME);
  }

  @After
  public void close() throws IOException {
    ready.close();
    code.close();
  }

  /** The mutants of the methods of one name. */
  private List<Mutant> mutants(String method, MutationOperator... operators) {
    return Mutants.of(original, Set.of(operators)).stream()
        .filter(mutant -> mutant.place().method().equals(method))
        .toList();
  }

  private List<Mutant> all(String method) {
    return Mutants.of(original, EnumSet.allOf(MutationOperator.class)).stream()
        .filter(mutant -> mutant.place().method().contains(method))
        .toList();
  }

  private Class<?> load(Transform transform) throws Exception {
    ClassLoader loader =
        new ClassLoader(getClass().getClassLoader()) {
          @Override
          protected Class<?> loadClass(String wanted, boolean resolve)
              throws ClassNotFoundException {
            Class<?> known = findLoadedClass(wanted);
            if (known != null || !code.hasClass(wanted)) {
              return known != null ? known : super.loadClass(wanted, resolve);
            }
            byte[] prepared = transform.recall(wanted);
            byte[] bytes =
                prepared != null ? prepared : transform.apply(wanted, code.bytes(wanted));
            return defineClass(wanted, bytes, 0, bytes.length);
          }
        };
    return Class.forName(NAME, true, loader);
  }

  private static Object call(Class<?> type, String name, Object... arguments) throws Exception {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name) && fits(method, arguments)) {
        try {
          return method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
          throw (Exception) e.getCause();
        }
      }
    }
    throw new NoSuchMethodException(name);
  }

  private static boolean fits(Method method, Object[] arguments) {
    Class<?>[] types = method.getParameterTypes();
    if (types.length != arguments.length) {
      return false;
    }
    for (int i = 0; i < types.length; i++) {
      boolean isInt = arguments[i] instanceof Integer;
      if (types[i].isPrimitive() && (types[i] == int.class) != isInt) {
        return false;
      }
    }
    return true;
  }

  /** Calls a method with the only mutant that the operator has there. */
  private Object mutated(MutationOperator operator, String method, Object... arguments)
      throws Exception {
    List<Mutant> found = mutants(method, operator);
    assertEquals(found.toString(), 1, found.size());
    return made(found.get(0), method, arguments);
  }

  private Object made(Mutant mutant, String method, Object... arguments) throws Exception {
    return call(load(new Mutation(code, ready, mutant.place())), method, arguments);
  }

  @Test
  public void boundariesOfComparisonsMove() throws Exception {
    assertEquals("less", mutated(CONDITIONALS_BOUNDARY, "order", 3));
    assertEquals("more", mutated(CONDITIONALS_BOUNDARY, "order", 4));
    assertTrue(mutants("same", CONDITIONALS_BOUNDARY).isEmpty());
  }

  @Test
  public void conditionsAreNegated() throws Exception {
    assertEquals("more", mutated(NEGATE_CONDITIONALS, "order", 1));
    assertEquals("other", mutated(NEGATE_CONDITIONALS, "same", this, this));
    assertEquals("some", mutated(NEGATE_CONDITIONALS, "none", (Object) null));
  }

  @Test
  public void conditionsAreRemovedInBothDirections() throws Exception {
    assertEquals("less", mutated(REMOVE_CONDITIONALS_ORDER_IF, "order", 9));
    assertEquals("more", mutated(REMOVE_CONDITIONALS_ORDER_ELSE, "order", 1));
    assertEquals("same", mutated(REMOVE_CONDITIONALS_EQUAL_IF, "same", this, ""));
    assertEquals("other", mutated(REMOVE_CONDITIONALS_EQUAL_ELSE, "same", this, this));
    assertEquals("none", mutated(REMOVE_CONDITIONALS_EQUAL_IF, "none", this));
    assertTrue(mutants("order", REMOVE_CONDITIONALS_EQUAL_IF).isEmpty());
  }

  @Test
  public void incrementsTurnTheirSign() throws Exception {
    List<Mutant> found = mutants("count", INCREMENTS);
    assertEquals(found.toString(), 2, found.size());
    assertEquals(0, mutants("count", MATH).size());
    List<Object> results = new ArrayList<>();
    for (Mutant mutant : found) {
      results.add(made(mutant, "count", 10));
    }
    // With i going down, only the limit of 50 ends the loop; with turns going down, i does.
    assertTrue(results.toString(), results.containsAll(List.of(50, -5)));
  }

  @Test
  public void minusSignsAreRemoved() throws Exception {
    List<Mutant> found = mutants("negative", INVERT_NEGS);
    assertEquals(2, found.size());
    for (Mutant mutant : found) {
      Object number = mutant.place().desc().equals("(I)I") ? (Object) 5 : (Object) 2.5;
      assertEquals(number, made(mutant, "negative", number));
    }
  }

  @Test
  public void calculationsAreExchanged() throws Exception {
    assertEquals(4, mutated(MATH, "add", 7, 3));
    assertEquals(2L, mutated(MATH, "multiply", 6L, 3L));
    assertEquals(6f, mutated(MATH, "remainder", 3f, 2f));
    assertEquals(8.0, mutated(MATH, "divide", 4.0, 2.0));
    assertEquals(32, mutated(MATH, "shift", 8, 2));
    assertEquals(2, mutated(MATH, "either", 6, 3));
  }

  @Test
  public void callsWithoutResultAreRemoved() throws Exception {
    List<Mutant> found = mutants("calls", VOID_METHOD_CALLS);
    List<String> words = found.stream().map(Mutant::description).toList();
    assertTrue(words.toString(), words.contains("removed call to " + NAME + "::note"));
    for (Mutant mutant : found) {
      if (mutant.description().endsWith("::note")) {
        assertEquals("[]", made(mutant, "calls"));
      } else if (mutant.description().endsWith("::forEach")) {
        assertEquals("[1a]", made(mutant, "calls"));
      }
    }
    assertEquals("[1a, 1ab]", call(load(ready), "calls"));
  }

  @Test
  public void booleansAreReturnedAsTrueOrFalse() throws Exception {
    assertEquals(true, mutated(TRUE_RETURNS, "truth", 1));
    assertEquals(false, mutated(FALSE_RETURNS, "truth", 9));
    assertEquals(true, mutated(TRUE_RETURNS, "boxed", 1));
    assertEquals(false, mutated(FALSE_RETURNS, "boxed", 9));
    assertTrue(mutants("truth", PRIMITIVE_RETURNS, NULL_RETURNS, EMPTY_RETURNS).isEmpty());
    assertTrue(mutants("boxed", PRIMITIVE_RETURNS, NULL_RETURNS, EMPTY_RETURNS).isEmpty());
    assertTrue(mutants("always", TRUE_RETURNS).isEmpty());
    assertEquals(false, mutated(FALSE_RETURNS, "always"));
  }

  @Test
  public void objectsAreReturnedAsNullUnlessThereIsAnEmptyOne() throws Exception {
    assertNull(mutated(NULL_RETURNS, "object"));
    assertTrue(mutants("nothing", NULL_RETURNS).isEmpty());
    assertTrue(mutants("text", NULL_RETURNS).isEmpty());
    assertEquals("", mutated(EMPTY_RETURNS, "text", 1));
    assertTrue(mutants("noText", EMPTY_RETURNS).isEmpty());
    assertEquals(List.of(), mutated(EMPTY_RETURNS, "list", "a"));
    assertTrue(mutants("noList", EMPTY_RETURNS).isEmpty());
    assertEquals(Optional.empty(), mutated(EMPTY_RETURNS, "maybe", "a"));
    assertEquals(0L, mutated(EMPTY_RETURNS, "big", 8L));
  }

  @Test
  public void numbersAreReturnedAsZero() throws Exception {
    assertEquals(0, mutated(PRIMITIVE_RETURNS, "number", "abc"));
    assertEquals(0.0, mutated(PRIMITIVE_RETURNS, "real", "2.5"));
    assertEquals((char) 0, mutated(PRIMITIVE_RETURNS, "letter", "abc"));
    assertEquals(0L, mutated(PRIMITIVE_RETURNS, "multiply", 6L, 3L));
    assertTrue(mutants("zero", PRIMITIVE_RETURNS).isEmpty());
  }

  @Test
  public void constantsAreExchanged() throws Exception {
    assertEquals(42, mutated(INLINE_CONSTS, "constant"));
    assertEquals(8.0, mutated(INLINE_CONSTS, "half", 8.0));
    assertEquals(1, mutated(INLINE_CONSTS, "zero"));
    assertEquals(false, mutated(INLINE_CONSTS, "always"));
  }

  @Test
  public void standardOperatorsAreThoseOfPit() {
    assertEquals(
        EnumSet.of(
            CONDITIONALS_BOUNDARY,
            NEGATE_CONDITIONALS,
            INCREMENTS,
            INVERT_NEGS,
            MATH,
            VOID_METHOD_CALLS,
            TRUE_RETURNS,
            FALSE_RETURNS,
            NULL_RETURNS,
            EMPTY_RETURNS,
            PRIMITIVE_RETURNS),
        MutationOperator.standard());
    assertEquals(4, MutationOperator.named(List.of("REMOVE_CONDITIONALS")).size());
    assertThrows(
        IllegalArgumentException.class, () -> MutationOperator.named(List.of("TYPO_RETURNS")));
  }

  @Test
  public void copiesOfFinallyBlocksAreOneMutant() throws Exception {
    List<Mutant> found = mutants("guarded", VOID_METHOD_CALLS);
    assertEquals(found.toString(), 1, found.size());
    for (String text : List.of("5", "x")) {
      List<String> log = new ArrayList<>(List.of(text));
      made(found.get(0), "guarded", log);
      assertEquals("the way of " + text, List.of(text), log);
    }
  }

  @Test
  public void codeOfTheCompilerHasNoMutants() {
    assertTrue(all("checked").stream().noneMatch(m -> m.instruction().startsWith("ifne")));
    byte[] size = code.bytes(Mutated.Size.class.getName());
    List<Mutant> ofEnum = Mutants.of(size, EnumSet.allOf(MutationOperator.class));
    assertTrue(
        ofEnum.toString(),
        ofEnum.stream()
            .noneMatch(m -> Set.of("values", "valueOf", "$values").contains(m.place().method())));
    assertTrue(
        Mutants.of(original, EnumSet.allOf(MutationOperator.class)).stream()
            .noneMatch(m -> m.place().method().contains("$SWITCH_TABLE$")));
  }

  @Test
  public void lambdasHaveMutants() throws Exception {
    assertEquals(1, all("lambda$").stream().filter(m -> m.place().operator() == MATH).count());
  }

  @Test
  public void everyMutantCanBeMadeAndDiffers() throws Exception {
    // A local variable whose only store is dropped has no value: such a class is refused.
    List<Mutant> found = Mutants.of(original, EnumSet.complementOf(EnumSet.of(DROPPED_STORES)));
    assertTrue(found.size() > 100);
    assertEquals(found.size(), found.stream().map(Mutant::place).distinct().count());
    for (Mutant mutant : found) {
      assertFalse(
          mutant.toString(), Arrays.equals(original, Mutants.make(original, mutant.place())));
      assertTrue(mutant.toString(), mutant.line() > 0);
      assertEquals("Mutated.java", mutant.file());
    }
  }

  @Test
  public void droppedStoreLeavesTheValueBefore() throws Exception {
    List<Object> results = new ArrayList<>();
    for (Mutant mutant : mutants("count", DROPPED_STORES)) {
      try {
        Mutants.make(original, mutant.place());
        results.add(made(mutant, "count", 5));
      } catch (Mutants.NotViable e) {
        results.add("refused");
      }
    }
    // Nothing is counted; the loop goes on to its second limit; a variable has no value at all.
    assertTrue(results.toString(), results.containsAll(List.of(0, 50, "refused")));
  }

  @Test
  public void nextProcessHasTheOriginalAgain() throws Exception {
    assertEquals("less", call(load(ready), "order", 1));
    byte[] before = ready.recall(NAME);
    Mutation mutation =
        new Mutation(code, ready, mutants("order", NEGATE_CONDITIONALS).get(0).place());
    assertEquals("more", call(load(mutation), "order", 1));
    assertEquals(before, ready.recall(NAME));
    assertEquals("less", call(load(ready), "order", 1));
  }

  @Test
  public void unknownMutantsAreRefused() {
    Mutant.Place known = mutants("order", NEGATE_CONDITIONALS).get(0).place();
    for (Mutant.Place place :
        List.of(
            new Mutant.Place("no.Such", "order", known.desc(), 0, NEGATE_CONDITIONALS),
            new Mutant.Place(NAME, "disorder", known.desc(), 0, NEGATE_CONDITIONALS),
            new Mutant.Place(NAME, "order", known.desc(), 9999, NEGATE_CONDITIONALS),
            new Mutant.Place(NAME, "order", known.desc(), -1, NEGATE_CONDITIONALS),
            new Mutant.Place(NAME, "order", known.desc(), known.index(), MATH))) {
      assertThrows(
          place.toString(), IllegalArgumentException.class, () -> new Mutation(code, ready, place));
    }
    assertNotEquals(9999, known.index());
  }
}
