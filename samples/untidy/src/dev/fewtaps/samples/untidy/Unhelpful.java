package dev.fewtaps.samples.untidy;

/** An exception of which no method can be called. */
final class Unhelpful extends RuntimeException {
  @Override
  public String getMessage() {
    throw new IllegalStateException("no message");
  }

  @Override
  public synchronized Throwable getCause() {
    throw new IllegalStateException("no cause");
  }

  @Override
  public StackTraceElement[] getStackTrace() {
    return null;
  }
}
