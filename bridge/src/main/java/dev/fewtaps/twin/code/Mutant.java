package dev.fewtaps.twin.code;

/**
 * One small fault in a class: an operator, and the instruction that it changes.
 *
 * @param place the changed instruction
 * @param line its source line, or 0 if that is not known
 * @param file the name of the source file, or null
 * @param description the change in words
 * @param instruction the instruction in words
 */
public record Mutant(Place place, int line, String file, String description, String instruction) {

  /**
   * What identifies a mutant of an APK.
   *
   * @param className dotted
   * @param index counts the instructions of the method as it is translated, from 0
   */
  public record Place(
      String className, String method, String desc, int index, MutationOperator operator) {
    @Override
    public String toString() {
      return operator + " at instruction " + index + " of " + className + "." + method + desc;
    }
  }
}
