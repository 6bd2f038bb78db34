package dev.fewtaps.samples.lab;

import android.content.Context;
import android.graphics.Canvas;
import android.graphics.Color;
import android.graphics.Paint;
import android.view.GestureDetector;
import android.view.MotionEvent;
import android.view.ScaleGestureDetector;
import android.view.View;
import android.view.ViewGroup;
import android.widget.LinearLayout;

/** A pad that names the gestures made on it, and draws where the last one was. */
public final class GesturesActivity extends LabActivity {
  private static final int PAD_HEIGHT = 600;

  @Override
  protected void fill() {
    Pad pad = new Pad(this);
    pad.setId(R.id.content);
    pad.setContentDescription("pad");
    extra(pad)
        .setLayoutParams(new LinearLayout.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, PAD_HEIGHT));
    button("Forget", this::clearLog);
    button("Drawn", () -> say("drawn " + (pad.drawn > 0)));
  }

  private final class Pad extends View {
    private final Paint paint = new Paint(Paint.ANTI_ALIAS_FLAG);
    private final GestureDetector gestures;
    private final ScaleGestureDetector scales;
    private float x = -1;
    private float y;
    private int drawn;

    Pad(Context context) {
      super(context);
      setBackgroundColor(Color.rgb(232, 234, 246));
      paint.setColor(Color.rgb(194, 24, 91));
      gestures = new GestureDetector(context, new Gestures());
      scales = new ScaleGestureDetector(context, new Scales());
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
      x = event.getX();
      y = event.getY();
      invalidate();
      scales.onTouchEvent(event);
      if (event.getPointerCount() == 1) {
        gestures.onTouchEvent(event);
      }
      return true;
    }

    @Override
    protected void onDraw(Canvas canvas) {
      super.onDraw(canvas);
      drawn++;
      if (x >= 0) {
        canvas.drawCircle(x, y, 24, paint);
      }
    }
  }

  private final class Gestures extends GestureDetector.SimpleOnGestureListener {
    @Override
    public boolean onDown(MotionEvent event) {
      return true;
    }

    @Override
    public boolean onSingleTapConfirmed(MotionEvent event) {
      say("tap at " + (int) event.getX() + "," + (int) event.getY());
      return true;
    }

    @Override
    public boolean onDoubleTap(MotionEvent event) {
      say("double tap");
      return true;
    }

    @Override
    public void onLongPress(MotionEvent event) {
      say("long press");
    }

    @Override
    public boolean onFling(MotionEvent from, MotionEvent to, float velocityX, float velocityY) {
      boolean sideways = Math.abs(velocityX) > Math.abs(velocityY);
      String direction = sideways ? (velocityX > 0 ? "right" : "left") : (velocityY > 0 ? "down" : "up");
      say("fling " + direction);
      return true;
    }
  }

  private final class Scales extends ScaleGestureDetector.SimpleOnScaleGestureListener {
    private float factor = 1;

    @Override
    public boolean onScaleBegin(ScaleGestureDetector detector) {
      factor = 1;
      return true;
    }

    @Override
    public boolean onScale(ScaleGestureDetector detector) {
      factor *= detector.getScaleFactor();
      return true;
    }

    @Override
    public void onScaleEnd(ScaleGestureDetector detector) {
      say(factor > 1 ? "pinch open" : "pinch close");
    }
  }
}
