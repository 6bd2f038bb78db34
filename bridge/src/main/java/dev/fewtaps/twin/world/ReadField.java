package dev.fewtaps.twin.world;

/**
 * A field of JSON that the app's code reads.
 *
 * @param isOptional whether the code goes on without it
 */
public record ReadField(String name, Kind kind, boolean isOptional) {
  /** What the code takes the field for. */
  public enum Kind {
    TEXT,
    NUMBER,
    FRACTION,
    TRUTH,
    LIST,
    OBJECT
  }

  /**
   * What an app reads.
   *
   * @param fields the fields, sorted by name
   * @param isList whether it takes every answer for a list
   * @param isObject whether it takes every answer for an object
   */
  public record All(java.util.List<ReadField> fields, boolean isList, boolean isObject) {
    /** Nothing is known of what the app reads. */
    public static final All NONE = new All(java.util.List.of(), false, false);
  }
}
