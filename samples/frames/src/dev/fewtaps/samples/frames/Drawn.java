package dev.fewtaps.samples.frames;

import android.content.Context;
import android.graphics.Canvas;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;

/** A group that prepares itself while it draws and has no views for what it shows, as Compose's group does. */
final class Drawn extends ViewGroup {
    private boolean ready;
    private boolean accelerated;
    private int frames;

    Drawn(Context context) {
        super(context);
    }

    /** Has to be drawn before it is ready again. */
    void change() {
        ready = false;
        invalidate();
    }

    boolean isReady() {
        return ready;
    }

    boolean isAccelerated() {
        return accelerated;
    }

    int frames() {
        return frames;
    }

    @Override
    protected void dispatchDraw(Canvas canvas) {
        ready = true;
        accelerated = canvas.isHardwareAccelerated();
        frames++;
        super.dispatchDraw(canvas);
    }

    @Override
    protected void onLayout(boolean changed, int left, int top, int right, int bottom) {
    }

    @Override
    public AccessibilityNodeProvider getAccessibilityNodeProvider() {
        return new AccessibilityNodeProvider() {
            @Override
            public AccessibilityNodeInfo createAccessibilityNodeInfo(int id) {
                return null;
            }
        };
    }
}
