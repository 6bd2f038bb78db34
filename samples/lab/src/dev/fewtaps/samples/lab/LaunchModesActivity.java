package dev.fewtaps.samples.lab;

/** Launch mode standard, and the start of the launch mode tests. */
public final class LaunchModesActivity extends ModeActivity {}
