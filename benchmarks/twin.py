"""Measures the twin on samples or other APKs: speed, reset, memory, and whether the same events give the same steps.

Run: python benchmarks/twin.py [--quick] [SAMPLE or APK …]; `make bench` also writes benchmarks/results/twin.json.
docs/performance.md says what each figure means.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from random_events import play_random
from results import shown

from fewtaps.apk.reader import read_apk
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import JailLimits, jail_problem
from fewtaps.device.twin.process import BridgeProcess, start_bridge
from fewtaps.device.twin.runtime import prepare
from fewtaps.errors import FewtapsError
from fewtaps.model.app import App
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Tap, event_to_json
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.replay import play
from fewtaps.tracefile import trace_to_records

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
# Only where it can do no harm: it tries to get out of the jail, and without one it would.
ONLY_JAILED = ("hostile",)
MOST_TAPS_TRIED = 12
BACK = Key("BACK")
BEATS_IN_A_TRY = 5
REPEAT_SECONDS = 600.0
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured. Replays are `same` in the process that recorded and `other` in another one."""

    rounds: int = 5
    taps: int = 200
    resets: int = 10
    traces: int = 20
    events: int = 100
    same: int = 2
    other: int = 3
    # An app that hangs for ever is ended by real time, sooner than after the usual 20 seconds for each replay.
    step_seconds: int = 10


