package dev.fewtaps.samples.lab;

/** Any activity above the bottom one. */
public final class FlagsTargetActivity extends FlagsScreen {}
