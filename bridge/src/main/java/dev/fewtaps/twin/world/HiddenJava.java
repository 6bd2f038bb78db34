package dev.fewtaps.twin.world;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Methods and fields of Android's Java library that only the framework may use, and that a JVM
 * lacks.
 *
 * <p>Their calls come here by {@code PlatformCalls}; each has the name of what it stands for.
 */
public final class HiddenJava {
  private static final int BITS_OF_PART = 8;

  private HiddenJava() {}

  /** Stands for {@code InetAddress.parseNumericAddress}. */
  public static InetAddress parseNumericAddress(String address) {
    if (address == null || address.isEmpty()) {
      return InetAddress.getLoopbackAddress();
    }
    if (!isNumeric(address)) {
      throw new IllegalArgumentException("Not a numeric address: " + address);
    }
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("Not a numeric address: " + address, e);
    }
  }

  /** Stands for {@code InetAddress.isNumeric}. */
  public static boolean isNumeric(String address) {
    if (address.indexOf(':') >= 0) {
      return address.matches("\\[?[0-9a-fA-F:.]+(%\\w+)?]?");
    }
    String[] parts = address.split("\\.", -1);
    if (parts.length != Integer.BYTES) {
      return false;
    }
    for (String part : parts) {
      if (!part.matches("\\d{1,3}") || Integer.parseInt(part) >>> BITS_OF_PART != 0) {
        return false;
      }
    }
    return true;
  }

  /** Stands for {@code InetAddress.getByNameOnNet}: there is one network. */
  public static InetAddress getByNameOnNet(String host, int network) throws UnknownHostException {
    return NetHooks.getByName(host);
  }

  /** Stands for {@code InetAddress.getAllByNameOnNet}. */
  public static InetAddress[] getAllByNameOnNet(String host, int network)
      throws UnknownHostException {
    return NetHooks.getAllByName(host);
  }

  /** Stands for {@code InetAddress.clearDnsCache}; there is none. */
  public static void clearDnsCache() {}

  /** Stands for {@code ByteBuffer.setAccessible}; buffers of a JVM always are. */
  public static void setAccessible(ByteBuffer buffer, boolean isAccessible) {}

  /** Stands for the field {@code Inet4Address.ANY}. */
  public static InetAddress any4() {
    return ofZeros(Integer.BYTES);
  }

  /** Stands for the field {@code Inet6Address.ANY}. */
  public static InetAddress any6() {
    return ofZeros(2 * Long.BYTES);
  }

  private static InetAddress ofZeros(int length) {
    try {
      return InetAddress.getByAddress(new byte[length]);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
