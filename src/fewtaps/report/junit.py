"""Crashes as JUnit XML, which CI servers display: one test case per crash, with its steps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from fewtaps.model.crash import Crash
from fewtaps.model.event import Event, Launch, describe
from fewtaps.model.phone import describe_phone

_ATTACHMENT = re.compile(r"\[\[(?=\s*ATTACHMENT)", re.IGNORECASE)


class JunitVerdict(Enum):
    """The effect of a crash on a build: only a new crash fails it."""

    NEW = "new"
    KNOWN = "known"
    """It is in the baseline."""
    SUSPECT = "suspect"
    """The device may be at fault."""


@dataclass(frozen=True, slots=True)
class JudgedCrash:
    """A crash, the shortest steps that showed it, how often it was seen, its verdict, and the words of its phone."""

    crash: Crash
    events: tuple[Event, ...]
    times: int
    verdict: JunitVerdict
    phone: str = ""


def junit_xml(package: str, crashes: Sequence[JudgedCrash], *, events: int, seconds: float) -> bytes:
    """A test suite: one case for the exploration itself, which passes, and one for each crash.

    A new crash is a failure; one that is known or suspect is skipped, with the reason.
    """
    failures = sum(each.verdict is JunitVerdict.NEW for each in crashes)
    suite = ET.Element(
        "testsuite",
        name=f"fewtaps {package}",
        tests=str(len(crashes) + 1),
        failures=str(failures),
        errors="0",
        skipped=str(len(crashes) - failures),
        time=f"{seconds:.3f}",
    )
    whole = ET.SubElement(suite, "testcase", classname=package, name="exploration", time=f"{seconds:.3f}")
    ET.SubElement(whole, "system-out").text = f"events: {events}, crashes: {len(crashes)}"
    for each in crashes:
        _add_case(suite, package, each)
    root = ET.Element("testsuites")
    root.append(suite)
    return junit_bytes(root)


def junit_bytes(root: ET.Element, attachments: Sequence[tuple[ET.Element, Sequence[str]]] = ()) -> bytes:
    """The document as UTF-8, indented, with every character that XML forbids escaped.

    `attachments` are elements, and paths of files that CI servers show beside them.
    """
    ET.indent(root)
    legal_xml(root)
    for element, paths in attachments:
        element.text = "\n".join([element.text or "", *(f"[[ATTACHMENT|{_visible(path)}]]" for path in paths)])
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _add_case(suite: ET.Element, package: str, judged: JudgedCrash) -> None:
    crash = judged.crash
    name = f"{crash.signature} [{crash.fingerprint}]"
    case = ET.SubElement(suite, "testcase", classname=package, name=name, time="0")
    phone = f"\n{judged.phone}" if judged.phone else ""
    text = f"{steps_text(judged.events)}\n\n{crash.render()}\n\nseen {judged.times} times{phone}"
    if judged.verdict is JunitVerdict.NEW:
        kind = crash.root.type if crash.root is not None else crash.kind.value
        ET.SubElement(case, "failure", type=kind, message=crash.summary).text = text
        return
    reason = "stands in the baseline" if judged.verdict is JunitVerdict.KNOWN else f"suspect: {crash.suspect}"
    ET.SubElement(case, "skipped", message=reason)
    ET.SubElement(case, "system-out").text = text


def steps_text(events: Sequence[Event]) -> str:
    """The steps as a numbered list; the launch that begins every trace is step 0 and left out."""
    launch, done = (events[0], events[1:]) if events and isinstance(events[0], Launch) else (None, events)
    phone = [f"On a phone {describe_phone(launch.phone)}:"] if launch is not None and launch.phone else []
    steps = [f"{number}. {describe(event)}" for number, event in enumerate(done, 1)] or ["Launch the app."]
    return "\n".join(phone + steps)


def legal_xml(element: ET.Element) -> ET.Element:
    """The same tree with everything escaped that texts of an app must not contain.

    That is characters that XML forbids, and names of attachments: CI servers would fetch any file of their machine
    that a text names as an attachment.
    """
    for each in element.iter():
        each.text = _visible(each.text) if each.text else each.text
        for key, value in each.attrib.items():
            each.set(key, _visible(value))
    return element


def _visible(text: str) -> str:
    legal = "".join(char if _is_legal(char) else f"\\u{ord(char):04x}" for char in text)
    return _ATTACHMENT.sub("[ [", legal)


def _is_legal(char: str) -> bool:
    return char in "\t\n" or " " <= char < "\ud800" or "\ue000" <= char < "\ufffe" or char > "\uffff"
