package dev.fewtaps.twin.inside;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import org.junit.Test;

public class SettingsTest {
  private static Settings of(String fields) {
    String request = "{\"apk\":\"/in/app.apk\",\"cache\":\"/cache\"" + fields + "}";
    return new Settings((JsonObject) JsonParser.parseString(request));
  }

  private static Settings profile(String fields) {
    return of(",\"profile\":{" + fields + "}");
  }

  @Test
  public void aRequestWithoutDetailsGivesTheUsualPhone() {
    Settings usual = of("");
    assertEquals("en-rUS-w360dp-h640dp-port-xhdpi", usual.qualifiers());
    assertEquals("granted", usual.permissions);
    assertEquals("offline", usual.network);
    assertTrue(usual.neighboursPresent);
    assertEquals(List.of("arm64-v8a", "armeabi-v7a"), usual.abis);
    assertEquals(500, usual.thinkMillis);
  }

  @Test
  public void stepsTellAllThatRanOnlyIfAskedTo() {
    assertFalse(of("").stepCoverage);
    assertFalse(of(",\"step_coverage\":null").stepCoverage);
    assertTrue(of(",\"step_coverage\":true").stepCoverage);
  }

  @Test
  public void whatIsNullCountsAsLeftOut() {
    Settings usual = of(",\"permissions\":null,\"think_ms\":null,\"profile\":{\"dpi\":null}");
    assertEquals("granted", usual.permissions);
    assertEquals(500, usual.thinkMillis);
    assertEquals(320, usual.dpi);
  }

  @Test
  public void qualifiersNameTheDensityOrItsNumber() {
    assertTrue(profile("\"dpi\":480").qualifiers().endsWith("-xxhdpi"));
    assertTrue(profile("\"dpi\":213").qualifiers().endsWith("-tvdpi"));
    assertTrue(profile("\"dpi\":420").qualifiers().endsWith("-420dpi"));
  }

  @Test
  public void sizesAreRoundedToWholeDp() {
    String qualifiers = profile("\"width\":1080,\"height\":2340,\"dpi\":440").qualifiers();
    assertTrue(qualifiers, qualifiers.contains("-w393dp-h851dp-port-"));
  }

  @Test
  public void aScreenThatIsWiderThanHighIsLandscape() {
    assertTrue(profile("\"width\":1280,\"height\":800").qualifiers().contains("-land-"));
    assertTrue(profile("\"width\":800,\"height\":800").qualifiers().contains("-port-"));
  }

  @Test
  public void aLocaleMayLackItsRegion() {
    assertTrue(profile("\"locale\":\"de\"").qualifiers().startsWith("de-w"));
    assertTrue(profile("\"locale\":\"pt_BR\"").qualifiers().startsWith("pt-rBR-w"));
  }

  @Test
  public void neighboursCanBeAbsent() {
    assertFalse(of(",\"neighbours\":\"absent\"").neighboursPresent);
  }
}
