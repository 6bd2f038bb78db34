package org.robolectric.internal.bytecode;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import org.robolectric.util.ReflectionHelpers;

/**
 * Links the calls of Android's methods, in the place of Robolectric's class of this name, to which
 * the code of its Android refers.
 *
 * <p>Robolectric lets every call of every method pass a switch, for shadows that change from one
 * test to the next, and a handler that cleans the stack of what is thrown. A twin has the same
 * shadows from its start to its end, and cleans the stacks that it reports. So a call leads
 * straight to the shadow or to Android's own code.
 */
public final class InvokeDynamicSupport {
  private static final MethodHandle SHADOW_OF;
  private static final MethodHandle NOTHING =
      MethodHandles.empty(MethodType.methodType(void.class));

  /** Set by Robolectric when the sandbox is configured. */
  @SuppressWarnings("unused")
  private static Interceptors INTERCEPTORS;

  static {
    try {
      SHADOW_OF =
          MethodHandles.lookup()
              .findVirtual(
                  ShadowedObject.class, "$$robo$getData", MethodType.methodType(Object.class));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private InvokeDynamicSupport() {}

  /** Links the place where an object of Android gets its shadow. */
  public static CallSite bootstrapInit(Lookup caller, String name, MethodType type) {
    return new ConstantCallSite(
        RobolectricInternals.getShadowCreator(caller.lookupClass()).asType(type));
  }

  /** Links a method of an object. */
  public static CallSite bootstrap(
      Lookup caller, String name, MethodType type, MethodHandle original, int isNative)
      throws IllegalAccessException {
    Class<?> owner = caller.lookupClass();
    MethodHandle shadow =
        RobolectricInternals.findShadowMethodHandle(owner, name, type, false, isNative == 1);
    if (shadow == null) {
      return new ConstantCallSite(original.asType(type));
    }
    Class<?> receiver = shadow.type().parameterType(0);
    if (!receiver.equals(owner)) {
      MethodType found = MethodType.methodType(receiver, type.parameterType(0));
      shadow = MethodHandles.filterArguments(shadow, 0, SHADOW_OF.asType(found));
    }
    return new ConstantCallSite(shadow.asType(type));
  }

  /** Links a method of a class. */
  public static CallSite bootstrapStatic(
      Lookup caller, String name, MethodType type, MethodHandle original, int isNative)
      throws IllegalAccessException {
    MethodHandle shadow =
        RobolectricInternals.findShadowMethodHandle(
            caller.lookupClass(), name, type, true, isNative == 1);
    return new ConstantCallSite((shadow == null ? original : shadow).asType(type));
  }

  /** Links a call of Java's library that Android's has differently. */
  public static CallSite bootstrapIntrinsic(
      Lookup caller, String name, MethodType type, String owner)
      throws ReflectiveOperationException {
    Interceptor interceptor = INTERCEPTORS.findInterceptor(owner, name);
    if (interceptor == null) {
      return new ConstantCallSite(
          MethodHandles.dropArguments(NOTHING, 0, type.parameterList()).asType(type));
    }
    // The sandbox has its own copy of the class, which sees the sandbox's Android.
    Class<? extends Interceptor> inside =
        ReflectionHelpers.loadClass(
                RobolectricInternals.getClassLoader(), interceptor.getClass().getName())
            .asSubclass(Interceptor.class);
    MethodHandle handle = ReflectionHelpers.newInstance(inside).getMethodHandle(name, type);
    return new ConstantCallSite(handle.asType(type));
  }
}
