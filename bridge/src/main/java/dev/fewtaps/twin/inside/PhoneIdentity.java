package dev.fewtaps.twin.inside;

import android.app.Application;
import android.content.Context;
import android.content.Intent;
import android.net.ConnectivityManager;
import android.net.DhcpInfo;
import android.net.NetworkInfo;
import android.net.wifi.WifiManager;
import android.os.BatteryManager;
import android.os.Build;
import android.telephony.TelephonyManager;
import java.util.ArrayList;
import org.robolectric.Shadows;
import org.robolectric.shadows.ShadowBuild;
import org.robolectric.shadows.ShadowConnectivityManager;
import org.robolectric.shadows.ShadowNetworkInfo;
import org.robolectric.shadows.ShadowTelephonyManager;
import org.robolectric.shadows.ShadowWifiManager;
import org.robolectric.util.ReflectionHelpers;

/**
 * Fills in what every phone knows about itself and Robolectric leaves null: apps take it for
 * granted.
 *
 * <p>The numbers are those of Android's own emulator, so that they belong to no person.
 */
final class PhoneIdentity {
  private PhoneIdentity() {}

  /** Sets the constants of {@link Build}, before the app's first class is loaded. */
  static void describeBuild(Settings settings) {
    String name = settings.model.toLowerCase(java.util.Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
    ShadowBuild.setModel(settings.model);
    ShadowBuild.setManufacturer(settings.manufacturer);
    ShadowBuild.setBrand(settings.manufacturer);
    ShadowBuild.setDevice(name);
    ShadowBuild.setProduct(name);
    ShadowBuild.setBoard(name);
    ShadowBuild.setHardware(name);
    ShadowBuild.setId("FEWTAPS");
    ShadowBuild.setSerial("fewtaps0001");
    ShadowBuild.setTags("release-keys");
    ShadowBuild.setType("user");
    ShadowBuild.setVersionIncremental("1");
    ShadowBuild.setRadioVersion("1.0");
    ShadowBuild.setFingerprint(
        String.format(
            "%s/%s/%s:%s/FEWTAPS/1:user/release-keys",
            settings.manufacturer, name, name, Build.VERSION.RELEASE));
    String[] abis = settings.abis.toArray(new String[0]);
    ShadowBuild.setSupportedAbis(abis);
    ShadowBuild.setSupported64BitAbis(
        settings.abis.stream().filter(abi -> abi.contains("64")).toArray(String[]::new));
    ShadowBuild.setSupported32BitAbis(
        settings.abis.stream().filter(abi -> !abi.contains("64")).toArray(String[]::new));
    ReflectionHelpers.setStaticField(Build.class, "CPU_ABI", abis[0]);
    ReflectionHelpers.setStaticField(Build.class, "CPU_ABI2", abis.length > 1 ? abis[1] : "");
    ReflectionHelpers.setStaticField(Build.class, "HOST", "fewtaps");
    ReflectionHelpers.setStaticField(Build.class, "USER", "fewtaps");
    ReflectionHelpers.setStaticField(Build.class, "DISPLAY", "FEWTAPS");
    ReflectionHelpers.setStaticField(Build.class, "BOOTLOADER", "unknown");
  }

  /** Sets what system services answer, before the app's first line runs. */
  static void describeServices(Settings settings, Application application) {
    TelephonyManager telephony =
        (TelephonyManager) application.getSystemService(Context.TELEPHONY_SERVICE);
    ShadowTelephonyManager phone = Shadows.shadowOf(telephony);
    phone.setDeviceId("358240051111110");
    phone.setImei("358240051111110");
    phone.setDeviceSoftwareVersion("01");
    phone.setLine1Number("15555215554");
    phone.setSubscriberId("310260000000000");
    phone.setSimSerialNumber("89014103211118510720");
    phone.setSimState(TelephonyManager.SIM_STATE_READY);
    phone.setSimOperator("310260");
    phone.setSimOperatorName("Android");
    phone.setSimCountryIso("us");
    phone.setNetworkOperator("310260");
    phone.setNetworkOperatorName("Android");
    phone.setNetworkCountryIso("us");
    phone.setNetworkType(TelephonyManager.NETWORK_TYPE_LTE);
    phone.setPhoneType(TelephonyManager.PHONE_TYPE_GSM);
    phone.setVoiceMailNumber("+15552175049");

    describeWifi(application);
    PhoneSettings.install(settings, application.getContentResolver());
    Signers.install(settings, application);
    application.sendStickyBroadcast(battery());
    PhoneParts.install(application);
    MediaShadows.installMicrophone();

    if (settings.network.equals("offline")) {
      ConnectivityManager connectivity =
          (ConnectivityManager) application.getSystemService(Context.CONNECTIVITY_SERVICE);
      ShadowConnectivityManager networks = Shadows.shadowOf(connectivity);
      networks.setActiveNetworkInfo(null);
      networks.clearAllNetworks();
      networks.setNetworkInfo(ConnectivityManager.TYPE_WIFI, idle(ConnectivityManager.TYPE_WIFI));
      networks.setNetworkInfo(
          ConnectivityManager.TYPE_MOBILE, idle(ConnectivityManager.TYPE_MOBILE));
    }
  }

  /** There is no other network near, and none that gave an address: Android has no null for it. */
  private static void describeWifi(Application application) {
    ShadowWifiManager wifi =
        Shadows.shadowOf((WifiManager) application.getSystemService(Context.WIFI_SERVICE));
    wifi.setScanResults(new ArrayList<>());
    wifi.setDhcpInfo(new DhcpInfo());
  }

  private static NetworkInfo idle(int type) {
    return ShadowNetworkInfo.newInstance(
        NetworkInfo.DetailedState.DISCONNECTED, type, 0, true, NetworkInfo.State.DISCONNECTED);
  }

  /** The state of a healthy battery, which every phone tells every app. */
  private static Intent battery() {
    return new Intent(Intent.ACTION_BATTERY_CHANGED)
        .putExtra(BatteryManager.EXTRA_PRESENT, true)
        .putExtra(BatteryManager.EXTRA_LEVEL, 80)
        .putExtra(BatteryManager.EXTRA_SCALE, 100)
        .putExtra(BatteryManager.EXTRA_STATUS, BatteryManager.BATTERY_STATUS_DISCHARGING)
        .putExtra(BatteryManager.EXTRA_HEALTH, BatteryManager.BATTERY_HEALTH_GOOD)
        .putExtra(BatteryManager.EXTRA_PLUGGED, 0)
        .putExtra(BatteryManager.EXTRA_VOLTAGE, 4000)
        .putExtra(BatteryManager.EXTRA_TEMPERATURE, 250)
        .putExtra(BatteryManager.EXTRA_TECHNOLOGY, "Li-ion");
  }
}
