package dev.fewtaps.twin.inside;

import android.app.Activity;
import android.app.Application;
import android.content.ContentProvider;
import android.content.ContentValues;
import android.content.Intent;
import android.content.pm.ActivityInfo;
import android.content.pm.ApplicationInfo;
import android.content.pm.ProviderInfo;
import android.content.pm.ResolveInfo;
import android.database.Cursor;
import android.net.Uri;
import android.os.Build;
import java.util.List;
import java.util.Set;
import org.robolectric.shadows.ShadowContentResolver;

/**
 * Stand-ins for the apps that every phone has: contacts, media, calendar, browser, pickers, maps.
 *
 * <p>What is in them is {@link PhoneContent}. With neighbours absent, no app answers, which an app
 * must survive too.
 */
final class Neighbours {
  /** The result of another app. */
  static final class Answer {
    final int resultCode;
    final Intent data;

    /** The other app's effects before it answered. */
    final Runnable deed;

    Answer(int resultCode, Intent data, Runnable deed) {
      this.resultCode = resultCode;
      this.data = data;
      this.deed = deed;
    }
  }

  /** The type by which apps of early phones open the list of messages, or write one. */
  private static final String MESSAGES = "vnd.android-dir/mms-sms";

  private static final int FIRST_WITH_PHOTO_PICKER = 30;
  private static final String STAND_IN = "com.android.neighbour";

  /** Apps of the system itself, whose activities are started by name. */
  private static final Set<String> SYSTEM_APPS =
      Set.of(
          "android",
          "com.android.documentsui",
          "com.android.packageinstaller",
          "com.android.settings",
          "com.android.systemui",
          "com.android.vpndialogs",
          "com.google.android.packageinstaller");

  private static final Set<String> WEB_SCHEMES =
      Set.of(
          "http",
          "https",
          "geo",
          "tel",
          "sms",
          "smsto",
          "mms",
          "mmsto",
          "mailto",
          "market",
          "content",
          "file",
          "package",
          "google.navigation",
          "google.streetview",
          "rtsp",
          "sip",
          "imto",
          "webcal",
          "xmpp",
          "about",
          "ftp",
          "voicemail");

