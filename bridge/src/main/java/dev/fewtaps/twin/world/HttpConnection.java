package dev.fewtaps.twin.world;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.List;
import java.util.Map;

/** An HTTP connection of the faked network; an {@link Exchange} does the work. */
final class HttpConnection extends HttpURLConnection {
  private final Exchange exchange;

  HttpConnection(URL url, Network network) {
    super(url);
    exchange = new Exchange(this, network);
  }

  @Override
  public void connect() throws IOException {
    exchange.connect();
    connected = true;
  }

  @Override
  public void disconnect() {}

  @Override
  public boolean usingProxy() {
    return false;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return exchange.input();
  }

  @Override
  public InputStream getErrorStream() {
    return exchange.error();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    method = exchange.methodWithBody(doOutput, method);
    return exchange.output();
  }

  @Override
  public int getResponseCode() throws IOException {
    return exchange.answer().status();
  }

  @Override
  public String getResponseMessage() throws IOException {
    return exchange.answer().reason();
  }

  @Override
  public Map<String, List<String>> getHeaderFields() {
    return exchange.headers();
  }

  @Override
  public String getHeaderField(String name) {
    return exchange.header(name);
  }

  @Override
  public String getHeaderField(int index) {
    return exchange.headerAt(index);
  }

  @Override
  public String getHeaderFieldKey(int index) {
    return exchange.headerKey(index);
  }
}
