package dev.fewtaps.samples.hostile;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.SocketChannel;
import java.util.Collections;

/** Opens sockets of every kind. */
final class NetworkAttacks {
  private static final int TIMEOUT_MS = 2000;
  private static final byte[] NOWHERE = {(byte) 192, 0, 2, 1};
  private static final byte[] SOMEWHERE = {8, 8, 8, 8};

  private NetworkAttacks() {}

  static void all(Outcomes outcomes) {
    outcomes.attempt("connect to loopback", () -> connect(InetAddress.getLoopbackAddress(), 22));
    outcomes.attempt("connect to the documentation's network", () -> connect(InetAddress.getByAddress(NOWHERE), 80));
    outcomes.attempt("connect outside", () -> connect(InetAddress.getByAddress(SOMEWHERE), 53));
    outcomes.attempt("connect by channel", () -> {
      try (SocketChannel channel = SocketChannel.open()) {
        channel.socket().connect(new InetSocketAddress(InetAddress.getByAddress(SOMEWHERE), 53), TIMEOUT_MS);
        return "connected";
      }
    });
    outcomes.attempt("send a datagram", () -> {
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.setSoTimeout(TIMEOUT_MS);
        socket.send(new DatagramPacket(new byte[8], 8, InetAddress.getByAddress(SOMEWHERE), 53));
        return "sent";
      }
    });
    outcomes.attempt("resolve a name", () -> InetAddress.getByName("example.org").getHostAddress());
    outcomes.attempt("fetch a page", () -> {
      URLConnection connection = new URL("http://example.org/").openConnection();
      connection.setConnectTimeout(TIMEOUT_MS);
      connection.setReadTimeout(TIMEOUT_MS);
      return connection.getInputStream().read() + " was the first byte";
    });
    outcomes.attempt("listen", () -> {
      try (ServerSocket socket = new ServerSocket(0)) {
        return "port " + (socket.getLocalPort() > 0);
      }
    });
    outcomes.attempt("see interfaces", () -> {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (!network.isLoopback()) {
          return network.getName();
        }
      }
      throw new IOException("only loopback");
    });
  }

  private static String connect(InetAddress address, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), TIMEOUT_MS);
      return "connected";
    }
  }
}
