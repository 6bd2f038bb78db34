package dev.fewtaps.twin.inside;

import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.os.Bundle;
import android.os.Parcel;
import android.os.Parcelable;
import android.os.TransactionTooLargeException;
import java.util.ArrayList;
import java.util.List;

/**
 * The back stack as the system server keeps it for a process that is gone.
 *
 * <p>Whatever an app made lies in parcels, so that nothing of the old process reaches the new one.
 */
final class SavedTask {
  /** A phone has one megabyte for all transactions of a process, less two pages. */
  private static final int LARGEST_PARCEL = (1 << 20) - 2 * 4096;

  /** Apps for older Androids are not told that their state is too large. */
  private static final int TOLD_OF_SIZE = 24;

  /** An activity's state, intents and results. */
  static final class SavedActivity {
    ActivityInfo info;
    int orientation;
    Parcel intent;

    /** What the activity saved, null if it never did. */
    Parcel state;

    /** The place in the stack of the activity that waits for the result of this one, or -1. */
    int resultTo = -1;

    String resultWho;
    int requestCode;
    final List<SavedResult> results = new ArrayList<>();
    final List<Parcel> newIntents = new ArrayList<>();
  }

  /** A result that the activity has not been told yet. */
  record SavedResult(String who, int requestCode, int resultCode, Parcel data) {}

  final List<SavedActivity> activities = new ArrayList<>();

  private SavedTask() {}

  static SavedTask empty() {
    return new SavedTask();
  }

  static Parcel write(Parcelable value) {
    if (value == null) {
      return null;
    }
    Parcel parcel = Parcel.obtain();
    value.writeToParcel(parcel, 0);
    return parcel;
  }

  /** Writes what an activity saved; throws what a phone throws if it is too much. */
  static Parcel writeState(Bundle state, int targetSdk) {
    Parcel parcel = write(state);
    if (parcel != null && parcel.dataSize() > LARGEST_PARCEL && targetSdk >= TOLD_OF_SIZE) {
      throw new RuntimeException(
          new TransactionTooLargeException("data parcel size " + parcel.dataSize() + " bytes"));
    }
    return parcel;
  }

  static Bundle readBundle(Parcel parcel, ClassLoader loader) {
    if (parcel == null) {
      return null;
    }
    parcel.setDataPosition(0);
    Bundle bundle = Bundle.CREATOR.createFromParcel(parcel);
    bundle.setClassLoader(loader);
    return bundle;
  }

  static Intent readIntent(Parcel parcel, ClassLoader loader) {
    if (parcel == null) {
      return null;
    }
    parcel.setDataPosition(0);
    Intent intent = Intent.CREATOR.createFromParcel(parcel);
    intent.setExtrasClassLoader(loader);
    return intent;
  }
}
