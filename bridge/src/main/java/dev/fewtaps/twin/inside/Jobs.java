package dev.fewtaps.twin.inside;

import android.app.Service;
import android.app.job.IJobCallback;
import android.app.job.IJobService;
import android.app.job.JobInfo;
import android.app.job.JobParameters;
import android.app.job.JobScheduler;
import android.app.job.JobWorkItem;
import android.content.Context;
import android.content.Intent;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.os.RemoteException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;

/** Runs scheduled jobs on the virtual clock; one that needs a network waits while there is none. */
final class Jobs {
  /** A phone groups jobs; this is how long it lets one wait that is ready. */
  private static final long BATCH_MILLIS = 1000;

  private final Device device;
  private final Map<Integer, Runnable> waiting = new HashMap<>();
  private final Map<Integer, Work> works = new ConcurrentHashMap<>();
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
    long delay =
        Math.max(job.getMinLatencyMillis(), job.isPeriodic() ? job.getIntervalMillis() : 0);
    Runnable run = () -> run(job);
    waiting.put(job.getId(), run);
    handler().postDelayed(run, Math.max(delay, BATCH_MILLIS));
  }

  /** Adds a piece of work to a job; one that waits or runs already takes it as well. */
  void enqueue(JobInfo job, JobWorkItem item) {
    Work work = works.computeIfAbsent(job.getId(), id -> new Work());
    work.add(item);
    if (!work.running && !waiting.containsKey(job.getId())) {
      schedule(job);
    }
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
    Service service = Services.create(device, job.getService().getClassName());
    service.onCreate();
    IBinder binder = service.onBind(new Intent().setComponent(job.getService()));
    if (binder == null) {
      device.notes().say("job " + job.getService().getShortClassName() + " has nothing to run");
      service.onDestroy();
      return;
    }
    works.computeIfAbsent(job.getId(), id -> new Work()).running = true;
    try {
      IJobService.Stub.asInterface(binder).startJob(parameters(job, new Callback(job, service)));
    } catch (RemoteException e) {
      throw new IllegalStateException(e); // Both ends are in this process.
    }
  }

  private void finished(JobInfo job, Service service, boolean again) {
    service.onDestroy();
    Work work = works.remove(job.getId());
    boolean more = work != null && work.remains();
    if (more) {
      works.put(job.getId(), work);
      work.running = false;
    }
    if (job.isPeriodic() || again || more) {
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

  /** The work enqueued for a job; the app takes it from a background thread. */
  private static final class Work {
    private final Deque<JobWorkItem> items = new ArrayDeque<>();
    private final Set<Integer> taken = new HashSet<>();
    private int lastId;
    boolean running;

    synchronized void add(JobWorkItem item) {
      item.setWorkId(++lastId);
      items.add(item);
    }

    synchronized JobWorkItem take() {
      JobWorkItem item = items.poll();
      if (item != null) {
        item.bumpDeliveryCount();
        taken.add(item.getWorkId());
      }
      return item;
    }

    synchronized boolean complete(int id) {
      return taken.remove(id);
    }

    synchronized boolean isDone() {
      return items.isEmpty() && taken.isEmpty();
    }

    synchronized boolean remains() {
      return !items.isEmpty();
    }
  }

  /** The system's side of a running job: it hands out work and wants to know when all is done. */
  private final class Callback extends IJobCallback.Stub {
    private final JobInfo job;
    private final Service service;
    private boolean over;

    Callback(JobInfo job, Service service) {
      this.job = job;
      this.service = service;
    }

    private void end(boolean again) {
      handler()
          .post(
              () -> {
                if (!over) {
                  over = true;
                  finished(job, service, again);
                }
              });
    }

    @Override
    public void acknowledgeStartMessage(int jobId, boolean ongoing) {
      if (!ongoing) {
        end(false);
      }
    }

    @Override
    public void acknowledgeStopMessage(int jobId, boolean reschedule) {}

    @Override
    public JobWorkItem dequeueWork(int jobId) {
      Work work = works.get(jobId);
      JobWorkItem item = work == null ? null : work.take();
      if (item == null && (work == null || work.isDone())) {
        end(false);
      }
      return item;
    }

    @Override
    public boolean completeWork(int jobId, int workId) {
      Work work = works.get(jobId);
      return work != null && work.complete(workId);
    }

    @Override
    public void jobFinished(int jobId, boolean reschedule) {
      end(reschedule);
    }
  }
}
