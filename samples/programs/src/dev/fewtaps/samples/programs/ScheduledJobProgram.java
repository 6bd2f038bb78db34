package dev.fewtaps.samples.programs;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import android.content.ComponentName;
import android.os.PersistableBundle;
import android.view.View;

/** A job runs because it was scheduled, with the extras that it was given. */
// Played: open, go, wait. In the slice: 2 3.
public final class ScheduledJobProgram extends Program {
  @Override
  public void go(View view) {
    PersistableBundle extras = new PersistableBundle(); // full
    extras.putInt("other", 4); // out
    extras.putInt("value", 0); // full thin
    JobInfo.Builder job = new JobInfo.Builder(1, new ComponentName(this, Work.class)); // full
    JobScheduler jobs = (JobScheduler) getSystemService(JOB_SCHEDULER_SERVICE); // full
    jobs.schedule(job.setExtras(extras).setMinimumLatency(5000).build()); // full
  }

  /** The job that reads the extra. */
  public static final class Work extends JobService {
    @Override
    public boolean onStartJob(JobParameters parameters) {
      PersistableBundle extras = parameters.getExtras(); // full
      int value = extras.getInt("value", 1); // full thin
      int share = 100 / value; // full thin
      return share > 1;
    }

    @Override
    public boolean onStopJob(JobParameters parameters) {
      return false;
    }
  }
}
