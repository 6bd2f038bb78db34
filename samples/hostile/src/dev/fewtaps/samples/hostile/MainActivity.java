package dev.fewtaps.samples.hostile;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;
import java.util.function.Consumer;

/** One button per kind of attack; the outcome of each attempt is shown and logged. */
public final class MainActivity extends Activity {
  private final Outcomes outcomes = new Outcomes();

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    setContentView(R.layout.main);
    show(HostileApplication.AT_START.text());
    attack(R.id.home, FileAttacks::readHome);
    attack(R.id.write, FileAttacks::writeOutside);
    attack(R.id.processes, ProcessAttacks::start);
    attack(R.id.environment, ProcessAttacks::environment);
    attack(R.id.system, FileAttacks::systemFiles);
    attack(R.id.forge, ProcessAttacks::forge);
    attack(R.id.disk, all -> FileAttacks.fillDisk(all, getFilesDir()));
    // The network is not for the main thread: it would be refused there for another reason.
    findViewById(R.id.network).setOnClickListener(view -> aside(NetworkAttacks::all));
    findViewById(R.id.everything)
        .setOnClickListener(
            view ->
                aside(
                    all -> {
                      FileAttacks.readHome(all);
                      FileAttacks.writeOutside(all);
                      FileAttacks.systemFiles(all);
                      ProcessAttacks.environment(all);
                      ProcessAttacks.start(all);
                      NetworkAttacks.all(all);
                    }));
  }

  private void attack(int id, Consumer<Outcomes> attack) {
    findViewById(id)
        .setOnClickListener(
            view -> {
              attack.accept(outcomes);
              show(outcomes.text());
            });
  }

  private void aside(Consumer<Outcomes> attack) {
    new Thread(
            () -> {
              attack.accept(outcomes);
              runOnUiThread(() -> show(outcomes.text()));
            },
            "attack")
        .start();
  }

  private void show(String text) {
    this.<TextView>findViewById(R.id.outcome).setText(text);
  }
}
