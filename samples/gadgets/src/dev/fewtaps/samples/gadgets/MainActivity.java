package dev.fewtaps.samples.gadgets;

import android.content.Intent;

/** A door to each gadget. */
public final class MainActivity extends Gadget {
  @Override
  void fill() {
    button("Camera", () -> open(CameraActivity.class));
    button("New camera", () -> open(NewCameraActivity.class));
    button("Place", () -> open(PlaceActivity.class));
    button("Sensor", () -> open(SensorActivity.class));
    button("Near", () -> open(NearActivity.class));
    button("Page", () -> open(PageActivity.class));
  }

  private void open(Class<?> gadget) {
    startActivity(new Intent(this, gadget));
  }
}