QUICK = Plan(rounds=3, taps=40, resets=4, traces=2, events=30, same=1, other=1)


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds and events per second of one sample; `bare_rate` is None if the bridge has no `repeat`.

    Without a lively event in reach the taps do nothing visible, and the ratio says what the pipe costs, no more.
    """

    lively: bool
    cold_seconds: float
    reset_seconds: float
    bridge_rate: float
    bare_rate: float | None
    ratio: float | None
    rss_mb: int | None
    heap_mb: int

    @property
    def reset_share(self) -> float:
        """What a reset costs in cold starts."""
        return self.reset_seconds / self.cold_seconds


@dataclass(frozen=True, slots=True)
class Repeatability:
    """How the replays of random traces compare with what was recorded.

    `alike` are replays equal in all but the last step, where a hang or a full memory was caught at another place of the
    same crash. `digest` is over everything recorded; `rate` is random events per second, launches included.
    """

    traces: int
    events: int
    replays: int
    identical: int
    alike: int
    rate: float
    digest: str
    differences: tuple[str, ...]

    @property
    def different(self) -> int:
        """Replays that were neither."""
        return self.replays - self.identical - self.alike


@dataclass(frozen=True, slots=True)
class Measured:
    """All figures of one sample; `problem` says why there are none."""

    name: str
    java: str = ""
    speed: Speed | None = None
    repeatability: Repeatability | None = None
    problem: str | None = None


class Watched:
    """A twin that lets us at its process, which the session keeps to itself."""

    def __init__(self, jailed: bool, plan: Plan) -> None:
        self.jailed = jailed
        self.process: BridgeProcess | None = None
        self.device = TwinDevice(jail=jailed, step_seconds=plan.step_seconds, start=self._start)

    def _start(self, api: int) -> BridgeProcess:
        self.process = start_bridge(prepare(api), JailLimits(), jailed=self.jailed)
        return self.process


def sample_names(jailed: bool) -> list[str]:
    """All samples that can be measured here."""
    return [path.stem for path in sorted(SAMPLES.glob("*.apk")) if jailed or path.stem not in ONLY_JAILED]


def measure(name: str, plan: Plan, *, jailed: bool, say: Say) -> Measured:
    """Measures one app on twins of its own. What fails is said in the result, so that the others go on.

    The name is that of a sample, or a path that ends in `.apk`.
    """
    path = Path(name) if name.endswith(".apk") else SAMPLES / f"{name}.apk"
    name = path.stem
    try:
        return _measure(name, path, plan, jailed, say)
    except FewtapsError as error:
        say(f"{name}: {error}")
        return Measured(name, problem=str(error))


def _measure(name: str, path: Path, plan: Plan, jailed: bool, say: Say) -> Measured:
    app = read_apk(path)
    watched, other = Watched(jailed, plan), Watched(jailed, plan)
    try:
        started = time.perf_counter()
        with watched.device.open(app) as session:
            session.launch()
            cold = time.perf_counter() - started
            say(f"{name}: cold start {cold:.1f} s")
            java = watched.process.hello.java if watched.process else ""
            speed = measure_speed(session, watched, cold, plan)
            ratio = "not measured" if speed.ratio is None else f"{speed.ratio:.2f}"
            say(f"{name}: {speed.bridge_rate:.0f} events/s, ratio {ratio}, reset {speed.reset_seconds * 1000:.0f} ms")
            with other.device.open(app) as second:
                repeatability = measure_repeatability(name, app, session, second, plan, say)
        return Measured(name, java, speed, repeatability)
    finally:
        watched.device.close()
        other.device.close()


@dataclass(frozen=True, slots=True)
class Place:
    """A beat of events that can be played again and again, and the way to where it is played from launch.

    With `lively` ones each event changes the screen, as most events of a user do.
    """

    way: tuple[Event, ...]
    beat: tuple[Event, ...]
    lively: bool

    def enter(self, session: TwinSession) -> None:
        """Launches and goes there."""
        session.launch()
        for event in self.way:
            session.perform(event)


def measure_speed(session: TwinSession, watched: Watched, cold: float, plan: Plan) -> Speed:
    """Plays one harmless beat many times, through the bridge and in a bare loop inside the JVM, by turns."""
    place = find_place(session)
    for _ in range(2):  # The JVM compiles what is hot; what came before is not counted.
        through_bridge(session, place, plan.taps)
        bare_loop(session, watched, place, plan.taps)
    bridge, bare = [], []
    for _ in range(plan.rounds):
        bridge.append(through_bridge(session, place, plan.taps))
        bare.append(bare_loop(session, watched, place, plan.taps))
    reset = statistics.median(reset_seconds(session, place) for _ in range(plan.resets))
    assert watched.process is not None
    memory = watched.process.request("memory", {}, timeout_seconds=60, condition="the twin to count its memory").result
    known = [each for each in bare if each is not None]
    ratios = [one / two for one, two in zip(bridge, bare, strict=True) if two is not None]
    return Speed(
        lively=place.lively,
        cold_seconds=cold,
        reset_seconds=reset,
        bridge_rate=statistics.median(bridge),
        bare_rate=statistics.median(known) if known else None,
        ratio=statistics.median(ratios) if ratios else None,
        rss_mb=watched.process.rss_mb(),
        heap_mb=int((memory or {}).get("used_mb", 0)),
    )


def find_place(session: TwinSession) -> Place:
    """A lively tap on the first screen or one tap away from it, else a tap and Back; else a tap that does nothing."""
    first = session.launch().after
    taps = taps_on(first)
    away = [(tap,) for tap in taps if leads_away(session, tap, first)]
    for way in [(), *away]:
        session.launch()
        screen = first if not way else session.perform(way[0]).after
        for tap in taps_on(screen):
            if is_lively(session, place := Place(way, (tap,), lively=True), screen):
                return place
    for way in away:
        if is_lively(session, place := Place((), (*way, BACK), lively=True), first):
            return place
    idle = (tap for tap in taps if is_steady(session, Place((), (tap,), lively=False), first))
    return Place((), (next(idle, Tap(first.width // 2, first.height - 2)),), lively=False)


def taps_on(screen: Screen) -> list[Tap]:
    """Taps on what can be tapped, from the top."""
    targets = [each.widget for each in screen.iter_touchable() if each.widget.is_target]
    return [Tap(*widget.bounds.centre) for widget in targets[:MOST_TAPS_TRIED]]


def leads_away(session: TwinSession, tap: Tap, first: Screen) -> bool:
    """Whether the app shows something else after the tap."""
    session.launch()
    step = session.perform(tap)
    return step.ending is Ending.RUNNING and step.after != first


def is_lively(session: TwinSession, place: Place, screen: Screen) -> bool:
    """Whether each event of the beat changes the screen, and the beat ends on the activity it began on, every time."""
    played = beats(session, place)
    shown = [screen.digest(), *(step.after.digest() for step in played)]
    return is_back(played, place, screen) and all(one != two for one, two in itertools.pairwise(shown))


def is_steady(session: TwinSession, place: Place, screen: Screen) -> bool:
    """Whether the beat ends on the activity it began on, every time."""
    return is_back(beats(session, place), place, screen)


def beats(session: TwinSession, place: Place) -> list[Step]:
    """A few beats at the place, until the app ends."""
    place.enter(session)
    played: list[Step] = []
    for event in place.beat * BEATS_IN_A_TRY:
        played.append(session.perform(event))
        if played[-1].ending is not Ending.RUNNING:
            break
    return played


def is_back(played: list[Step], place: Place, screen: Screen) -> bool:
    """Whether all beats were played and each ended on the activity it began on."""
    size = len(place.beat)
    whole = len(played) == BEATS_IN_A_TRY * size and played[-1].ending is Ending.RUNNING
    return whole and all(step.after.activity == screen.activity for step in played[size - 1 :: size])


def through_bridge(session: TwinSession, place: Place, count: int) -> float:
    """Events per second, each with its whole step."""
    place.enter(session)
    beats = count // len(place.beat)
    started = time.perf_counter()
    for event in place.beat * beats:
        session.perform(event)
    return beats * len(place.beat) / (time.perf_counter() - started)


def bare_loop(session: TwinSession, watched: Watched, place: Place, count: int) -> float | None:
    """Events per second inside the JVM, without reading screens or writing replies; None if the bridge cannot."""
    place.enter(session)
    assert watched.process is not None
    beats = count // len(place.beat)
    fields = {"events": [event_to_json(each) for each in place.beat], "times": beats}
    reply = watched.process.request("repeat", fields, timeout_seconds=REPEAT_SECONDS, condition="a bare loop to end")
    if reply.error is not None or not reply.result:
        return None
    return beats * len(place.beat) / float(reply.result["seconds"])


def reset_seconds(session: TwinSession, place: Place) -> float:
    """How long a launch takes after the app was used a little."""
    for event in place.beat * 3:
        session.perform(event)
    started = time.perf_counter()
    session.launch()
    return time.perf_counter() - started


def measure_repeatability(
    name: str, app: App, session: TwinSession, second: TwinSession, plan: Plan, say: Say
) -> Repeatability:
    """Records random traces, plays each again in the same process and in another one, and compares all steps."""
    digest = hashlib.sha256()
    events = identical = alike = 0
    seconds = 0.0
    differences: list[str] = []
    for number in range(plan.traces):
        # Seeded by a text, which gives the same numbers on every machine.
        random = Random(f"{name} {number}")
        started = time.perf_counter()
        steps = play_random(session, random, plan.events, world=number)
        events += len(steps)
        trace = Trace(app.ref, steps, world=number)
        played = [(session, "the same process")] * plan.same + [(second, "another process")] * plan.other
        for where, label in played:
            again = play(where, trace.events, by=Aim.COORDINATES, world=number)
            events += len(again.steps)
            if again.steps == steps:
                identical += 1
            elif is_alike(again.steps, steps):
                alike += 1
            else:
                differences.append(f"{name}, trace {number}, {label}: {first_difference(again.steps, steps)}")
                say(differences[-1])
        seconds += time.perf_counter() - started
        for record in trace_to_records(Trace(app.ref, tuple(map(comparable, steps)), world=number)):
            digest.update(json.dumps(record, sort_keys=True).encode())
    replays = plan.traces * (plan.same + plan.other)
    result = Repeatability(
        plan.traces, events, replays, identical, alike, events / seconds, digest.hexdigest()[:16], tuple(differences)
    )
    say(f"{name}: {identical} of {replays} replays identical, {alike} alike, {result.rate:.0f} random events/s")
    return result


def is_alike(steps: tuple[Step, ...], others: tuple[Step, ...]) -> bool:
    """Whether both end in one hang or full memory, which real time or the machine's memory catches somewhere in it."""
    if len(steps) != len(others) or steps[:-1] != others[:-1]:
        return False
    crash, other = steps[-1].crash, others[-1].crash
    if crash is None or other is None or not is_caught_by_chance(steps[-1]):
        return False
    return crash.signature == other.signature and steps[-1].ending is others[-1].ending


