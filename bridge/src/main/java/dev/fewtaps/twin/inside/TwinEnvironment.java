package dev.fewtaps.twin.inside;

import android.app.Instrumentation;
import javax.inject.Named;
import org.robolectric.android.internal.AndroidTestEnvironment;
import org.robolectric.internal.ShadowProvider;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.TestEnvironmentLifecyclePlugin;

/** Robolectric's environment with our instrumentation, which makes activities really start. */
public final class TwinEnvironment extends AndroidTestEnvironment {
  private final MainThreadLocals locals = new MainThreadLocals();

  public TwinEnvironment(
      @Named("runtimeSdk") Sdk runtimeSdk,
      @Named("compileSdk") Sdk compileSdk,
      ShadowProvider[] shadowProviders,
      TestEnvironmentLifecyclePlugin[] lifecyclePlugins) {
    super(runtimeSdk, compileSdk, shadowProviders, lifecyclePlugins);
  }

  @Override
  public void resetState() {
    locals.reset();
    super.resetState();
    FrameworkStatics.reset();
  }

  @Override
  protected Instrumentation pickInstrumentation() {
    return new TwinInstrumentation();
  }
}
