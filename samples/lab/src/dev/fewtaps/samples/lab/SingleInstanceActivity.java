package dev.fewtaps.samples.lab;

/** Launch mode singleInstance. */
public final class SingleInstanceActivity extends ModeActivity {}
