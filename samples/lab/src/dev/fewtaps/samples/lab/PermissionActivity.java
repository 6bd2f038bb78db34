package dev.fewtaps.samples.lab;

import android.Manifest;
import android.content.pm.PackageManager;

/** Asks for dangerous permissions at run time. */
public final class PermissionActivity extends LabActivity {
  @Override
  protected void fill() {
    button("Camera", () -> ask(1, Manifest.permission.CAMERA));
    button("Contacts and calendar", () -> ask(2, Manifest.permission.READ_CONTACTS, Manifest.permission.READ_CALENDAR));
    button("Undeclared", () -> ask(3, Manifest.permission.RECORD_AUDIO));
    button("Check", this::check);
    check();
  }

  private void check() {
    say("camera " + word(checkSelfPermission(Manifest.permission.CAMERA)));
  }

  private void ask(int request, String... permissions) {
    requestPermissions(permissions, request);
  }

  @Override
  public void onRequestPermissionsResult(int request, String[] permissions, int[] results) {
    for (int i = 0; i < permissions.length; i++) {
      say("request " + request + " " + permissions[i].replace("android.permission.", "") + " " + word(results[i]));
    }
  }

  private static String word(int result) {
    return result == PackageManager.PERMISSION_GRANTED ? "granted" : "denied";
  }
}
