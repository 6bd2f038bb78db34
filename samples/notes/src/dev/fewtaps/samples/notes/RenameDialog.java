package dev.fewtaps.samples.notes;

import android.app.AlertDialog;
import android.app.Dialog;
import android.app.DialogFragment;
import android.content.DialogInterface;
import android.os.Bundle;
import android.widget.EditText;

/** Asks for a new title. */
public final class RenameDialog extends DialogFragment {
  private static final String ARGUMENT_TITLE = "title";

  /** Is told the new title. */
  interface Listener {
    void renamed(String title);
  }

  // The defect: the framework makes this fragment again after a rotation, and nobody sets its listener then.
  private Listener listener;
  private EditText field;

  static RenameDialog ask(CharSequence title, Listener listener) {
    Bundle arguments = new Bundle();
    arguments.putCharSequence(ARGUMENT_TITLE, title);
    RenameDialog dialog = new RenameDialog();
    dialog.setArguments(arguments);
    dialog.listener = listener;
    return dialog;
  }

  @Override
  public Dialog onCreateDialog(Bundle savedInstanceState) {
    field = new EditText(getActivity());
    field.setId(R.id.title);
    field.setHint(R.string.title_hint);
    field.setSingleLine();
    field.setText(getArguments().getCharSequence(ARGUMENT_TITLE));
    return new AlertDialog.Builder(getActivity())
        .setTitle(R.string.rename)
        .setView(field)
        .setPositiveButton(R.string.ok, this::confirm)
        .setNegativeButton(R.string.cancel, null)
        .create();
  }

  private void confirm(DialogInterface dialog, int which) {
    String title = field.getText().toString().trim();
    listener.renamed(title.isEmpty() ? getString(R.string.untitled) : title);
  }
}
