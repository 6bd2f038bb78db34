package dev.fewtaps.twin.code;

/** Why a crash may be the twin's fault: the rule that says so, and the reason in this case. */
public record Suspicion(Rule rule, String reason) {

  /** The rules, by the names that the bridge protocol has for them. */
  public enum Rule {
    TRANSLATION,
    NATIVE_CODE,
    MISSING_PLATFORM,
    LINKAGE,
    HOST_LIMIT,
    NOT_IMITATED,
    MISSING_LIBRARY;

    /** Returns the rule's name in messages. */
    public String id() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
