package dev.fewtaps.samples.luggage;

import android.app.AlertDialog;
import android.app.Dialog;
import android.app.DialogFragment;
import android.os.Bundle;

/** Is shown again with the activity, and reads a static field then. */
public final class WeightDialog extends DialogFragment {
  @Override
  public Dialog onCreateDialog(Bundle saved) {
    int sum = 0;
    for (int weight : Trip.weights) {
      sum += weight;
    }
    return new AlertDialog.Builder(getActivity())
        .setMessage(sum + " kg")
        .setPositiveButton(android.R.string.ok, null)
        .create();
  }
}
