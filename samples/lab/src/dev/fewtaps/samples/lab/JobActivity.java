package dev.fewtaps.samples.lab;

import android.app.job.JobInfo;
import android.app.job.JobScheduler;
import android.content.ComponentName;
import android.content.Context;
import android.os.PersistableBundle;

/** Schedules jobs and shows which ones ran. */
public final class JobActivity extends LabActivity {
  @Override
  protected void fill() {
    button("Schedule", () -> schedule(1, false, 1000));
    button("Slow job", () -> schedule(2, true, 1000));
    button("Never", () -> schedule(3, false, 24L * 3600 * 1000));
    button("Cancel", () -> jobs().cancelAll());
    button("Pending", () -> say("pending " + jobs().getAllPendingJobs().size()));
    button("Calls", () -> say(LabJobService.CALLS.text()));
  }

  private JobScheduler jobs() {
    return (JobScheduler) getSystemService(Context.JOB_SCHEDULER_SERVICE);
  }

  private void schedule(int id, boolean slow, long latencyMs) {
    PersistableBundle extras = new PersistableBundle();
    extras.putInt("slow", slow ? 1 : 0);
    JobInfo job =
        new JobInfo.Builder(id, new ComponentName(this, LabJobService.class))
            .setMinimumLatency(latencyMs)
            .setOverrideDeadline(latencyMs + 1000)
            .setExtras(extras)
            .build();
    say(jobs().schedule(job) == JobScheduler.RESULT_SUCCESS ? "scheduled " + id : "refused " + id);
  }
}
