package dev.fewtaps.twin.code;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The kinds of faults that are put into an app, with the names and the meaning they have in PIT.
 */
public enum MutationOperator {
  CONDITIONALS_BOUNDARY(true, (method, node) -> ConditionChanges.boundary(node)),
  NEGATE_CONDITIONALS(true, (method, node) -> ConditionChanges.negated(node)),
  INCREMENTS(true, (method, node) -> ArithmeticChanges.increment(node)),
  INVERT_NEGS(true, (method, node) -> ArithmeticChanges.withoutNegation(node)),
  MATH(true, (method, node) -> ArithmeticChanges.otherOperation(node)),
  VOID_METHOD_CALLS(true, (method, node) -> CallChanges.removed(node)),
  TRUE_RETURNS(true, (method, node) -> ReturnChanges.truth(method, node, true)),
  FALSE_RETURNS(true, (method, node) -> ReturnChanges.truth(method, node, false)),
  NULL_RETURNS(true, ReturnChanges::nothing),
  EMPTY_RETURNS(true, ReturnChanges::empty),
  PRIMITIVE_RETURNS(true, ReturnChanges::zero),
  INLINE_CONSTS(false, (method, node) -> ConstantChanges.otherConstant(node)),
  REMOVE_CONDITIONALS_EQUAL_IF(false, (m, node) -> ConditionChanges.removed(node, true, true)),
  REMOVE_CONDITIONALS_EQUAL_ELSE(false, (m, node) -> ConditionChanges.removed(node, true, false)),
  REMOVE_CONDITIONALS_ORDER_IF(false, (m, node) -> ConditionChanges.removed(node, false, true)),
  REMOVE_CONDITIONALS_ORDER_ELSE(false, (m, node) -> ConditionChanges.removed(node, false, false)),
  /** Not of PIT: shows that what a slice leaves out does not matter. */
  DROPPED_STORES(false, (method, node) -> StoreChanges.dropped(node));

  private static final String CONDITIONALS = "REMOVE_CONDITIONALS";

  private final boolean standard;
  private final BiFunction<MethodNode, AbstractInsnNode, InstructionChange> rule;

  MutationOperator(
      boolean standard, BiFunction<MethodNode, AbstractInsnNode, InstructionChange> rule) {
    this.standard = standard;
    this.rule = rule;
  }

  /** The operators that PIT uses unless it is told otherwise. */
  public static Set<MutationOperator> standard() {
    Set<MutationOperator> chosen = EnumSet.noneOf(MutationOperator.class);
    Arrays.stream(values()).filter(operator -> operator.standard).forEach(chosen::add);
    return chosen;
  }

  /**
   * The operators of these names; {@code REMOVE_CONDITIONALS} stands for its four kinds.
   *
   * @throws IllegalArgumentException if there is no such operator
   */
  public static Set<MutationOperator> named(Collection<String> names) {
    Set<MutationOperator> chosen = EnumSet.noneOf(MutationOperator.class);
    for (String name : names) {
      List<MutationOperator> found =
          Arrays.stream(values())
              .filter(operator -> operator.name().equals(name) || operator.group().equals(name))
              .toList();
      if (found.isEmpty()) {
        throw new IllegalArgumentException("there is no mutation operator " + name);
      }
      chosen.addAll(found);
    }
    return chosen;
  }

  private String group() {
    return name().startsWith(CONDITIONALS) ? CONDITIONALS : name();
  }

  /** Returns what the operator does to an instruction of a method, or null if it does nothing. */
  InstructionChange change(MethodNode method, AbstractInsnNode node) {
    return rule.apply(method, node);
  }
}
