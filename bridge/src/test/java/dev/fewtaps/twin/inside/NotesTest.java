package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;

import java.util.List;
import org.junit.Test;

public class NotesTest {
  private final Notes notes = new Notes();

  @Test
  public void eachIsSaidOnceInTheOrderOfItsFirstTime() {
    notes.say("b");
    notes.say("a");
    notes.say("b");
    assertEquals(List.of("b", "a"), notes.take());
  }

  @Test
  public void whatWasTakenIsNotGivenAgain() {
    notes.say("a");
    assertEquals(List.of("a"), notes.take());
    notes.say("a");
    notes.say("c");
    assertEquals(List.of("c"), notes.take());
    assertEquals(List.of(), notes.take());
    assertEquals(List.of("a", "c"), List.copyOf(notes.all()));
  }
}
