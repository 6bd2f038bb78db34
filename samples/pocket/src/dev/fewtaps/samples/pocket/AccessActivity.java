package dev.fewtaps.samples.pocket;

import android.app.Activity;
import android.app.AppOpsManager;
import android.app.NotificationManager;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.database.DatabaseUtils;
import android.database.sqlite.SQLiteDatabase;
import android.media.AudioFormat;
import android.media.AudioRecord;
import android.media.MediaMetadata;
import android.media.MediaPlayer;
import android.media.MediaRecorder;
import android.media.session.MediaController;
import android.media.session.MediaSession;
import android.media.session.PlaybackState;
import android.net.Uri;
import android.net.VpnService;
import android.net.wifi.WifiManager;
import android.os.IBinder;
import android.os.PowerManager;
import android.os.Process;
import android.os.SystemClock;
import android.provider.Settings;
import android.util.Log;

/** Says what the user allows beyond permissions; an intent to it names a screen of the settings. */
public final class AccessActivity extends Activity {
  @Override
  protected void onNewIntent(Intent intent) {
    if ("sound".equals(intent.getStringExtra("screen"))) {
      MediaPlayer player = MediaPlayer.create(this, R.raw.tone);
      player.start();
      Log.i("lab", "sound " + player.isPlaying());
      return;
    }
    if ("vpn".equals(intent.getStringExtra("screen"))) {
      Intent question = VpnService.prepare(this);
      if (question != null) {
        startActivity(question);
      } else {
        startService(new Intent(this, TunnelService.class));
      }
      return;
    }
    if ("session".equals(intent.getStringExtra("screen"))) {
      session();
      return;
    }
    if ("near".equals(intent.getStringExtra("screen"))) {
      WifiManager wifi = getApplicationContext().getSystemService(WifiManager.class);
      Log.i("lab", "near " + wifi.getScanResults() + " gateway " + wifi.getDhcpInfo().gateway);
      return;
    }
    if ("hear".equals(intent.getStringExtra("screen"))) {
      hear();
      return;
    }
    if ("bind".equals(intent.getStringExtra("screen"))) {
      bind();
      return;
    }
    if ("lock".equals(intent.getStringExtra("screen"))) {
      lock();
      return;
    }
    startActivity(new Intent(intent.getStringExtra("screen"), Uri.parse("package:" + getPackageName())));
  }

  @Override
  protected void onResume() {
    super.onResume();
    AppOpsManager operations = getSystemService(AppOpsManager.class);
    String usage = AppOpsManager.OPSTR_GET_USAGE_STATS;
    int mode = operations.checkOpNoThrow(usage, Process.myUid(), getPackageName());
    String listeners =
        Settings.Secure.getString(getContentResolver(), "enabled_notification_listeners");
    NotificationManager notifications = getSystemService(NotificationManager.class);
    PowerManager power = getSystemService(PowerManager.class);
    StringBuilder held = new StringBuilder("access");
    say(held, "overlay", Settings.canDrawOverlays(this));
    say(held, "settings", Settings.System.canWrite(this));
    say(held, "usage", mode == AppOpsManager.MODE_ALLOWED);
    say(held, "listener", listeners != null && listeners.contains("HearingService"));
    say(held, "policy", notifications.isNotificationPolicyAccessGranted());
    say(held, "battery", power.isIgnoringBatteryOptimizations(getPackageName()));
    say(held, "sources", getPackageManager().canRequestPackageInstalls());
    say(held, "vpn", VpnService.prepare(this) == null);
    Log.i("lab", held.toString());
  }

  private void session() {
    MediaSession session = new MediaSession(this, "pocket");
    session.getController().registerCallback(new MediaController.Callback() {
      @Override
      public void onPlaybackStateChanged(PlaybackState state) {
        Log.i("lab", "told of state " + state.getState());
      }
    });
    String title = MediaMetadata.METADATA_KEY_TITLE;
    session.setMetadata(new MediaMetadata.Builder().putString(title, "Song").build());
    session.setPlaybackState(
        new PlaybackState.Builder().setState(PlaybackState.STATE_PAUSED, 0, 1).build());
    MediaController other = new MediaController(this, session.getSessionToken());
    int state = other.getPlaybackState().getState();
    Log.i("lab", "plays " + other.getMetadata().getString(title) + " in state " + state);
  }

  /** Half a second of sound, read in tenths. */
  private void hear() {
    new Thread(() -> {
      int rate = 8000;
      AudioRecord recorder =
          new AudioRecord(
              MediaRecorder.AudioSource.MIC,
              rate,
              AudioFormat.CHANNEL_IN_MONO,
              AudioFormat.ENCODING_PCM_16BIT,
              rate);
      short[] samples = new short[rate / 10];
      long began = SystemClock.elapsedRealtime();
      for (int i = 0; i < 5; i++) {
        recorder.read(samples, 0, samples.length);
      }
      long took = SystemClock.elapsedRealtime() - began;
      Log.i("lab", "heard for about half a second " + (took >= 500 && took < 600));
    }).start();
  }

  /** Binds to a service that no app has, and undoes it once and once more. */
  private void bind() {
    ServiceConnection connection = new ServiceConnection() {
      @Override
      public void onServiceConnected(ComponentName name, IBinder service) {}

      @Override
      public void onServiceDisconnected(ComponentName name) {}
    };
    Intent nowhere = new Intent("bill").setPackage("com.example.shop");
    Log.i("lab", "bound " + bindService(nowhere, connection, BIND_AUTO_CREATE));
    unbindService(connection);
    try {
      unbindService(connection);
    } catch (IllegalArgumentException error) {
      Log.i("lab", "undone once");
    }
  }

  /** Keeps a database for this process alone. */
  private void lock() {
    SQLiteDatabase database = openOrCreateDatabase("locked", MODE_PRIVATE, null);
    database.rawQuery("PRAGMA locking_mode = EXCLUSIVE", null).moveToFirst();
    database.execSQL("CREATE TABLE IF NOT EXISTS t (x)");
    database.execSQL("INSERT INTO t VALUES (1)");
    Log.i("lab", "rows " + DatabaseUtils.queryNumEntries(database, "t"));
  }

  private static void say(StringBuilder held, String name, boolean isHeld) {
    held.append(isHeld ? " " + name : "");
  }
}
