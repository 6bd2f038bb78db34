package dev.fewtaps.twin.inside;

import android.security.KeyPairGeneratorSpec;
import android.security.keystore.KeyGenParameterSpec;
import dev.fewtaps.twin.world.WorldSecureRandom;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.KeyStoreSpi;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.KeyGeneratorSpi;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The phone's store of keys, "AndroidKeyStore". Its keys are ordinary ones, so that every cipher
 * takes them; they follow from the world and go with the run.
 */
public final class PhoneKeyStore extends Provider {
  private static final long serialVersionUID = 1;
  private static final String NAME = "AndroidKeyStore";
  private static final int RSA_BITS = 2048;
  private static final int EC_BITS = 256;

  private static final Map<String, Entry> ENTRIES =
      Collections.synchronizedMap(new LinkedHashMap<>());

  private PhoneKeyStore() {
    super(NAME, "1.0", "The keys of the twin's phone");
    put("KeyStore." + NAME, Store.class.getName());
    for (String algorithm :
        new String[] {"AES", "DESede", "HmacSHA1", "HmacSHA256", "HmacSHA512"}) {
      putService(new Maker(this, "KeyGenerator", algorithm));
    }
    putService(new Maker(this, "KeyPairGenerator", "RSA"));
    putService(new Maker(this, "KeyPairGenerator", "EC"));
  }

  /** Gives a new process's phone an empty store. */
  static void install() {
    ENTRIES.clear();
    Provider present = Security.getProvider(NAME);
    if (present == null || present.getClass() != PhoneKeyStore.class) {
      Security.removeProvider(NAME);
      Security.addProvider(new PhoneKeyStore());
    }
  }

  /** Makes the makers of keys, which have to know their algorithm. */
  private static final class Maker extends Service {
    Maker(Provider provider, String type, String algorithm) {
      super(provider, type, algorithm, NAME, null, null);
    }

    @Override
    public Object newInstance(Object ignored) {
      return getType().equals("KeyGenerator")
          ? new Secrets(getAlgorithm())
          : new Pairs(getAlgorithm());
    }
  }

  /** A key with what belongs to it. */
  private static final class Entry {
    final Key key;
    final Certificate certificate;
    final Date made = new Date(dev.fewtaps.twin.WallClock.now());

    Entry(Key key, Certificate certificate) {
      this.key = key;
      this.certificate = certificate;
    }
  }

  /** Generates secret keys. */
  public static final class Secrets extends KeyGeneratorSpi {
    private final String algorithm;
    private KeyGenParameterSpec wanted;

    Secrets(String algorithm) {
      this.algorithm = algorithm;
    }

    @Override
    protected void engineInit(SecureRandom random) {
      throw new UnsupportedOperationException(
          "Cannot initialize without a KeyGenParameterSpec parameter");
    }

    @Override
    protected void engineInit(int size, SecureRandom random) {
      engineInit(random);
    }

    @Override
    protected void engineInit(AlgorithmParameterSpec parameters, SecureRandom random)
        throws InvalidAlgorithmParameterException {
      if (!(parameters instanceof KeyGenParameterSpec)) {
        throw new InvalidAlgorithmParameterException(
            "Cannot initialize without a KeyGenParameterSpec parameter");
      }
      wanted = (KeyGenParameterSpec) parameters;
    }

    @Override
    protected SecretKey engineGenerateKey() {
      if (wanted == null) {
        throw new IllegalStateException("Not initialized");
      }
      byte[] bytes = new byte[bits() / 8];
      new WorldSecureRandom().nextBytes(bytes);
      SecretKey key = new SecretKeySpec(bytes, algorithm);
      ENTRIES.put(wanted.getKeystoreAlias(), new Entry(key, null));
      return key;
    }

    private int bits() {
      if (wanted.getKeySize() > 0) {
        return wanted.getKeySize();
      }
      switch (algorithm) {
        case "AES":
          return 256;
        case "DESede":
          return 192;
        case "HmacSHA1":
          return 160;
        case "HmacSHA512":
          return 512;
        default:
          return 256;
      }
    }
  }

  /** Generates pairs of keys. */
  public static final class Pairs extends KeyPairGeneratorSpi {
    private String algorithm;
    private AlgorithmParameterSpec shape;
    private int bits;
    private String alias;

    Pairs(String algorithm) {
      this.algorithm = algorithm;
    }

    @Override
    public void initialize(int size, SecureRandom random) {
      throw new IllegalArgumentException(
          KeyGenParameterSpec.class.getName()
              + " or "
              + KeyPairGeneratorSpec.class.getName()
              + " required to initialize this KeyPairGenerator");
    }

    @Override
    public void initialize(AlgorithmParameterSpec parameters, SecureRandom random)
        throws InvalidAlgorithmParameterException {
      if (parameters instanceof KeyGenParameterSpec) {
        KeyGenParameterSpec wanted = (KeyGenParameterSpec) parameters;
        take(wanted.getKeystoreAlias(), wanted.getKeySize(), wanted.getAlgorithmParameterSpec());
      } else if (parameters instanceof KeyPairGeneratorSpec) {
        KeyPairGeneratorSpec wanted = (KeyPairGeneratorSpec) parameters;
        algorithm = wanted.getKeyType() == null ? algorithm : wanted.getKeyType();
        take(wanted.getKeystoreAlias(), wanted.getKeySize(), wanted.getAlgorithmParameterSpec());
      } else {
        throw new InvalidAlgorithmParameterException("Unsupported params: " + parameters);
      }
    }

