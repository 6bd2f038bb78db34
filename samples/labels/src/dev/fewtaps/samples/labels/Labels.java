package dev.fewtaps.samples.labels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Texts that break out of whatever is careless with them. */
final class Labels {
  private static final int LONG = 10_000;

  static final List<String> ALL = all();

  private Labels() {}

  private static List<String> all() {
    List<String> labels = new ArrayList<>();
    Collections.addAll(
        labels,
        // Markup
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(2)> </div></body></html>",
        "' onclick='alert(3)' `",
        "]]> <![CDATA[ --> <!-- ?> &lt; &#60; &nbsp;",
        "</script><script>alert(4)</script>",
        "[link](javascript:alert(5)) ![](//x) **bold** | cell | ``` ~~~",
        // Languages
        "quotes ' \" ` \\ \\' \\\" \\\\ \\n \\u0041 \\x41",
        "\"\"\" ''' */ /* // # -- ; end",
        "${jndi:ldap://127.0.0.1/a} {{7*7}} {% raw %} <%= 7*7 %> #{7*7} $name",
        "%s %d %n %1$s %% %(name)s {0} {} {name!r}",
        "$(touch fewtaps-canary) `touch fewtaps-canary`; touch fewtaps-canary # | & > x",
        "'); DROP TABLE crash; --",
        "=1+1",
        "- key: &anchor *alias !!tag #x : @ % ? [ {",
        "../../../etc/passwd",
        "{\"event\":{\"kind\":\"launch\"}}",
        // Lines and control characters
        "first line\nsecond line\r\nthird line\ttab\u000bvertical\u2028line\u2029paragraph\u0085next",
        "\u0000zero \u0001\u0002 \u0007bell \u0008back \u001b[31mred\u001b[0m \u001b]0;title\u0007 \u007f \u009b31m",
        // Writing
        "\u202egnp.elpmas\u202c \u2066isolate\u2069 \u200fmark \u202b",
        "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 123 <b>",
        "zero\u200bwidth\u200d\u2060joined\ufeffhere \u00ad soft",
        "Z\u0335\u0321\u0353a\u0336\u0322\u034dl\u0337\u0328\u033bg\u0338\u0327\u031eo\u0334\u0323\u0329",
        "\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67 \ud83c\udde8\ud83c\udded \ud83c\udff4\u200d\u2620\ufe0f \ud83e\udd80",
        "half a pair: \ud83d and \udc00 \uffff \ufffe",
        "   spaces at both ends   ",
        "",
        veryLong());
    return Collections.unmodifiableList(labels);
  }

  private static String veryLong() {
    char[] text = new char[LONG];
    Arrays.fill(text, 'x');
    String end = "<script>alert(6)</script>";
    return new String(text, 0, LONG - end.length()) + end;
  }
}
