package dev.fewtaps.samples.pocket;

import android.content.Intent;
import android.net.VpnService;
import android.os.ParcelFileDescriptor;
import android.util.Log;

/** Asks the phone for a tunnel. */
public final class TunnelService extends VpnService {
  @Override
  public int onStartCommand(Intent intent, int flags, int id) {
    ParcelFileDescriptor tunnel =
        new Builder().addAddress("10.0.0.2", 24).addRoute("0.0.0.0", 0).addDnsServer("8.8.8.8").establish();
    Log.i("lab", "tunnel " + (tunnel != null));
    return START_NOT_STICKY;
  }
}
