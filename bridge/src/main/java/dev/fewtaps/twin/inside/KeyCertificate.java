package dev.fewtaps.twin.inside;

import java.math.BigInteger;
import java.security.Principal;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Date;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

/**
 * The certificate that comes with a generated key: it is not signed and only carries the public
 * key.
 */
final class KeyCertificate extends X509Certificate {
  private static final long serialVersionUID = 1;
  private static final X500Principal NOBODY = new X500Principal("CN=fake");

  private final PublicKey key;

  KeyCertificate(PublicKey key) {
    this.key = key;
  }

  @Override
  public PublicKey getPublicKey() {
    return key;
  }

  @Override
  public byte[] getEncoded() {
    return key.getEncoded();
  }

  @Override
  public void verify(PublicKey signer) {}

  @Override
  public void verify(PublicKey signer, String provider) {}

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
  public Principal getIssuerDN() {
    return NOBODY;
  }

  @Override
  public Principal getSubjectDN() {
    return NOBODY;
  }

  @Override
  public X500Principal getIssuerX500Principal() {
    return NOBODY;
  }

  @Override
  public X500Principal getSubjectX500Principal() {
    return NOBODY;
  }

  @Override
  public Date getNotBefore() {
    return new Date(0);
  }

  @Override
  public Date getNotAfter() {
    return new Date(2_461_449_600_000L); // Android's own default: the first of January 2048.
  }

  @Override
  public byte[] getTBSCertificate() {
    return key.getEncoded();
  }

  @Override
  public byte[] getSignature() {
    return new byte[0];
  }

  @Override
  public String getSigAlgName() {
    return "SHA256with" + key.getAlgorithm();
  }

  @Override
  public String getSigAlgOID() {
    return "";
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
    return null;
  }

  @Override
  public Set<String> getNonCriticalExtensionOIDs() {
    return null;
  }

  @Override
  public byte[] getExtensionValue(String oid) {
    return null;
  }

  @Override
  public String toString() {
    return "a certificate of " + key;
  }
}
