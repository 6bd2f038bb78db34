package dev.fewtaps.twin.world;

import java.math.BigInteger;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

/** A certificate that is not signed, is always valid and has no extensions. */
public abstract class UnsignedCertificate extends X509Certificate {
  private static final long serialVersionUID = 1;

  private final X500Principal name;

  /** The name is that of the subject and of the issuer. */
  protected UnsignedCertificate(X500Principal name) {
    this.name = name;
  }

  @Override
  public X500Principal getSubjectX500Principal() {
    return name;
  }

  @Override
  public X500Principal getIssuerX500Principal() {
    return name;
  }

  @Override
  public Principal getSubjectDN() {
    return name;
  }

  @Override
  public Principal getIssuerDN() {
    return name;
  }

  @Override
  public void verify(PublicKey key) {}

  @Override
  public void verify(PublicKey key, String provider) {}

  @Override
  public void checkValidity() {}

  @Override
  public void checkValidity(Date date) {}

  @Override
  public int getVersion() {
    return 3;
  }

  @Override
  public BigInteger getSerialNumber() {
    return BigInteger.ONE;
  }

  @Override
  public byte[] getSignature() {
    return new byte[0];
  }

  @Override
  public byte[] getSigAlgParams() {
    return null;
  }

  @Override
  public boolean[] getIssuerUniqueID() {
    return null;
  }

  @Override
  public boolean[] getSubjectUniqueID() {
    return null;
  }

  @Override
  public boolean[] getKeyUsage() {
    return null;
  }

  @Override
  public int getBasicConstraints() {
    return -1;
  }

  @Override
  public boolean hasUnsupportedCriticalExtension() {
    return false;
  }

  @Override
  public Set<String> getCriticalExtensionOIDs() {
    return Set.of();
  }

  @Override
  public Set<String> getNonCriticalExtensionOIDs() {
    return Set.of();
  }

  @Override
  public byte[] getExtensionValue(String oid) {
    return null;
  }
}
