package dev.fewtaps.samples.gadgets;

import android.content.Context;
import android.hardware.Sensor;
import android.hardware.SensorEvent;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import java.util.ArrayList;
import java.util.List;

/** Tells a joke when the phone is shaken, and counts steps. */
public final class SensorActivity extends Gadget implements SensorEventListener {
  private final List<String> jokes = new ArrayList<>();
  private SensorManager sensors;

  @Override
  void fill() {
    sensors = (SensorManager) getSystemService(Context.SENSOR_SERVICE);
    button("Shake", () -> listen(Sensor.TYPE_ACCELEROMETER));
    button("Steps", () -> listen(Sensor.TYPE_STEP_COUNTER));
  }

  private void listen(int type) {
    say("listening " + sensors.registerListener(this, sensors.getDefaultSensor(type), SensorManager.SENSOR_DELAY_UI));
  }

  @Override
  public void onSensorChanged(SensorEvent event) {
    if (event.sensor.getType() == Sensor.TYPE_STEP_COUNTER) {
      say("steps " + (int) event.values[0]);
    } else if (Math.abs(event.values[0]) > 15) {
      say(jokes.get(0)); // None was loaded.
    }
  }

  @Override
  public void onAccuracyChanged(Sensor sensor, int accuracy) {}

  @Override
  protected void onPause() {
    super.onPause();
    sensors.unregisterListener(this);
  }
}
