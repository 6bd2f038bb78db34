package dev.fewtaps.twin.world;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** A server socket to which no client ever connects. */
@ReplacesType("java/net/ServerSocket")
public class WorldServerSocket extends ServerSocket {
  private volatile int port = -1;
  private volatile boolean closed;
  private volatile int timeout;

  public WorldServerSocket() throws IOException {}

  public WorldServerSocket(int port) throws IOException {
    this(port, 50, null);
  }

  public WorldServerSocket(int port, int backlog) throws IOException {
    this(port, backlog, null);
  }

  public WorldServerSocket(int port, int backlog, InetAddress address) throws IOException {
    bind(new InetSocketAddress(address, port), backlog);
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    bind(address, 50);
  }

  @Override
  public void bind(SocketAddress address, int backlog) throws IOException {
    Strand me = Strand.here();
    if (me == null) {
      super.bind(address, backlog);
      return;
    }
    if (port >= 0) {
      throw new SocketException("Already bound");
    }
    int wanted = address instanceof InetSocketAddress ? ((InetSocketAddress) address).getPort() : 0;
    port = wanted != 0 ? wanted : 32768 + Draw.below(me.world.draw(Draw.NETWORK), 28000);
  }

  @Override
  public Socket accept() throws IOException {
    Strand me = Strand.here();
    if (me == null) {
      return super.accept();
    }
    if (closed || port < 0) {
      throw new SocketException(closed ? "Socket closed" : "Socket is not bound yet");
    }
    long deadline = timeout > 0 ? Wait.after(me, timeout) : Strand.NEVER;
    try {
      me.world.scheduler.block(me, () -> closed, deadline, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (closed) {
      throw new SocketException("Socket closed");
    }
    throw new SocketTimeoutException("Accept timed out");
  }

  @Override
  public void close() throws IOException {
    closed = true;
    super.close();
  }

  @Override
  public synchronized void setSoTimeout(int millis) throws SocketException {
    timeout = millis;
  }

  @Override
  public synchronized int getSoTimeout() {
    return timeout;
  }

  @Override
  public int getLocalPort() {
    return port >= 0 ? port : super.getLocalPort();
  }

  @Override
  public boolean isBound() {
    return port >= 0 || super.isBound();
  }

  @Override
  public InetAddress getInetAddress() {
    return port >= 0 ? InetAddress.getLoopbackAddress() : super.getInetAddress();
  }

  @Override
  public SocketAddress getLocalSocketAddress() {
    return port >= 0
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
        : super.getLocalSocketAddress();
  }
}
