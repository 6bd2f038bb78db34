package dev.fewtaps.samples.lab;

import android.content.SharedPreferences;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.TimeZone;

/** Counts what is left of earlier runs: after a reset, everything has to be zero. */
public final class ResetActivity extends LabActivity {
  private static int statics;

  @Override
  protected void fill() {
    button("Count", this::count);
    button("Dirty", this::dirty);
    count();
  }

  private void count() {
    SharedPreferences preferences = getSharedPreferences("reset", MODE_PRIVATE);
    say("statics " + statics);
    say("preferences " + preferences.getAll().size());
    say("files " + fileList().length);
    say("databases " + databaseList().length);
    say("cache " + size(getCacheDir()));
    say("external " + size(getExternalFilesDir(null)));
    say("property " + System.getProperty("lab.dirty"));
    say("locale " + Locale.getDefault() + " zone " + TimeZone.getDefault().getID());
    say("threads " + countThreads());
  }

  private static int size(File folder) {
    String[] names = folder == null ? null : folder.list();
    return names == null ? 0 : names.length;
  }

  private static int countThreads() {
    int count = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      count += thread.getName().equals("lab-left-over") ? 1 : 0;
    }
    return count;
  }

  private void dirty() {
    statics++;
    getSharedPreferences("reset", MODE_PRIVATE).edit().putInt("dirty", 1).commit();
    try {
      touch(getFileStreamPath("dirty.txt"));
      touch(new File(getCacheDir(), "dirty.txt"));
      touch(new File(getExternalFilesDir(null), "dirty.txt"));
    } catch (IOException error) {
      say("cannot write: " + error);
    }
    openOrCreateDatabase("dirty.db", MODE_PRIVATE, null).close();
    System.setProperty("lab.dirty", "yes");
    Locale.setDefault(Locale.GERMANY);
    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
    Thread thread = new Thread(ResetActivity::sleepLong, "lab-left-over");
    thread.setDaemon(true);
    thread.start();
    say("dirty");
  }

  private static void touch(File file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      out.write(1);
    }
  }

  private static void sleepLong() {
    try {
      Thread.sleep(3_600_000);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
