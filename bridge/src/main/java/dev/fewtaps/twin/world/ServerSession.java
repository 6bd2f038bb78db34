package dev.fewtaps.twin.world;

import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.security.auth.x500.X500Principal;

/** A secure session with a server whose certificate is good for its name. */
final class ServerSession implements SSLSession {
  static final String[] SUITES = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
  };

  private final String host;
  private final Map<String, Object> values = new HashMap<>();

  ServerSession(String host) {
    this.host = host;
  }

  @Override
  public byte[] getId() {
    return new byte[] {1};
  }

  @Override
  public SSLSessionContext getSessionContext() {
    return null;
  }

  @Override
  public long getCreationTime() {
    return World.EPOCH_MILLIS;
  }

  @Override
  public long getLastAccessedTime() {
    return World.EPOCH_MILLIS;
  }

  @Override
  public void invalidate() {}

  @Override
  public boolean isValid() {
    return true;
  }

  @Override
  public void putValue(String name, Object value) {
    values.put(name, value);
  }

  @Override
  public Object getValue(String name) {
    return values.get(name);
  }

  @Override
  public void removeValue(String name) {
    values.remove(name);
  }

  @Override
  public String[] getValueNames() {
    return values.keySet().toArray(new String[0]);
  }

  @Override
  public Certificate[] getPeerCertificates() throws SSLPeerUnverifiedException {
    return new Certificate[] {new ServerCertificate(host)};
  }

  @Override
  public Certificate[] getLocalCertificates() {
    return null;
  }

  @Override
  public Principal getPeerPrincipal() throws SSLPeerUnverifiedException {
    return nameOf(host);
  }

  private static X500Principal nameOf(String host) {
    return new X500Principal("CN=" + host.replaceAll("[^A-Za-z0-9.-]", ""));
  }

  @Override
  public Principal getLocalPrincipal() {
    return null;
  }

  @Override
  public String getCipherSuite() {
    return SUITES[0];
  }

  @Override
  public String getProtocol() {
    return "TLSv1.3";
  }

  @Override
  public String getPeerHost() {
    return host;
  }

  @Override
  public int getPeerPort() {
    return 443;
  }

  @Override
  public int getPacketBufferSize() {
    return 16709;
  }

  @Override
  public int getApplicationBufferSize() {
    return 16704;
  }

  /** A certificate that names one host. */
  private static final class ServerCertificate extends UnsignedCertificate {
    private static final long serialVersionUID = 1;

    private final String host;

    ServerCertificate(String host) {
      super(nameOf(host));
      this.host = host;
    }

    @Override
    public Collection<List<?>> getSubjectAlternativeNames() {
      boolean isAddress = host.matches("[0-9.]+") || host.indexOf(':') >= 0;
      return List.of(List.of(isAddress ? 7 : 2, host));
    }

    @Override
    public Date getNotBefore() {
      return new Date(World.EPOCH_MILLIS - 86_400_000L);
    }

    @Override
    public Date getNotAfter() {
      return new Date(World.EPOCH_MILLIS + 365 * 86_400_000L);
    }

    @Override
    public byte[] getTBSCertificate() {
      return new byte[0];
    }

    @Override
    public String getSigAlgName() {
      return "SHA256withRSA";
    }

    @Override
    public String getSigAlgOID() {
      return "1.2.840.113549.1.1.11";
    }

    @Override
    public byte[] getEncoded() {
      return host.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public PublicKey getPublicKey() {
      return null;
    }

    @Override
    public String toString() {
      return "certificate of " + host;
    }
  }
}
