package dev.fewtaps.twin.inside;

import static org.robolectric.util.reflector.Reflector.reflector;

import android.database.sqlite.SQLiteDatabaseConfiguration;
import android.database.sqlite.SQLiteException;
import android.database.sqlite.SQLiteFullException;
import android.os.CancellationSignal;
import android.util.Log;
import dev.fewtaps.twin.world.World;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.WeakHashMap;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadows.ShadowNativeSQLiteConnection;
import org.robolectric.util.reflector.Accessor;
import org.robolectric.util.reflector.Direct;
import org.robolectric.util.reflector.ForType;

/** Databases on a phone without room. */
public final class StorageShadows {
  private StorageShadows() {}

  static Class<?>[] all() {
    return new Class<?>[] {OfSqliteConnection.class};
  }

  /** Refuses what writes to a file. */
  @Implements(
      className = "android.database.sqlite.SQLiteConnection",
      isInAndroidSdk = false,
      callNativeMethodsByDefault = true)
  public static class OfSqliteConnection extends ShadowNativeSQLiteConnection {
    @RealObject private Object connection;

    /** The connections that were opened, as far as they are still known. */
    private static final Set<Object> OPENED =
        Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    @Implementation
    protected void open() {
      OPENED.add(connection);
      real().open();
    }

    private RealConnection real() {
      return reflector(RealConnection.class, connection);
    }

    @Implementation
    protected void execute(String sql, Object[] arguments, CancellationSignal signal) {
      requireRoom(sql);
      real().execute(sql, arguments, signal);
    }

    @Implementation
    protected int executeForChangedRowCount(
        String sql, Object[] arguments, CancellationSignal signal) {
      requireRoom(sql);
      return real().executeForChangedRowCount(sql, arguments, signal);
    }

    @Implementation
    protected long executeForLastInsertedRowId(
        String sql, Object[] arguments, CancellationSignal signal) {
      requireRoom(sql);
      return real().executeForLastInsertedRowId(sql, arguments, signal);
    }

    private void requireRoom(String sql) {
      World world = World.current();
      if (world != null
          && world.isFull()
          && writes(sql)
          && !real().getConfiguration().isInMemoryDb()) {
        throw new SQLiteFullException("database or disk is full (code 13 SQLITE_FULL)");
      }
    }
  }

  /** Closes what a process that ended left open: its locks on the files end with it. */
  static void closeAll() {
    for (Object connection : OfSqliteConnection.OPENED.toArray()) {
      OfSqliteConnection.OPENED.remove(connection);
      try {
        reflector(RealConnection.class, connection).close();
      } catch (SQLiteException busy) {
        Log.d("SQLiteConnection", "left open", busy);
      }
    }
  }

  private static boolean writes(String sql) {
    String statement = sql.stripLeading().toUpperCase(Locale.ROOT);
    return statement.startsWith("INSERT")
        || statement.startsWith("UPDATE")
        || statement.startsWith("REPLACE")
        || statement.startsWith("CREATE")
        || statement.startsWith("ALTER");
  }

  /** The framework's own connection. */
  @ForType(className = "android.database.sqlite.SQLiteConnection")
  interface RealConnection {
    @Direct
    void execute(String sql, Object[] arguments, CancellationSignal signal);

    @Direct
    int executeForChangedRowCount(String sql, Object[] arguments, CancellationSignal signal);

    @Direct
    long executeForLastInsertedRowId(String sql, Object[] arguments, CancellationSignal signal);

    @Direct
    void open();

    void close();

    @Accessor("mConfiguration")
    SQLiteDatabaseConfiguration getConfiguration();
  }
}
