"""Reads mapping files of ProGuard and R8, and gives code and crashes of a shrunk build the names of the sources.

A mapping file lists each class with its name in the build, below it the members with theirs, and for methods the ranges
of lines. Several ranges in a row with the same lines and the same name in the build are one inlined chain, the
innermost method first.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from fewtaps.errors import UsageError
from fewtaps.model.coverage import BranchProbe, ClassProbes, LineProbe, MethodProbe, ProbeMap
from fewtaps.model.crash import Crash, ExceptionInfo, Frame
from fewtaps.model.mutant import Mutant
from fewtaps.model.recorded_code import Called, ClassCode, Code, FieldName, InlinedFrom, Instruction, MethodCode

MAX_INLINED = 100
"""A line of the build stands for this many methods at most; of more, the middle ones are left out."""

LEAST_KNOWN = 0.8
"""Share of the recorded classes that a mapping of the same build knows at least: compilers add some of their own."""

_CLASS = re.compile(r"^(\S+) -> (\S+):\s*$")
_METHOD = re.compile(
    r"^\s+(?:(\d{1,9}):(\d{1,9}):)?(\S+) ([^\s(]+)\(([^)\s]*)\)(?::(\d{1,9}))?(?::(\d{1,9}))? -> (\S+)\s*$"
)
_FIELD = re.compile(r"^\s+(\S+) ([^\s(:]+)(?::\d+)* -> (\S+)\s*$")
_TYPE = re.compile(r"L([^;<]+)(;?)")
"""A type that ends without a semicolon is matched too, so that the search goes on behind it."""
_SYNTHETIC = "R8$$SyntheticClass"
"""The file that R8 names for a class that it made itself."""
_PRIMITIVES = {
    "void": "V",
    "boolean": "Z",
    "byte": "B",
    "char": "C",
    "short": "S",
    "int": "I",
    "long": "J",
    "float": "F",
    "double": "D",
}


@dataclass(frozen=True, slots=True)
class MappedFrame:
    """One method of the sources at a line of the build; `line` is 0 if the mapping does not tell it."""

    class_name: str
    method: str
    file: str | None
    line: int


@dataclass(frozen=True, slots=True)
class _Range:
    """One line of a mapping file that maps a method: the lines of the build, and those of the sources."""

    first: int
    last: int
    class_name: str
    method: str
    descriptor: str
    source_first: int
    source_last: int
    has_source_lines: bool

    def source_line(self, line: int) -> int:
        """The line of the sources, 0 if there is none.

        A range that is mapped to one line is a call in which another was inlined.
        """
        if not self.first:
            return self.source_first if self.has_source_lines else line
        if self.source_first == self.source_last:
            return self.source_first
        return min(self.source_first + line - self.first, self.source_last)

    def holds(self, line: int) -> bool:
        """Whether a line of the build lies in it; a method without a range has all lines."""
        return not self.first or self.first <= line <= self.last


@dataclass(slots=True)
class _MappedClass:
    """One class of a mapping file."""

    name: str
    file: str | None = None
    fields: dict[str, str] = field(default_factory=dict)
    methods: dict[str, list[_Range]] = field(default_factory=dict)
    _found_chains: dict[str, list[tuple[_Range, ...]]] = field(default_factory=dict)

    @property
    def has_lines(self) -> bool:
        """Whether the class comes from a source file; R8 adds some of its own."""
        return self.file != _SYNTHETIC

    def chains(self, method: str) -> list[tuple[_Range, ...]]:
        """The inlined chains of a name in the build, made when they are first asked for."""
        if method not in self._found_chains:
            self._found_chains[method] = _chains(self.methods.get(method, ()))
        return self._found_chains[method]


class ObfuscationMap:
    """The names and lines of the sources, by those of the build. `digest` is that of the file: equal files are equal.

    `origin` names the file in messages.
    """

    def __init__(self, origin: str, classes: dict[str, _MappedClass], digest: str = "") -> None:
        self.origin = origin
        self.digest = digest
        self._classes = classes
        self._files = {each.name: each.file for each in classes.values()}
        self._own: dict[tuple[str, str, str], str] = {}
        self._is_cut = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObfuscationMap) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"ObfuscationMap({self.digest})"

    def __deepcopy__(self, _: object) -> ObfuscationMap:
        # What it knows never changes, and is large.
        return self

    @property
    def class_names(self) -> dict[str, str]:
        """The names of all classes in the sources, by those in the build."""
        return {name: each.name for name, each in self._classes.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out so far, in words."""
        told = f"{self.origin}: more than {MAX_INLINED} methods inlined into one line: those in the middle are left out"
        return (told,) if self._is_cut else ()

    def class_name(self, name: str) -> str:
        """The name of a class in the sources; as given if the mapping does not have it. Names have dots."""
        mapped = self._classes.get(name)
        return mapped.name if mapped is not None else name

    def descriptor(self, descriptor: str) -> str:
        """A type or a method's types in the JVM's notation, with the names of the sources."""

        def renamed(match: re.Match[str]) -> str:
            return f"L{_slashes(self.class_name(_dots(match[1])))};" if match[2] else match[0]

        return _TYPE.sub(renamed, descriptor)

    def field_name(self, class_name: str, name: str) -> str:
        """The name of a field in the sources, by class and name in the build."""
        mapped = self._classes.get(class_name)
        return name if mapped is None else mapped.fields.get(name, name)

    def frames(self, class_name: str, method: str, line: int, descriptor: str = "") -> tuple[MappedFrame, ...]:
        """What a line of the build is in the sources: the innermost inlined method first, the method itself last.

        Names are those of the build. Without a descriptor, all methods of the name are looked at.
        """
        mapped = self._classes.get(class_name)
        if mapped is None:
            return (MappedFrame(class_name, method, None, line),)
        chain = self._chain(mapped, method, line, descriptor)
        if not chain:
            name = self.method_name(class_name, method, descriptor)
            # A line that no range holds comes from no line of the sources.
            known = line if not any(each.first for each in mapped.methods.get(method, ())) else 0
            return (MappedFrame(mapped.name, name, self._file(mapped.name), known if mapped.has_lines else 0),)
        return tuple(
            MappedFrame(
                each.class_name, each.method, self._file(each.class_name),
                each.source_line(line) if mapped.has_lines else 0,
            )
            for each in chain
        )  # fmt: skip

    def method_name(self, class_name: str, method: str, descriptor: str = "") -> str:
        """The name of a method in the sources; names and types given are those of the build."""
        mapped = self._classes.get(class_name)
        if mapped is None:
            return method
        key = (class_name, method, descriptor)
        if key not in self._own:
            own = self._own_ranges(mapped, method, descriptor)
            self._own[key] = own[0].method if own else method
        return self._own[key]

    def _own_ranges(self, mapped: _MappedClass, method: str, descriptor: str) -> list[_Range]:
        """The ranges that name the method itself and not one inlined into it."""
        outer = [each[-1] for each in mapped.chains(method)]
        wanted = self.descriptor(descriptor)
        same = [each for each in outer if each.descriptor == wanted]
        return same or (outer if len({each.method for each in outer}) == 1 or not descriptor else [])

    def _chain(self, mapped: _MappedClass, method: str, line: int, descriptor: str) -> tuple[_Range, ...]:
        found = [chain for chain in mapped.chains(method) if chain[-1].holds(line)]
        wanted = self.descriptor(descriptor)
        exact = [chain for chain in found if chain[-1].descriptor == wanted] if descriptor else found
        candidates = exact or found
        # A range of lines says more than an entry for the whole method.
        chosen = next((chain for chain in candidates if chain[-1].first), candidates[0] if candidates else ())
        if len(chosen) <= MAX_INLINED:
            return chosen
        self._is_cut = True
        return (*chosen[: MAX_INLINED - 1], chosen[-1])

    def _file(self, class_name: str) -> str:
        return self._files.get(class_name) or f"{class_name.rpartition('.')[2].partition('$')[0]}.java"

    def require_fits(self, code: Code) -> None:
        """Raises UsageError if the mapping is that of another build: it does not know the classes that ran."""
        names = [each.name for each in code.classes.values() if each.is_app and "$$" not in each.name]
        self._require_known(names, "classes that ran")

    def require_names(self, class_names: Iterable[str]) -> None:
        """Raises UsageError if the mapping is that of another build: it does not know the classes of the app."""
        self._require_known([name for name in class_names if "$$" not in name], "classes of the app")

    def _require_known(self, names: list[str], what: str) -> None:
        known = sum(name in self._classes for name in names)
        if names and known < LEAST_KNOWN * len(names):
            raise UsageError(f"{self.origin}: a mapping of another build: it knows {known} of the {len(names)} {what}")

    def code(self, code: Code) -> Code:
        """The code with the names and lines of the sources; block and instruction numbers stay."""
        classes: dict[str, ClassCode] = {}
        for each in code.classes.values():
            renamed = self._class(each)
            # A damaged file may give two classes one name: the second keeps that of the build.
            classes[each.name if renamed.name in classes else renamed.name] = renamed
        return replace(code, classes=classes)

    def _class(self, build: ClassCode) -> ClassCode:
        name = self.class_name(build.name)
        is_known = build.name in self._classes
        return replace(
            build,
            name=name,
            file=self._file(name) if is_known else build.file,
            parent=None if build.parent is None else self.class_name(build.parent),
            interfaces=tuple(map(self.class_name, build.interfaces)),
            methods=tuple(self._method(build.name, name, method) for method in build.methods),
        )

    def _method(self, build_class: str, class_name: str, method: MethodCode) -> MethodCode:
        def changed(instruction: Instruction) -> Instruction:
            return self._instruction(build_class, method, instruction)

        return replace(
            method,
            class_name=class_name,
            name=self.method_name(build_class, method.name, method.descriptor),
            descriptor=self.descriptor(method.descriptor),
            parameters=tuple(map(self.descriptor, method.parameters)),
            instructions=tuple(map(changed, method.instructions)),
        )

    def _instruction(self, build_class: str, method: MethodCode, instruction: Instruction) -> Instruction:
        inner = self.frames(build_class, method.name, instruction.line, method.descriptor)[0]
        own = self.class_name(build_class), self.method_name(build_class, method.name, method.descriptor)
        is_inlined = instruction.line > 0 and (inner.class_name, inner.method) != own
        named, called = instruction.field, instruction.called
        return replace(
            instruction,
            line=inner.line if instruction.line > 0 else instruction.line,
            inlined=InlinedFrom(inner.class_name, inner.method, inner.file) if is_inlined else None,
            text=self._text(instruction.text),
            field=None if named is None else self._field(named),
            called=None if called is None else self._called(called),
        )

    def _text(self, text: str) -> str:
        """A constant, a type or an operation: only a type can be the name of a class that the mapping has."""
        if _dots(text) in self._classes:
            return self.class_name(_dots(text)) if "/" not in text else _slashes(self.class_name(_dots(text)))
        return self.descriptor(text) if text.startswith(("L", "[")) and text.endswith(";") else text

    def _field(self, named: FieldName) -> FieldName:
        name = self.field_name(named.class_name, named.name)
        return FieldName(self.class_name(named.class_name), name, self.descriptor(named.descriptor))

    def _called(self, called: Called) -> Called:
        return replace(
            called,
            class_name=self.class_name(called.class_name),
            name=self.method_name(called.class_name, called.name, called.descriptor),
            descriptor=self.descriptor(called.descriptor),
        )

    def crash(self, crash: Crash) -> Crash:
        """The crash with the names and lines of the sources; a frame with inlined methods becomes several."""
        return replace(crash, exceptions=tuple(map(self._exception, crash.exceptions)))

    def source_crash(self, crash: Crash) -> Crash:
        """The crash with the names of the sources, whether it has those of the build or has them already."""
        mapped = self.crash(crash)
        return crash if mapped.signature == crash.signature else mapped

    def _exception(self, exception: ExceptionInfo) -> ExceptionInfo:
        frames = tuple(frame for each in exception.frames for frame in self._frames(each))
        return replace(exception, type=self.class_name(exception.type), frames=frames)

    def probe_map(self, probes: ProbeMap) -> ProbeMap:
        """The probes with the names and lines of the sources.

        Probes of code that was inlined stay with the class and method that have it. A line of the build that is several
        lines of the sources has the number 0.
        """
        return ProbeMap(tuple(map(self._class_probes, probes.classes)))

    def _class_probes(self, build: ClassProbes) -> ClassProbes:
        if build.name not in self._classes:
            return build
        own = {each.number: each for each in build.methods}

        def line_of(line: int, methods: Iterable[MethodProbe]) -> int:
            """The line in the file of the class."""
            found = {
                self.frames(build.name, each.name, line, each.descriptor)[-1].line
                for each in methods
                if self._has_line(build.name, each, line)
            }
            return found.pop() if len(found) == 1 else 0

        def methods_of(branch: BranchProbe) -> Iterable[MethodProbe]:
            return (own[branch.method],) if branch.method in own else build.methods

        name = self.class_name(build.name)
        return ClassProbes(
            name=name,
            file=self._file(name),
            methods=tuple(
                replace(
                    each,
                    name=self.method_name(build.name, each.name, each.descriptor),
                    descriptor=self.descriptor(each.descriptor),
                    line=line_of(each.line, (each,)),
                )
                for each in build.methods
            ),
            lines=tuple(LineProbe(each.number, line_of(each.line, build.methods)) for each in build.lines),
            branches=tuple(
                BranchProbe(each.number, line_of(each.line, methods_of(each)), each.method) for each in build.branches
            ),
        )

    def _has_line(self, class_name: str, method: MethodProbe, line: int) -> bool:
        """Whether a line of the build may belong to a method: none if only other methods have it."""
        if line <= 0:
            return False
        return bool(self._chain(self._classes[class_name], method.name, line, method.descriptor))

    def mutant(self, mutant: Mutant) -> Mutant:
        """The mutant with the names and lines of the sources."""
        if mutant.class_name not in self._classes:
            return mutant
        frame = self.frames(mutant.class_name, mutant.method, mutant.line, mutant.descriptor)[-1]
        return replace(
            mutant,
            class_name=self.class_name(mutant.class_name),
            method=self.method_name(mutant.class_name, mutant.method, mutant.descriptor),
            descriptor=self.descriptor(mutant.descriptor),
            file=frame.file,
            line=frame.line if mutant.line > 0 else mutant.line,
        )

    def _frames(self, frame: Frame) -> Iterator[Frame]:
        if frame.class_name not in self._classes or frame.line is None or frame.line <= 0:
            name = self.method_name(frame.class_name, frame.method)
            yield replace(frame, class_name=self.class_name(frame.class_name), method=name)
            return
        for each in self.frames(frame.class_name, frame.method, frame.line):
            yield Frame(each.class_name, each.method, each.file, each.line)


