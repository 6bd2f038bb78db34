package dev.fewtaps.samples.shop;

import android.content.Context;
import android.util.AttributeSet;
import android.view.MotionEvent;
import android.view.View;
import android.view.ViewConfiguration;
import android.widget.FrameLayout;

/** Lays its second child over the first, to be pulled in from the left edge or opened by a button. */
public final class DrawerPanel extends FrameLayout {
  private static final int EDGE_DP = 24;
  private static final long SLIDE_MS = 150;

  private final int edge;
  private final int slop;
  private boolean open;
  private float downX;

  public DrawerPanel(Context context, AttributeSet attributes) {
    super(context, attributes);
    edge = Math.round(EDGE_DP * getResources().getDisplayMetrics().density);
    slop = ViewConfiguration.get(context).getScaledTouchSlop();
  }

  @Override
  protected void onFinishInflate() {
    super.onFinishInflate();
    drawer().setVisibility(GONE);
  }

  private View drawer() {
    return getChildAt(1);
  }

  boolean isOpen() {
    return open;
  }

  void open() {
    open = true;
    View drawer = drawer();
    drawer.setVisibility(VISIBLE);
    drawer.setTranslationX(-drawer.getLayoutParams().width);
    drawer.animate().translationX(0).setDuration(SLIDE_MS);
  }

  void close() {
    open = false;
    View drawer = drawer();
    drawer
        .animate()
        .translationX(-drawer.getLayoutParams().width)
        .setDuration(SLIDE_MS)
        .withEndAction(() -> drawer.setVisibility(open ? VISIBLE : GONE));
  }

  @Override
  public boolean onInterceptTouchEvent(MotionEvent event) {
    switch (event.getActionMasked()) {
      case MotionEvent.ACTION_DOWN:
        downX = event.getX();
        return open && downX > drawer().getWidth();
      case MotionEvent.ACTION_MOVE:
        return !open && downX < edge && event.getX() - downX > slop;
      default:
        return false;
    }
  }

  @Override
  public boolean onTouchEvent(MotionEvent event) {
    if (event.getActionMasked() == MotionEvent.ACTION_UP) {
      if (open) {
        close();
      } else if (event.getX() - downX > slop) {
        open();
      }
    }
    return true;
  }
}
