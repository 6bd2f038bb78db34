package dev.fewtaps.samples.lab;

import android.content.Context;
import android.net.ConnectivityManager;
import android.net.NetworkInfo;
import android.os.NetworkOnMainThreadException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URL;

/** Asks the network from a background thread, and wrongly from the main thread. */
public final class NetworkActivity extends LabActivity {
  private interface Request {
    String run() throws IOException;
  }

  @Override
  protected void fill() {
    background("HTTP", () -> {
      HttpURLConnection connection = (HttpURLConnection) new URL("http://example.org/").openConnection();
      try {
        return "status " + connection.getResponseCode();
      } finally {
        connection.disconnect();
      }
    });
    background("Socket", () -> {
      try (Socket socket = new Socket("example.org", 80)) {
        return "connected " + socket.isConnected();
      }
    });
    background("Name", () -> "address " + InetAddress.getByName("example.org").getHostName());
    button("Connectivity", this::connectivity);
    button("On main thread", () -> {
      try {
        new URL("http://example.org/").openConnection().getInputStream().close();
        say("main thread: answered");
      } catch (NetworkOnMainThreadException | IOException error) {
        say("main thread: " + error.getClass().getSimpleName());
      }
    });
  }

  private void background(String label, Request request) {
    button(label, () -> new Thread(() -> {
      try {
        say(label + ": " + request.run());
      } catch (IOException error) {
        say(label + ": " + error.getClass().getSimpleName());
      }
    }).start());
  }

  private void connectivity() {
    ConnectivityManager manager = (ConnectivityManager) getSystemService(Context.CONNECTIVITY_SERVICE);
    NetworkInfo info = manager.getActiveNetworkInfo();
    say("connected " + (info != null && info.isConnected()));
  }
}