def read_mapping(text: str, origin: str) -> ObfuscationMap:
    """The mapping in a text; `origin` names it in messages. Raises UsageError with the number of a bad line."""
    classes: dict[str, _MappedClass] = {}
    current: _MappedClass | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            if current is not None:
                current.file = _source_file(line) or current.file
            continue
        if (match := _CLASS.match(line)) is not None:
            current = classes.setdefault(match[2], _MappedClass(match[1]))
        elif current is None or not _read_member(line, current):
            raise UsageError(f"{origin}, line {number}: not a line of a mapping file: {line.strip()!r:.80}")
    if not classes:
        raise UsageError(f"{origin}: not a mapping file: it has no class")
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return ObfuscationMap(origin, classes, digest)


def _read_member(line: str, current: _MappedClass) -> bool:
    if (match := _METHOD.match(line)) is not None:
        first, last, result, name, types, source_first, source_last, obfuscated = match.groups()
        class_name, _, method = name.rpartition(".")
        start = int(source_first or first or 0)
        # Without a last line of the sources a range stands for one line, that of a call; without a first, for itself.
        end = int(source_last) if source_last else start if source_first else int(last or 0)
        current.methods.setdefault(obfuscated, []).append(
            _Range(
                int(first or 0), int(last or 0), class_name or current.name, method,
                f"({''.join(map(_descriptor, filter(None, types.split(','))))}){_descriptor(result)}", start, end,
                source_first is not None,
            )
        )  # fmt: skip
        return True
    if (match := _FIELD.match(line)) is not None:
        current.fields[match[3]] = match[2]
        return True
    return False


def _source_file(line: str) -> str | None:
    """The file that R8 names in a comment below a class."""
    try:
        data = json.loads(line.lstrip().removeprefix("#"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("id") != "sourceFile":
        return None
    name = data.get("fileName")
    return name if isinstance(name, str) else None


def _chains(ranges: Iterable[_Range]) -> list[tuple[_Range, ...]]:
    """The ranges of one name in the build, in inlined chains: those in a row with the same lines belong together."""
    chains: list[list[_Range]] = []
    for each in ranges:
        if chains and each.first and (chains[-1][-1].first, chains[-1][-1].last) == (each.first, each.last):
            chains[-1].append(each)
        else:
            chains.append([each])
    return [tuple(chain) for chain in chains]


def _descriptor(type_name: str) -> str:
    """A type of a mapping file, `java.lang.String[]`, in the JVM's notation."""
    base = type_name.rstrip("[]")
    dimensions = (len(type_name) - len(base)) // 2
    return "[" * dimensions + _PRIMITIVES.get(base, f"L{_slashes(base)};")


def _dots(name: str) -> str:
    return name.replace("/", ".")


def _slashes(name: str) -> str:
    return name.replace(".", "/")
