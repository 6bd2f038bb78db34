"""The issue: what Markdown makes of it is what the app said, and nothing else."""

from __future__ import annotations

from exports.findings import finding
from exports.test_quoting import hostile
from hypothesis import example, given
from markdown_it import MarkdownIt

from fewtaps.exports.issue import fenced, github_issue, plain
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.event import Key, Selector, Tap, Text, printable

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": True})


def test_an_issue_has_the_steps_with_their_pictures_and_the_stack() -> None:
    found = finding(Tap(1, 2, Selector(text="Go")), Key("BACK"), pictures={0: "a b.png", 1: "x.png"})
    exported = github_issue(found)
    assert exported.text.startswith("# ArithmeticException in Split.share after 2 steps\n")
    assert "1. Launch the app." in exported.text and "2. Tap 'Go'" in exported.text
    assert '<img src="a&#32;b.png"' in exported.text
    assert "\tat dev.example.Split.share(Split.java:7)" in exported.text
    assert len(exported.losses) == 1 and "pictures" in exported.losses[0]


@given(hostile)
@example("1. x")
@example("- x")
@example("http://evil.example www.evil.example a@b.example")
@example("<img src=x onerror=alert(1)>")
@example("&lt;")
@example(":tada:")
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    (tokens,) = [MARKDOWN.parseInline(plain(text))[0].children or []]
    assert {token.type for token in tokens} <= {"text", "text_special"}
    shown = "".join(token.content for token in tokens)
    assert shown.strip() == printable(text, 400).strip()


@given(hostile)
@example("```\n# x")
@example("~~~")
def test_a_fence_is_not_ended_from_inside(text: str) -> None:
    tokens = MARKDOWN.parse("\n".join(fenced(text)))
    assert [token.type for token in tokens] == ["fence"]


@given(hostile)
def test_an_issue_has_no_html_and_no_link_of_the_app(text: str) -> None:
    frames = (Frame(f"dev.example.{text}", text, text, 1),)
    crash = Crash(CrashKind.EXCEPTION, text, (ExceptionInfo(text, text, frames),), suspect=text)
    events = (Tap(1, 2, Selector(text=text)), Text(text))
    tokens = MARKDOWN.parse(github_issue(finding(*events, crash=crash)).text)
    inside = [child for token in tokens for child in token.children or []]
    kinds = {token.type for token in (*tokens, *inside)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image"}
    assert sum(token.type == "heading_open" for token in tokens) == 4
