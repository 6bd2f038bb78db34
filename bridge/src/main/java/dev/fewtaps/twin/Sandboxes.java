package dev.fewtaps.twin;

import com.google.common.collect.ImmutableList;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.robolectric.android.AndroidSdkShadowMatcher;
import org.robolectric.annotation.ResourcesMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.interceptors.AndroidInterceptors;
import org.robolectric.internal.AndroidSandbox;
import org.robolectric.internal.SandboxManager;
import org.robolectric.internal.bytecode.ClassHandler;
import org.robolectric.internal.bytecode.ClassHandlerBuilder;
import org.robolectric.internal.bytecode.InstrumentationConfiguration;
import org.robolectric.internal.bytecode.Interceptor;
import org.robolectric.internal.bytecode.Interceptors;
import org.robolectric.internal.bytecode.MethodRef;
import org.robolectric.internal.bytecode.ShadowMap;
import org.robolectric.internal.bytecode.ShadowProviders;
import org.robolectric.pluginapi.Sdk;
import org.robolectric.pluginapi.SdkProvider;
import org.robolectric.util.inject.Injector;

/** Builds the Robolectric sandbox that holds one Android framework, with our shadows in place. */
final class Sandboxes {
  private Sandboxes() {}

  /**
   * Builds a sandbox of the given API level; its jar must be in Robolectric's dependency folder.
   */
  static AndroidSandbox build(int apiLevel, Class<?> environment, Class<?>... shadows) {
    // Robolectric does as a phone does only where it is asked to: dialogs in the middle of the
    // screen, as large as they want to be, spinners that tell of a choice once, and players that
    // insist on the order of calls.
    System.setProperty("robolectric.windowManager.useRequestedSize", "true");
    System.setProperty("robolectric.useRealSpinnerSelection", "true");
    System.setProperty("robolectric.shadowMediaPlayer.invalidStateBehavior", "EMULATE");
    Injector injector =
        new Injector.Builder(Sandboxes.class.getClassLoader())
            .bind(Properties.class, System.getProperties())
            .bind(
                AndroidSandbox.TestEnvironmentSpec.class,
                new AndroidSandbox.TestEnvironmentSpec(
                    environment.asSubclass(
                        org.robolectric.android.internal.AndroidTestEnvironment.class)))
            .build();
    Sdk sdk = findSdk(injector.getInstance(SdkProvider.class), apiLevel);
    List<Interceptor> intercepted = new ArrayList<>(AndroidInterceptors.all());
    intercepted.add(new WallClock());
    Interceptors interceptors = new Interceptors(intercepted);
    AndroidSandbox sandbox =
        injector
            .getInstance(SandboxManager.SandboxBuilder.class)
            .build(
                instrumentation(interceptors),
                sdk,
                sdk,
                ResourcesMode.Mode.BINARY,
                SQLiteMode.Mode.NATIVE);
    ShadowMap shadowMap =
        injector
            .getInstance(ShadowProviders.class)
            .getBaseShadowMap()
            .newBuilder()
            .addShadowClasses(shadows)
            .build();
    sandbox.replaceShadowMap(shadowMap);
    ClassHandler handler =
        injector
            .getInstance(ClassHandlerBuilder.class)
            .build(
                shadowMap,
                new AndroidSdkShadowMatcher(sdk.getApiLevel()),
                interceptors,
                ImmutableList.of());
    sandbox.configure(handler, interceptors);
    return sandbox;
  }

  private static Sdk findSdk(SdkProvider provider, int apiLevel) {
    for (Sdk sdk : provider.getSdks()) {
      if (sdk.getApiLevel() == apiLevel) {
        return sdk;
      }
    }
    throw new IllegalArgumentException("no Android of API level " + apiLevel);
  }

  private static InstrumentationConfiguration instrumentation(Interceptors interceptors) {
    InstrumentationConfiguration.Builder builder = new InstrumentationConfiguration.Builder();
    for (MethodRef method : interceptors.getAllMethodRefs()) {
      builder.addInterceptedMethod(method);
    }
    // The classes that both sides of the sandbox must see as one. The sandbox loads everything
    // else for itself, from our own jar too.
    for (String shared :
        ImmutableList.of(
            "com.google.gson.",
            "dev.fewtaps.twin.code.",
            "dev.fewtaps.twin.world.",
            "org.bouncycastle.",
            "org.conscrypt.",
            "org.jacoco.",
            "org.objectweb.asm",
            "org.robolectric.manifest.",
            "org.robolectric.res.",
            "org.w3c.",
            "org.xml.")) {
      builder.doNotAcquirePackage(shared);
    }
    builder
        .doNotAcquireClass("dev.fewtaps.twin.Host")
        .doNotAcquireClass("dev.fewtaps.twin.WallClock")
        .doNotAcquireClass("org.robolectric.shadow.api.ShadowPicker")
        .addClassNameTranslation(
            "java.net.ExtendedResponseCache", "org.robolectric.fakes.RoboExtendedResponseCache")
        .addClassNameTranslation(
            "java.net.ResponseSource", "org.robolectric.fakes.RoboResponseSource")
        .addClassNameTranslation("java.nio.charset.Charsets", StandardCharsets.class.getName())
        .addClassNameTranslation("java.lang.UnsafeByteSequence", Object.class.getName())
        .addClassNameTranslation("java.util.jar.StrictJarFile", Object.class.getName())
        .addClassNameTranslation("sun.misc.Cleaner", "java.lang.ref.Cleaner$Cleanable")
        .doNotInstrumentPackage("android.R")
        .doNotInstrumentClass("android.app.RecoverableSecurityException");
    for (String framework :
        ImmutableList.of(
            "dalvik.",
            "libcore.",
            "android.",
            "com.android.i18n.timezone.",
            "com.android.internal.",
            "org.kxml2.")) {
      builder.addInstrumentedPackage(framework);
    }
    return builder.build();
  }
}
