package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.AppComponentFactory;
import android.app.Application;
import android.app.Service;
import android.content.BroadcastReceiver;
import android.content.ContentProvider;
import android.content.Intent;

/**
 * Makes the app's components with the app's own class loader, through the app's own factory if it
 * has one.
 */
public final class TwinComponentFactory extends AppComponentFactory {

  @Override
  public Application instantiateApplication(ClassLoader ignored, String className)
      throws InstantiationException, IllegalAccessException, ClassNotFoundException {
    // Robolectric asks for the class it could find itself; the app's own is named in its manifest.
    Device device = Device.current();
    return factory().instantiateApplication(device.loader(), device.applicationClassName());
  }

  @Override
  public Activity instantiateActivity(ClassLoader ignored, String className, Intent intent)
      throws InstantiationException, IllegalAccessException, ClassNotFoundException {
    return factory().instantiateActivity(loader(), className, intent);
  }

  @Override
  public BroadcastReceiver instantiateReceiver(ClassLoader ignored, String className, Intent intent)
      throws InstantiationException, IllegalAccessException, ClassNotFoundException {
    return factory().instantiateReceiver(loader(), className, intent);
  }

  @Override
  public Service instantiateService(ClassLoader ignored, String className, Intent intent)
      throws InstantiationException, IllegalAccessException, ClassNotFoundException {
    return factory().instantiateService(loader(), className, intent);
  }

  @Override
  public ContentProvider instantiateProvider(ClassLoader ignored, String className)
      throws InstantiationException, IllegalAccessException, ClassNotFoundException {
    return factory().instantiateProvider(loader(), className);
  }

  private static ClassLoader loader() {
    return Device.current().loader();
  }

  private static AppComponentFactory factory() {
    return Device.current().appFactory();
  }
}
