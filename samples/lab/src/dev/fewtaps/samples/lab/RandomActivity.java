package dev.fewtaps.samples.lab;

import android.os.SystemClock;
import java.security.SecureRandom;
import java.text.SimpleDateFormat;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Everything an app might read that differs from run to run: the world has to decide it all. */
public final class RandomActivity extends LabActivity {
  @Override
  protected void fill() {
    button("Roll", this::roll);
    button("Clock", this::clock);
    button("Identity", this::identity);
    roll();
    clock();
  }

  private void roll() {
    say("Random " + new Random().nextInt(1_000_000));
    say("Math.random " + Math.random());
    say("SecureRandom " + new SecureRandom().nextInt(1_000_000));
    say("ThreadLocalRandom " + ThreadLocalRandom.current().nextInt(1_000_000));
    say("UUID " + UUID.randomUUID());
    List<Integer> numbers = Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8);
    Collections.shuffle(numbers);
    say("shuffle " + numbers);
  }

  private void clock() {
    say("currentTimeMillis " + System.currentTimeMillis());
    say("nanoTime " + System.nanoTime());
    say("Date " + new SimpleDateFormat("yyyy-MM-dd HH:mm:ss.SSS", Locale.US).format(new Date()));
    say("Calendar " + Calendar.getInstance().get(Calendar.SECOND));
    say("uptimeMillis " + SystemClock.uptimeMillis());
    say("elapsedRealtime " + SystemClock.elapsedRealtime());
    say("threadTime known " + (SystemClock.currentThreadTimeMillis() >= 0));
  }

  private void identity() {
    Set<Object> objects = new HashSet<>();
    for (int i = 0; i < 6; i++) {
      int number = i;
      objects.add(
          new Object() {
            @Override
            public String toString() {
              return String.valueOf(number);
            }
          });
    }
    say("identity order " + objects);
    say("identity hash " + System.identityHashCode(objects.iterator().next()));
    say("pid " + android.os.Process.myPid() + " thread " + Thread.currentThread().getId());
  }
}
