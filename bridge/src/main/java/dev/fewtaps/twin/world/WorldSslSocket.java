package dev.fewtaps.twin.world;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.HandshakeCompletedEvent;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/** A secure socket of a network that answers. Nothing is encrypted, because nothing leaves. */
final class WorldSslSocket extends SSLSocket {
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final WorldSocket plain;
  private final SSLSession session;
  private final List<HandshakeCompletedListener> listeners = new ArrayList<>();
  private String[] suites = ServerSession.SUITES;
  private String[] protocols = PROTOCOLS;

  WorldSslSocket(WorldSocket plain, String host) {
    this.plain = plain;
    this.session = new ServerSession(host);
    plain.secure(host);
  }

  @Override
  public void startHandshake() throws IOException {
    Network network = Network.here();
    if (network != null) {
      network.delay();
    }
    for (HandshakeCompletedListener listener : new ArrayList<>(listeners)) {
      listener.handshakeCompleted(new HandshakeCompletedEvent(this, session));
    }
  }

  @Override
  public SSLSession getSession() {
    return session;
  }

  @Override
  public SSLSession getHandshakeSession() {
    return session;
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return ServerSession.SUITES.clone();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return suites.clone();
  }

  @Override
  public void setEnabledCipherSuites(String[] names) {
    suites = names.clone();
  }

  @Override
  public String[] getSupportedProtocols() {
    return PROTOCOLS.clone();
  }

  @Override
  public String[] getEnabledProtocols() {
    return protocols.clone();
  }

  @Override
  public void setEnabledProtocols(String[] names) {
    protocols = names.clone();
  }

  @Override
  public String getApplicationProtocol() {
    return "";
  }

  @Override
  public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
    listeners.remove(listener);
  }

  @Override
  public void setUseClientMode(boolean client) {}

  @Override
  public boolean getUseClientMode() {
    return true;
  }

  @Override
  public void setNeedClientAuth(boolean need) {}

  @Override
  public boolean getNeedClientAuth() {
    return false;
  }

  @Override
  public void setWantClientAuth(boolean want) {}

  @Override
  public boolean getWantClientAuth() {
    return false;
  }

  @Override
  public void setEnableSessionCreation(boolean enabled) {}

  @Override
  public boolean getEnableSessionCreation() {
    return true;
  }

  @Override
  public void connect(SocketAddress address) throws IOException {
    plain.connect(address, 0);
  }

  @Override
  public void connect(SocketAddress address, int timeout) throws IOException {
    plain.connect(address, timeout);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return plain.getInputStream();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return plain.getOutputStream();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    plain.setSoTimeout(millis);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return plain.getSoTimeout();
  }

  @Override
  public InetAddress getInetAddress() {
    return plain.getInetAddress();
  }

  @Override
  public int getPort() {
    return plain.getPort();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return plain.getRemoteSocketAddress();
  }

  @Override
  public boolean isConnected() {
    return plain.isConnected();
  }

  @Override
  public boolean isClosed() {
    return plain.isClosed();
  }

  @Override
  public boolean isInputShutdown() {
    return plain.isClosed();
  }

  @Override
  public boolean isOutputShutdown() {
    return plain.isClosed();
  }

  @Override
  public void setTcpNoDelay(boolean on) {}

  @Override
  public void setKeepAlive(boolean on) {}

  @Override
  public void close() throws IOException {
    plain.close();
  }
}