    private void take(String alias, int bits, AlgorithmParameterSpec shape) {
      this.alias = alias;
      this.bits = bits;
      this.shape = shape;
    }

    @Override
    public KeyPair generateKeyPair() {
      if (alias == null) {
        throw new IllegalStateException("Not initialized");
      }
      try {
        KeyPair pair = generate();
        ENTRIES.put(alias, new Entry(pair.getPrivate(), new KeyCertificate(pair.getPublic())));
        return pair;
      } catch (GeneralSecurityException e) {
        throw new ProviderException("Failed to generate key pair", e);
      }
    }

    private KeyPair generate() throws GeneralSecurityException {
      boolean rsa = algorithm.equals("RSA");
      // The platform's own take their random numbers from us, which others do not.
      KeyPairGenerator maker =
          KeyPairGenerator.getInstance(algorithm, rsa ? "SunRsaSign" : "SunEC");
      SecureRandom random = new WorldSecureRandom();
      if (shape instanceof RSAKeyGenParameterSpec || shape instanceof ECGenParameterSpec) {
        maker.initialize(shape, random);
      } else {
        maker.initialize(bits > 0 ? bits : rsa ? RSA_BITS : EC_BITS, random);
      }
      return maker.generateKeyPair();
    }
  }

  /** The store itself. */
  public static final class Store extends KeyStoreSpi {
    @Override
    public Key engineGetKey(String alias, char[] password) {
      Entry entry = ENTRIES.get(alias);
      return entry == null ? null : entry.key;
    }

    @Override
    public Certificate[] engineGetCertificateChain(String alias) {
      Certificate certificate = engineGetCertificate(alias);
      return certificate == null ? null : new Certificate[] {certificate};
    }

    @Override
    public Certificate engineGetCertificate(String alias) {
      Entry entry = ENTRIES.get(alias);
      return entry == null ? null : entry.certificate;
    }

    @Override
    public Date engineGetCreationDate(String alias) {
      Entry entry = ENTRIES.get(alias);
      return entry == null ? null : entry.made;
    }

    @Override
    public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) {
      ENTRIES.put(alias, new Entry(key, chain == null || chain.length == 0 ? null : chain[0]));
    }

    @Override
    public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain)
        throws KeyStoreException {
      throw new KeyStoreException("Operation not supported because key encoding is unknown");
    }

    @Override
    public void engineSetCertificateEntry(String alias, Certificate certificate) {
      ENTRIES.put(alias, new Entry(null, certificate));
    }

    @Override
    public void engineDeleteEntry(String alias) {
      ENTRIES.remove(alias);
    }

    @Override
    public Enumeration<String> engineAliases() {
      synchronized (ENTRIES) {
        return Collections.enumeration(new java.util.ArrayList<>(ENTRIES.keySet()));
      }
    }

    @Override
    public boolean engineContainsAlias(String alias) {
      return ENTRIES.containsKey(alias);
    }

    @Override
    public int engineSize() {
      return ENTRIES.size();
    }

    @Override
    public boolean engineIsKeyEntry(String alias) {
      return engineGetKey(alias, null) != null;
    }

    @Override
    public boolean engineIsCertificateEntry(String alias) {
      Entry entry = ENTRIES.get(alias);
      return entry != null && entry.key == null;
    }

    @Override
    public String engineGetCertificateAlias(Certificate certificate) {
      synchronized (ENTRIES) {
        for (Map.Entry<String, Entry> each : ENTRIES.entrySet()) {
          if (certificate.equals(each.getValue().certificate)) {
            return each.getKey();
          }
        }
      }
      return null;
    }

    @Override
    public KeyStore.Entry engineGetEntry(String alias, KeyStore.ProtectionParameter protection) {
      Entry entry = ENTRIES.get(alias);
      if (entry == null) {
        return null;
      }
      if (entry.key instanceof SecretKey) {
        return new KeyStore.SecretKeyEntry((SecretKey) entry.key);
      }
      return entry.key == null
          ? new KeyStore.TrustedCertificateEntry(entry.certificate)
          : new KeyStore.PrivateKeyEntry((PrivateKey) entry.key, engineGetCertificateChain(alias));
    }

    @Override
    public void engineSetEntry(
        String alias, KeyStore.Entry entry, KeyStore.ProtectionParameter protection)
        throws KeyStoreException {
      if (entry instanceof KeyStore.SecretKeyEntry) {
        engineSetKeyEntry(alias, ((KeyStore.SecretKeyEntry) entry).getSecretKey(), null, null);
      } else if (entry instanceof KeyStore.PrivateKeyEntry) {
        KeyStore.PrivateKeyEntry pair = (KeyStore.PrivateKeyEntry) entry;
        engineSetKeyEntry(alias, pair.getPrivateKey(), null, pair.getCertificateChain());
      } else if (entry instanceof KeyStore.TrustedCertificateEntry) {
        engineSetCertificateEntry(
            alias, ((KeyStore.TrustedCertificateEntry) entry).getTrustedCertificate());
      } else {
        throw new KeyStoreException("Unsupported entry type " + entry);
      }
    }

    @Override
    public void engineStore(OutputStream stream, char[] password) {
      throw new UnsupportedOperationException("Can not serialize AndroidKeyStore to OutputStream");
    }

    @Override
    public void engineLoad(InputStream stream, char[] password) {
      if (stream != null) {
        throw new IllegalArgumentException("InputStream not supported");
      }
    }
  }
}
