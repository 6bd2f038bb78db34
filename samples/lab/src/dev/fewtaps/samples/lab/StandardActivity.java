package dev.fewtaps.samples.lab;

/** Launch mode standard. */
public final class StandardActivity extends ModeActivity {}