  private static final Set<String> ACTIONS =
      Set.of(
          Intent.ACTION_SEND,
          Intent.ACTION_SEND_MULTIPLE,
          Intent.ACTION_SENDTO,
          Intent.ACTION_CHOOSER,
          Intent.ACTION_PICK,
          Intent.ACTION_GET_CONTENT,
          Intent.ACTION_OPEN_DOCUMENT,
          Intent.ACTION_OPEN_DOCUMENT_TREE,
          Intent.ACTION_CREATE_DOCUMENT,
          Intent.ACTION_DIAL,
          Intent.ACTION_CALL,
          Intent.ACTION_INSERT,
          Intent.ACTION_INSERT_OR_EDIT,
          Intent.ACTION_EDIT,
          Intent.ACTION_WEB_SEARCH,
          Intent.ACTION_SEARCH,
          "android.intent.action.RINGTONE_PICKER",
          Intent.ACTION_DELETE,
          Intent.ACTION_UNINSTALL_PACKAGE,
          Intent.ACTION_INSTALL_PACKAGE,
          Intent.ACTION_SET_WALLPAPER,
          Intent.ACTION_MANAGE_NETWORK_USAGE,
          Intent.ACTION_CREATE_SHORTCUT,
          Intent.ACTION_PROCESS_TEXT,
          "android.intent.action.TRANSLATE",
          "android.intent.action.DEFINE",
          Intent.ACTION_ASSIST,
          Intent.ACTION_VOICE_COMMAND,
          Intent.ACTION_POWER_USAGE_SUMMARY,
          Intent.ACTION_CALL_BUTTON,
          Intent.ACTION_SHOW_APP_INFO,
          Intent.ACTION_ATTACH_DATA,
          "android.speech.action.RECOGNIZE_SPEECH",
          "android.speech.action.WEB_SEARCH",
          "com.android.keychain.CHOOSER",
          "android.credentials.INSTALL",
          "android.credentials.UNLOCK",
          "android.intent.action.SHOW_ALARMS",
          "android.intent.action.SHOW_TIMERS",
          "android.intent.action.DISMISS_ALARM",
          "android.intent.action.SNOOZE_ALARM",
          "android.intent.action.MUSIC_PLAYER",
          "android.intent.action.MEDIA_SEARCH",
          "android.media.action.MEDIA_PLAY_FROM_SEARCH",
          "android.media.action.STILL_IMAGE_CAMERA_SECURE",
          "android.media.action.IMAGE_CAPTURE_SECURE",
          "android.media.action.VIDEO_CAMERA",
          "android.media.action.TEXT_OPEN_FROM_SEARCH",
          "android.app.action.CONFIRM_DEVICE_CREDENTIAL",
          "android.telecom.action.CHANGE_DEFAULT_DIALER",
          "android.service.wallpaper.CHANGE_LIVE_WALLPAPER",
          "android.service.wallpaper.LIVE_WALLPAPER_CHOOSER",
          "android.appwidget.action.APPWIDGET_PICK",
          "android.appwidget.action.APPWIDGET_BIND",
          "android.net.wifi.PICK_WIFI_NETWORK",
          "android.net.wifi.action.REQUEST_SCAN_ALWAYS_AVAILABLE",
          "android.search.action.SEARCH_SETTINGS",
          "android.search.action.GLOBAL_SEARCH",
          "com.android.settings.TTS_SETTINGS",
          "com.android.contacts.action.SHOW_OR_CREATE_CONTACT",
          "android.provider.action.QUICK_CONTACT",
          "android.provider.calendar.action.HANDLE_CUSTOM_EVENT",
          "android.intent.action.VIEW_DOWNLOADS",
          "android.intent.action.PICK_ACTIVITY",
          "android.media.action.IMAGE_CAPTURE",
          "android.media.action.VIDEO_CAPTURE",
          "android.media.action.STILL_IMAGE_CAMERA",
          "android.provider.MediaStore.RECORD_SOUND",
          "android.intent.action.SET_ALARM",
          "android.intent.action.SET_TIMER",
          "android.bluetooth.adapter.action.REQUEST_ENABLE",
          "android.bluetooth.adapter.action.REQUEST_DISCOVERABLE",
          "android.app.action.ADD_DEVICE_ADMIN",
          "android.app.action.SET_NEW_PASSWORD",
          "android.net.vpn.SETTINGS",
          "android.speech.tts.engine.CHECK_TTS_DATA",
          "android.speech.tts.engine.INSTALL_TTS_DATA",
          "android.media.action.DISPLAY_AUDIO_EFFECT_CONTROL_PANEL",
          "android.intent.action.APPLICATION_PREFERENCES");

  private static final List<String> PROVIDERS =
      List.of(
          "contacts",
          "calendar",
          "telephony",
          "user_dictionary",
          "browser",
          "com.android.browser",
          "com.android.browser.home",
          "downloads",
          "com.android.launcher.settings",
          "com.android.launcher2.settings",
          "com.android.voicemail",
          "com.android.blockednumber");

  private Neighbours() {}

  /** Registers the phone's providers, unless this phone has none. */
  static void install(Device device, Application application) {
    if (!device.settings().neighboursPresent) {
      return;
    }
    for (String authority : PROVIDERS) {
      register(application, authority, new Empty());
    }
    for (String authority : FurnishedProvider.AUTHORITIES) {
      register(application, authority, new FurnishedProvider(device.content()));
    }
    for (String authority : DocumentsOfPhone.AUTHORITIES) {
      register(application, authority, new DocumentsOfPhone(device.content()));
    }
  }

  private static void register(
      Application application, String authority, ContentProvider provider) {
    ProviderInfo info = new ProviderInfo();
    info.authority = authority;
    info.name = provider.getClass().getName();
    info.packageName = "android";
    info.applicationInfo = application.getApplicationInfo();
    info.exported = true;
    provider.attachInfo(application, info);
    ShadowContentResolver.registerProviderInternal(authority, provider);
  }

  /** Whether there is an app on this phone that answers this intent. */
  static boolean isThere(Device device, Intent intent) {
    if (!device.settings().neighboursPresent) {
      return false;
    }
    if (intent.getComponent() != null
        && PhoneApps.has(device, intent.getComponent().getPackageName())) {
      return true;
    }
    if (!canHandle(intent)) {
      return false;
    }
    String kind = NeighbourKinds.of(intent);
    return kind == null || !device.settings().absentNeighbours.contains(kind);
  }

