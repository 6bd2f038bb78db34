package dev.fewtaps.twin.world;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLConnection;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Enumeration;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/** Everything that would leave the phone. */
public final class NetHooks {
  private static final String ADDRESS = "java/net/InetAddress";
  private static final String URL = "java/net/URL";
  private static final String FACTORY = "javax/net/SocketFactory";

  private NetHooks() {}

  /** Makes the JVM itself look up no names, so that no forgotten way leads out. */
  static void lookUpNothing() {
    if (System.getProperty("jdk.net.hosts.file") != null) {
      return;
    }
    try {
      File hosts = File.createTempFile("twin", "hosts");
      hosts.deleteOnExit();
      Files.writeString(hosts.toPath(), "127.0.0.1 localhost\n");
      System.setProperty("jdk.net.hosts.file", hosts.getPath());
    } catch (IOException e) {
      // The jail has no network anyway.
    }
  }

  /** An address for a name, unresolved when there is no network. */
  static InetSocketAddress address(String host, int port) throws UnknownHostException {
    Network network = Network.here();
    return network == null
        ? new InetSocketAddress(host, port)
        : new InetSocketAddress(network.look(host), port);
  }

  // ---- names

  @Replaces(
      owner = ADDRESS,
      name = "getByName",
      desc = "(Ljava/lang/String;)Ljava/net/InetAddress;",
      subclasses = true)
  public static InetAddress getByName(String host) throws UnknownHostException {
    Network network = Network.here();
    return network == null ? InetAddress.getByName(host) : network.look(host);
  }

  @Replaces(
      owner = ADDRESS,
      name = "getAllByName",
      desc = "(Ljava/lang/String;)[Ljava/net/InetAddress;",
      subclasses = true)
  public static InetAddress[] getAllByName(String host) throws UnknownHostException {
    Network network = Network.here();
    return network == null
        ? InetAddress.getAllByName(host)
        : new InetAddress[] {network.look(host)};
  }

  @Replaces(
      owner = ADDRESS,
      name = "getLocalHost",
      desc = "()Ljava/net/InetAddress;",
      subclasses = true)
  public static InetAddress getLocalHost() throws UnknownHostException {
    return Network.here() == null
        ? InetAddress.getLocalHost()
        : InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
  }

  @Replaces(owner = ADDRESS, name = "getHostName", desc = "()Ljava/lang/String;", subclasses = true)
  @Replaces(
      owner = ADDRESS,
      name = "getCanonicalHostName",
      desc = "()Ljava/lang/String;",
      subclasses = true)
  public static String getHostName(InetAddress address) {
    if (Network.here() == null) {
      return address.getHostName();
    }
    String text = address.toString();
    String name = text.substring(0, text.indexOf('/'));
    return !name.isEmpty()
        ? name
        : address.isLoopbackAddress() ? "localhost" : address.getHostAddress();
  }

  @Replaces(owner = ADDRESS, name = "isReachable", desc = "(I)Z", subclasses = true)
  public static boolean isReachable(InetAddress address, int timeout) throws IOException {
    Network network = Network.here();
    if (network == null) {
      return address.isReachable(timeout);
    }
    network.note("reach " + address.getHostAddress());
    network.delay();
    return address.isLoopbackAddress() || network.answers();
  }

  @Replaces(
      owner = "java/net/NetworkInterface",
      name = "getNetworkInterfaces",
      desc = "()Ljava/util/Enumeration;")
  public static Enumeration<NetworkInterface> getNetworkInterfaces() throws SocketException {
    return Network.here() == null
        ? NetworkInterface.getNetworkInterfaces()
        : Collections.emptyEnumeration();
  }

  // ---- sockets

  @Replaces(
      owner = "java/net/Socket",
      name = "connect",
      desc = "(Ljava/net/SocketAddress;)V",
      subclasses = true)
  public static void connect(Socket socket, SocketAddress address) throws IOException {
    connect(socket, address, 0);
  }

