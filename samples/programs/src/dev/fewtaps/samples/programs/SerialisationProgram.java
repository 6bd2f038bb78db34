package dev.fewtaps.samples.programs;

import android.view.View;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** A field of a copy comes from the write of the original, through the bytes of the streams. */
// Played: open, go. In the slice: 2.
public final class SerialisationProgram extends Program {
  @Override
  public void go(View view) throws Exception {
    Box box = new Box(); // full
    box.other = 4; // out
    box.value = 0; // full thin
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // full thin
    ObjectOutputStream out = new ObjectOutputStream(bytes); // full thin
    out.writeObject(box); // full thin
    ByteArrayInputStream again = new ByteArrayInputStream(bytes.toByteArray()); // full thin
    ObjectInputStream in = new ObjectInputStream(again); // full thin
    Box copy = (Box) in.readObject(); // full thin
    shown = 100 / copy.value; // full thin
  }

  static final class Box implements Serializable {
    private static final long serialVersionUID = 1;
    int value;
    int other;
  }
}
