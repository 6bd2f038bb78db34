"""Reads the findings of a project from its store: crashes against a baseline, coverage, states."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from fewtaps.config import DeviceSettings
from fewtaps.device.session import coverage_reporter
from fewtaps.errors import NotFound, StoreError, Unsupported, UsageError
from fewtaps.files import real_path, write_whole
from fewtaps.model.app import App, AppRef
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.crash import crash_to_json
from fewtaps.model.event import Event, needs_another_app, printable
from fewtaps.model.phone import ORDINARY, Differences, describe_need, describe_phone
from fewtaps.model.slice import Slice, summary_of
from fewtaps.model.summary import ClassSummary, CoverageSummary, summarize
from fewtaps.model.told import describe_steps
from fewtaps.model.trace import Trace
from fewtaps.pipeline.opening import OnDownload, open_configured_device, plan_app
from fewtaps.pipeline.resuming import KIND, kept_device
from fewtaps.report.junit import JudgedCrash, JunitVerdict, junit_xml
from fewtaps.report.states import DrawnGraph as DrawnGraph
from fewtaps.report.states import StateEdge, StateNode, graphml, shows_app, state_name, svg
from fewtaps.store.connection import ADVICE
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import CrashRow as CrashRow
from fewtaps.store.rows import RunRow
from fewtaps.tracefile import trace_from_lines

LARGEST_BASELINE = 64 << 20


@dataclass(frozen=True, slots=True)
class Baseline:
    """The fingerprints of crashes that are known, and those that are known with steps from outside only."""

    ids: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()

    def knows(self, fingerprint: str, is_from_outside: bool) -> bool:
        """Whether a crash is known; one that is known from outside only is new with steps on the screen alone."""
        return fingerprint in self.ids or (is_from_outside and fingerprint in self.outside)


NO_BASELINE = Baseline()


class _Weighed(Protocol):
    """A crash that says what kind of finding it is."""

    @property
    def is_suspect(self) -> bool: ...

    @property
    def is_from_outside(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class CrashFinding:
    """A crash, the shortest trace that shows it, and whether it is in the baseline.

    `slice` says why it happened, None if that is not known.
    """

    row: CrashRow
    trace: Trace
    is_known: bool = False
    slice: Slice | None = None
    phone: Differences = ORDINARY
    """How the phone differs from the ordinary one: as few differences as are known to show the crash."""
    needs_phone: bool = False
    """Whether phones with fewer differences were tried and did not show it."""
    is_from_outside: bool = False
    """Whether the fewest known steps need an intent or a broadcast of another app."""

    @property
    def phone_words(self) -> str:
        """The phone in words: "only on phones without a browser"; empty for an ordinary one."""
        if not self.phone:
            return ""
        return describe_need(self.phone) if self.needs_phone else f"seen on a phone {describe_phone(self.phone)}"

    @property
    def events(self) -> tuple[Event, ...]:
        """The shortest steps, after a launch on the phone that they need."""
        return self.trace.on_phone(self.phone).events

    @property
    def is_suspect(self) -> bool:
        """Whether the device may be at fault."""
        return self.row.suspect is not None

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON data; a list of these is a baseline."""
        row = self.row
        return {
            "id": row.fingerprint,
            "signature": row.crash.signature,
            "summary": row.crash.summary,
            "suspect": row.suspect,
            "outside": self.is_from_outside,
            "known": self.is_known,
            "times": row.times,
            "episodes": row.episodes,
            "shortest": row.shortest - 1,
            "first": {"events": row.first.events, "seconds": round(row.first.seconds, 3)},
            "world": self.trace.world,
            "phone": dict(self.phone),
            "steps": describe_steps(self.trace.on_phone(self.phone)),
            "crash": crash_to_json(row.crash),
            "slice": None if self.slice is None else summary_of(self.slice),
        }


def read_findings(folder: Path, known: Baseline = NO_BASELINE, build: AppRef | None = None) -> tuple[CrashFinding, ...]:
    """Every crash of a project, in the order of `by_weight`; `known` are those of a baseline.

    With a build, only the crashes of that build.
    """
    with open_store(folder) as store:
        names = None if build is None else store.runs.first_steps(build)
        reduced = _reduced_traces(store)
        found = [
            _finding(store, row, shortest_trace(store, row.fingerprint, build), reduced)
            for row in store.runs.crashes()
            if names is None or row.fingerprint in names
        ]
    judged = (replace(each, is_known=known.knows(each.row.fingerprint, each.is_from_outside)) for each in found)
    return tuple(sorted(judged, key=by_weight))


def by_weight(crash: _Weighed) -> tuple[bool, bool]:
    """Sorts crashes: those that a user can cause with the screen alone, those from outside, those that are suspect."""
    return crash.is_suspect, crash.is_from_outside


