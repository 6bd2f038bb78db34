package dev.fewtaps.twin.code;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import dev.fewtaps.twin.code.CoverageProbes.CoverageNumbers;
import dev.fewtaps.twin.code.CoverageProbes.Totals;
import dev.fewtaps.twin.code.fixture.Covered;
import dev.fewtaps.twin.code.fixture.Sharing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataWriter;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.tools.ExecFileLoader;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class CoverageReportTest {
  private static final String PACKAGE = "dev/fewtaps/twin/code/fixture";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  private MeasuredApk apk;

  @Before
  public void open() throws Exception {
    apk = new MeasuredApk(folder.getRoot().toPath());
  }

  @After
  public void close() throws IOException {
    apk.close();
  }

  private byte[] run(int n) throws Exception {
    apk.probes.startRun();
    MeasuredApk.choose(apk.load(Covered.class), n);
    return apk.probes.executionData(new SessionInfo("run " + n, n, n + 1));
  }

  private CoverageReport report(byte[]... executions) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] each : executions) {
      all.write(each);
    }
    Path file = folder.newFile().toPath();
    Files.write(file, all.toByteArray());
    CoverageReport report = new CoverageReport(apk.code, "all");
    report.add(file);
    return report;
  }

  private Map<String, String> written(CoverageReport report, boolean html, ZippedSources sources)
      throws IOException {
    Path file = folder.newFile().toPath();
    report.write(file, "everything", !html, html, sources);
    Map<String, String> contents = new TreeMap<>();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        byte[] bytes = zip.getInputStream(entry).readAllBytes();
        contents.put(entry.getName(), new String(bytes, StandardCharsets.UTF_8));
      }
    }
    return contents;
  }

  private String xml(CoverageReport report) throws IOException {
    Map<String, String> files = written(report, false, null);
    assertEquals(List.of("jacoco.xml"), List.copyOf(files.keySet()));
    return files.get("jacoco.xml");
  }

  /** The last counter of a kind is that of the whole report. */
  private static String counter(String xml, String kind) {
    Matcher counters =
        Pattern.compile("<counter type=\"" + kind + "\" missed=\"(\\d+)\" covered=\"(\\d+)\"/>")
            .matcher(xml);
    String found = null;
    while (counters.find()) {
      int covered = Integer.parseInt(counters.group(2));
      found = covered + "/" + (covered + Integer.parseInt(counters.group(1)));
    }
    return found;
  }

  @Test
  public void executionDataAreJacocosAndCanFollowOneAnother() throws Exception {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(run(1));
    both.write(run(9));
    ExecFileLoader loader = new ExecFileLoader();
    loader.load(new ByteArrayInputStream(both.toByteArray()));
    assertEquals(
        List.of("run 1", "run 9"),
        loader.getSessionInfoStore().getInfos().stream().map(SessionInfo::getId).toList());
    List<ExecutionData> classes = List.copyOf(loader.getExecutionDataStore().getContents());
    assertEquals(1, classes.size());
    assertEquals(PACKAGE + "/Covered", classes.get(0).getName());
    assertEquals(CRC64.classId(apk.code.bytes(Covered.class.getName())), classes.get(0).getId());
  }

  @Test
  public void executionDataOfARunHoldNothingOfTheRunBefore() throws Exception {
    byte[] first = run(1);
    run(9);
    assertEquals(Arrays.toString(first), Arrays.toString(run(1)));
  }

  @Test
  public void classIdsDependOnTheApkAlone() throws Exception {
    Path cache = folder.newFolder().toPath();
    try (AppCode other = AppCode.open(apk.code.apk(), cache)) {
      List<String> names = apk.code.classNames().stream().sorted().toList();
      List<Long> ids = names.stream().map(name -> CRC64.classId(apk.code.bytes(name))).toList();
      for (int i = names.size() - 1; i >= 0; i--) {
        assertEquals(ids.get(i), (Long) CRC64.classId(other.bytes(names.get(i))));
      }
    }
  }

  @Test
  public void reportCountsAsTheNumbersDo() throws Exception {
    apk.probes.startRun();
    MeasuredApk.choose(apk.load(Covered.class), 9);
    Class<?> type = apk.load(Sharing.class);
    type.getMethod("busy").invoke(type.getConstructor().newInstance());
    CoverageNumbers covered = apk.probes.takeNew();
    Totals totals = apk.probes.totals();
    String xml = xml(report(apk.probes.executionData(new SessionInfo("a", 1, 2))));
    assertEquals(covered.branches().length + "/" + totals.branches(), counter(xml, "BRANCH"));
    assertEquals(covered.lines().length + "/" + totals.lines(), counter(xml, "LINE"));
    assertEquals(covered.methods().length + "/" + totals.methods(), counter(xml, "METHOD"));
  }

  @Test
  public void reportCountsAllRuns() throws Exception {
    BitSet lines = new BitSet();
    byte[][] runs = new byte[2][];
    for (int i = 0; i < 2; i++) {
      runs[i] = run(i + 1);
      Arrays.stream(apk.probes.takeNew().lines()).forEach(lines::set);
    }
    String xml = xml(report(runs));
    assertTrue(xml.contains("<!DOCTYPE report"));
    assertTrue(xml.contains("<sessioninfo id=\"run 2\" start=\"2\" dump=\"3\"/>"));
    assertEquals(lines.cardinality() + "/" + apk.probes.totals().lines(), counter(xml, "LINE"));
  }

  @Test
  public void withoutRunsNothingIsCovered() throws Exception {
    String xml = xml(report());
    assertEquals("0/" + apk.probes.totals().methods(), counter(xml, "METHOD"));
  }

  @Test
  public void pagesShowTheSourcesThatAreThere() throws Exception {
    Path file = folder.newFile().toPath();
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.putNextEntry(new ZipEntry(PACKAGE + "/Covered.java"));
      zip.write("// größer\n".repeat(60).getBytes(StandardCharsets.UTF_8));
    }
    try (ZippedSources sources = new ZippedSources(file)) {
      Map<String, String> pages = written(report(run(1)), true, sources);
      String packagePages = "html/" + PACKAGE.replace('/', '.') + "/";
      assertTrue(pages.get("html/index.html").contains("everything"));
      String shown = pages.get(packagePages + "Covered.java.html");
      assertTrue(shown.contains("<span class=\"fc\" id=\"L4\">// größer</span>"));
      assertFalse(pages.containsKey(packagePages + "Sharing.java.html"));
      assertEquals(1, sources.found());
      assertEquals(3, sources.wanted());
    }
  }

  @Test
  public void pagesNeedNoSources() throws Exception {
    Map<String, String> pages = written(report(run(1)), true, null);
    String page = "html/" + PACKAGE.replace('/', '.') + "/Covered.html";
    assertTrue(pages.get(page).contains("choose(int)"));
  }

  @Test
  public void dataOfAnotherBuildAreCounted() throws Exception {
    CoverageReport own = report(run(1));
    xml(own);
    assertEquals(1, own.executedCount());
    assertEquals(0, own.foreignCount());
    ByteArrayOutputStream other = new ByteArrayOutputStream();
    ExecutionDataWriter writer = new ExecutionDataWriter(other);
    writer.visitClassExecution(
        new ExecutionData(42, PACKAGE + "/Covered", new boolean[] {true, true}));
    writer.visitClassExecution(new ExecutionData(43, "no/Such", new boolean[] {true}));
    CoverageReport foreign = report(run(1), other.toByteArray());
    xml(foreign);
    assertEquals(3, foreign.executedCount());
    assertEquals(2, foreign.foreignCount());
  }

  @Test
  public void whatIsNoExecutionDataIsRefused() throws Exception {
    for (String text : List.of("nonsense", "\u0001\u00c0")) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      assertThrows(IllegalArgumentException.class, () -> report(bytes));
    }
    byte[] whole = run(1);
    byte[] cut = Arrays.copyOf(whole, whole.length - 3);
    assertThrows(IllegalArgumentException.class, () -> report(cut));
  }
}
