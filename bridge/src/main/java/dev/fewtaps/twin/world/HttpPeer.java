package dev.fewtaps.twin.world;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The other end of a socket in a network that answers: a server of HTTP 1.1 without a thread.
 *
 * <p>It reads what the app has written when the app asks for an answer. Requests may follow each
 * other on one connection. A web socket is opened and stays silent.
 */
final class HttpPeer {
  private static final String WEB_SOCKET_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final Network network;
  private final String host;
  private final boolean isSecure;
  private final int port;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private InputStream answer = new ByteArrayInputStream(new byte[0]);
  private boolean isCut;
  private boolean isSilent;
  private volatile boolean isClosed;
  private volatile int timeout;

  HttpPeer(Network network, String host, int port, boolean isSecure) {
    this.network = network;
    this.host = host;
    this.port = port;
    this.isSecure = isSecure;
  }

  void setTimeout(int millis) {
    timeout = millis;
  }

  void close() {
    isClosed = true;
  }

  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int count) throws IOException {
        if (isClosed) {
          throw new SocketException("Socket closed");
        }
        written.write(bytes, from, count);
      }

      @Override
      public void close() {
        isClosed = true;
      }
    };
  }

  InputStream input() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int from, int count) throws IOException {
        if (count == 0) {
          return 0;
        }
        await();
        return answer.read(bytes, from, count);
      }

      @Override
      public int available() throws IOException {
        return isClosed ? 0 : answer.available();
      }

      @Override
      public void close() {
        isClosed = true;
      }
    };
  }

  /** Waits until there is something to read, or the end. */
  private void await() throws IOException {
    while (answer.available() == 0) {
      if (isClosed) {
        throw new SocketException("Socket closed");
      }
      if (isCut) {
        return;
      }
      if (isSilent || !answerNext()) {
        waitForApp();
      }
    }
  }

  /** Lets time go by until the app closes the socket, writes more, or gives up. */
  private void waitForApp() throws IOException {
    Strand me = Strand.here();
    int before = written.size();
    try {
      boolean changed =
          me.world.scheduler.block(
              me,
              () -> isClosed || (!isSilent && written.size() != before),
              timeout > 0 ? Wait.after(me, timeout) : Strand.NEVER,
              false);
      if (!changed) {
        throw new SocketTimeoutException("Read timed out");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Answers the next whole request; false if there is none. */
  private boolean answerNext() throws IOException {
    String all = written.toString(StandardCharsets.ISO_8859_1);
    int end = all.indexOf("\r\n\r\n");
    if (end < 0) {
      return false;
    }
    String[] lines = all.substring(0, end).split("\r\n");
    Map<String, String> headers = new HashMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon > 0) {
        String name = lines[i].substring(0, colon).trim().toLowerCase(Locale.ROOT);
        headers.put(name, lines[i].substring(colon + 1).trim());
      }
    }
    int length = end + 4 + bodyLength(headers, all.substring(end + 4));
    if (length < end + 4 || all.length() < length) {
      return false;
    }
    written.reset();
    written.write(all.substring(length).getBytes(StandardCharsets.ISO_8859_1));
    answer = new ByteArrayInputStream(reply(lines[0].split(" "), headers));
    return true;
  }

  /** The bytes of the body that belong to the request; a large negative number if some miss. */
  private static int bodyLength(Map<String, String> headers, String rest) {
    String length = headers.get("content-length");
    if (length != null && length.matches("\\d{1,9}")) {
      return Integer.parseInt(length);
    }
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      int last = rest.startsWith("0\r\n\r\n") ? 0 : rest.indexOf("\r\n0\r\n\r\n");
      return last < 0 ? Integer.MIN_VALUE / 2 : last + (last == 0 ? 5 : 7);
    }
    return 0;
  }

  private byte[] reply(String[] request, Map<String, String> headers) throws IOException {
    String method = request[0];
    String target = request.length > 1 ? request[1] : "/";
    if (method.equals("CONNECT")) {
      return bytes("HTTP/1.1 200 Connection established\r\n\r\n");
    }
    String key = headers.get("sec-websocket-key");
    if (key != null) {
      isSilent = true;
      return bytes(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: "
              + accepted(key)
              + "\r\n\r\n");
    }
    boolean isUsual = port == (isSecure ? 443 : 80);
    String where = headers.getOrDefault("host", host + (isUsual ? "" : ":" + port));
    String url =
        target.contains("://") ? target : (isSecure ? "https://" : "http://") + where + target;
    network.note("open " + (isSecure ? "https://" : "http://") + where.replaceFirst(":\\d+$", ""));
    Network.Answer got = network.answer(method, url, headers.get("accept"));
    network.delay();
    if (got == null) {
      isSilent = true;
      return new byte[0];
    }
    network.lateness(got);
    StringBuilder head = new StringBuilder();
    head.append("HTTP/1.1 ").append(got.status()).append(' ').append(got.reason()).append("\r\n");
    head.append("Content-Type: ").append(got.type()).append("\r\n");
    head.append("Content-Length: ").append(got.body().length).append("\r\n");
    for (int i = 0; i + 1 < got.headers().length; i += 2) {
      head.append(got.headers()[i]).append(": ").append(got.headers()[i + 1]).append("\r\n");
    }
    isCut = got.isCut();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(bytes(head.append("\r\n").toString()));
    if (!method.equals("HEAD")) {
      all.write(got.body(), 0, got.isCut() ? got.body().length / 2 : got.body().length);
    }
    return all.toByteArray();
  }

  private static String accepted(String key) {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-1").digest(bytes(key + WEB_SOCKET_KEY));
      return Base64.getEncoder().encodeToString(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