  @Replaces(
      owner = "java/net/Socket",
      name = "connect",
      desc = "(Ljava/net/SocketAddress;I)V",
      subclasses = true)
  public static void connect(Socket socket, SocketAddress address, int timeout) throws IOException {
    Network network = Network.here();
    if (network == null) {
      socket.connect(address, timeout);
    } else if (Guard.enter(socket, "connect", SocketAddress.class, int.class)) {
      try {
        socket.connect(address, timeout);
      } finally {
        Guard.leave();
      }
    } else if (socket instanceof WorldSocket || socket instanceof WorldSslSocket) {
      socket.connect(address, timeout);
    } else {
      network.connect(address, timeout);
      if (network.connects()) {
        // Made by code of the platform that is not rewritten, so that no server can be behind it.
        throw new SocketTimeoutException("failed to connect to " + address);
      }
    }
  }

  private static Socket made(SocketFactory factory, WorldSocket plain, String host) {
    return factory instanceof SSLSocketFactory ? new WorldSslSocket(plain, host) : plain;
  }

  @Replaces(owner = FACTORY, name = "createSocket", desc = "()Ljava/net/Socket;", subclasses = true)
  public static Socket createSocket(SocketFactory factory) throws IOException {
    Network network = Network.here();
    if (network == null || !network.connects()) {
      return factory.createSocket();
    }
    if (Guard.enter(factory, "createSocket")) {
      try {
        return factory.createSocket();
      } finally {
        Guard.leave();
      }
    }
    return made(factory, new WorldSocket(), "");
  }

  @Replaces(
      owner = "javax/net/ssl/SSLSocketFactory",
      name = "createSocket",
      desc = "(Ljava/net/Socket;Ljava/lang/String;IZ)Ljava/net/Socket;",
      subclasses = true)
  public static Socket createSocket(
      SSLSocketFactory factory, Socket socket, String host, int port, boolean autoClose)
      throws IOException {
    if (!(socket instanceof WorldSocket plain) || Network.here() == null) {
      return factory.createSocket(socket, host, port, autoClose);
    }
    if (Guard.enter(
        factory, "createSocket", Socket.class, String.class, int.class, boolean.class)) {
      try {
        return factory.createSocket(socket, host, port, autoClose);
      } finally {
        Guard.leave();
      }
    }
    return new WorldSslSocket(plain, host);
  }

  @Replaces(
      owner = FACTORY,
      name = "createSocket",
      desc = "(Ljava/lang/String;I)Ljava/net/Socket;",
      subclasses = true)
  public static Socket createSocket(SocketFactory factory, String host, int port)
      throws IOException {
    if (Network.here() == null) {
      return factory.createSocket(host, port);
    }
    if (Guard.enter(factory, "createSocket", String.class, int.class)) {
      try {
        return factory.createSocket(host, port);
      } finally {
        Guard.leave();
      }
    }
    return made(factory, new WorldSocket(host, port), host);
  }

  @Replaces(
      owner = FACTORY,
      name = "createSocket",
      desc = "(Ljava/net/InetAddress;I)Ljava/net/Socket;",
      subclasses = true)
  public static Socket createSocket(SocketFactory factory, InetAddress address, int port)
      throws IOException {
    if (Network.here() == null) {
      return factory.createSocket(address, port);
    }
    if (Guard.enter(factory, "createSocket", InetAddress.class, int.class)) {
      try {
        return factory.createSocket(address, port);
      } finally {
        Guard.leave();
      }
    }
    return made(factory, new WorldSocket(address, port), getHostName(address));
  }

  @Replaces(
      owner = FACTORY,
      name = "createSocket",
      desc = "(Ljava/lang/String;ILjava/net/InetAddress;I)Ljava/net/Socket;",
      subclasses = true)
  public static Socket createSocket(
      SocketFactory factory, String host, int port, InetAddress local, int localPort)
      throws IOException {
    return createSocket(factory, host, port);
  }

