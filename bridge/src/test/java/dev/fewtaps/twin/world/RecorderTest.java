package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public final class RecorderTest {
  private static final int PAYLOAD = (1 << 28) - 1;

  private Path path;

  @Before
  public void setUp() throws IOException {
    path = Files.createTempFile("record", "");
    sized(1 << 20);
    World.begin(1, Settings.defaults());
  }

  @After
  public void tearDown() throws IOException {
    Recorder.close();
    World.end();
    Files.delete(path);
  }

  private void sized(long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(0);
      file.setLength(bytes);
    }
  }

  private ByteBuffer content() throws IOException {
    Recorder.sync();
    return ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The words so far, each as kind and payload. */
  private List<String> words() throws IOException {
    ByteBuffer content = content();
    List<String> words = new ArrayList<>();
    for (int i = 0; i < content.getInt(4); i++) {
      int word = content.getInt(Recorder.HEADER_BYTES + 4 * i);
      words.add((word >>> 28) + ":" + (word & PAYLOAD));
    }
    return words;
  }

  private int flags() throws IOException {
    return content().getInt(8);
  }

  @Test
  public void wordsHaveKindAndPayload() throws IOException {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Recorder.block(7);
    Recorder.number(-1);
    Recorder.object(null);
    Recorder.value((Object) null);
    assertEquals(List.of("5:0", "6:0", "0:7", "2:" + PAYLOAD, "1:0", "3:0"), words());
    assertEquals(Recorder.MAGIC, content().getInt(0));
  }

  @Test
  public void equalValuesHaveEqualNumbersAndOthersDiffer() throws IOException {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Object[] values = {"5", 5, 5L, '5', 5.0, 5f, (short) 5, (byte) 5, true, "", "\ud83d\ude00"};
    for (Object value : values) {
      Recorder.value(value);
    }
    Recorder.value(new String("5"));
    Recorder.value(5L);
    Recorder.number(1 << 30);
    Recorder.value((Object) (1 << 30));
    List<String> told = words().subList(2, words().size());
    assertEquals(values.length, new HashSet<>(told.subList(0, values.length)).size());
    assertEquals(told.get(0), told.get(values.length));
    assertEquals(told.get(2), told.get(values.length + 1));
    assertEquals(told.get(values.length + 2), told.get(values.length + 3));
  }

  @Test
  public void longStringsAreNoValues() throws IOException {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Recorder.value("x".repeat(Recorder.LONGEST_TEXT));
    Recorder.value("x".repeat(Recorder.LONGEST_TEXT + 1));
    assertEquals(List.of("3:1", "3:0"), words().subList(2, 4));
  }

  @Test
  public void objectsHaveNumbersOfTheirOwn() {
    Set<Integer> numbers = new HashSet<>();
    List<Object> kept = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      kept.add(new Object());
      numbers.add(System.identityHashCode(kept.get(i)));
    }
    assertEquals(kept.size(), numbers.size());
  }

  @Test
  public void onlyTheEventsThatWereAskedForAreRecorded() throws IOException {
    Recorder.begin(path, 1, 1);
    for (int event = 0; event < 3; event++) {
      Recorder.event(event);
      Recorder.block(10 + event);
    }
    assertEquals(List.of("5:0", "6:1", "0:11"), words());
  }

  @Test
  public void tokensAreTheSameInEveryWindow() throws IOException {
    List<List<Integer>> told = new ArrayList<>();
    for (int from = 0; from < 2; from++) {
      sized(1 << 20);
      Recorder.begin(path, from, Integer.MAX_VALUE);
      List<Integer> tokens = new ArrayList<>();
      for (int event = 0; event < 2; event++) {
        Recorder.event(event);
        tokens.add(Recorder.hand(null));
        Recorder.task(tokens.get(tokens.size() - 1));
        tokens.add(Recorder.hand(null));
        Recorder.block(7);
        tokens.add(Recorder.hand("Handler.post"));
        Recorder.done();
      }
      told.add(tokens);
    }
    assertEquals(told.get(0), told.get(1));
    // The framework's own work in a task is due to what the task is due to.
    assertEquals(List.of(1, 1, 2, 3, 3, 4), told.get(0));
  }

  @Test
  public void aTaskWithoutCodeOfTheAppIsNotTold() throws IOException {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    int token = Recorder.hand(null);
    Recorder.task(token);
    Recorder.task(token);
    Recorder.done();
    Recorder.done();
    assertEquals(List.of("5:0", "6:0", "7:1"), words());
    Recorder.task(token);
    Recorder.task(9);
    Recorder.block(7);
    Recorder.done();
    Recorder.done();
    assertEquals(List.of("8:1", "8:9", "0:7", "9:0", "9:0"), words().subList(3, 8));
  }

  @Test
  public void aFullFileStopsTheRecordingAndSaysSo() throws IOException {
    sized(4096);
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Recorder.event(1);
    for (int i = 0; i < 2000; i++) {
      Recorder.block(7);
      Recorder.value("text " + i);
    }
    assertEquals(1, flags() & 1);
    assertEquals(1, content().getInt(12));
    int count = words().size();
    Recorder.event(2);
    Recorder.block(8);
    assertEquals(count, words().size());
    assertTrue(count * 4 + Recorder.HEADER_BYTES <= 4096);
  }

  @Test
  public void aThreadOutsideOfTheWorldWritesNothing() throws Exception {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Thread outsider = new Thread(() -> Recorder.block(99));
    outsider.start();
    outsider.join();
    assertFalse(words().contains("0:99"));
    assertNotEquals(0, flags() & 8);
  }

  @Test
  public void framesThatCouldNotSayHowTheyEndedAreMadeUpFor() throws IOException {
    Recorder.begin(path, 0, Integer.MAX_VALUE);
    Recorder.event(0);
    Recorder.block(7);
    Recorder.missed += 2;
    Recorder.writer = null;
    Recorder.block(8);
    assertEquals(List.of("0:7", "4:0", "4:0", "0:8"), words().subList(2, 6));
  }

  @Test
  public void withoutARecordingNothingHappens() {
    Recorder.block(7);
    Recorder.task(1);
    Recorder.done();
    assertEquals(0, Recorder.hand("Handler.post"));
    assertFalse(Recorder.isOn());
  }
}
