package dev.fewtaps.samples.shop;

import android.content.Context;
import android.content.SharedPreferences;

/** Who is logged in, and whether to remember. */
final class Session {
  private static final String KEY_USER = "user";
  private static final String KEY_LAST_ORDER = "last_order";

  private final SharedPreferences preferences;

  Session(Context context) {
    preferences = context.getSharedPreferences("session", Context.MODE_PRIVATE);
  }

  boolean isRemembered() {
    return preferences.contains(KEY_USER);
  }

  void remember(String user) {
    preferences.edit().putString(KEY_USER, user).apply();
  }

  void forget() {
    preferences.edit().remove(KEY_USER).apply();
  }

  void setLastOrder(long id) {
    preferences.edit().putLong(KEY_LAST_ORDER, id).apply();
  }

  static boolean isValid(String user, String password) {
    return user.equals("demo") && password.equals("demo");
  }
}
