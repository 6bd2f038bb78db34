package dev.fewtaps.samples.lab;

/** Launch mode singleTop. */
public final class SingleTopActivity extends ModeActivity {}
