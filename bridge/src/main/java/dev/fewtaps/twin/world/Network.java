package dev.fewtaps.twin.world;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The network of a world: none, one whose few answers follow from the seed and the address, an
 * {@link Internet}, or what the user has recorded.
 */
final class Network {
  /** The answer of a server. */
  record Answer(
      int status,
      String reason,
      String type,
      byte[] body,
      String[] headers,
      boolean isCut,
      int lateMillis) {
    Answer(int status, String reason, String type, byte[] body) {
      this(status, reason, type, body, new String[0], false, 0);
    }

    /** The same, but the connection breaks in the middle of the body. */
    Answer cut() {
      return new Answer(status, reason, type, body, headers, true, lateMillis);
    }

    /** The same, so much later. */
    Answer late(int millis) {
      return new Answer(status, reason, type, body, headers, isCut, millis);
    }
  }

  private final World world;

  Network(World world) {
    this.world = world;
  }

  /** The network of the calling thread's world, or null outside of any. */
  static Network here() {
    Strand me = Strand.here();
    return me == null ? null : me.world.network;
  }

  boolean answers() {
    return !world.settings.network().equals("offline");
  }

  /** Whether sockets connect: those of the faked network do not. */
  boolean connects() {
    return answers() && !world.settings.network().equals("faked");
  }

  /** Lets the time of a try go by, after Android had its chance to forbid it on the main thread. */
  void delay() {
    Strand me = Strand.here();
    if (me.main) {
      world.checkMainNetwork();
    }
    long millis = 5 + Draw.below(world.draw(Draw.NETWORK), 400);
    world.decisions.answers(world.now(), millis);
    try {
      world.scheduler.block(me, null, Wait.after(me, millis), false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Lets the time of a slow answer go by. */
  void lateness(Answer answer) {
    if (answer.lateMillis() > 0) {
      Strand me = Strand.here();
      try {
        world.scheduler.block(me, null, Wait.after(me, answer.lateMillis()), false);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  void note(String what) {
    world.note("tried to " + what);
  }

  UnknownHostException unknown(String host) {
    return new UnknownHostException(
        "Unable to resolve host \"" + host + "\": No address associated with hostname");
  }

  static boolean isLiteral(String host) {
    return host == null
        || host.isEmpty()
        || host.equalsIgnoreCase("localhost")
        || host.indexOf(':') >= 0
        || host.matches("[0-9.]+");
  }

  InetAddress look(String host) throws UnknownHostException {
    if (isLiteral(host)) {
      return InetAddress.getByName(host);
    }
    note("look up " + host);
    delay();
    if (!answers()) {
      throw unknown(host);
    }
    int hash = host.toLowerCase(Locale.ROOT).hashCode();
    byte[] bytes = {(byte) 198, 18, (byte) (hash >> 8), (byte) hash};
    return InetAddress.getByAddress(host, bytes);
  }

  /** Fails to connect, as it does on a phone without a network, unless servers are there. */
  void connect(SocketAddress address, int timeout) throws IOException {
    if (!(address instanceof InetSocketAddress)) {
      throw new IllegalArgumentException("unsupported address type");
    }
    InetSocketAddress to = (InetSocketAddress) address;
    String host = to.getHostString();
    note("open " + host + ":" + to.getPort());
    delay();
    boolean local = to.getAddress() != null && to.getAddress().isLoopbackAddress();
    if (to.isUnresolved() && !answers()) {
      throw unknown(host);
    }
    String where = "failed to connect to " + to.getAddress() + " (port " + to.getPort() + ")";
    if (local) {
      throw new ConnectException(where + ": connect failed: ECONNREFUSED (Connection refused)");
    }
    if (connects()) {
      return;
    }
    if (answers()) {
      throw new SocketTimeoutException(where + (timeout > 0 ? " after " + timeout + "ms" : ""));
    }
    throw new ConnectException(where + ": connect failed: ENETUNREACH (Network is unreachable)");
  }

  /** Returns the network's answer to a request; null is no answer in time. */
  Answer answer(String method, String url, String accept) {
    return world.settings.network().equals("faked")
        ? faked(method, url)
        : Internet.answer(world, method, url, accept);
  }

  private Answer faked(String method, String url) {
    long bits = world.draw(Draw.NETWORK, url.hashCode() * 31L + method.hashCode());
    int choice = Draw.below(bits, 20);
    if (choice == 0) {
      return null;
    }
    if (choice == 1) {
      return text(404, "Not Found", "text/html", "<html><body>Not Found</body></html>");
    }
    if (choice == 2) {
      return text(500, "Internal Server Error", "text/plain", "");
    }
    String path = url.toLowerCase(Locale.ROOT);
    if (path.contains("xml") || path.contains("rss") || path.contains("feed")) {
      return text(200, "OK", "text/xml", "<?xml version=\"1.0\"?><rss version=\"2.0\"></rss>");
    }
    if (path.matches(".*\\.(html?|php|aspx?)(\\?.*)?") || path.matches("https?://[^/]+/?")) {
      return text(200, "OK", "text/html", "<html><head></head><body></body></html>");
    }
    return text(200, "OK", "application/json", choice < 6 ? "[]" : "{}");
  }

  private static Answer text(int status, String reason, String type, String body) {
    return new Answer(status, reason, type, body.getBytes(StandardCharsets.UTF_8));
  }
}
