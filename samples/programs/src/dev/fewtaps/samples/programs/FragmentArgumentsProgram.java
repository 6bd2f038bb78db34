package dev.fewtaps.samples.programs;

import android.app.Fragment;
import android.os.Bundle;
import android.view.View;

/** A fragment is made, given its arguments, and added by a transaction. */
// Played: open, go. In the slice: 2.
public final class FragmentArgumentsProgram extends Program {
  @Override
  public void go(View view) {
    Bundle arguments = new Bundle(); // full
    arguments.putInt("value", 0); // full thin
    Fragment page = new Page(); // full
    page.setArguments(arguments); // full
    getFragmentManager().beginTransaction().add(page, "page").commit(); // full
  }

  /** The fragment that reads its arguments. */
  public static final class Page extends Fragment {
    @Override
    public void onCreate(Bundle saved) {
      super.onCreate(saved); // out
      int value = getArguments().getInt("value"); // full thin
      int share = 100 / value; // full thin
      setHasOptionsMenu(share > 0);
    }
  }
}
