package dev.fewtaps.twin.inside;

import android.database.MatrixCursor;
import android.provider.CalendarContract;
import android.provider.CallLog;
import android.provider.ContactsContract;
import android.provider.MediaStore;
import android.provider.Telephony;
import android.provider.UserDictionary;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The answer of a database without a row to a query. */
final class EmptyCursors {
  private static final Pattern ALIAS =
      Pattern.compile(
          ".*\\s+as\\s+[\"'`\\[]?(\\w+)[\"'`\\]]?\\s*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern QUALIFIED = Pattern.compile("\\s*\\w+\\.(\\w+)\\s*");
  private static final Pattern AGGREGATE =
      Pattern.compile("\\s*(count|sum|total|avg|min|max|group_concat)\\s*\\(.*", Pattern.DOTALL);
  private static final Pattern COLUMN = Pattern.compile("[a-z][a-z0-9_]*");

  /** The classes whose constants name the columns of an authority. */
  private static final Map<String, Class<?>> CONTRACTS =
      Map.of(
          ContactsContract.AUTHORITY,
          ContactsContract.class,
          MediaStore.AUTHORITY,
          MediaStore.class,
          CallLog.AUTHORITY,
          CallLog.class,
          CalendarContract.AUTHORITY,
          CalendarContract.class,
          UserDictionary.AUTHORITY,
          UserDictionary.class,
          "sms",
          Telephony.class,
          "mms",
          Telephony.class,
          "mms-sms",
          Telephony.class,
          "telephony",
          Telephony.class);

  private EmptyCursors() {}

  /** Has the columns asked for, or all that there are; sums over nothing are one row. */
  static MatrixCursor of(String authority, String[] projection) {
    if (projection == null) {
      return new MatrixCursor(allColumns(authority));
    }
    String[] names = new String[projection.length];
    boolean sums = projection.length > 0;
    for (int i = 0; i < names.length; i++) {
      names[i] = label(projection[i]);
      sums &= isSum(projection[i]);
    }
    MatrixCursor cursor = new MatrixCursor(names);
    if (sums) {
      Object[] row = new Object[names.length];
      for (int i = 0; i < row.length; i++) {
        boolean counts = projection[i].trim().toLowerCase(Locale.ROOT).startsWith("count");
        row[i] = counts ? (Object) 0 : null;
      }
      cursor.addRow(row);
    }
    return cursor;
  }

  private static boolean isSum(String term) {
    return term != null && AGGREGATE.matcher(term.toLowerCase(Locale.ROOT)).matches();
  }

  /** The name that SQLite gives to a column of its answer. */
  static String label(String term) {
    if (term == null) {
      return "null";
    }
    Matcher alias = ALIAS.matcher(term);
    if (alias.matches()) {
      return alias.group(1);
    }
    Matcher qualified = QUALIFIED.matcher(term);
    return qualified.matches() ? qualified.group(1) : term;
  }

  static String[] allColumns(String authority) {
    Set<String> names = new TreeSet<>();
    Class<?> contract = authority == null ? null : CONTRACTS.get(authority);
    if (contract != null) {
      collect(contract, names);
    }
    names.remove("_id");
    String[] all = new String[names.size() + 1];
    all[0] = "_id";
    int next = 1;
    for (String name : names) {
      all[next++] = name;
    }
    return all;
  }

  private static void collect(Class<?> type, Set<String> names) {
    for (Field field : type.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        try {
          String value = (String) field.get(null);
          if (value != null && COLUMN.matcher(value).matches()) {
            names.add(value);
          }
        } catch (IllegalAccessException e) {
          continue; // Not for apps either.
        }
      }
    }
    for (Class<?> inner : type.getClasses()) {
      collect(inner, names);
    }
  }
}
