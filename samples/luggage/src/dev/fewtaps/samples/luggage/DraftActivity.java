package dev.fewtaps.samples.luggage;

import android.os.Bundle;
import java.io.Serializable;

/** Saves an object that cannot be written into a parcel. */
public final class DraftActivity extends Page {
  private static final class Author {
    String name = "Ada";
  }

  private static final class Draft implements Serializable {
    private static final long serialVersionUID = 1;
    String title = "Packing list";
    Author author = new Author();
  }

  private Draft draft = new Draft();

  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    if (saved != null) {
      draft = (Draft) saved.getSerializable("draft");
    }
    text(draft.title + " by " + draft.author.name);
  }

  @Override
  protected void onSaveInstanceState(Bundle out) {
    super.onSaveInstanceState(out);
    out.putSerializable("draft", draft);
  }
}
