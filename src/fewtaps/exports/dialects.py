"""Java and Kotlin: the syntax of the exported tests in each, and the templates around the steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from fewtaps.exports.assertions import (
    ActivityShown,
    AppCrashes,
    AppLeft,
    Assertion,
    TextShown,
    ToastShown,
    WidgetChecked,
    WidgetText,
)
from fewtaps.exports.finding import Finding
from fewtaps.exports.quoting import (
    JAVA_WORDS,
    KOTLIN_WORDS,
    java_string,
    kotlin_string,
    package_of,
    slash_comment,
)
from fewtaps.exports.targets import WidgetTarget
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.model.event import ExtraValue, StartIntent

INDENT = "    "
NEWEST_KEY = 285
"""Keys with greater codes are written as numbers: their constants are missing in older SDKs."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One language: its string literals, its keyword for a new object, its end of a statement, its reserved words."""

    name: str
    string: Callable[[str], str]
    new: str
    end: str
    words: frozenset[str]

    @property
    def suffix(self) -> str:
        """The suffix of a file's name."""
        return ".java" if self.end else ".kt"

    def call(self, function: str, *arguments: str) -> str:
        return f"{function}({', '.join(arguments)}){self.end}"

    def target(self, target: WidgetTarget) -> str:
        """Code that finds the widget by the surest name that the target has."""
        return self._chain(target) if self.end else self._named(target)

    def _chain(self, target: WidgetTarget) -> str:
        links = [f".{name}({value})" for name, value in self._names(target)]
        if target.point is not None:
            links.append(".at({}, {})".format(*target.point))
        return "widget()" + "".join(links)

    def _named(self, target: WidgetTarget) -> str:
        arguments = [f"{name} = {value}" for name, value in self._names(target)]
        if target.point is not None:
            arguments.append("at = Place({}, {})".format(*target.point))
        return f"Target({', '.join(arguments)})"

    def _names(self, target: WidgetTarget) -> Iterator[tuple[str, str]]:
        texts = (
            ("id", target.resource_id),
            ("text", target.text),
            ("description", target.description),
            ("type", target.class_name),
        )
        yield from ((name, self.string(text)) for name, text in texts if text)
        if target.nth:
            yield "nth", str(target.nth)

    def intent(self, intent: StartIntent) -> str:
        """Code that makes the intent with its action, data, type, component and extras."""
        made = f"{self.new}Intent({self.string(intent.action) if intent.action else ''})"
        data = f"android.net.Uri.parse({self.string(intent.data)})" if intent.data else ""
        mime = self.string(intent.mime) if intent.mime else ""
        links = []
        if data and mime:
            links.append(f".setDataAndType({data}, {mime})")
        elif data or mime:
            links.append(f".setData({data})" if data else f".setType({mime})")
        if intent.component:
            name = self.string(intent.component)
            links.append(f".setComponent(android.content.ComponentName.unflattenFromString({name}))")
        links.extend(f".addCategory({self.string(category)})" for category in intent.categories)
        links.extend(f".putExtra({self.string(name)}, {self.value(value)})" for name, value in intent.extras)
        return made + "".join(links)

    def value(self, value: ExtraValue) -> str:
        """A literal for an extra."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return f"{value}L" if not -(1 << 31) <= value < 1 << 31 else str(value)
        return self.string(value) if isinstance(value, str) else self._decimal(value)

    def _decimal(self, value: float) -> str:
        # Neither language has literals for NaN and infinity.
        if value != value or value in (float("inf"), float("-inf")):
            return "Double." + ("NaN" if value != value else "POSITIVE_INFINITY" if value > 0 else "NEGATIVE_INFINITY")
        return repr(float(value))

    def test(self, name: str, lines: Iterable[str], throws: str) -> str:
        """A test method with these lines; `throws` is the exception that Java has to declare."""
        margin = INDENT if self.end else 2 * INDENT
        head = f"  public void {name}() throws {throws} {{" if self.end else f"    fun {name}() {{"
        edge = head[: len(head) - len(head.lstrip())]
        return "\n".join((f"{edge}@Test", head, *(margin + line for line in lines), f"{edge}}}"))

    def purpose(self, *lines: str) -> str:
        """Lines of the comment in front of a class."""
        return "\n".join(f" * {line}" for line in lines)

    def assertion(self, assertion: Assertion) -> str:
        """A call that makes the assertion; that a step crashes is written around the step by `crash`."""
        match assertion:
            case ActivityShown(name):
                return self.call("expectActivity", self.string(name))
            case AppLeft():
                return self.call("expectLeft")
            case WidgetText(target, text):
                return self.call("expectText", self.target(target), self.string(text))
            case TextShown(text):
                return self.call("expectShown", self.string(text))
            case ToastShown(text):
                return self.call("expectToast", self.string(text))
            case WidgetChecked(target, checked):
                return self.call("expectChecked", self.target(target), "true" if checked else "false")
            case AppCrashes():
                raise ValueError("a crash is no assertion after a step")

    def crash(self, exception: str, lines: Iterable[str]) -> Iterator[str]:
        """The lines of a step, in which the app is expected to crash with this exception."""
        name = self.string(exception)
        yield f"expectCrash({name}, () -> {{" if self.end else f"expectCrash({name}) {{"
        yield from (("  " if self.end else INDENT) + line for line in lines)
        yield "});" if self.end else "}"

    def package(self, name: str) -> str:
        """The package statement and an empty line; empty if the name is not valid as a package."""
        package = package_of(name, self.words)
        return f"package {package}{self.end}\n\n" if package else ""


JAVA = Dialect("java", java_string, "new ", ";", JAVA_WORDS)
KOTLIN = Dialect("kotlin", kotlin_string, "", "", KOTLIN_WORDS | JAVA_WORDS)


def key_code(name: str) -> str | None:
    """An expression for the code of a key; None if Android has no such key."""
    code = KEY_CODES.get(name)
    if code is None:
        return None
    return f"KeyEvent.KEYCODE_{name}" if code <= NEWEST_KEY else str(code)


def method_name(finding: Finding) -> str:
    """The name of the test method: "shareDoesNotThrowArithmeticException"."""
    exception = "".join(re.findall(r"[A-Za-z0-9]+", finding.exception)) or "Crash"
    top = finding.top
    method = top.method if top is not None else ""
    named = re.fullmatch(r"[a-z][A-Za-z0-9]*", method) is not None and not method.startswith("lambda")
    return f"{method}DoesNotThrow{exception}" if named else f"doesNotThrow{exception}"


def comments(lines: Iterable[str]) -> str:
    """The lines as comments of Java and Kotlin."""
    return "\n".join(map(slash_comment, lines))


def filled(template: str, values: Mapping[str, str], used: Collection[str]) -> str:
    """A template of this package without its unused sections, and with its «placeholders» replaced.

    A section begins with a line «?one|other», which names the functions or features that need it, and ends with a line
    «.». All placeholders are replaced in one pass, so «…» inside a value is not replaced.
    """
    text = files("fewtaps.exports").joinpath("templates", f"{template}.txt").read_text("utf-8")
    kept = re.sub(
        r"^«\?([\w|]+)»\n(.*?)^«\.»\n",
        lambda match: match[2] if set(match[1].split("|")) & set(used) else "",
        text,
        flags=re.MULTILINE | re.DOTALL,
    )
    return re.sub("«([a-z_]+)»", lambda match: values[match[1]], kept)


def called(lines: Iterable[str]) -> set[str]:
    """The functions that statements call."""
    return {found[1] for line in lines if (found := re.match(r" *(?:with )?(?:phone\.)?(\w+)\(", line))}
