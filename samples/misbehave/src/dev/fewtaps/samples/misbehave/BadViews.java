package dev.fewtaps.samples.misbehave;

import android.content.Context;
import android.graphics.Canvas;
import android.view.View;
import android.widget.FrameLayout;

/** Views that misbehave when they are drawn or laid out. */
final class BadViews {
  private BadViews() {}

  /** Dies when it is drawn. */
  static final class ThrowsInDraw extends View {
    ThrowsInDraw(Context context) {
      super(context);
    }

    @Override
    protected void onDraw(Canvas canvas) {
      throw new IllegalStateException("cannot draw");
    }
  }

  /** Asks to be drawn again whenever it was drawn, as some animations do. */
  static final class AlwaysDirty extends View {
    AlwaysDirty(Context context) {
      super(context);
    }

    @Override
    protected void onDraw(Canvas canvas) {
      invalidate();
    }
  }

  /** Asks for another layout whenever it was laid out. */
  static final class NeverLaidOut extends FrameLayout {
    NeverLaidOut(Context context) {
      super(context);
    }

    @Override
    protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
      super.onLayout(changed, left, top, right, bottom);
      post(this::requestLayout);
    }
  }
}
