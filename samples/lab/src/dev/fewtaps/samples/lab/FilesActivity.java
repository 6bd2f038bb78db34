package dev.fewtaps.samples.lab;

import android.os.Environment;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Internal, cache and external files, assets and raw resources. */
public final class FilesActivity extends LabActivity {
  private interface Action {
    void run() throws IOException;
  }

  @Override
  protected void fill() {
    trying("Write", () -> {
      try (OutputStream out = openFileOutput("note.txt", MODE_APPEND)) {
        out.write("line\n".getBytes(StandardCharsets.UTF_8));
      }
      say("wrote " + getFileStreamPath("note.txt").length());
    });
    trying("Read", () -> say("read " + read(openFileInput("note.txt"))));
    trying("List", () -> {
      String[] names = fileList();
      Arrays.sort(names);
      say("files " + Arrays.toString(names));
    });
    trying("Delete", () -> say("deleted " + deleteFile("note.txt")));
    trying("Cache", () -> say("cache " + roundTrip(new File(getCacheDir(), "c.txt"))));
    trying("External", () -> say("external " + roundTrip(new File(getExternalFilesDir(null), "e.txt"))));
    trying("Card", () -> {
      say("state " + Environment.getExternalStorageState());
      say("card " + roundTrip(new File(Environment.getExternalStorageDirectory(), "lab.txt")));
    });
    trying("Fixed path", () -> say("fixed " + roundTrip(new File("/sdcard/fixed.txt"))));
    trying("Assets", () -> {
      say("assets " + Arrays.toString(getAssets().list("texts")));
      say(read(getAssets().open("texts/hello.txt")));
    });
    trying("Raw", () -> say(read(getResources().openRawResource(R.raw.hello))));
    trying("Dir", () -> say("dir " + getDir("box", MODE_PRIVATE).getName()));
  }

  private void trying(String label, Action action) {
    button(label, () -> {
      try {
        action.run();
      } catch (IOException error) {
        say("failed " + error.getClass().getSimpleName());
      }
    });
  }

  private static String read(InputStream in) throws IOException {
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return reader.readLine();
    }
  }

  private static String roundTrip(File file) throws IOException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      out.write("there and back\n".getBytes(StandardCharsets.UTF_8));
    }
    try (BufferedReader reader = new BufferedReader(new FileReader(file))) {
      return reader.readLine();
    }
  }
}
