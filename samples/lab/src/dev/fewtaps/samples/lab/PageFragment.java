package dev.fewtaps.samples.lab;

import android.app.Fragment;
import android.os.Bundle;
import android.view.LayoutInflater;
import android.view.View;
import android.view.ViewGroup;
import android.widget.TextView;

/** A page with a number, which it keeps in its arguments. */
public final class PageFragment extends Fragment {
  private static final String ARGUMENT_NUMBER = "number";

  static PageFragment of(int number) {
    Bundle arguments = new Bundle();
    arguments.putInt(ARGUMENT_NUMBER, number);
    PageFragment page = new PageFragment();
    page.setArguments(arguments);
    return page;
  }

  @Override
  public View onCreateView(LayoutInflater inflater, ViewGroup container, Bundle savedInstanceState) {
    TextView view = (TextView) inflater.inflate(R.layout.fragment, container, false);
    view.setText("page " + getArguments().getInt(ARGUMENT_NUMBER));
    return view;
  }
}
