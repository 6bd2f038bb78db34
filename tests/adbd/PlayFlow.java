import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import maestro.Maestro;
import maestro.android.AndroidDeviceConnection;
import maestro.drivers.AndroidDriver;
import maestro.orchestra.MaestroCommand;
import maestro.orchestra.Orchestra;
import maestro.orchestra.yaml.YamlCommandReader;

/** Plays flows by Maestro's own client; prints a line for each, and ends with 1 if one fails. */
public final class PlayFlow {
  private static final int DRIVER_PORT = 7001;

  public static void main(String[] arguments) throws Exception {
    AndroidDeviceConnection connection =
        AndroidDeviceConnection.Companion.open("127.0.0.1", Integer.parseInt(arguments[0]), DRIVER_PORT);
    AndroidDriver driver = withDefaults(AndroidDriver.class, connection);
    driver.open();
    boolean passes = true;
    Maestro maestro = new Maestro(driver);
    try {
      for (int i = 1; i < arguments.length; i++) {
        passes &= play(maestro, Path.of(arguments[i]));
      }
    } finally {
      maestro.close();
    }
    System.exit(passes ? 0 : 1);
  }

  private static boolean play(Maestro maestro, Path flow) throws Exception {
    List<MaestroCommand> commands = YamlCommandReader.INSTANCE.readCommands(flow);
    Orchestra orchestra = withDefaults(Orchestra.class, maestro);
    try {
      Object result =
          BuildersKt.runBlocking(
              EmptyCoroutineContext.INSTANCE, (scope, next) -> orchestra.runFlow(commands, next));
      boolean passes = String.valueOf(result).contains("success=true");
      System.out.println(flow.getFileName() + ": " + commands.size() + (passes ? " commands" : " commands: failed"));
      return passes;
    } catch (Exception error) {
      System.out.println(flow.getFileName() + ": " + error);
      return false;
    }
  }

  /** Calls the constructor that Kotlin makes for default values, with the first value given alone. */
  private static <T> T withDefaults(Class<T> type, Object first) throws Exception {
    for (Constructor<?> each : type.getDeclaredConstructors()) {
      Class<?>[] types = each.getParameterTypes();
      if (types.length > 2 && types[types.length - 1].getSimpleName().equals("DefaultConstructorMarker")) {
        Object[] values = new Object[types.length];
        for (int i = 1; i < types.length; i++) {
          values[i] = types[i].isPrimitive() ? Array.get(Array.newInstance(types[i], 1), 0) : null;
        }
        values[0] = first;
        values[types.length - 2] = (1 << (types.length - 2)) - 2;
        each.setAccessible(true);
        return type.cast(each.newInstance(values));
      }
    }
    throw new IllegalStateException("no constructor with defaults in " + type);
  }
}
