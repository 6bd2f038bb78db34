package dev.fewtaps.samples.hostile;

import android.app.Activity;
import android.os.Bundle;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes the attack that the intent's extra {@code attack} names, past the hooks of the twin. No button leads here, so
 * that no exploration starts a bomb by chance.
 */
public final class BombActivity extends Activity {
  private final Outcomes outcomes = new Outcomes();
  private final Map<String, Runnable> attacks = new HashMap<>();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    String target = getIntent().getStringExtra("target");
    attacks.put("offheap", () -> Bombs.offHeap(outcomes));
    attacks.put("shared", () -> Bombs.sharedMemory(outcomes));
    attacks.put("threads", () -> Bombs.threads(outcomes));
    attacks.put("processes", () -> Bombs.processes(outcomes));
    attacks.put("disks", () -> Bombs.disks(outcomes));
    attacks.put("inodes", () -> Bombs.inodes(outcomes));
    attacks.put("descriptors", () -> Bombs.descriptors(outcomes));
    attacks.put("settings", () -> Escapes.settings(outcomes));
    attacks.put("read", () -> Escapes.read(outcomes, target));
    attacks.put("connect", () -> Escapes.connect(outcomes, target));
    attacks.put("programs", () -> Escapes.programs(outcomes));
    attacks.put("signals", () -> Escapes.signals(outcomes, target));
    attacks.put("handover", () -> Escapes.handover(outcomes));
    attacks.put("forged", () -> Wire.forge(outcomes, target));
    attacks.put("newlines", () -> Wire.newlines(outcomes));
    attacks.put("endless", () -> Wire.endless(outcomes));
    attacks.put("huge", () -> Wire.huge(outcomes));
    attacks.get(getIntent().getStringExtra("attack")).run();
  }
}
