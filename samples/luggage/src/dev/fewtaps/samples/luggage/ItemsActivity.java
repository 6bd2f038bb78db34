package dev.fewtaps.samples.luggage;

import android.os.Bundle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Hands a list to its fragment once, when it is first created. */
public final class ItemsActivity extends Page {
  @Override
  protected void onCreate(Bundle saved) {
    super.onCreate(saved);
    column().setId(R.id.items);
    if (saved == null) {
      List<String> items = new ArrayList<>(Arrays.asList("Socks", "Map"));
      ItemsFragment fragment = new ItemsFragment();
      fragment.items = items;
      getFragmentManager().beginTransaction().add(R.id.items, fragment).commit();
    }
  }
}
