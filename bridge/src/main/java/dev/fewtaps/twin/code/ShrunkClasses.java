package dev.fewtaps.twin.code;

import dev.fewtaps.twin.code.DexConverter.References;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds the classes of an app that a shrinker moved out of the app's package.
 *
 * <p>R8 renames most classes, the app's and those of its libraries alike, and keeps the names of
 * the manifest's components and of a few classes of libraries. Two facts tell them apart: code of
 * the app is reached from the app's components, and a library is never made of the app's classes.
 * So what the classes of libraries are made of is a library's too, and with it its package, if that
 * holds for half of it. The rest that is reached is taken for the app's.
 *
 * <p>Among it are libraries that only the app uses and that kept none of their names. Most of that
 * is Compose, and one more fact tells it: Google builds its libraries without the checks of
 * parameters that Kotlin's compiler puts in by default. So where there are such checks, packages
 * that hardly have any are left out.
 */
final class ShrunkClasses {
  /** The longest names that a shrinker gives to a part of a package, and to a class in it. */
  private static final int SHORT_PART = 2;

  private static final int SHORT_CLASS = 3;

  /** An app with a smaller share of renamed classes is measured by its packages alone. */
  private static final double RENAMED_SHARE = 0.3;

  /** The least share of classes with checks of parameters in a package of the app. */
  private static final double CHECKED_SHARE = 0.15;

  /** With fewer classes left, the app was built without such checks, or not in Kotlin. */
  private static final int FEWEST_CHECKED = 5;

  private ShrunkClasses() {}

  /** Whether so many classes are renamed that packages do not tell the app's own. */
  static boolean isShrunk(Collection<String> classNames) {
    long renamed = classNames.stream().filter(ShrunkClasses::isRenamed).count();
    return renamed > 0 && renamed >= RENAMED_SHARE * classNames.size();
  }

  /** Whether a dotted name looks like one that a shrinker gave. */
  static boolean isRenamed(String className) {
    int start = 0;
    int end = className.length();
    int dollar = className.indexOf('$');
    String outer = className.substring(0, dollar > 0 ? dollar : end);
    for (int dot = outer.indexOf('.'); dot >= 0; dot = outer.indexOf('.', start)) {
      if (dot - start > SHORT_PART) {
        return false;
      }
      start = dot + 1;
    }
    return outer.length() - start <= SHORT_CLASS;
  }

  /**
   * Returns the renamed classes that are the app's own, by dotted name.
   *
   * @param references what a class mentions, by dotted name
   */
  static Set<String> find(
      Set<String> classNames, AppPackages packages, Function<String, References> references) {
    Set<String> library = libraries(classNames, packages, references);
    Set<String> own = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    classNames.stream().filter(packages::contains).sorted().forEach(open::add);
    seen.addAll(open);
    for (String name = open.poll(); name != null; name = open.poll()) {
      References mentioned = references.apply(name);
      for (Set<String> types : List.of(mentioned.shape(), mentioned.code())) {
        for (String type : types) {
          String dotted = type.replace('/', '.');
          if (isRenamed(dotted)
              && classNames.contains(dotted)
              && !library.contains(dotted)
              && seen.add(dotted)) {
            own.add(dotted);
            open.add(dotted);
          }
        }
      }
    }
    Set<String> checked = inCheckedPackages(own, classNames, references);
    return checked.size() < FEWEST_CHECKED ? own : checked;
  }

  private static Set<String> inCheckedPackages(
      Set<String> own, Set<String> classNames, Function<String, References> references) {
    Set<String> makers = new HashSet<>();
    for (String name : classNames) {
      if (references.apply(name).makesChecks()) {
        makers.add(name.replace('.', '/'));
      }
    }
    Map<String, int[]> counts = new HashMap<>();
    for (String name : classNames) {
      if (isRenamed(name)) {
        int[] count = counts.computeIfAbsent(packageOf(name), key -> new int[2]);
        count[0]++;
        count[1] += Collections.disjoint(references.apply(name).checks(), makers) ? 0 : 1;
      }
    }
    Set<String> checked = new LinkedHashSet<>();
    for (String name : own) {
      int[] count = counts.get(packageOf(name));
      if (count[1] >= CHECKED_SHARE * count[0]) {
        checked.add(name);
      }
    }
    return checked;
  }

  /** The renamed classes that libraries are made of, and those beside them. */
  private static Set<String> libraries(
      Set<String> classNames, AppPackages packages, Function<String, References> references) {
    Set<String> library = new HashSet<>();
    Deque<String> open = new ArrayDeque<>();
    classNames.stream().filter(packages::isLibrary).sorted().forEach(open::add);
    while (!open.isEmpty()) {
      for (String name = open.poll(); name != null; name = open.poll()) {
        for (String type : references.apply(name).shape()) {
          String dotted = type.replace('/', '.');
          if (classNames.contains(dotted)
              && isRenamed(dotted)
              && !packages.contains(dotted)
              && library.add(dotted)) {
            open.add(dotted);
          }
        }
      }
      for (String name : besides(classNames, packages, library)) {
        library.add(name);
        open.add(name);
      }
    }
    return library;
  }

  /** The classes of packages of which half is a library's; one package for all tells nothing. */
  private static List<String> besides(
      Set<String> classNames, AppPackages packages, Set<String> library) {
    Map<String, int[]> counts = new HashMap<>();
    for (String name : classNames) {
      if (isRenamed(name)) {
        int[] count = counts.computeIfAbsent(packageOf(name), key -> new int[2]);
        count[0]++;
        count[1] += library.contains(name) ? 1 : 0;
      }
    }
    int most = counts.values().stream().mapToInt(count -> count[0]).sum() / 2;
    return classNames.stream()
        .filter(name -> isRenamed(name) && !packages.contains(name) && !library.contains(name))
        .filter(
            name -> {
              int[] count = counts.get(packageOf(name));
              return count[0] <= most && 2 * count[1] >= count[0];
            })
        .sorted()
        .toList();
  }

  private static String packageOf(String className) {
    return className.substring(0, Math.max(0, className.lastIndexOf('.')));
  }
}
