package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.graphics.drawable.AnimatedVectorDrawable;
import org.robolectric.annotation.Filter;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowNativeAnimatedVectorDrawable;
import org.robolectric.util.reflector.ForType;

/** Animations that a phone runs on a thread of its own, which the twin lacks. */
public final class AnimationShadows {
  private AnimationShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfAnimatedVectorDrawable.class};
  }

  /**
   * Marks of check boxes and the like. Left alone, such a drawable turns to the main thread only
   * when it is next drawn, which is at the end of an event: all that it does would come one event
   * late.
   */
  @Implements(
      value = AnimatedVectorDrawable.class,
      callNativeMethodsByDefault = true,
      isInAndroidSdk = false)
  public static class OfAnimatedVectorDrawable extends ShadowNativeAnimatedVectorDrawable {
    @Override
    @Filter(order = Filter.Order.BEFORE)
    protected void start() {
      takeToMainThread();
    }

    @Filter(order = Filter.Order.BEFORE)
    protected void reverse() {
      takeToMainThread();
    }

    private void takeToMainThread() {
      reflector(RealDrawable.class, realAnimatedVectorDrawable).forceAnimationOnUI();
    }
  }

  @ForType(AnimatedVectorDrawable.class)
  interface RealDrawable {
    void forceAnimationOnUI();
  }
}
