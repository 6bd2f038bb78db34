package dev.fewtaps.samples.luggage;

import android.app.Fragment;
import android.os.Bundle;
import android.view.LayoutInflater;
import android.view.View;
import android.view.ViewGroup;
import android.widget.TextView;
import java.util.List;

/** Keeps its list through a rotation, but not through the end of the process. */
public final class ItemsFragment extends Fragment {
  List<String> items;

  @Override
  public void onCreate(Bundle saved) {
    super.onCreate(saved);
    setRetainInstance(true);
  }

  @Override
  public View onCreateView(LayoutInflater inflater, ViewGroup parent, Bundle saved) {
    TextView text = new TextView(getActivity());
    text.setText(items.size() + " items");
    return text;
  }
}
