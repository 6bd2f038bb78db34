package dev.fewtaps.samples.untidy;

import android.app.Activity;
import android.database.sqlite.SQLiteDatabase;
import android.os.Bundle;
import android.os.Environment;
import android.os.FileObserver;
import android.util.Log;
import android.widget.Button;
import android.widget.LinearLayout;
import android.widget.ScrollView;
import android.widget.TextView;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.http.params.HttpConnectionParams;
import org.apache.http.params.HttpParams;

/** One button for each odd thing that an app hands to its phone, or takes and never gives back. */
public final class MainActivity extends Activity {
  private static final int MANY = 20;

  private final List<Object> kept = new ArrayList<>();
  private LinearLayout list;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    list = new LinearLayout(this);
    list.setOrientation(LinearLayout.VERTICAL);
    ScrollView scroll = new ScrollView(this);
    scroll.addView(list);
    setContentView(scroll);

    button("Log", this::log);
    button("Odd exception", () -> { throw new Unhelpful(); });
    button("Old package", this::oldPackage);
    button("Odd texts", this::oddTexts);
    button("Paths", this::paths);
    button("Missing file", this::missingFile);
    button("Database by path", this::databaseByPath);
    button("Watch", this::watch);
    button("Take everything", this::takeEverything);
  }

  private void button(String label, Runnable action) {
    Button button = new Button(this);
    button.setText(label);
    button.setOnClickListener(view -> action.run());
    list.addView(button);
  }

  private void say(String text) {
    TextView line = new TextView(this);
    line.setText(text);
    list.addView(line, 0);
  }

  private void log() {
    Log.w(null, "without a tag");
    Log.w(null, null, new Unhelpful());
    say("logged");
  }

  private void oldPackage() {
    HttpParams params =
        (HttpParams)
            Proxy.newProxyInstance(
                getClassLoader(),
                new Class<?>[] {HttpParams.class},
                (proxy, method, arguments) -> method.getName().startsWith("getInt") ? 7 : null);
    say("timeout " + HttpConnectionParams.getSoTimeout(params));
  }

  /** Texts whose methods fail, as a title and on the screen. */
  private void oddTexts() {
    say("odd texts");
    setTitle(null);
    TextView line = new TextView(this);
    line.setContentDescription(new Broken());
    line.setText("described");
    list.addView(line);
  }

  private static final class Broken implements CharSequence {
    @Override
    public int length() {
      return 3;
    }

    @Override
    public char charAt(int index) {
      return 'x';
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return this;
    }

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  private void paths() {
    say("files " + getFilesDir());
    say("shared " + Environment.getExternalStorageDirectory());
    say("own " + getExternalFilesDir(null));
  }

  private void missingFile() {
    try {
      new FileInputStream(new File(getFilesDir(), "missing.txt")).close();
    } catch (FileNotFoundException error) {
      throw new IllegalStateException(error);
    } catch (IOException error) {
      say("other " + error);
    }
  }

  /** Writes a database through the app's folder and opens it by the path that a phone has. */
  private void databaseByPath() {
    SQLiteDatabase written = openOrCreateDatabase("notes.db", MODE_PRIVATE, null);
    written.execSQL("CREATE TABLE note (text TEXT)");
    written.execSQL("INSERT INTO note VALUES ('kept')");
    written.close();
    String path = "/data/data/" + getPackageName() + "/databases/notes.db";
    say("exists " + new File(path).exists());
    SQLiteDatabase opened =
        SQLiteDatabase.openDatabase(path, null, SQLiteDatabase.OPEN_READONLY);
    say("rows " + opened.compileStatement("SELECT count(*) FROM note").simpleQueryForLong());
    opened.close();
  }

  private void watch() {
    FileObserver observer =
        new FileObserver(getFilesDir().getPath()) {
          @Override
          public void onEvent(int event, String path) {
            runOnUiThread(() -> say("event " + Integer.toHexString(event) + " " + path));
          }
        };
    kept.add(observer);
    observer.startWatching();
    write(new File(getFilesDir(), "watched.txt"));
  }

  private void takeEverything() {
    for (int i = 0; i < MANY; i++) {
      FileObserver observer =
          new FileObserver(getCacheDir().getPath()) {
            @Override
            public void onEvent(int event, String path) {}
          };
      observer.startWatching();
      kept.add(observer);
      File file = new File(getCacheDir(), "taken" + i);
      write(file);
      try {
        kept.add(new FileInputStream(file));
        kept.add(new FileOutputStream(file, true));
        kept.add(new RandomAccessFile(file, "rw"));
        kept.add(File.createTempFile("taken", null));
      } catch (IOException error) {
        say("cannot open " + error);
      }
      Thread thread = new Thread(this::waitForever, "taken-" + i);
      thread.start();
      kept.add(thread);
    }
    say("taken");
  }

  private void waitForever() {
    synchronized (kept) {
      try {
        kept.wait();
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void write(File file) {
    try (FileOutputStream stream = new FileOutputStream(file)) {
      stream.write(1);
    } catch (IOException error) {
      say("cannot write " + error);
    }
  }
}
