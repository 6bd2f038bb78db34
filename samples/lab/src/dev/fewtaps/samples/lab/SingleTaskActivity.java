package dev.fewtaps.samples.lab;

/** Launch mode singleTask. */
public final class SingleTaskActivity extends ModeActivity {}
