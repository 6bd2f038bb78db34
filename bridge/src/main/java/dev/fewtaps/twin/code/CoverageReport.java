package dev.fewtaps.twin.code;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IBundleCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IMultiReportOutput;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.ISourceFileLocator;
import org.jacoco.report.MultiSourceFileLocator;
import org.jacoco.report.ZipMultiReportOutput;
import org.jacoco.report.html.HTMLFormatter;
import org.jacoco.report.xml.XMLFormatter;

/**
 * JaCoCo's reports on the classes of an APK, made from execution data of any number of runs.
 *
 * <p>Runs nothing of the app.
 */
public final class CoverageReport {
  private static final ISourceFileLocator NO_SOURCES = new MultiSourceFileLocator(4);

  private final AppCode code;
  private final List<String> names;
  private final ExecFileLoader executed = new ExecFileLoader();
  private final Set<Long> ids = new HashSet<>();

  /** Prepares a report on the app's own classes or, if {@code scope} is "all", on every class. */
  public CoverageReport(AppCode code, String scope) {
    this.code = code;
    this.names = CoverageProbes.names(code, scope);
  }

  /**
   * Adds what a file of execution data holds.
   *
   * @throws IllegalArgumentException if it holds something else
   */
  public void add(Path executions) throws IOException {
    try {
      executed.load(executions.toFile());
    } catch (IOException | IllegalStateException e) {
      if (!Files.isReadable(executions)) {
        throw e;
      }
      throw new IllegalArgumentException("not JaCoCo's execution data: " + e.getMessage(), e);
    }
  }

  /**
   * Writes a ZIP file with {@code jacoco.xml}, with the pages of {@code html/}, or with both.
   *
   * @param title the name of the whole
   * @param sources where the pages find source files, or null for pages without
   */
  public void write(Path file, String title, boolean xml, boolean html, ISourceFileLocator sources)
      throws IOException {
    IBundleCoverage bundle = analyse(title);
    // Straight into the file: where a jail lends only that one, nothing can be moved over it.
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
    ZipMultiReportOutput zip = new ZipMultiReportOutput(out);
    try {
      if (xml) {
        visit(new XMLFormatter().createVisitor(zip.createFile("jacoco.xml")), bundle, NO_SOURCES);
      }
      if (html) {
        HTMLFormatter pages = new HTMLFormatter();
        pages.setLocale(Locale.ENGLISH);
        visit(
            pages.createVisitor(below("html/", zip)),
            bundle,
            sources == null ? NO_SOURCES : sources);
      }
    } finally {
      zip.close();
    }
  }

  /** How many classes were executed, according to the data. */
  public int executedCount() {
    return contents().size();
  }

  /** How many of them the APK lacks or has with other code: known once something was written. */
  public int foreignCount() {
    Set<String> reported = Set.copyOf(names);
    int count = 0;
    for (ExecutionData data : contents()) {
      String name = data.getName().replace('/', '.');
      boolean outside = code.hasClass(name) && !reported.contains(name);
      if (!outside && !ids.contains(data.getId())) {
        count++;
      }
    }
    return count;
  }

  private Collection<ExecutionData> contents() {
    return executed.getExecutionDataStore().getContents();
  }

  private void visit(IReportVisitor report, IBundleCoverage bundle, ISourceFileLocator sources)
      throws IOException {
    report.visitInfo(executed.getSessionInfoStore().getInfos(), contents());
    report.visitBundle(bundle, sources);
    report.visitEnd();
  }

  private IBundleCoverage analyse(String title) throws IOException {
    // Translating is most of the work, and several cores can do it.
    names.parallelStream().forEach(code::bytes);
    CoverageBuilder builder = new CoverageBuilder();
    Analyzer analyzer = new Analyzer(executed.getExecutionDataStore(), builder);
    for (String name : names) {
      byte[] bytes = code.bytes(name);
      if (bytes != null) {
        ids.add(CRC64.classId(bytes));
        analyzer.analyzeClass(bytes, name);
      }
    }
    return builder.getBundle(title);
  }

  private static IMultiReportOutput below(String folder, IMultiReportOutput whole) {
    return new IMultiReportOutput() {
      @Override
      public OutputStream createFile(String path) throws IOException {
        return whole.createFile(folder + path);
      }

      @Override
      public void close() {
        // The caller closes the archive.
      }
    };
  }
}
