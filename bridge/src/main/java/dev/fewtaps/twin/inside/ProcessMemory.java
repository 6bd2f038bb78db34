package dev.fewtaps.twin.inside;

import android.view.View;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.robolectric.util.ReflectionHelpers;

/**
 * The framework's static memory of an app, which lasts as long as its process: classes by their
 * names, and counters. A new process has forgotten it; a class of the run before would not fit the
 * new one.
 */
final class ProcessMemory {
  /** Maps in static fields; some are missing on some Androids. */
  private static final String[][] MAPS = {
    {"android.animation.PropertyValuesHolder", "sGetterPropertyMap"},
    {"android.animation.PropertyValuesHolder", "sSetterPropertyMap"},
    {"android.animation.PropertyValuesHolder$FloatPropertyValuesHolder", "sJNISetterPropertyMap"},
    {"android.animation.PropertyValuesHolder$IntPropertyValuesHolder", "sJNISetterPropertyMap"},
    {"android.animation.PropertyValuesHolder$MultiFloatValuesHolder", "sJNISetterPropertyMap"},
    {"android.animation.PropertyValuesHolder$MultiIntValuesHolder", "sJNISetterPropertyMap"},
    {"android.app.Fragment", "sClassMap"},
    {"android.graphics.drawable.DrawableInflater", "CONSTRUCTOR_MAP"},
    {"android.os.Parcel", "mCreators"},
    {"android.os.Parcel", "sPairedCreators"},
    {"android.preference.GenericInflater", "sConstructorMap"},
    {"android.transition.TransitionInflater", "sConstructors"},
    {"android.view.LayoutInflater", "sConstructorMap"},
    {"android.widget.RemoteViews", "sMethods"},
  };

  private ProcessMemory() {}

  /** Forgets all of it. */
  static void clear() {
    for (String[] map : MAPS) {
      clear(map[0], map[1]);
    }
    AtomicInteger nextId = ReflectionHelpers.getStaticField(View.class, "sNextGeneratedId");
    nextId.set(1);
  }

  private static void clear(String owner, String field) {
    try {
      Class<?> type = ProcessMemory.class.getClassLoader().loadClass(owner);
      type.getDeclaredField(field);
      ReflectionHelpers.<Map<?, ?>>getStaticField(type, field).clear();
    } catch (ClassNotFoundException | NoSuchFieldException e) {
      // Not on this Android.
    }
  }
}
