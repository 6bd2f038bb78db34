package dev.fewtaps.samples.lab;

import android.app.job.JobParameters;
import android.app.job.JobService;
import android.os.Handler;

/** A job that ends at once or, if its extras say so, half a second later. */
public final class LabJobService extends JobService {
  static final Journal CALLS = new Journal();

  @Override
  public boolean onStartJob(JobParameters parameters) {
    boolean slow = parameters.getExtras().getInt("slow") == 1;
    CALLS.add("job " + parameters.getJobId() + " started");
    if (slow) {
      new Handler()
          .postDelayed(
              () -> {
                CALLS.add("job " + parameters.getJobId() + " finished");
                jobFinished(parameters, false);
              },
              500);
    }
    return slow;
  }

  @Override
  public boolean onStopJob(JobParameters parameters) {
    CALLS.add("job " + parameters.getJobId() + " stopped");
    return false;
  }
}
