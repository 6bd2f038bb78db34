package dev.fewtaps.twin.inside;

import dev.fewtaps.twin.world.UnsignedCertificate;
import java.security.PublicKey;
import java.util.Date;
import javax.security.auth.x500.X500Principal;

/** The certificate that comes with a generated key: it only carries the public key. */
final class KeyCertificate extends UnsignedCertificate {
  private static final long serialVersionUID = 1;

  private final PublicKey key;

  KeyCertificate(PublicKey key) {
    super(new X500Principal("CN=fake"));
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
  public byte[] getTBSCertificate() {
    return key.getEncoded();
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
  public String getSigAlgName() {
    return "SHA256with" + key.getAlgorithm();
  }

  @Override
  public String getSigAlgOID() {
    return "";
  }

  @Override
  public String toString() {
    return "a certificate of " + key;
  }
}
