package dev.fewtaps.samples.calc;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.widget.TextView;

/** The motivating example of the ESDroid paper: two events write, a third divides what they wrote. */
public final class MainActivity extends Activity {
  private int width = 1;
  private int height = 1;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.main);
  }

  public void widthDecrementClick(View view) {
    width = width - 1;
    TextView text = findViewById(R.id.width);
    text.setText(width + "");
  }

  public void heightDecrementClick(View view) {
    height = height - 1;
    TextView text = findViewById(R.id.height);
    text.setText(height + "");
  }

  public void compressImageClick(View view) {
    int maxRatio = width / height;
    TextView text = findViewById(R.id.ratio);
    text.setText(getString(R.string.ratio, maxRatio));
  }
}
