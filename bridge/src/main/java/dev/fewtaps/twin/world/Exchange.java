package dev.fewtaps.twin.world;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One HTTP request and its answer, behind both kinds of connection. */
final class Exchange {
  private final HttpURLConnection connection;
  private final Network network;
  private final Map<String, List<String>> headers = new LinkedHashMap<>();
  private boolean connected;
  private boolean asked;
  private IOException failure;
  private Network.Answer answer;
  private ByteArrayOutputStream body;

  Exchange(HttpURLConnection connection, Network network) {
    this.connection = connection;
    this.network = network;
  }

  void connect() throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (connected) {
      return;
    }
    URL url = connection.getURL();
    network.note("open " + url.getProtocol() + "://" + url.getHost());
    network.delay();
    if (!network.answers()) {
      failure =
          Network.isLiteral(url.getHost())
              ? new java.net.ConnectException(
                  "failed to connect to /"
                      + url.getHost()
                      + " (port "
                      + (url.getPort() < 0 ? url.getDefaultPort() : url.getPort())
                      + "): connect failed: ENETUNREACH (Network is unreachable)")
              : network.unknown(url.getHost());
      throw failure;
    }
    connected = true;
  }

  Network.Answer answer() throws IOException {
    connect();
    if (!asked) {
      asked = true;
      answer =
          network.answer(
              connection.getRequestMethod(),
              connection.getURL().toString(),
              connection.getRequestProperty("Accept"));
      network.delay();
      if (answer != null && answer.lateMillis() > 0) {
        int patience = connection.getReadTimeout();
        boolean isTooLate = patience > 0 && answer.lateMillis() > patience;
        network.lateness(isTooLate ? answer.late(patience) : answer);
        answer = isTooLate ? null : answer;
      }
      if (answer == null) {
        failure = new SocketTimeoutException("timeout");
        throw failure;
      }
      header(null, "HTTP/1.1 " + answer.status() + " " + answer.reason());
      header("Content-Length", String.valueOf(answer.body().length));
      header("Content-Type", answer.type());
      for (int i = 0; i + 1 < answer.headers().length; i += 2) {
        header(answer.headers()[i], answer.headers()[i + 1]);
      }
    }
    if (failure != null) {
      throw failure;
    }
    return answer;
  }

  private void header(String name, String value) {
    headers.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
  }

  InputStream input() throws IOException {
    Network.Answer got = answer();
    if (got.status() >= 400) {
      throw new FileNotFoundException(connection.getURL().toString());
    }
    return got.isCut() ? new CutStream(got.body()) : new ByteArrayInputStream(got.body());
  }

  /** A body that ends in the middle, as a connection that breaks. */
  private static final class CutStream extends ByteArrayInputStream {
    CutStream(byte[] whole) {
      super(whole, 0, whole.length / 2);
    }

    @Override
    public int read(byte[] to, int from, int most) {
      int count = super.read(to, from, most);
      if (count < 0) {
        throw CutStream.<RuntimeException>ended();
      }
      return count;
    }

    @Override
    public int read() {
      int octet = super.read();
      if (octet < 0) {
        throw CutStream.<RuntimeException>ended();
      }
      return octet;
    }

    /** The methods of the superclass declare no exception. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException ended() throws T {
      throw (T) new ProtocolException("unexpected end of stream");
    }
  }

  InputStream error() {
    try {
      Network.Answer got = answer();
      return got.status() >= 400 ? new ByteArrayInputStream(got.body()) : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** Returns the method of a request with a body: GET becomes POST. */
  String methodWithBody(boolean hasBody, String method) throws ProtocolException {
    if (!hasBody) {
      throw new ProtocolException("method does not support a request body: " + method);
    }
    return method.equals("GET") ? "POST" : method;
  }

  OutputStream output() throws IOException {
    connect();
    if (body == null) {
      body = new ByteArrayOutputStream();
    }
    return body;
  }

  Map<String, List<String>> headers() {
    try {
      answer();
    } catch (IOException e) {
      return Map.of();
    }
    return headers;
  }

  String header(String name) {
    for (Map.Entry<String, List<String>> entry : headers().entrySet()) {
      if (name == null ? entry.getKey() == null : name.equalsIgnoreCase(entry.getKey())) {
        return entry.getValue().get(0);
      }
    }
    return null;
  }

  private Map.Entry<String, List<String>> nth(int index) {
    List<Map.Entry<String, List<String>>> all = new ArrayList<>(headers().entrySet());
    return index >= 0 && index < all.size() ? all.get(index) : null;
  }

  String headerKey(int index) {
    Map.Entry<String, List<String>> entry = nth(index);
    return entry == null ? null : entry.getKey();
  }

  String headerAt(int index) {
    Map.Entry<String, List<String>> entry = nth(index);
    return entry == null ? null : entry.getValue().get(0);
  }
}
