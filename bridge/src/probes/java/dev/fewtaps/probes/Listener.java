package dev.fewtaps.probes;

import android.net.LocalServerSocket;
import android.net.LocalSocket;
import java.io.DataOutputStream;
import java.io.IOException;

/** Writes to each client of the app's local socket which probes were hit. */
final class Listener implements Runnable {
  private final LocalServerSocket socket;

  private Listener(LocalServerSocket socket) {
    this.socket = socket;
  }

  /** Listens from now on, unless another process of the app does. */
  static void begin() {
    try {
      LocalServerSocket socket = new LocalServerSocket("fewtaps-" + Limits.app);
      Thread thread = new Thread(new Listener(socket), "fewtaps probes");
      thread.setDaemon(true);
      thread.start();
    } catch (IOException e) {
      // Taken by another process of the app, which sees the same hits.
      return;
    }
  }

  @Override
  public void run() {
    while (true) {
      try (LocalSocket client = socket.accept()) {
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        byte[] hits = Probes.packed();
        out.write(new byte[] {'F', 'T', 'P', '1'});
        out.writeInt(hits.length);
        out.write(hits);
        out.write(Probes.earlier());
        out.flush();
      } catch (IOException e) {
        // The client has left.
        continue;
      }
    }
  }
}
