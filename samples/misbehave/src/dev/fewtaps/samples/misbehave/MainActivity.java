package dev.fewtaps.samples.misbehave;

import android.app.Activity;
import android.content.Intent;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.os.Process;
import android.view.ViewGroup;
import android.widget.Button;
import android.widget.FrameLayout;
import android.widget.GridLayout;
import android.widget.TextView;
import java.util.ArrayList;
import java.util.List;

/** One button for every way in which an app can go wrong without asking. */
public final class MainActivity extends Activity {
  private static final int BUTTON_HEIGHT = 80;

  private final Handler handler = new Handler();
  private int taps;
  private volatile long spins;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.main);
    findViewById(R.id.tap_me)
        .setOnClickListener(
            view -> {
              taps++;
              showStatus();
            });
    showStatus();

    button("Throw", this::throwHere);
    button("Cause chain", this::causeChain);
    button("Null", this::nullPointer);
    button("Stack", () -> overflow(0));
    button("Memory", this::exhaustMemory);
    button("Big array", () -> use(new long[Integer.MAX_VALUE - 8]));
    button("Static init", () -> use(BrokenClass.VALUE));
    button("Static again", this::staticAgain);
    button("Missing class", this::missingClass);
    button("Native", () -> use(MissingLibrary.answer()));
    button("Load library", () -> System.loadLibrary("missing"));
    button("Exit", () -> System.exit(3));
    button("Halt", () -> Runtime.getRuntime().halt(4));
    button("Kill", () -> Process.killProcess(Process.myPid()));
    button("Loop", this::loop);
    button("Stubborn", this::stubbornLoop);
    button("Sleep", this::sleepLong);
    button("Deadlock", this::deadlock);
    button("Wait", this::waitForever);
    button("Join", this::joinForever);
    button("Thread throw", () -> new Thread(this::throwHere, "thrower").start());
    button("Task throw", () -> new FailingTask().execute());
    button("Thread loop", () -> new Thread(this::loop, "spinner").start());
    button("Threads", this::manyThreads);
    button("Messages", () -> handler.post(this::postAgain));
    button("Delayed", () -> handler.postDelayed(this::postLater, 100));
    button("Draw", this::drawBadly);
    button("Invalidate", this::redrawForever);
    button("Layout", this::layoutForever);
    button("Create", () -> startActivity(new Intent(this, BornDeadActivity.class)));
    button("Restless", () -> startActivity(new Intent(this, RestlessActivity.class)));
    button("Service", () -> startService(new Intent(this, FailingService.class)));
    button("Receiver", () -> sendBroadcast(new Intent(this, FailingReceiver.class)));
    button("Handler", this::swallow);
    button("Foreign view", () -> new Thread(this::touchView, "toucher").start());
    button("Modify", this::modifyWhileIterating);
    button("Print", this::printALot);
    button("Close output", System.out::close);
    button("Interrupt", this::interruptMain);
  }

  private void button(String label, Runnable action) {
    Button button = new Button(this);
    button.setText(label);
    button.setAllCaps(false);
    button.setTextSize(12);
    button.setPadding(0, 0, 0, 0);
    button.setOnClickListener(view -> action.run());
    GridLayout.LayoutParams place =
        new GridLayout.LayoutParams(
            GridLayout.spec(GridLayout.UNDEFINED), GridLayout.spec(GridLayout.UNDEFINED, 1f));
    place.width = 0;
    place.height = BUTTON_HEIGHT;
    this.<GridLayout>findViewById(R.id.buttons).addView(button, place);
  }

  private void showStatus() {
    this.<TextView>findViewById(R.id.status).setText(getString(R.string.well, taps));
  }

  /** Keeps a value from being thrown away unread. */
  private void use(Object value) {
    this.<TextView>findViewById(R.id.status).setText(String.valueOf(value));
  }

  private void throwHere() {
    throw new IllegalStateException("thrown on purpose");
  }

  private void causeChain() {
    try {
      try {
        Integer.parseInt("seven");
      } catch (NumberFormatException error) {
        throw new IllegalArgumentException("bad number", error);
      }
    } catch (IllegalArgumentException error) {
      throw new RuntimeException("cannot go on", error);
    }
  }

  private void nullPointer() {
    TextView absent = findViewById(R.id.absent);
    absent.setText("never");
  }

  private int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  private void exhaustMemory() {
    List<byte[]> hoard = new ArrayList<>();
    while (true) {
      hoard.add(new byte[8 << 20]);
    }
  }

  private void staticAgain() {
    try {
      use(BrokenClass.VALUE);
    } catch (ExceptionInInitializerError error) {
      // The first use fails with its cause, every later one with NoClassDefFoundError.
      use(BrokenClass.VALUE);
    }
  }

  private void missingClass() {
    try {
      use(Class.forName("dev.fewtaps.samples.misbehave.NobodyWroteThis"));
    } catch (ClassNotFoundException error) {
      throw new NoClassDefFoundError(error.getMessage());
    }
  }

  private void loop() {
    while (true) {
      spins++;
    }
  }

  /** Survives whatever is thrown into it. */
  private void stubbornLoop() {
    while (true) {
      try {
        loop();
      } catch (Throwable error) {
        spins = 0;
      }
    }
  }

  private void sleepLong() {
    try {
      Thread.sleep(60_000);
    } catch (InterruptedException error) {
      throw new IllegalStateException("woken", error);
    }
  }

  private void deadlock() {
    Object lock = new Object();
    Thread holder =
        new Thread(
            () -> {
              synchronized (lock) {
                loopSlowly();
              }
            },
            "holder");
    holder.setDaemon(true);
    holder.start();
    try {
      Thread.sleep(200);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    synchronized (lock) {
      use("never");
    }
  }

  private void loopSlowly() {
    while (true) {
      try {
        Thread.sleep(1000);
      } catch (InterruptedException error) {
        spins++;
      }
    }
  }

  private void waitForever() {
    Object lock = new Object();
    synchronized (lock) {
      try {
        lock.wait();
      } catch (InterruptedException error) {
        throw new IllegalStateException("woken", error);
      }
    }
  }

  private void joinForever() {
    Thread thread = new Thread(this::loopSlowly, "joined");
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException error) {
      throw new IllegalStateException("woken", error);
    }
  }

  private void manyThreads() {
    for (int i = 0; i < 200; i++) {
      Thread thread = new Thread(this::loopSlowly, "crowd-" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void postAgain() {
    spins++;
    handler.post(this::postAgain);
  }

  private void postLater() {
    use("later " + ++spins);
    handler.postDelayed(this::postLater, 100);
  }

  private void drawBadly() {
    this.<FrameLayout>findViewById(R.id.canvas).addView(new BadViews.ThrowsInDraw(this));
  }

  private void redrawForever() {
    this.<FrameLayout>findViewById(R.id.canvas).addView(new BadViews.AlwaysDirty(this));
  }

  private void layoutForever() {
    this.<FrameLayout>findViewById(R.id.canvas)
        .addView(
            new BadViews.NeverLaidOut(this),
            new ViewGroup.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.MATCH_PARENT));
  }

  /** As crash reporters do: the app's own handler sees the exception first and keeps it for itself. */
  private void swallow() {
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> spins++);
    throwHere();
  }

  private void touchView() {
    this.<TextView>findViewById(R.id.status).setText("from another thread");
  }

  private void modifyWhileIterating() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      numbers.add(i);
    }
    for (Integer number : numbers) {
      numbers.remove(number);
    }
  }

  private void printALot() {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      line.append("{\"id\":1}\n");
    }
    for (int i = 0; i < 100; i++) {
      System.out.println(line);
      System.err.println(line);
    }
    use("printed");
  }

  private void interruptMain() {
    Thread main = Thread.currentThread();
    new Thread(main::interrupt, "interrupter").start();
  }

  private static final class FailingTask extends AsyncTask<Void, Void, Void> {
    @Override
    protected Void doInBackground(Void... nothing) {
      throw new IllegalStateException("thrown in the background");
    }
  }
}
