package dev.fewtaps.samples.lab;

/** The bottom of the stack on which the intent flags are tried. */
public final class FlagsActivity extends FlagsScreen {}
