package dev.fewtaps.samples.programs;

import android.os.Handler;
import android.os.Message;
import android.view.View;

/** The second message may be the recycled object of the first, whose sending is no cause. */
// Played: open, go, more. In the slice: 1 3.
public final class MessageRecycledProgram extends Program {
  final Handler handler = new Numbers(); // full

  @Override
  public void go(View view) {
    Message message = handler.obtainMessage(); // out
    message.arg1 = 4; // out
    handler.sendMessage(message); // out
  }

  @Override
  public void more(View view) {
    Message message = handler.obtainMessage(); // full
    message.arg1 = 0; // full thin
    handler.sendMessage(message); // full
  }

  static final class Numbers extends Handler {
    @Override
    public void handleMessage(Message message) {
      int share = 100 / message.arg1; // full thin
      message.arg2 = share; // out
    }
  }
}
