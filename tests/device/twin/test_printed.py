from __future__ import annotations

from fewtaps.device.twin.printed import MOST_LINES, runtime_lines

STACK = """\
Exception in thread "my secret" java.lang.IllegalStateException: my secret
\tat dev.fewtaps.twin.BridgeMain.main(BridgeMain.java:40)
Caused by: java.lang.NullPointerException
\tat jdk.internal.Foo$Bar.<init>(Unknown Source)
"""


def test_stacks_stay_without_their_messages() -> None:
    assert runtime_lines(STACK).splitlines() == [
        "Exception in thread … java.lang.IllegalStateException: …",
        "\tat dev.fewtaps.twin.BridgeMain.main(BridgeMain.java:40)",
        "Caused by: java.lang.NullPointerException",
        "\tat jdk.internal.Foo$Bar.<init>(Unknown Source)",
    ]


def test_what_the_java_runtime_says_stays() -> None:
    for line in ("# A fatal error has been detected", "[0.512s][warning][os] no memory", "bwrap: no such file"):
        assert runtime_lines(line) == line


def test_what_the_app_prints_is_only_counted() -> None:
    assert runtime_lines("my secret\n\nuser=me at home\n at a secret place\n") == "(3 other lines are left out)"


def test_only_the_last_lines_stay() -> None:
    printed = "".join(f"\tat a.B.c(B.java:{number})\n" for number in range(500))
    lines = runtime_lines(printed).splitlines()
    assert len(lines) == MOST_LINES
    assert lines[-1].endswith("499)")
