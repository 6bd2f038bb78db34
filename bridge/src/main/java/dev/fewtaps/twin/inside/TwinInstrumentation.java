package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.Application;
import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import android.os.IBinder;
import android.os.UserHandle;
import org.robolectric.android.internal.RoboMonitoringInstrumentation;

/** Hands every started activity to the back stack and installs providers before the application. */
public final class TwinInstrumentation extends RoboMonitoringInstrumentation {

  @Override
  public void callApplicationOnCreate(Application application) {
    if (Device.current() != null) {
      Device.current().onApplicationAttached(application);
    }
    Unable.to(
        "create application " + application.getClass().getName(),
        () -> super.callApplicationOnCreate(application));
  }

  @Override
  public ActivityResult execStartActivity(
      Context who,
      IBinder contextThread,
      IBinder token,
      Activity target,
      Intent intent,
      int requestCode,
      Bundle options) {
    Device.current().activities().start(intent, target, null, requestCode);
    return null;
  }

  @Override
  public ActivityResult execStartActivity(
      Context who,
      IBinder contextThread,
      IBinder token,
      String target,
      Intent intent,
      int requestCode,
      Bundle options) {
    Activity caller = who instanceof Activity ? (Activity) who : null;
    Device.current().activities().start(intent, caller, target, requestCode);
    return null;
  }

  @Override
  public ActivityResult execStartActivity(
      Context who,
      IBinder contextThread,
      IBinder token,
      String target,
      Intent intent,
      int requestCode,
      Bundle options,
      UserHandle user) {
    return execStartActivity(who, contextThread, token, target, intent, requestCode, options);
  }

  @Override
  public void execStartActivities(
      Context who,
      IBinder contextThread,
      IBinder token,
      Activity target,
      Intent[] intents,
      Bundle options) {
    for (Intent intent : intents) {
      Device.current().activities().start(intent, target, null, -1);
    }
  }
}
