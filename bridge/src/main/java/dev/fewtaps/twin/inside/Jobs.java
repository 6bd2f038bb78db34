package dev.fewtaps.twin.inside;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobService;
import android.content.Context;
import android.content.Intent;
import android.os.Handler;
import android.os.Looper;
import java.util.HashMap;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;

/** Runs scheduled jobs on the virtual clock; one that needs a network waits while there is none. */
final class Jobs {
  /** A phone groups jobs; this is how long it lets one wait that is ready. */
  private static final long BATCH_MILLIS = 1000;

  private final Device device;
  private final Map<Integer, Runnable> waiting = new HashMap<>();
  private Handler handler;

  Jobs(Device device) {
    this.device = device;
  }

  void schedule(JobInfo job) {
    cancel(job.getId());
    boolean offline = device.settings().network.equals("offline");
    if (offline && job.getNetworkType() != JobInfo.NETWORK_TYPE_NONE) {
      device.notes().say("job " + job.getService().getShortClassName() + " waits for a network");
      return;
    }
    long delay = Math.max(job.getMinLatencyMillis(), job.isPeriodic() ? job.getIntervalMillis() : 0);
    Runnable run = () -> run(job);
    waiting.put(job.getId(), run);
    handler().postDelayed(run, Math.max(delay, BATCH_MILLIS));
  }

  void cancel(int id) {
    Runnable run = waiting.remove(id);
    if (run != null) {
      handler().removeCallbacks(run);
    }
  }

  void cancelAll() {
    for (Integer id : waiting.keySet().toArray(new Integer[0])) {
      cancel(id);
    }
  }

  private void run(JobInfo job) {
    waiting.remove(job.getId());
    JobService service = (JobService) Services.create(device, job.getService().getClassName());
    service.onCreate();
    service.onBind(new Intent());
    boolean goesOn = service.onStartJob(parameters(job, new Callback(job, service)));
    if (!goesOn) {
      finished(job, service, false);
    }
  }

  private void finished(JobInfo job, JobService service, boolean again) {
    service.onDestroy();
    if (job.isPeriodic() || again) {
      schedule(job);
    } else if (!waiting.containsKey(job.getId())) {
      scheduler().cancel(job.getId());
    }
  }

  private static JobScheduler scheduler() {
    return (JobScheduler)
        RuntimeEnvironment.getApplication().getSystemService(Context.JOB_SCHEDULER_SERVICE);
  }

  private static JobParameters parameters(JobInfo job, Callback callback) {
    JobParameters parameters = ReflectionHelpers.newInstance(JobParameters.class);
    ReflectionHelpers.setField(parameters, "jobId", job.getId());
    ReflectionHelpers.setField(parameters, "extras", job.getExtras());
    ReflectionHelpers.setField(parameters, "transientExtras", job.getTransientExtras());
    ReflectionHelpers.setField(parameters, "callback", callback.asBinder());
    return parameters;
  }

  private Handler handler() {
    if (handler == null) {
      handler = new Handler(Looper.getMainLooper());
    }
    return handler;
  }

  /** The system's side of a running job: it only wants to know when the job is done. */
  private final class Callback extends android.app.job.IJobCallback.Stub {
    private final JobInfo job;
    private final JobService service;

    Callback(JobInfo job, JobService service) {
      this.job = job;
      this.service = service;
    }

    @Override
    public void acknowledgeStartMessage(int jobId, boolean ongoing) {}

    @Override
    public void acknowledgeStopMessage(int jobId, boolean reschedule) {}

    @Override
    public android.app.job.JobWorkItem dequeueWork(int jobId) {
      return null;
    }

    @Override
    public boolean completeWork(int jobId, int workId) {
      return false;
    }

    @Override
    public void jobFinished(int jobId, boolean reschedule) {
      handler().post(() -> finished(job, service, reschedule));
    }
  }
}
