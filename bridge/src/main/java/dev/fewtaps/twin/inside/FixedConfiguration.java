package dev.fewtaps.twin.inside;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.robolectric.annotation.Config;
import org.robolectric.annotation.ConscryptMode;
import org.robolectric.annotation.GraphicsMode;
import org.robolectric.annotation.LooperMode;
import org.robolectric.annotation.SQLiteMode;
import org.robolectric.annotation.experimental.LazyApplication;
import org.robolectric.pluginapi.config.ConfigurationStrategy;

/** The one Robolectric configuration of the twin: real graphics, real SQLite, a paused looper. */
final class FixedConfiguration implements ConfigurationStrategy.Configuration {
  private final Map<Class<?>, Object> modes = new LinkedHashMap<>();

  FixedConfiguration(String qualifiers) {
    modes.put(Config.class, new Config.Builder().setQualifiers(qualifiers).build());
    modes.put(ConscryptMode.Mode.class, ConscryptMode.Mode.OFF);
    modes.put(LooperMode.Mode.class, LooperMode.Mode.PAUSED);
    modes.put(LazyApplication.LazyLoad.class, LazyApplication.LazyLoad.ON);
    modes.put(GraphicsMode.Mode.class, GraphicsMode.Mode.NATIVE);
    modes.put(SQLiteMode.Mode.class, SQLiteMode.Mode.NATIVE);
  }

  @Override
  public <T> T get(Class<T> type) {
    return type.cast(modes.get(type));
  }

  @Override
  public Collection<Class<?>> keySet() {
    return modes.keySet();
  }

  @Override
  public Map<Class<?>, Object> map() {
    return modes;
  }
}
