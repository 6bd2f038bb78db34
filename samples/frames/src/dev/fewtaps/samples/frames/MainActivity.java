package dev.fewtaps.samples.frames;

import android.app.Activity;
import android.os.Bundle;
import android.view.Choreographer;
import android.view.View;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.TextView;

/** Asks in later frames what was drawn in earlier ones. */
public final class MainActivity extends Activity {
    private static final int FRAMES = 10;

    private Drawn drawn;
    private TextView answer;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        drawn = new Drawn(this);
        answer = new TextView(this);
        answer.setId(android.R.id.text1);
        LinearLayout page = new LinearLayout(this);
        page.setOrientation(LinearLayout.VERTICAL);
        page.addView(answer);
        page.addView(button("Next frame", new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                drawn.change();
                afterFrames(2, new Runnable() {
                    @Override
                    public void run() {
                        say((drawn.isReady() ? "ready" : "not ready")
                                + (drawn.isAccelerated() ? ", accelerated" : ", not accelerated"));
                    }
                });
            }
        }));
        page.addView(button("Animation", new View.OnClickListener() {
            @Override
            public void onClick(View view) {
                animate(drawn.frames(), FRAMES);
            }
        }));
        page.addView(drawn, new LinearLayout.LayoutParams(200, 200));
        setContentView(page);
    }

    /** Changes the drawing in each of so many frames and says how often it was drawn. */
    private void animate(final int before, final int left) {
        if (left == 0) {
            say("drawn " + (drawn.frames() - before) + " times");
            return;
        }
        drawn.change();
        afterFrames(1, new Runnable() {
            @Override
            public void run() {
                animate(before, left - 1);
            }
        });
    }

    private static void afterFrames(final int frames, final Runnable work) {
        Choreographer.getInstance().postFrameCallback(new Choreographer.FrameCallback() {
            @Override
            public void doFrame(long nanos) {
                if (frames == 1) {
                    work.run();
                } else {
                    afterFrames(frames - 1, work);
                }
            }
        });
    }

    private Button button(String text, View.OnClickListener listener) {
        Button button = new Button(this);
        button.setText(text);
        button.setOnClickListener(listener);
        return button;
    }

    private void say(String text) {
        answer.setText(text);
    }
}