  /** Returns another app's answer to this intent, or null if there is no such app. */
  static Answer answer(Device device, Intent intent) {
    if (!isThere(device, intent)) {
      return null;
    }
    Answer allowed =
        device.settings().permissions.equals("granted") ? BluetoothSwitch.answer(intent) : null;
    Answer answer = allowed == null ? device.access().answer(intent) : allowed;
    answer = answer == null ? new Pickers(device).answer(intent) : answer;
    return answer == null ? new Answer(Activity.RESULT_CANCELED, null, () -> {}) : answer;
  }

  static boolean canHandle(Intent intent) {
    if (intent.getComponent() != null) {
      String name = intent.getComponent().getPackageName();
      return SYSTEM_APPS.contains(name) || name.equals(STAND_IN);
    }
    String action = intent.getAction();
    if (action == null) {
      return false;
    }
    if (intent.getPackage() != null && !isCommonPackage(intent.getPackage())) {
      return false;
    }
    if (action.equals("android.provider.action.PICK_IMAGES")) {
      return Build.VERSION.SDK_INT >= FIRST_WITH_PHOTO_PICKER;
    }
    if (ACTIONS.contains(action)
        || action.startsWith("android.settings.")
        || action.startsWith("android.provider.Telephony.")) {
      return true;
    }
    if (Intent.ACTION_MAIN.equals(action)) {
      return isStartOfApp(intent);
    }
    if (Intent.ACTION_VIEW.equals(action)) {
      String scheme = intent.getScheme();
      String type = intent.getType();
      return scheme == null ? type != null && isCommonType(type) : WEB_SCHEMES.contains(scheme);
    }
    return false;
  }

  /** Whether it starts an app that every phone has, by what the app is for. */
  private static boolean isStartOfApp(Intent intent) {
    if (intent.getCategories() != null) {
      for (String category : intent.getCategories()) {
        if (category.equals(Intent.CATEGORY_HOME)
            || category.startsWith("android.intent.category.APP_")) {
          return true;
        }
      }
    }
    return intent.getSelector() != null && isStartOfApp(intent.getSelector())
        || MESSAGES.equals(intent.getType());
  }

  /** The package manager's record of a stand-in, the same for all. */
  static ResolveInfo resolved() {
    ActivityInfo activity = new ActivityInfo();
    activity.packageName = STAND_IN;
    activity.name = STAND_IN + ".StandIn";
    activity.exported = true;
    activity.nonLocalizedLabel = "Another app";
    activity.applicationInfo = new ApplicationInfo();
    activity.applicationInfo.packageName = STAND_IN;
    activity.applicationInfo.nonLocalizedLabel = "Another app";
    ResolveInfo found = new ResolveInfo();
    found.activityInfo = activity;
    found.isDefault = true;
    found.nonLocalizedLabel = "Another app";
    found.resolvePackageName = STAND_IN;
    return found;
  }

  private static boolean isCommonPackage(String name) {
    return name.startsWith("com.android.") || name.equals("android");
  }

  private static boolean isCommonType(String type) {
    return type.startsWith("image/")
        || type.equals(MESSAGES)
        || type.equals("application/pdf")
        || type.equals("application/vnd.android.package-archive")
        || type.equals("time/epoch")
        || type.startsWith("video/")
        || type.startsWith("audio/")
        || type.startsWith("text/")
        || type.startsWith("vnd.android.cursor.");
  }

  /** The intent in a few words for the user. */
  static String describe(Intent intent) {
    StringBuilder text = new StringBuilder();
    text.append(intent.getAction() == null ? "an intent" : intent.getAction());
    Uri data = intent.getData();
    if (data != null) {
      text.append(' ').append(data.getScheme()).append(':');
    }
    if (intent.getType() != null) {
      text.append(' ').append(intent.getType());
    }
    return text.toString();
  }

  /** A provider that knows nothing: its cursors have the columns asked for and no rows. */
  public static final class Empty extends ContentProvider {
    @Override
    public boolean onCreate() {
      return true;
    }

    @Override
    public Cursor query(
        Uri uri, String[] projection, String selection, String[] arguments, String order) {
      return EmptyCursors.of(uri.getAuthority(), projection);
    }

    @Override
    public String getType(Uri uri) {
      return null;
    }

    @Override
    public Uri insert(Uri uri, ContentValues values) {
      return Uri.withAppendedPath(uri, "1");
    }

    @Override
    public int delete(Uri uri, String selection, String[] arguments) {
      return 0;
    }

    @Override
    public int update(Uri uri, ContentValues values, String selection, String[] arguments) {
      return 0;
    }
  }
}