  @Replaces(
      owner = "java/nio/channels/SocketChannel",
      name = "open",
      desc = "(Ljava/net/SocketAddress;)Ljava/nio/channels/SocketChannel;")
  public static SocketChannel open(SocketAddress address) throws IOException {
    Network network = Network.here();
    if (network != null) {
      network.connect(address, 0);
    }
    return SocketChannel.open(address);
  }

  @Replaces(
      owner = "java/nio/channels/SocketChannel",
      name = "connect",
      desc = "(Ljava/net/SocketAddress;)Z",
      subclasses = true)
  public static boolean connect(SocketChannel channel, SocketAddress address) throws IOException {
    Network network = Network.here();
    if (network != null) {
      network.connect(address, 0);
    }
    return channel.connect(address);
  }

  @Replaces(
      owner = "java/net/DatagramSocket",
      name = "send",
      desc = "(Ljava/net/DatagramPacket;)V",
      subclasses = true)
  public static void send(DatagramSocket socket, DatagramPacket packet) throws IOException {
    Network network = Network.here();
    if (network == null) {
      socket.send(packet);
      return;
    }
    InetAddress to = packet.getAddress();
    network.note("send a datagram to " + (to == null ? "no address" : to.getHostAddress()));
    network.delay();
    throw new SocketException("sendto failed: ENETUNREACH (Network is unreachable)");
  }

  @Replaces(
      owner = "java/net/DatagramSocket",
      name = "receive",
      desc = "(Ljava/net/DatagramPacket;)V",
      subclasses = true)
  public static void receive(DatagramSocket socket, DatagramPacket packet) throws IOException {
    Strand me = Strand.here();
    if (me == null) {
      socket.receive(packet);
      return;
    }
    int timeout = socket.getSoTimeout();
    try {
      me.world.scheduler.block(
          me, socket::isClosed, timeout > 0 ? Wait.after(me, timeout) : Strand.NEVER, false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (socket.isClosed()) {
      throw new SocketException("Socket closed");
    }
    throw new SocketTimeoutException("Poll timed out");
  }

  // ---- URL

  @Replaces(owner = URL, name = "openConnection", desc = "()Ljava/net/URLConnection;")
  public static URLConnection openConnection(URL url) throws IOException {
    Network network = Network.here();
    if (network == null) {
      return url.openConnection();
    }
    switch (url.getProtocol()) {
      case "http":
        return new HttpConnection(url, network);
      case "https":
        return new HttpsConnection(url, network);
      case "ftp":
        network.note("open ftp://" + url.getHost());
        throw network.unknown(url.getHost());
      case "file":
        return new URL("file:" + readable(url.getPath())).openConnection();
      default:
        return url.openConnection();
    }
  }

  private static String readable(String path) throws FileNotFoundException {
    return FileHooks.readPath(path);
  }

  @Replaces(
      owner = URL,
      name = "openConnection",
      desc = "(Ljava/net/Proxy;)Ljava/net/URLConnection;")
  public static URLConnection openConnection(URL url, Proxy proxy) throws IOException {
    return Network.here() == null ? url.openConnection(proxy) : openConnection(url);
  }

  @Replaces(owner = URL, name = "openStream", desc = "()Ljava/io/InputStream;")
  public static InputStream openStream(URL url) throws IOException {
    return Network.here() == null ? url.openStream() : openConnection(url).getInputStream();
  }

  @Replaces(owner = URL, name = "getContent", desc = "()Ljava/lang/Object;")
  public static Object getContent(URL url) throws IOException {
    return Network.here() == null ? url.getContent() : openConnection(url).getContent();
  }

  /** Equality of addresses must not ask a name server, as it never does on Android. */
  @Replaces(owner = URL, name = "hashCode", desc = "()I")
  public static int hashCode(URL url) {
    return Network.here() == null ? url.hashCode() : url.toExternalForm().hashCode();
  }

  @Replaces(owner = URL, name = "equals", desc = "(Ljava/lang/Object;)Z")
  public static boolean equals(URL url, Object other) {
    if (Network.here() == null) {
      return url.equals(other);
    }
    return other instanceof URL && url.toExternalForm().equals(((URL) other).toExternalForm());
  }
}
