package dev.fewtaps.samples.programs;

import android.os.Parcel;
import android.view.View;

/** A value is read from where it was written; the parcel's position is an index. */
// Played: open, go. In the slice: 2.
public final class ParcelValueProgram extends Program {
  @Override
  public void go(View view) {
    Parcel other = Parcel.obtain(); // out
    other.writeInt(4); // out
    Parcel parcel = Parcel.obtain(); // full
    parcel.writeInt(0); // full thin
    parcel.setDataPosition(0); // full
    int value = parcel.readInt(); // full thin
    shown = 100 / value; // full thin
  }
}
