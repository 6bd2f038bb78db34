package dev.fewtaps.twin.code;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells an app's own classes from the libraries packed with it, by their packages. */
final class AppPackages {
  private static final List<String> LIBRARIES =
      List.of(
          "android",
          "androidx",
          "kotlin",
          "kotlinx",
          "java",
          "javax",
          "j$",
          "dalvik",
          "sun",
          "com.google",
          "com.android",
          "com.squareup",
          "com.facebook",
          "com.fasterxml",
          "com.bumptech",
          "com.airbnb.lottie",
          "com.crashlytics",
          "com.jakewharton",
          "com.github.mikephil",
          "com.nostra13",
          "com.actionbarsherlock",
          "com.android.volley",
          "com.loopj",
          "com.flurry",
          "com.mopub",
          "com.unity3d",
          "com.amazonaws",
          "com.amazon.device",
          "com.microsoft.appcenter",
          "com.viewpagerindicator",
          "com.handmark",
          "com.nineoldandroids",
          "com.j256",
          "com.j256.ormlite",
          "com.caverock",
          "com.afollestad",
          "com.mikepenz",
          "com.tencent.mm",
          "com.umeng",
          "com.alibaba",
          "okhttp3",
          "okio",
          "retrofit",
          "retrofit2",
          "rx",
          "io.reactivex",
          "io.realm",
          "io.fabric",
          "io.netty",
          "io.grpc",
          "io.ktor",
          "io.sentry",
          "io.flutter",
          "io.coil",
          "coil",
          "dagger",
          "butterknife",
          "bolts",
          "timber",
          "roboguice",
          "org.apache",
          "org.jetbrains",
          "org.intellij",
          "org.json",
          "org.xml",
          "org.w3c",
          "org.slf4j",
          "org.greenrobot",
          "de.greenrobot",
          "org.joda",
          "org.threeten",
          "org.jsoup",
          "org.bouncycastle",
          "org.spongycastle",
          "org.codehaus",
          "org.checkerframework",
          "org.reactivestreams",
          "org.osmdroid",
          "org.acra",
          "org.xmlpull",
          "org.kxml2",
          "org.objectweb",
          "org.ocpsoft",
          "org.koin",
          "org.chromium",
          "org.webrtc",
          "net.sqlcipher",
          "net.hockeyapp",
          "junit",
          "mono",
          "crc64",
          "edu.umd.cs");

  private static final Set<String> HOSTS =
      Set.of(
          "com.github",
          "io.github",
          "com.gitlab",
          "io.gitlab",
          "com.googlecode",
          "com.google",
          "net.sourceforge",
          "org.bitbucket",
          "com.blogspot",
          "com.wordpress",
          "com.appspot",
          "com.android",
          "com.example",
          "co.uk",
          "com.au",
          "com.br",
          "com.tw",
          "com.cn",
          "org.uk",
          "eu.org");

  private final List<String> roots;
  private final String manifestPackage;

  private AppPackages(List<String> roots, String manifestPackage) {
    this.roots = roots;
    this.manifestPackage = manifestPackage;
  }

  /** Decides from the manifest and the dotted names of the classes that are really there. */
  static AppPackages of(Manifest manifest, Collection<String> classNames) {
    String declared = manifest.packageName();
    List<String> own = new ArrayList<>();
    for (String component : manifest.components()) {
      if (!isLibrary(component, declared)) {
        own.add(component);
      }
    }
    boolean matches =
        !declared.isEmpty()
            && classNames.stream().anyMatch(name -> within(name, declared) && !isGenerated(name));
    List<String> roots = new ArrayList<>();
    if (matches) {
      roots.add(declared);
      String family = family(declared);
      own.stream()
          .filter(name -> within(name, family))
          .map(name -> common(declared, packageOf(name)))
          .forEach(roots::add);
    } else {
      roots.add(largestFamily(own, declared));
    }
    return new AppPackages(roots.stream().distinct().toList(), declared);
  }

  /** Whether a class, by its dotted name, is the app's own code. */
  boolean contains(String className) {
    if (isLibrary(className, manifestPackage) || isGenerated(className)) {
      return false;
    }
    for (String root : roots) {
      if (root.isEmpty() ? className.indexOf('.') < 0 : within(className, root)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a class, by its dotted name, lies in the package of a known library. */
  boolean isLibrary(String className) {
    return isLibrary(className, manifestPackage);
  }

  /** The packages below which the app's own code lies. */
  List<String> roots() {
    return roots;
  }

  private static String largestFamily(List<String> components, String fallback) {
    Map<String, List<String>> families = new HashMap<>();
    for (String component : components) {
      families.computeIfAbsent(family(packageOf(component)), f -> new ArrayList<>()).add(component);
    }
    List<String> largest = List.of();
    for (List<String> candidates : families.values()) {
      // Ties go to the family that the manifest names first: the launcher mostly comes first.
      boolean earlier =
          candidates.size() == largest.size()
              && components.indexOf(candidates.get(0)) < components.indexOf(largest.get(0));
      if (candidates.size() > largest.size() || earlier) {
        largest = candidates;
      }
    }
    return largest.stream()
        .map(AppPackages::packageOf)
        .reduce(AppPackages::common)
        .orElse(fallback);
  }

  private static boolean isLibrary(String className, String manifestPackage) {
    for (String library : LIBRARIES) {
      if (within(className, library)) {
        // An app may itself live in such a package, as Google's own do.
        return !(within(manifestPackage + ".x", library) && within(className, manifestPackage));
      }
    }
    return false;
  }

  private static boolean isGenerated(String className) {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    int dollar = simple.indexOf('$');
    String outer = dollar < 0 ? simple : simple.substring(0, dollar);
    return outer.equals("R") || outer.equals("BuildConfig") || outer.equals("Manifest");
  }

  private static boolean within(String className, String packageName) {
    return className.length() > packageName.length()
        && className.startsWith(packageName)
        && className.charAt(packageName.length()) == '.';
  }

  private static String packageOf(String className) {
    return className.substring(0, Math.max(0, className.lastIndexOf('.')));
  }

  /** The part of a package that names its maker. */
  private static String family(String packageName) {
    String[] parts = packageName.split("\\.");
    if (parts.length <= 2) {
      return packageName;
    }
    String two = parts[0] + "." + parts[1];
    return HOSTS.contains(two) ? two + "." + parts[2] : two;
  }

  private static String common(String first, String second) {
    String[] a = first.split("\\.");
    String[] b = second.split("\\.");
    int n = 0;
    while (n < a.length && n < b.length && a[n].equals(b[n])) {
      n++;
    }
    return String.join(".", List.of(a).subList(0, n));
  }
}
