package dev.fewtaps.samples.lab;

/** An activity that the manifest keeps out of the back stack. */
public final class NoHistoryActivity extends FlagsScreen {}
