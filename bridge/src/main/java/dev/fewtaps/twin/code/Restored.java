package dev.fewtaps.twin.code;

/** The last parameter of a constructor that {@link ConstructorCalls} has given back: no app can ask for it by accident. */
public final class Restored {
  private Restored() {}
}
