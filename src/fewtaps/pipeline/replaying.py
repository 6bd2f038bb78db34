"""Replays steps in many worlds, on one device or several, and counts how often they meet their goal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.config import ReplaySettings
from fewtaps.device.jobs import JobContext, NamePhone, StopSignal, never
from fewtaps.device.pool import SessionPool
from fewtaps.files import write_inside
from fewtaps.model.app import App
from fewtaps.model.crash import Crash
from fewtaps.model.event import Event
from fewtaps.model.goal import Goal, GoalKind, GoalSpec, SameCrash
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Aim, Trace
from fewtaps.pipeline.goals import remembered_crash, states_in, wished_goal
from fewtaps.pipeline.opening import OnDownload, plan_app, require_worlds
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.playing import Play, commonest_crash, screenshot_folder
from fewtaps.pipeline.sources import TraceSource, differences, find_trace
from fewtaps.replay import PlayEvents

PLAYS_AHEAD = 4
"""Plays that are begun, per device, before the first of them is answered: a long one keeps no other device waiting."""

OnPlay = Callable[[Play], None]
"""Called after each play, in the order of the worlds."""


@dataclass(frozen=True, slots=True)
class Replay:
    """All replays of one trace.

    `goal` is what the steps should do, `wanted` the crash if the goal is one. `met` holds the worlds that met the goal.
    `pictures` are of the play that is shown: for each step the screen before it. `device` names a real phone or
    emulator; it is empty for the others.
    """

    app: App
    trace: Trace
    goal: GoalSpec
    wanted: Crash | None
    plays: tuple[Play, ...]
    met: frozenset[int]
    pictures: tuple[Path | None, ...] = ()
    notes: tuple[str, ...] = ()
    has_worlds: bool = True
    device: str = ""

    @property
    def reproduction(self) -> Reproduction:
        """The number of worlds in which the goal was met, and of all."""
        return Reproduction(len(self.met), len(self.plays))

    @property
    def shown(self) -> Play:
        """The play to print: the first that met the goal, else the first."""
        return next((each for each in self.plays if each.world in self.met), self.plays[0])


def replay_file(
    name: str, path: str, settings: ReplaySettings, on_play: OnPlay | None = None, progress: OnDownload | None = None
) -> Replay:
    """Replays the trace in a file, a recording, or a crash of the project, given its id; see `fewtaps replay`."""
    source = find_trace(path, settings.folder, settings.device, fewest=settings.fewest)
    return replay_source(name, source, settings, on_play, progress)


def replay_source(
    name: str,
    source: TraceSource,
    settings: ReplaySettings,
    on_play: OnPlay | None = None,
    progress: OnDownload | None = None,
) -> Replay:
    """Replays a trace that was found; see `fewtaps replay`."""
    trace = source.trace
    folder = screenshot_folder(settings.screenshots)
    plan = plan_app(name, settings.device, trace=trace)
    require_worlds(plan.capabilities, settings.world)
    first = trace.world if settings.world is None else settings.world
    aim = Aim(settings.by)
    plays: list[Play] = []
    width = PLAYS_AHEAD * settings.jobs
    with open_plan_pool(plan, size=settings.jobs, width=width, progress=progress) as pool:
        wished = wished_goal(settings.goal, trace, pool, plan.app, lambda: states_in(settings.folder))
        for each in replay_in_worlds(pool, trace.events, range(first, first + settings.worlds), aim):
            plays.append(each)
            if on_play is not None:
                on_play(each)
        wanted = None if wished is not None else remembered_crash(trace) or commonest_crash(plays)
        goal, spec = wished or _crash_goal(wanted)
        met = frozenset(each.world for each in plays if goal is not None and goal.met_by(each.trace))
        device = "" if plan.has_worlds else pool.ask(NamePhone())
        notes = (*source.losses, *differences(trace, plan.app))
        replay = Replay(plan.app, trace, spec, wanted, tuple(plays), met, (), notes, plan.has_worlds, device)
        if folder is None:
            return replay
        pictures = _take_pictures(pool, trace, replay.shown, aim, folder)
    return replace(replay, pictures=pictures)


def replay_in_worlds(
    pool: SessionPool,
    events: tuple[Event, ...],
    worlds: Iterable[int],
    aim: Aim = Aim.SELECTOR,
    should_stop: StopSignal = never,
) -> Generator[Play, None, None]:
    """One play in each world, in their order, on as many devices as the pool has.

    On devices without worlds the run is repeated as often, and the numbers of the worlds are those of the runs. The
    plays end with the first one that was stopped, which is left out.
    """
    numbers = tuple(worlds)
    jobs = (PlayEvents(events, number, aim, retries_lost=True) for number in numbers)
    context = JobContext(should_stop=should_stop)
    with closing(pool.stream(jobs, width=PLAYS_AHEAD * pool.size, context=context)) as answers:
        for number, played in zip(numbers, answers, strict=True):
            if played.is_stopped:
                return
            yield Play(number, played.trace, len(events))


def count_met(
    pool: SessionPool, events: tuple[Event, ...], goal: Goal, worlds: Iterable[int], aim: Aim = Aim.SELECTOR
) -> tuple[Reproduction, tuple[int, ...]]:
    """The reproduction rate, and the worlds in which the goal is met."""
    answers = [(each.world, goal.met_by(each.trace)) for each in replay_in_worlds(pool, events, worlds, aim)]
    met = tuple(world for world, is_met in answers if is_met)
    return Reproduction(len(met), len(answers)), met


def _crash_goal(wanted: Crash | None) -> tuple[Goal | None, GoalSpec]:
    if wanted is None:
        return None, GoalSpec(GoalKind.ANY_CRASH)
    return SameCrash(wanted.signature), GoalSpec(GoalKind.CRASH, wanted.signature)


def _take_pictures(pool: SessionPool, trace: Trace, shown: Play, aim: Aim, folder: Path) -> tuple[Path | None, ...]:
    """Plays the shown world once more; a picture is named after the step that follows its screen."""
    played = pool.ask(PlayEvents(trace.events, shown.world, aim, takes_pictures=True))
    taken = {number + 1: folder / f"{number + 1:03}.png" for number, _ in played.pictures}
    for number, picture in played.pictures:
        write_inside(taken[number + 1], picture)
    return tuple(taken.get(number) for number in range(1, len(trace.events)))
