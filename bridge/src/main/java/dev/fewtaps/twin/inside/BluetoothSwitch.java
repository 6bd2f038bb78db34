package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.bluetooth.BluetoothAdapter;
import android.content.Intent;
import org.robolectric.RuntimeEnvironment;

/**
 * The switch of the phone's Bluetooth: off at first, and turned on by the user when an app asks.
 */
final class BluetoothSwitch {
  private static final int SECONDS_TO_BE_FOUND = 120;

  private BluetoothSwitch() {}

  /** The user's answer to this intent, or null if it does not ask for Bluetooth. */
  static Neighbours.Answer answer(Intent intent) {
    if (BluetoothAdapter.ACTION_REQUEST_ENABLE.equals(intent.getAction())) {
      return new Neighbours.Answer(Activity.RESULT_OK, null, BluetoothSwitch::turnOn);
    }
    if (BluetoothAdapter.ACTION_REQUEST_DISCOVERABLE.equals(intent.getAction())) {
      int seconds =
          intent.getIntExtra(BluetoothAdapter.EXTRA_DISCOVERABLE_DURATION, SECONDS_TO_BE_FOUND);
      // The time is the answer; one without end is answered with a second.
      return new Neighbours.Answer(Math.max(1, seconds), null, BluetoothSwitch::turnOn);
    }
    return null;
  }

  private static void turnOn() {
    BluetoothAdapter adapter = BluetoothAdapter.getDefaultAdapter();
    if (adapter == null || adapter.isEnabled()) {
      return;
    }
    adapter.enable();
    RuntimeEnvironment.getApplication()
        .sendBroadcast(
            new Intent(BluetoothAdapter.ACTION_STATE_CHANGED)
                .putExtra(BluetoothAdapter.EXTRA_PREVIOUS_STATE, BluetoothAdapter.STATE_TURNING_ON)
                .putExtra(BluetoothAdapter.EXTRA_STATE, BluetoothAdapter.STATE_ON));
  }
}
