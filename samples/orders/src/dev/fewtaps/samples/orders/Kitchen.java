package dev.fewtaps.samples.orders;

import java.util.ArrayList;
import java.util.List;

/** Stands for the kitchen: takes orders, and knows how long they will take. */
final class Kitchen {
  private final List<Ticket> tickets = new ArrayList<>();

  /** Writes a ticket. */
  synchronized Ticket accept(int table) {
    Ticket ticket = new Ticket(tickets.size() + 1, table);
    tickets.add(ticket);
    return ticket;
  }

  /** How many minutes these dishes take. */
  int minutes(List<String> dishes, boolean hurry) {
    int letters = 0;
    for (String dish : dishes) {
      letters += dish.length();
    }
    int minutes = 5 + 2 * letters;
    return hurry ? minutes * 3 / 4 : minutes;
  }
}
