package dev.fewtaps.samples.timer;

/** An exercise under way. */
final class Exercise {
  final String name;
  int secondsLeft;

  Exercise(String name, int seconds) {
    this.name = name;
    this.secondsLeft = seconds;
  }
}
