package dev.fewtaps.samples.lab;

import android.app.AlertDialog;
import android.app.Dialog;
import android.app.DialogFragment;
import android.app.FragmentManager;
import android.os.Bundle;
import android.widget.FrameLayout;

/** Puts fragments on a back stack and shows one as a dialog. */
public final class FragmentsActivity extends LabActivity {
  @Override
  protected void fill() {
    FrameLayout content = new FrameLayout(this);
    content.setId(R.id.content);
    extra(content);
    FragmentManager fragments = getFragmentManager();
    if (fragments.findFragmentById(R.id.content) == null) {
      fragments.beginTransaction().add(R.id.content, PageFragment.of(1)).commit();
    }
    button("Push page", this::push);
    button("Pop page", fragments::popBackStack);
    button("Dialog fragment", () -> new Question().show(fragments, "question"));
    fragments.addOnBackStackChangedListener(() -> say("stack " + fragments.getBackStackEntryCount()));
  }

  private void push() {
    int next = getFragmentManager().getBackStackEntryCount() + 2;
    getFragmentManager()
        .beginTransaction()
        .replace(R.id.content, PageFragment.of(next))
        .addToBackStack(null)
        .commit();
  }

  /** A dialog that survives a rotation, as dialog fragments do. */
  public static final class Question extends DialogFragment {
    @Override
    public Dialog onCreateDialog(Bundle savedInstanceState) {
      FragmentsActivity lab = (FragmentsActivity) getActivity();
      return new AlertDialog.Builder(lab)
          .setMessage("Dialog in a fragment")
          .setPositiveButton("Agree", (dialog, which) -> lab.say("agreed"))
          .create();
    }
  }
}
