package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class HtmlPageTest {
  private static List<String> parts(String html) {
    return HtmlPage.read(html).parts().stream().map(HtmlPageTest::told).toList();
  }

  private static String told(HtmlPage.Part part) {
    return part.kind()
        + " "
        + part.text()
        + (part.target() == null ? "" : " -> " + part.target())
        + (part.has("name") ? " named " + part.attribute("name") : "");
  }

  @Test
  public void textsLinksAndHeadingsAreReadInOrder() {
    assertEquals(
        List.of("HEADING A title", "TEXT One two & three", "LINK next -> b.html", "TEXT end"),
        parts(
            "<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body><h1>A\n"
                + " title</h1><p>One <b>two</b> &amp; three<a href='b.html'>next</a>end"));
  }

  @Test
  public void scriptsStylesAndHiddenElementsAreNotShown() {
    String html =
        "<p>a</p><script>if (1 < 2) { '<p>no</p>' }</script><div hidden><div>no</div>no</div><div"
            + " style='display: none'>no</div><!-- <p>no</p> --><noscript>no</noscript><p>b</p>";
    assertEquals(List.of("TEXT a", "TEXT b"), parts(html));
    assertTrue(HtmlPage.read(html).hasScripts());
  }

  @Test
  public void partsOfFormsAreRead() {
    String html =
        "<form action=/go method=POST><input type=hidden name=h value=1><label>Name</label>"
            + "<input name=n placeholder='Your name'><input type=checkbox name=c>Agree"
            + "<select name=s><option value=1>One<option value=2>Two</select>"
            + "<textarea name=t>x</textarea><button>Send</button></form><button>Other</button>";
    assertEquals(
        List.of(
            "TEXT Name",
            "FIELD  named n",
            "CHECKBOX  named c",
            "TEXT Agree",
            "CHOICE  named s",
            "FIELD  named t",
            "SUBMIT Send",
            "SUBMIT Other"),
        parts(html));
    List<HtmlPage.Part> parts = HtmlPage.read(html).parts();
    HtmlPage.Form form = parts.get(1).form();
    assertEquals("/go", form.action());
    assertTrue(form.isPost());
    assertEquals("1", form.hidden().get(0)[1]);
    assertEquals("Two", parts.get(4).options().get(1)[1]);
    assertEquals(null, parts.get(7).form());
  }

  @Test
  public void brokenMarkupIsReadToItsEnd() {
    assertEquals(List.of("TEXT a < b"), parts("a < b"));
    assertEquals(List.of(), parts("<p"));
    assertEquals(List.of(), parts("<a href='"));
    assertEquals(List.of("TEXT x"), parts("x<!-- y"));
    assertEquals(List.of(), parts("<script>x"));
    assertEquals(List.of("TEXT &#xffffffff; &bogus; &"), parts("&#xffffffff; &bogus; &"));
    assertEquals(List.of("TEXT A €"), parts("&#65; &euro;"));
  }

  @Test
  public void aLargePageIsReadInLinearTime() {
    assertEquals(400, parts("<p>x</p>".repeat(100_000)).size());
    assertEquals(0, parts("<div hidden>".repeat(100_000)).size());
    assertEquals(1, parts("&".repeat(1_000_000)).size());
  }
}
