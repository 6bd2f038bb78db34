package dev.fewtaps.samples.lab;

import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.Context;

/** Copies to the clipboard and pastes from it. */
public final class ClipboardActivity extends LabActivity {
  @Override
  protected void fill() {
    button("Copy", () -> clipboard().setPrimaryClip(ClipData.newPlainText("lab", "copied words")));
    button("Paste", () -> {
      ClipData clip = clipboard().getPrimaryClip();
      say("pasted " + (clip == null ? "nothing" : clip.getItemAt(0).coerceToText(this)));
    });
  }

  private ClipboardManager clipboard() {
    return (ClipboardManager) getSystemService(Context.CLIPBOARD_SERVICE);
  }
}
