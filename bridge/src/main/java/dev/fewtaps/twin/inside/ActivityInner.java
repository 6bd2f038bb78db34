package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.content.Intent;
import android.content.res.Configuration;
import android.os.Bundle;
import android.view.View;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.ForType;

/** The parts of an activity that only the framework's own activity thread may touch. */
@ForType(Activity.class)
interface ActivityInner {
  void performStart(String reason);

  void performRestart(boolean start, String reason);

  void performRestart(boolean start);

  void performResume(boolean followedByPause, String reason);

  void performStop(boolean preserveWindow, String reason);

  void performTopResumedActivityChanged(boolean isTop, String reason);

  void onPostCreate(Bundle saved);

  void makeVisible();

  Object retainNonConfigurationInstances();

  void dispatchActivityResult(
      String who, int requestCode, int resultCode, Intent data, String reason);

  void dispatchRequestPermissionsResult(int requestCode, Intent data);

  @Accessor("mDecor")
  void setDecor(View decor);

  @Accessor("mWindowAdded")
  boolean getWindowAdded();

  @Accessor("mCurrentConfig")
  Configuration getCurrentConfig();

  @Accessor("mChangingConfigurations")
  void setChangingConfigurations(boolean changing);

  @Accessor("mFinished")
  void setFinished(boolean finished);
}
