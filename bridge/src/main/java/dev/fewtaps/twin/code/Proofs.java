package dev.fewtaps.twin.code;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Probes each of which proves that something was executed; a value that never changes.
 *
 * <p>The bits begin with the first probe: a class has the probes of all its methods, and a set of
 * few probes far behind takes no more room than one at the beginning.
 */
final class Proofs {
  /** No probe proves it. */
  static final Proofs NONE = new Proofs(0, new BitSet(0));

  private final int first;
  private final BitSet bits;

  private Proofs(int first, BitSet bits) {
    this.first = first;
    this.bits = bits;
  }

  /** One probe. */
  static Proofs of(int probe) {
    BitSet bits = new BitSet(1);
    bits.set(0);
    return new Proofs(probe, bits);
  }

  /** The probes of both. */
  Proofs or(Proofs other) {
    if (bits.isEmpty() || other == this) {
      return other;
    }
    if (other.bits.isEmpty()) {
      return this;
    }
    int start = Math.min(first, other.first);
    int end = Math.max(first + bits.length(), other.first + other.bits.length());
    BitSet union = new BitSet(end - start);
    copy(union, start);
    other.copy(union, start);
    return new Proofs(start, union);
  }

  private void copy(BitSet into, int start) {
    for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
      into.set(first - start + i);
    }
  }

  /** The probes, ascending. */
  IntStream probes() {
    return bits.stream().map(bit -> first + bit);
  }

  /** Whether one of them is among the probes that were hit. */
  boolean intersects(BitSet hits) {
    for (int i = hits.nextSetBit(first); i >= 0; i = hits.nextSetBit(i + 1)) {
      if (i - first >= bits.length()) {
        return false;
      }
      if (bits.get(i - first)) {
        return true;
      }
    }
    return false;
  }
}
