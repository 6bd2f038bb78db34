package dev.fewtaps.twin.code;

/**
 * Loads an app with one mutant in it, for one process of the app.
 *
 * <p>The changed class is made anew from the translated one. It never enters the memory of prepared
 * classes, so that the next process has the original again. It has no coverage probes: with other
 * instructions, their numbers would stand for other places. All other classes report as ever.
 */
public final class Mutation implements Transform {
  private final ReadyClasses ready;
  private final String className;
  private final byte[] changed;

  /**
   * Makes the changed class.
   *
   * @throws IllegalArgumentException if the app has no such mutant
   * @throws Mutants.NotViable if it cannot run
   */
  public Mutation(AppCode code, ReadyClasses ready, Mutant.Place place) throws Mutants.NotViable {
    byte[] original = code.bytes(place.className());
    if (original == null) {
      throw new IllegalArgumentException("the app has no class " + place.className());
    }
    this.ready = ready;
    this.className = place.className();
    this.changed = ready.prepareUnmeasured(className, Mutants.make(original, place));
  }

  @Override
  public byte[] recall(String name) {
    return name.equals(className) ? changed : ready.recall(name);
  }

  @Override
  public byte[] apply(String name, byte[] bytes) {
    return ready.apply(name, bytes);
  }
}