def _finding(store: Store, row: CrashRow, trace: Trace, reduced: _ReducedTraces) -> CrashFinding:
    short = reduced.get((row.crash.signature, trace.app))
    phone = short.phone if short is not None and trace.phone else None
    return CrashFinding(
        row,
        trace,
        slice=store.slices.of_crash(trace.app, row.crash.signature),
        phone=trace.phone if phone is None else phone,
        needs_phone=bool(phone),
        is_from_outside=needs_another_app((short or trace).events, is_reduced=short is not None),
    )


_ReducedTraces: TypeAlias = dict[tuple[str, AppRef], Trace]
"""By signature of a crash and build, the trace of its best reduction."""


def _reduced_traces(store: Store) -> _ReducedTraces:
    found: _ReducedTraces = {}
    for row in sorted(store.results.reductions(), key=lambda each: each.rank):
        if row.crash is None or row.is_by_intent:
            continue
        try:
            trace = trace_from_lines(enumerate(row.content.splitlines(), 1))
        except UsageError:
            # A damaged reduction tells nothing.
            continue
        found.setdefault((row.crash, trace.app), trace)
    return found


def found_traces(store: Store, fingerprint: str, build: AppRef | None) -> Iterator[Trace]:
    """The traces that showed a crash, in this build if one is given, the shortest first."""
    return (trace for trace in store.runs.every_trace(fingerprint) if build is None or trace.app == build)


def shortest_trace(store: Store, fingerprint: str, build: AppRef | None) -> Trace:
    """The shortest trace that showed a crash. Raises StoreError if there is none: the store is damaged."""
    trace = next(found_traces(store, fingerprint, build), None)
    if trace is None:
        raise StoreError(f"{store.folder}: no steps are kept that lead to crash {fingerprint}{ADVICE}")
    return trace


