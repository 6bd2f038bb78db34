package dev.fewtaps.twin;

import com.google.gson.JsonObject;

/**
 * The requests of the bridge to the Android inside; every method is called on the sandbox's main
 * thread.
 */
public interface Host {

  /** Prepares an app for running and returns the reply to {@code open}. */
  JsonObject open(JsonObject request) throws Exception;

  /** Returns the classes of the opened app that were translated, for another process. */
  byte[] translated() throws Exception;

  /** Starts a fresh process of the opened app in a world and returns the step as JSON text. */
  String launch(JsonObject request) throws Exception;

  /** Makes one event happen and returns the step as JSON text. */
  String perform(JsonObject request) throws Exception;

  /**
   * Makes a few events happen many times over without looking at the screen; returns the seconds it
   * took.
   */
  double repeat(JsonObject request) throws Exception;

  /** Returns the present picture of the screen as PNG. */
  byte[] screenshot() throws Exception;

  /**
   * Whether little memory was left at the beginning of this run, even after collecting; from any
   * thread.
   */
  boolean isTight();

  /** Returns the actions for which code of the app has receivers registered, as a reply. */
  JsonObject listening() throws Exception;

  /** Returns what the world decided about background work since the launch, as a reply. */
  JsonObject decisions() throws Exception;

  /** Returns what was executed since the launch, in JaCoCo's exec format. */
  byte[] executionData() throws Exception;

  /** Returns the mutants of the opened app's measured classes, as a reply. */
  JsonObject mutants(JsonObject request) throws Exception;

  /** Returns how many turns the app's loops have taken since the launch, as a reply. */
  JsonObject turns() throws Exception;

  /** Returns the code of which a recording has blocks, as the JSON text of a reply. */
  String code(JsonObject request) throws Exception;

  /** Returns which probes of an instrumented app were hit since the launch, a bit for each. */
  byte[] probeHits() throws Exception;

  /** Returns what the coverage numbers mean. */
  JsonObject probes() throws Exception;

  /** Whether the main thread was told to give up what it does; callable from any thread. */
  boolean isHung();

  /** The step to report when the main thread never came back; callable from any thread. */
  String hungStep(StackTraceElement[] mainStack);
}
