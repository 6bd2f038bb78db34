package dev.fewtaps.twin.world;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;

/** A socket that gets nowhere from within a world. */
@ReplacesType("java/net/Socket")
public class WorldSocket extends Socket {
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
    }
  }
}
