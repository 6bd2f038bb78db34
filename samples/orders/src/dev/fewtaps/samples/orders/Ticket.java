package dev.fewtaps.samples.orders;

/** An order that the kitchen has. */
final class Ticket {
  final int number;
  final int table;

  Ticket(int number, int table) {
    this.number = number;
    this.table = table;
  }
}
