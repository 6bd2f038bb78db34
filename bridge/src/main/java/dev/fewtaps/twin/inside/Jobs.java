package dev.fewtaps.twin.inside;

import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobService;
import android.content.Intent;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.os.PersistableBundle;
import java.util.HashMap;
import java.util.Map;
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
    IBinder binder = service.onBind(new Intent());
    PersistableBundle extras = job.getExtras();
    service.onStartJob(parameters(job, extras, binder));
    if (job.isPeriodic()) {
      schedule(job);
    }
  }

  private static JobParameters parameters(JobInfo job, PersistableBundle extras, IBinder binder) {
    JobParameters parameters = ReflectionHelpers.newInstance(JobParameters.class);
    ReflectionHelpers.setField(parameters, "jobId", job.getId());
    ReflectionHelpers.setField(parameters, "extras", extras);
    ReflectionHelpers.setField(parameters, "transientExtras", job.getTransientExtras());
    ReflectionHelpers.setField(parameters, "callback", new Ignored().asBinder());
    return parameters;
  }

  private Handler handler() {
    if (handler == null) {
      handler = new Handler(Looper.getMainLooper());
    }
    return handler;
  }

  /** The system's side of a running job, which has nothing to add. */
  private static final class Ignored extends android.app.job.IJobCallback.Stub {
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
    public void jobFinished(int jobId, boolean reschedule) {}
  }
}