def read_baseline(path: Path) -> Baseline:
    """The crashes of a baseline, the output of `fewtaps crashes DIR --json`. Raises UsageError for other files."""
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_BASELINE + 1)
        if len(content) > LARGEST_BASELINE:
            raise UsageError(f"{path}: too large for a baseline")
        data = json.loads(content.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a baseline: not JSON ({error})") from error
    rows = data.get("crashes") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise UsageError(f"{path}: not a baseline: neither a list of crashes nor an object with one")
    names = [(_fingerprint(path, row), row.get("outside") is True) for row in rows]
    return Baseline(
        frozenset(name for name, outside in names if not outside), frozenset(name for name, outside in names if outside)
    )


def _fingerprint(path: Path, row: object) -> str:
    name = row.get("id") if isinstance(row, dict) else None
    if not isinstance(name, str):
        raise UsageError(f"{path}: not a baseline: a crash without an id: {row!r:.60}")
    return name


def write_junit(path: Path, package: str, findings: Sequence[CrashFinding], *, events: int, seconds: float) -> None:
    """Writes JUnit XML atomically; `events` and `seconds` are the totals of the run."""
    judged = [
        JudgedCrash(each.row.crash, each.events, each.row.times, _verdict(each), each.phone_words) for each in findings
    ]
    write_whole(path, junit_xml(package, judged, events=events, seconds=seconds))


def _verdict(finding: CrashFinding) -> JunitVerdict:
    if finding.is_suspect:
        return JunitVerdict.SUSPECT
    return JunitVerdict.KNOWN if finding.is_known else JunitVerdict.NEW


def read_crash(folder: Path, name: str) -> CrashFinding:
    """One crash, given its id or a unique prefix of it."""
    with open_store(folder) as store:
        trace = store.runs.shortest_trace(name)
        signature = next(step.crash.signature for step in reversed(trace.steps) if step.crash is not None)
        row = next(row for row in store.runs.crashes() if row.crash.signature == signature)
        return _finding(store, row, trace, _reduced_traces(store))


@dataclass(frozen=True, slots=True)
class CoverageFinding:
    """The coverage of an app as a summary and as JaCoCo's execution data; `device` are the settings of its device."""

    app: App
    device: DeviceSettings
    summary: CoverageSummary
    executions: tuple[bytes, ...]


def read_coverage(folder: Path) -> CoverageFinding:
    """The coverage by all explorations of the app that was explored last. Raises NotFound if there is none."""
    with open_store(folder) as store:
        run = _last_run(store, folder)
        device = kept_device(run)
        probes = store.runs.load_probe_map(run.app, device.coverage)
        if probes is None:
            raise NotFound(f"{folder}: no coverage was measured")
        summary = summarize(probes, store.runs.coverage())
        return CoverageFinding(store.runs.app(run.app), device, summary, tuple(store.runs.executions()))


@dataclass(frozen=True, slots=True)
class ClassFinding:
    """What was covered of one class: the counts, and the lines and methods that never ran."""

    summary: ClassSummary
    missed_lines: tuple[int, ...]
    missed_methods: tuple[str, ...]


def read_class_coverage(folder: Path, name: str) -> ClassFinding:
    """The coverage of a class, given its full name or the part behind the package, by all explorations of its app.

    Raises NotFound if no coverage was measured, and UsageError if no class or several have this name.
    """
    with open_store(folder) as store:
        run = _last_run(store, folder)
        probes = store.runs.load_probe_map(run.app, kept_device(run).coverage)
        if probes is None:
            raise NotFound(f"{folder}: no coverage was measured")
        coverage = store.runs.coverage()
    found = [each for each in probes.classes if name in (each.name, each.name.rpartition(".")[2])]
    exact = [each for each in found if each.name == name]
    chosen = exact or found
    if len(chosen) != 1:
        which = "no class" if not chosen else f"{len(chosen)} classes"
        raise UsageError(f"{printable(name, 200)}: {which} of this name were measured; give the full name of one")
    lines, methods = set(coverage.lines), set(coverage.methods)
    summary = summarize(ProbeMap((chosen[0],)), coverage).packages[0].classes[0]
    return ClassFinding(
        summary,
        tuple(sorted({probe.line for probe in chosen[0].lines if probe.number not in lines})),
        tuple(probe.name for probe in chosen[0].methods if probe.number not in methods),
    )


def write_coverage(
    finding: CoverageFinding,
    *,
    xml: Path | None,
    html: Path | None,
    sources: Sequence[Path],
    apk: str | None,
    jail: bool,
    progress: OnDownload | None = None,
) -> tuple[str, ...]:
    """Writes JaCoCo's reports and returns notes on them. `apk` is the app's file, if it was moved since.

    Raises UsageError for the file of another build, and for an app without JaCoCo's execution data.
    """
    if not finding.executions:
        raise UsageError(f"{finding.app.package}: there is nothing that JaCoCo recorded")
    plan = plan_app(apk or finding.app.path, replace(finding.device, jail=jail, anyway=True))
    if plan.app.ref != finding.app.ref:
        raise UsageError(f"{apk or finding.app.path}: not the build of {finding.app.package} that was explored")
    with open_configured_device(plan.backend, plan.device, progress) as device:
        reporter = coverage_reporter(device)
        if reporter is None:
            raise Unsupported(f"the {device.name} device has no Java code that JaCoCo could report")
        return reporter.coverage_report(
            plan.app, plan.session, finding.executions, xml=xml, html=html, sources=tuple(sources)
        )


def _last_run(store: Store, folder: Path) -> RunRow:
    run = store.runs.latest(KIND)
    if run is None:
        raise NotFound(f"{folder}: nothing has been explored here")
    return run


def read_states(folder: Path) -> DrawnGraph:
    """The states that were seen, and the transitions between them, ready to be drawn; pictures by absolute path.

    As in an exploration, only screens of the app itself are states: none of the launcher, of another app, or after a
    crash.
    """
    with open_store(folder) as store:
        rows = store.runs.graph()
        packages = {run.app.package for run in store.runs.all()}
        screens = {row.state: store.runs.screen(row.screen) for row in rows.states}
        titles = {state: state_name(seen) for state, seen in screens.items() if shows_app(seen, packages)}
        pictures = {row.state: store.pictures.path(row.picture) for row in rows.states if row.picture is not None}
    crashes: dict[str, list[str]] = {}
    for transition in rows.transitions:
        if transition.crashes:
            crashes.setdefault(transition.source, []).append(transition.event)
    nodes = tuple(
        StateNode(
            state=row.state,
            activity=row.activity or "",
            visits=row.visits,
            title=titles[row.state],
            crashes=tuple(crashes.get(row.state, ())),
            picture=str(real_path(pictures[row.state])) if row.state in pictures else None,
        )
        for row in rows.states
        if row.state in titles
    )
    inside = {node.state for node in nodes}
    edges = tuple(
        StateEdge(row.source, row.target, row.count, row.event)
        for row in rows.transitions
        if row.target is not None and {row.source, row.target} <= inside
    )
    return DrawnGraph(nodes, edges)


def write_states(graph: DrawnGraph, *, to_svg: Path | None, to_graphml: Path | None) -> None:
    """Writes the graph in one or both formats, each file atomically; paths of pictures are relative to the file."""
    if to_svg is not None:
        write_whole(to_svg, svg(_seen_from(graph, to_svg)))
    if to_graphml is not None:
        write_whole(to_graphml, graphml(_seen_from(graph, to_graphml)))


def _seen_from(graph: DrawnGraph, path: Path) -> DrawnGraph:
    start = real_path(path).parent
    nodes = (
        replace(node, picture=None if node.picture is None else Path(os.path.relpath(node.picture, start)).as_posix())
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))
