package dev.fewtaps.twin.world;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;

/** A socket that gets nowhere from within a world, or to a server within the world. */
@ReplacesType("java/net/Socket")
public class WorldSocket extends Socket {
  private volatile HttpPeer peer;
  private InetSocketAddress to;
  private String secureHost;
  private int timeout;

  public WorldSocket() {}

  public WorldSocket(Proxy proxy) {
    super(proxy);
  }

  public WorldSocket(String host, int port) throws IOException {
    connect(NetHooks.address(host, port), 0);
  }

  public WorldSocket(InetAddress address, int port) throws IOException {
    connect(new InetSocketAddress(address, port), 0);
  }

  public WorldSocket(String host, int port, boolean stream) throws IOException {
    this(host, port);
  }

  public WorldSocket(InetAddress address, int port, boolean stream) throws IOException {
    this(address, port);
  }

  public WorldSocket(String host, int port, InetAddress local, int localPort) throws IOException {
    this(host, port);
  }

  public WorldSocket(InetAddress address, int port, InetAddress local, int localPort)
      throws IOException {
    this(address, port);
  }

  @Override
  public void connect(SocketAddress address) throws IOException {
    connect(address, 0);
  }

  @Override
  public void connect(SocketAddress address, int timeout) throws IOException {
    Network network = Network.here();
    if (network == null) {
      super.connect(address, timeout);
    } else {
      network.connect(address, timeout);
      to = (InetSocketAddress) address;
      openPeer(network);
    }
  }

  /** What is sent from now on is meant to be encrypted, for this host. */
  void secure(String host) {
    secureHost = host;
    if (peer != null) {
      openPeer(Network.here());
    }
  }

  private void openPeer(Network network) {
    String host = secureHost == null ? to.getHostString() : secureHost;
    peer = new HttpPeer(network, host, to.getPort(), secureHost != null);
    peer.setTimeout(timeout);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return peer == null ? super.getInputStream() : peer.input();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return peer == null ? super.getOutputStream() : peer.output();
  }

  @Override
  public void setSoTimeout(int millis) throws SocketException {
    timeout = millis;
    if (peer != null) {
      peer.setTimeout(millis);
    } else {
      super.setSoTimeout(millis);
    }
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return timeout;
  }

  @Override
  public boolean isConnected() {
    return peer != null || super.isConnected();
  }

  @Override
  public InetAddress getInetAddress() {
    return peer == null ? super.getInetAddress() : to.getAddress();
  }

  @Override
  public int getPort() {
    return peer == null ? super.getPort() : to.getPort();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return peer == null ? super.getRemoteSocketAddress() : to;
  }

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    if (peer == null) {
      super.setTcpNoDelay(on);
    }
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    if (peer == null) {
      super.setKeepAlive(on);
    }
  }

  @Override
  public void shutdownInput() throws IOException {
    if (peer == null) {
      super.shutdownInput();
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    if (peer == null) {
      super.shutdownOutput();
    }
  }

  @Override
  public void close() throws IOException {
    if (peer != null) {
      peer.close();
    }
    super.close();
  }
}
