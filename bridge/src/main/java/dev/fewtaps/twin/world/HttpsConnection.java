package dev.fewtaps.twin.world;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * An HTTPS connection of the faked network. Like {@link HttpConnection} it only hands calls to an
 * {@link Exchange}: apps tell the two apart by their superclass, so that one class cannot be both.
 */
final class HttpsConnection extends HttpsURLConnection {
  private final Exchange exchange;

  HttpsConnection(URL url, Network network) {
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

  @Override
  public String getCipherSuite() {
    return "TLS_AES_128_GCM_SHA256";
  }

  @Override
  public Certificate[] getLocalCertificates() {
    return null;
  }

  @Override
  public Certificate[] getServerCertificates() throws SSLPeerUnverifiedException {
    throw new SSLPeerUnverifiedException("no certificates in a faked network");
  }
}
