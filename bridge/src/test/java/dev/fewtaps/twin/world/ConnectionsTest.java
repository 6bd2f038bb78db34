package dev.fewtaps.twin.world;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import org.junit.After;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** HTTP and HTTPS connections of the faked network do the same. */
@RunWith(Parameterized.class)
public class ConnectionsTest {
  @Parameters(name = "{0}")
  public static List<String> schemes() {
    return List.of("http", "https");
  }

  private final String scheme;
  private World world;

  public ConnectionsTest(String scheme) {
    this.scheme = scheme;
  }

  private void begin(String network) {
    world = World.begin(2, Settings.defaults().withPackage("com.a").withNetwork(network));
    world.mainBegins();
  }

  @After
  public void end() {
    World.end();
  }

  private HttpURLConnection open(String path) throws IOException {
    URL url = new URL(scheme + "://example.org/" + path);
    return (HttpURLConnection) NetHooks.openConnection(url);
  }

  /** A connection to an address that is answered with this status. */
  private HttpURLConnection openAnswered(int status) throws IOException {
    for (int i = 0; i < 200; i++) {
      world.mainBegins();
      try {
        if (open("page" + i + ".html").getResponseCode() == status) {
          return open("page" + i + ".html");
        }
      } catch (IOException e) {
        // This address is answered by a timeout.
      }
    }
    throw new AssertionError("no address of 200 is answered with " + status);
  }

  @Test
  public void onlyHttpsHasTheTypeThatAppsCastTo() throws IOException {
    begin("faked");
    assertEquals(scheme.equals("https"), open("") instanceof HttpsURLConnection);
    assertFalse(open("").usingProxy());
  }

  @Test
  public void anAnswerHasStatusHeadersAndBody() throws IOException {
    begin("faked");
    HttpURLConnection connection = openAnswered(200);
    byte[] body = connection.getInputStream().readAllBytes();
    assertEquals(
        "<html><head></head><body></body></html>", new String(body, StandardCharsets.UTF_8));
    assertEquals(200, connection.getResponseCode());
    assertEquals("OK", connection.getResponseMessage());
    assertEquals("text/html", connection.getHeaderField("content-TYPE"));
    assertEquals("HTTP/1.1 200 OK", connection.getHeaderField(0));
    assertNull(connection.getHeaderFieldKey(0));
    assertEquals("Content-Length", connection.getHeaderFieldKey(1));
    assertNull(connection.getHeaderField(9));
    assertEquals(3, connection.getHeaderFields().size());
    assertNull(connection.getErrorStream());
  }

  @Test
  public void aPageThatIsNotThereHasAnErrorStreamOnly() throws IOException {
    begin("faked");
    HttpURLConnection connection = openAnswered(404);
    assertThrows(IOException.class, connection::getInputStream);
    assertNotNull(connection.getErrorStream());
    assertEquals("Not Found", connection.getResponseMessage());
  }

  @Test
  public void aRequestWithABodyIsAPostUnlessAnotherMethodWasChosen() throws IOException {
    begin("faked");
    HttpURLConnection posted = open("form");
    posted.setDoOutput(true);
    posted.getOutputStream().write(1);
    assertEquals("POST", posted.getRequestMethod());
    HttpURLConnection put = open("form");
    put.setDoOutput(true);
    put.setRequestMethod("PUT");
    assertSame(put.getOutputStream(), put.getOutputStream());
    assertEquals("PUT", put.getRequestMethod());
  }

  @Test
  public void aBodyMustBeAskedForFirst() throws IOException {
    begin("faked");
    assertThrows(ProtocolException.class, () -> open("form").getOutputStream());
  }

  @Test
  public void anOfflinePhoneKnowsNoHost() throws IOException {
    begin("offline");
    HttpURLConnection connection = open("page");
    assertThrows(UnknownHostException.class, connection::connect);
    assertThrows(UnknownHostException.class, connection::getResponseCode);
    assertTrue(connection.getHeaderFields().isEmpty());
    assertEquals(List.of("tried to open " + scheme + "://example.org"), world.notes());
  }
}