def is_caught_by_chance(step: Step) -> bool:
    """Whether where exactly the step ended depends on the machine: a hang, a full memory, an endless recursion."""
    if step.crash is None:
        return False
    root = step.crash.root
    overflow = root is not None and root.type == "java.lang.StackOverflowError"
    return overflow or step.crash.kind in (CrashKind.ANR, CrashKind.MEMORY)


def comparable(step: Step) -> Step:
    """The step as it goes into the digest: what the machine decides is left out."""
    return Step(event=step.event, before=step.before, ending=step.ending) if is_caught_by_chance(step) else step


def first_difference(steps: tuple[Step, ...], others: tuple[Step, ...]) -> str:
    """Where two plays part, in one line."""
    for number, (one, two) in enumerate(zip(steps, others, strict=False)):
        if one == two:
            continue
        names = ("after", "covered", "log", "crash", "ending", "notes", "clock_ms")
        parts = [each for each in names if getattr(one, each) != getattr(two, each)]
        detail = next((f" ({getattr(one, part)!r:.200} | {getattr(two, part)!r:.200})" for part in parts[-1:]), "")
        return f"step {number} ({one.event!r:.80}) differs in {', '.join(parts) or 'its screen before'}{detail}"
    return f"{len(steps)} steps instead of {len(others)}"


def main() -> int:
    """Prints the figures; fails if a replay was different."""
    from twin_tables import determinism_table, speed_table

    names = [each for each in sys.argv[1:] if not each.startswith("-")]
    jailed = jail_problem() is None
    plan = QUICK if "--quick" in sys.argv else Plan()
    results = [measure(name, plan, jailed=jailed, say=print) for name in names or sample_names(jailed)]
    print("", shown(speed_table(results)), "", shown(determinism_table(results)), sep="\n")
    return 0 if all(each.repeatability and not each.repeatability.different for each in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
