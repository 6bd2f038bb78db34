package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Test;

public class FixedOrderTest {
  /** Prints a set and a map in the order in which they are walked through. */
  public static final class Walk {
    private Walk() {}

    /** The program of another process. */
    public static void main(String[] arguments) {
      FixedOrder.begin();
      Set<Integer> numbers = IntStream.range(0, 90).boxed().collect(Collectors.toSet());
      Map<Integer, String> names = numbers.stream().collect(Collectors.toMap(n -> n, n -> "n" + n));
      System.out.println(Set.copyOf(numbers) + " " + Map.copyOf(names));
    }
  }

  private static String walk() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Without these the walks may be compiled before their order is set.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-XX:CompileCommand"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Walk.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return text;
  }

  /** Left alone, the JVM has 360 orders for such a set. */
  @Test
  public void otherProcessesWalkThroughSetsAndMapsInTheSameOrder() throws Exception {
    String first = walk();
    assertEquals(2 * (90 - 1), first.chars().filter(letter -> letter == ',').count());
    assertEquals(
        Collections.nCopies(5, first), Arrays.asList(walk(), walk(), walk(), walk(), walk()));
  }
}
