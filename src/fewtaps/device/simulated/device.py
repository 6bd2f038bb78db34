"""Runs a program in this process, fast and deterministically: for tests, and for benchmarks of millions of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, NamedTuple

from fewtaps.device.session import DEFAULT_SETTINGS, Capabilities, Capability, SessionSettings
from fewtaps.device.simulated.entry import SIMULATED
from fewtaps.device.simulated.faults import MAIN_THREAD, crash_of
from fewtaps.device.simulated.layout import Geometry, Row, home_screen, toast_of, window_of
from fewtaps.device.simulated.picture import draw_png
from fewtaps.device.simulated.program import Handler, Hang, Item, Phone, Program, State, View
from fewtaps.errors import FewtapsError, UnsupportedApp, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import (
    NO_COVERAGE,
    BranchProbe,
    ClassProbes,
    Coverage,
    LineProbe,
    MethodProbe,
    ProbeMap,
    ProbeSet,
)
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    ORIENTATIONS,
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.mutant import OPERATORS, LoopTurns, Mutant
from fewtaps.model.phone import ORDINARY, Differences
from fewtaps.model.screen import UNSEEN, Screen, WidgetFlags, WindowKind
from fewtaps.model.trace import Step

CAPABILITIES: Capabilities = SIMULATED.capabilities

TOAST_MS = 2000
MAX_TASKS = 10_000
"""Most pieces of background work in one step; a step with more ends early, with a note."""
MAX_SCREENS = 5_000
"""Size of the cache of screens per opened app; when it is full, the whole cache is dropped."""


class SimulatedDevice:
    """Runs the given programs; an app is matched with its program by its package.

    Without `worlds` the device is like a phone: chance is drawn anew at each launch, in a fixed order, and cannot be
    chosen.
    """

    name = SIMULATED.name

    def __init__(self, programs: Iterable[Program] | None = None, *, worlds: bool = True) -> None:
        self.capabilities = CAPABILITIES if worlds else CAPABILITIES - {Capability.WORLDS, Capability.DECISIONS}
        if programs is None:
            from fewtaps.device.simulated.samples import SAMPLES

            programs = SAMPLES
        self._programs = {program.package: program for program in programs}

    @property
    def apps(self) -> tuple[App, ...]:
        """The apps that `open` takes, in the order of their programs."""
        return tuple(program.app for program in self._programs.values())

    def open(self, app: App, settings: SessionSettings = DEFAULT_SETTINGS) -> AbstractContextManager[SimulatedSession]:
        """A session of the program with the app's package. Raises UnsupportedApp if there is none."""
        program = self._programs.get(app.package)
        if program is None:
            known = ", ".join(sorted(self._programs)) or "none"
            raise UnsupportedApp(f"the simulated device has no program for {app.package}; it has: {known}")
        return _opened(SimulatedSession(program, settings, self.capabilities))

    def close(self) -> None:
        """Does nothing: a simulated device has no resources."""


@contextmanager
def _opened(session: SimulatedSession) -> Iterator[SimulatedSession]:
    try:
        yield session
    finally:
        session.close()


class SimulatedSession:
    """A session that plays a `Program` in this process."""

    notes: tuple[str, ...] = ()

    def __init__(self, program: Program, settings: SessionSettings, capabilities: Capabilities = CAPABILITIES) -> None:
        self.app = program.app
        self.capabilities = capabilities
        self._launches = count()
        self.settings = settings
        self._program = program
        self._layout = self._prepared()
        self._run: _AppProcess | None = None
        self._decisions: list[Decision] = []
        self._ended = "before the first launch"
        self._has_hung = False

    def _prepared(self, removed: int | None = None) -> _Layout:
        return _Layout(
            self._program, self.settings, with_worlds=Capability.WORLDS in self.capabilities, removed=removed
        )

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts a new process of the app; the one before is dropped with all its state."""
        return self._launch(self._layout, world, phone)

    def mutants(self, operators: Sequence[str] = ()) -> tuple[Mutant, ...]:
        """One for each handler, which does nothing then: VOID_METHOD_CALLS is the only operator of programs."""
        for operator in operators:
            if operator not in OPERATORS:
                raise UsageError(f"there is no mutation operator {operator}")
        if operators and _ONLY_OPERATOR not in operators:
            return ()
        return tuple(_mutants(self._layout.probes))

    def launch_mutant(
        self,
        mutant: Mutant | None,
        world: int = 0,
        *,
        phone: Differences | None = None,
        turns_limit: int | None = None,
    ) -> Step:
        """Starts the app without the handler. The limit has no effect: programs have no loops to count."""
        if mutant is None:
            return self._launch(self._layout, world, phone)
        if mutant not in self.mutants():
            raise UsageError(f"the app has no mutant {mutant.key}")
        return self._launch(self._prepared(removed=mutant.method_probe), world, phone)

    def loop_turns(self) -> LoopTurns:
        """No jumps back; a program that hangs hangs without end."""
        return LoopTurns(0, self._has_hung)

    def _launch(self, layout: _Layout, world: int, phone: Differences | None) -> Step:
        phone = self.settings.phone if phone is None else phone
        chance = world if Capability.WORLDS in self.capabilities else next(self._launches)
        run = self._run = _AppProcess(layout, chance, phone)
        self._has_hung = False
        self._decisions = run.decisions
        return self._seen(run.step(Launch(phone) if phone else _LAUNCH, _AppProcess.start, self.settings.launch_ms))

    def perform(self, event: Event) -> Step:
        """Performs the event in the current process."""
        run = self._run
        if run is None:
            raise UsageError(f"nothing can be performed {self._ended}: launch first")
        act = _ACTS.get(type(event))
        if act is None:
            raise UsageError(f"not an event: {event!r:.80}")
        step = run.step(event, act, event.ms if type(event) is Wait else self._layout.think_ms)
        return step if step.crash is None else self._seen(step)

    def _seen(self, step: Step) -> Step:
        if step.ending.is_final:
            self._run = None
            self._has_hung = step.ending is Ending.ANR
            self._ended = f"after the app has ended ({step.ending.value})"
        return step

    def screenshot(self) -> bytes:
        """The last screen as a PNG of rectangles."""
        if self._run is None:
            raise UsageError(f"there is nothing to see {self._ended}: launch first")
        return draw_png(self._run.screen)

    def probe_map(self) -> ProbeMap:
        """One class per view; its methods are its handlers."""
        return self._layout.probes

    def listening(self) -> frozenset[str]:
        """The broadcast actions that the program handles; unlike other system events their names have a dot."""
        if self._run is None:
            return frozenset()
        return frozenset(name for name in self._layout.on_system if "." in name)

    def decisions(self) -> tuple[Decision, ...]:
        """The start times of background work, and the results of chances."""
        return tuple(self._decisions)

    def close(self) -> None:
        """Ends the session; `perform` raises UsageError afterwards."""
        self._run = None
        self._ended = "after the session was closed"


_ONLY_OPERATOR = "VOID_METHOD_CALLS"


def _mutants(probes: ProbeMap) -> Iterator[Mutant]:
    for each in probes.classes:
        for method in each.methods:
            yield Mutant(
                class_name=each.name,
                method=method.name,
                descriptor=method.descriptor,
                index=0,
                operator=_ONLY_OPERATOR,
                line=method.line,
                file=each.file,
                line_probe=method.number,
                method_probe=method.number,
                description=f"removed call to {each.name}::{method.name}",
                instruction=f"call {method.name}",
            )


def _do_nothing(phone: Phone) -> None:
    """Stands in for a handler that was removed."""


class _Hook(NamedTuple):
    """A handler and the bit of its probe."""

    handler: Handler
    bit: int


class _PreparedItem:
    """An item with everything that a touch needs, computed in advance for speed."""

    __slots__ = ("closes_dialog", "is_checkbox", "is_field", "item", "name", "on_press", "shown")

    def __init__(self, item: Item, hook: Callable[[str, Handler | None], _Hook | None]) -> None:
        self.item = item
        self.name = item.name
        self.shown = item.shown
        self.is_field = item.is_field
        self.is_checkbox = item.is_checkbox
        self.closes_dialog = item.class_name == "android.widget.Button"
        self.on_press = (
            hook(f"on_tap_{item.name}", item.on_tap),
            hook(f"on_long_press_{item.name}", item.on_long_press),
        )


class _PreparedView:
    """A view with its prepared items, and the values of the state that its screen depends on."""

    __slots__ = ("activity", "hooks", "is_dialog", "keys", "looks", "number", "spots", "view")

    def __init__(
        self, number: int, view: View, package: str, hook: Callable[[str, Handler | None], _Hook | None]
    ) -> None:
        self.number = number
        self.view = view
        self.activity = f"{package}.{view.name}"
        self.is_dialog = view.kind is not WindowKind.ACTIVITY
        self.hooks = {name: hook(name, getattr(view, name)) for name in ("on_open", "on_back", "on_rotate", "on_swipe")}
        self.keys = {key: hook(f"on_key_{key.lower()}", handler) for key, handler in view.keys.items()}
        self.spots = tuple(_PreparedItem(item, hook) for item in view.items)
        self.looks = tuple(_look(item) for item in view.items if _changes(item))


def _changes(item: Item) -> bool:
    return callable(item.text) or item.shown is not None or item.is_field or item.is_checkbox


def _look(item: Item) -> Callable[[State], Any]:
    text, shown, name = item.text, item.shown, item.name
    if shown is not None:
        return lambda state: (text(state) if callable(text) else state.get(name)) if shown(state) else _HIDDEN
    if callable(text):
        return text
    return lambda state: state.get(name)


class _Hidden:
    """The value that stands for an item that is not shown, in the key of a screen."""


_HIDDEN = _Hidden()


class _Layout:
    """A program prepared for one device profile; shared by all processes of a session."""

    def __init__(
        self, program: Program, settings: SessionSettings, *, with_worlds: bool, removed: int | None = None
    ) -> None:
        self._removed = removed
        self.program = program
        self.with_worlds = with_worlds
        self.package = program.package
        self.think_ms = settings.think_ms
        self.with_coverage = settings.coverage != "off"
        self.with_step_coverage = self.with_coverage and settings.step_coverage
        self.initial = program.initial_state()
        self.geometries = tuple(Geometry.of(settings.profile, rotation) for rotation in range(4))
        self.homes = tuple(home_screen(geometry) for geometry in self.geometries)
        self.screens: dict[tuple[Any, ...], tuple[Screen, tuple[_PreparedItem, ...]]] = {}
        self.coverages: dict[tuple[int, int], Coverage] = {}
        self._methods: list[MethodProbe] = []
        self._counted = 0
        classes: list[ClassProbes] = []
        self.places: dict[str, _PreparedView] = {}
        for number, view in enumerate(program.views):
            self.places[view.name] = _PreparedView(number, view, program.package, self._hook)
            classes.append(self._class_probes(f"{program.package}.{view.name}"))
        self.first = self.places[program.views[0].name]
        self.on_create = self._hook("on_create", program.on_create)
        self.on_intent = {name: self._hook(f"on_intent_{name}", hook) for name, hook in program.on_intent.items()}
        self.on_system = {name: self._hook(f"on_system_{name}", hook) for name, hook in program.on_system.items()}
        branches = tuple(BranchProbe(number, number + 1) for number in range(program.branches))
        classes.append(self._class_probes(f"{program.package}.App", branches))
        self.probes = ProbeMap(tuple(classes))

    def _hook(self, name: str, handler: Handler | None) -> _Hook | None:
        if handler is None:
            return None
        number = len(self._methods)
        code = getattr(handler, "__code__", None)
        self._methods.append(MethodProbe(number, name, "(Phone)V", code.co_firstlineno if code else 0))
        return _Hook(_do_nothing if number == self._removed else handler, 1 << number if self.with_coverage else 0)

    def _class_probes(self, name: str, branches: tuple[BranchProbe, ...] = ()) -> ClassProbes:
        methods = tuple(self._methods[self._counted :])
        self._counted = len(self._methods)
        lines = tuple(LineProbe(method.number, method.line) for method in methods)
        return ClassProbes(name, f"{name.rpartition('.')[2]}.py", methods, lines, branches)

    def coverage(self, methods: int, branches: int) -> Coverage:
        """The coverage of these bits; cached."""
        key = (methods, branches)
        found = self.coverages.get(key)
        if found is None:
            probes = ProbeSet(methods)
            found = self.coverages[key] = Coverage(ProbeSet(branches), probes, probes)
        return found

    def screen(self, key: tuple[Any, ...], run: _AppProcess) -> tuple[Screen, tuple[_PreparedItem, ...]]:
        """The screen of a process, and the items in its rows; cached under the key."""
        if len(self.screens) >= MAX_SCREENS:
            self.screens.clear()
        built = self.screens[key] = _build(self, run)
        return built


def _build(layout: _Layout, run: _AppProcess) -> tuple[Screen, tuple[_PreparedItem, ...]]:
    geometry = layout.geometries[run.rotation]
    stack = run.stack
    windows = []
    front: tuple[_PreparedItem, ...] = ()
    for depth in range(len(stack) - 1, -1, -1):
        place = stack[depth]
        is_top = depth == len(stack) - 1
        spots = [spot for spot in place.spots if spot.shown is None or spot.shown(run.state)]
        overflow = len(spots) > geometry.rows
        if overflow and is_top:
            spots = spots[min(run.scroll, len(spots) - geometry.rows) :]
        spots = spots[: geometry.rows]
        if is_top:
            front = tuple(spots)
        rows = [_row(spot.item, run) for spot in spots]
        windows.append(window_of(layout.package, place.view, rows, geometry, top=is_top, overflow=overflow))
        if not place.is_dialog:
            break
    if run.toast_text is not None:
        windows.insert(0, toast_of(run.toast_text, geometry))
    activity = next(place.activity for place in reversed(stack) if not place.is_dialog)
    screen = Screen(
        layout.package,
        activity,
        geometry.width,
        geometry.height,
        geometry.rotation,
        keyboard=run.focus is not None,
        windows=tuple(windows),
    )
    return screen, front


def _row(item: Item, run: _AppProcess) -> Row:
    if item.is_field:
        focused = WidgetFlags.FOCUSED if run.focus == item.name else WidgetFlags.NONE
        return Row(item, str(run.state[item.name]), item.flags | focused)
    if item.is_checkbox and run.state[item.name]:
        return Row(item, _text(item, run.state), item.flags | WidgetFlags.CHECKED)
    return Row(item, _text(item, run.state), item.flags)


def _text(item: Item, state: State) -> str | None:
    return item.text(state) if callable(item.text) else item.text


class _AppProcess:
    """One process of the app, from launch to its end; handlers get it as their `Phone`."""

    __slots__ = (
        "_branches",
        "_branches_seen",
        "_layout",
        "_log",
        "_methods",
        "_methods_seen",
        "_notes",
        "_order",
        "_queue",
        "_random",
        "_thread",
        "_toast_until",
        "clock_ms",
        "decisions",
        "differences",
        "focus",
        "is_left",
        "rotation",
        "screen",
        "scroll",
        "spots",
        "stack",
        "state",
        "toast_text",
        "world",
    )

    def __init__(self, layout: _Layout, world: int, phone: Differences = ORDINARY) -> None:
        self._layout = layout
        self.world = world
        self.differences = dict(phone)
        self.state: State = layout.initial.copy()
        self.stack: list[_PreparedView] = []
        self.rotation = 0
        self.scroll = 0
        self.focus: str | None = None
        self.is_left = False
        self.screen = UNSEEN
        self.spots: tuple[_PreparedItem, ...] = ()
        self.clock_ms = 0
        self.decisions: list[Decision] = []
        self.toast_text: str | None = None
        self._toast_until = 0
        # Made on demand: seeding takes longer than an event, and most runs need no random numbers.
        self._random: Random | None = None
        self._queue: list[tuple[int, int, Handler, str]] = []
        self._order = 0
        self._thread = MAIN_THREAD
        self._log: list[str] = []
        self._notes: list[str] = []
        self._methods = self._methods_seen = self._branches = self._branches_seen = 0

    # Methods of `Phone`, for handlers.

    @property
    def random(self) -> Random:
        if self._random is None:
            self._random = Random(self.world)
        return self._random

    def chance(self, probability: float) -> bool:
        happens = self.random.random() < probability
        self.decisions.append(Decision(f"chance of {probability:g}", self.clock_ms, value="yes" if happens else "no"))
        return happens

    def go(self, view: str) -> None:
        place = self._layout.places.get(view)
        if place is None:
            raise UsageError(f"{self._layout.package} has no view {view!r}")
        self.stack.append(place)
        self.focus = None
        self.scroll = 0
        hook = place.hooks["on_open"]
        if hook is not None:
            self._call(hook)

    def back(self) -> None:
        if self.stack:
            self.stack.pop()
        self.focus = None
        self.scroll = 0
        if not self.stack:
            self.is_left = True

    def later(self, ms: int, work: Handler, *, jitter_ms: int = 0, thread: str | None = None) -> None:
        when = self.clock_ms + ms + (self.random.randrange(jitter_ms + 1) if jitter_ms else 0)
        if jitter_ms:
            name = getattr(work, "__name__", "work")
            self.decisions.append(Decision(f"{name} on thread {thread or MAIN_THREAD}", self.clock_ms, when))
        # The sequence number keeps work that is due at the same time in the order of its calls.
        self._order += 1
        heappush(self._queue, (when, self._order, work, thread or MAIN_THREAD))

    def toast(self, text: str) -> None:
        self.toast_text = text
        self._toast_until = self.clock_ms + TOAST_MS

    def log(self, line: str) -> None:
        self._log.append(line)

    def reach(self, branch: int) -> None:
        if self._layout.with_coverage:
            self._branches |= 1 << branch

    # Methods for the session.

    def step(self, event: Event, act: Callable[[_AppProcess, Any], None], ms: int) -> Step:
        """Performs the act, lets the time pass, and returns the observation."""
        before = self.screen
        try:
            act(self, event)
            if self._queue:
                self._work_until(self.clock_ms + ms)
            else:
                self.clock_ms += ms
            if self.toast_text is not None and self.clock_ms >= self._toast_until:
                self.toast_text = None
            after = self._render()
        except FewtapsError:
            raise
        except Exception as error:  # noqa: BLE001
            # An exception of a handler is a crash of the app, which is data.
            return self._crashed(event, before, error)
        return Step(
            event,
            before,
            after,
            self._covered(),
            self._taken(self._log) if self._log else (),
            None,
            Ending.LEFT if self.is_left else Ending.RUNNING,
            self._taken(self._notes) if self._notes else (),
            self.clock_ms,
            self._ran() if self._layout.with_step_coverage else NO_COVERAGE,
            self._asked_world(),
        )

    def start(self, event: Event) -> None:
        """The first launch: runs the program's start handler, then opens its first view."""
        if self._layout.on_create is not None:
            self._call(self._layout.on_create)
        self.go(self._layout.first.view.name)

    def _crashed(self, event: Event, before: Screen, error: Exception) -> Step:
        crash, ending = crash_of(error, self._layout.package, self._thread)
        self.screen = self._layout.homes[self.rotation]
        return Step(
            event,
            before,
            self.screen,
            self._covered(),
            tuple(self._log),
            crash,
            ending,
            tuple(self._notes),
            self.clock_ms,
            self._ran() if self._layout.with_step_coverage else NO_COVERAGE,
            self._asked_world(),
        )

    def _call(self, hook: _Hook) -> None:
        self._methods |= hook.bit
        hook.handler(self)

    def _covered(self) -> Coverage:
        methods = self._methods & ~self._methods_seen
        branches = self._branches & ~self._branches_seen
        if not methods and not branches:
            return NO_COVERAGE
        self._methods_seen |= methods
        self._branches_seen |= branches
        return self._layout.coverage(methods, branches)

    def _ran(self) -> Coverage:
        """All that ran since the last call. Must be called after `_covered`, which needs it too."""
        if not self._methods and not self._branches:
            return NO_COVERAGE
        ran = self._layout.coverage(self._methods, self._branches)
        self._methods = self._branches = 0
        return ran

    def _asked_world(self) -> bool | None:
        """Whether random numbers were used; unknown on a device without worlds, where chance differs at each launch."""
        return self._random is not None if self._layout.with_worlds else None

    def _taken(self, lines: list[str]) -> tuple[str, ...]:
        taken = tuple(lines)
        lines.clear()
        return taken

    def _work_until(self, end_ms: int) -> None:
        queue = self._queue
        done = 0
        while queue and queue[0][0] <= end_ms:
            if done == MAX_TASKS:
                self._notes.append(f"the app is not quiet: it still has work after {MAX_TASKS} pieces in one step")
                break
            done += 1
            self.clock_ms, _, work, self._thread = heappop(queue)
            try:
                work(self)
            except Hang:
                if self._thread == MAIN_THREAD:
                    raise
                # A worker thread that hangs has no effect on the app.
        self._thread = MAIN_THREAD
        self.clock_ms = end_ms

    def _render(self) -> Screen:
        layout = self._layout
        if self.is_left:
            self.screen = layout.homes[self.rotation]
            return self.screen
        top = self.stack[-1]
        state = self.state
        looks = tuple([look(state) for look in top.looks]) if top.looks else ()
        key: tuple[Any, ...] = (top.number, self.rotation, self.scroll, self.focus, self.toast_text, looks)
        if top.is_dialog:
            key += tuple((place.number, *(look(state) for look in place.looks)) for place in self.stack)
        found = layout.screens.get(key)
        if found is None:
            found = layout.screen(key, self)
        self.screen, self.spots = found
        return self.screen

    def tap(self, x: int, y: int, press: int) -> None:
        """A touch at a point; `press` is 0 for a short one and 1 for a long one."""
        if self.is_left:
            return
        geometry = self._layout.geometries[self.rotation]
        row = (y - geometry.top) // geometry.row_height
        top = self.stack[-1]
        if not 0 <= row < len(self.spots) or not 0 <= x < geometry.width:
            self.focus = None
            if top.is_dialog:
                self.back()
            return
        spot = self.spots[row]
        hook = spot.on_press[press]
        if spot.is_field:
            self.focus = spot.name
        elif spot.is_checkbox and press == 0:
            self.state[spot.name] = not self.state[spot.name]
        if top.is_dialog and spot.closes_dialog and press == 0:
            self.back()
        if hook is not None:
            self._call(hook)

    def type(self, event: Text) -> None:
        """Types into the focused field; if the event has a selector, focuses its field first."""
        if self.is_left:
            return
        if event.selector is not None:
            located = self.screen.find(event.selector)
            if located is not None and located.widget.flags & WidgetFlags.EDITABLE:
                self.focus = (located.widget.resource_id or "").rpartition("/")[2]
            else:
                self._notes.append("no such field on this screen; nothing was typed")
                return
        if self.focus is None:
            self._notes.append("no field has the focus; nothing was typed")
            return
        self.state[self.focus] = event.text if event.replace else str(self.state[self.focus]) + event.text

    def press(self, event: Key) -> None:
        """Presses a key; Back and Home are handled by the system, unless the view has a handler for Back."""
        if self.is_left:
            return
        if event.name == "HOME":
            self.is_left = True
            return
        top = self.stack[-1]
        if event.name == "BACK":
            if self.focus is not None:
                self.focus = None
                return
            hook = top.hooks["on_back"]
            if hook is None:
                self.back()
                return
        else:
            hook = top.keys.get(event.name)
        if hook is not None:
            self._call(hook)

    def swipe(self, event: Swipe) -> None:
        """Scrolls a view that is longer than the screen, then calls the view's own handler."""
        if self.is_left:
            return
        top = self.stack[-1]
        rows = self._layout.geometries[self.rotation].rows
        hidden = len(top.spots) - rows
        if hidden > 0 and event.y1 != event.y2:
            moved = (event.y1 - event.y2) // self._layout.geometries[self.rotation].row_height
            self.scroll = min(hidden, max(0, self.scroll + moved))
        hook = top.hooks["on_swipe"]
        if hook is not None:
            self._call(hook)

    def rotate(self, event: Rotate) -> None:
        """Turns the device; calls the view's handler if the app is in the foreground and the rotation changed."""
        rotation = ORIENTATIONS.index(event.to)
        if rotation == self.rotation:
            return
        self.rotation = rotation
        self.scroll = 0
        hook = self.stack[-1].hooks["on_rotate"] if not self.is_left else None
        if hook is not None:
            self._call(hook)

    def resume(self, event: Launch) -> None:
        """A tap on the app's icon: brings the app back, or opens its first view if all were closed."""
        self.is_left = False
        if not self.stack:
            self.go(self._layout.first.view.name)

    def receive(self, hook: _Hook | None, what: str) -> None:
        """Delivers an intent or system event to the app's handler, if it has one."""
        if hook is None:
            self._notes.append(f"the app does not listen to {what}")
        else:
            self._call(hook)

    def intent(self, event: StartIntent) -> None:
        """Brings the app to the foreground; an intent that names a view opens it, without checks of permissions."""
        view = (event.component or "").rpartition(".")[2]
        if event.action is None and view in self._layout.places:
            self.is_left = False
            self.go(view)
            return
        hook = self._layout.on_intent.get(event.action or "")
        if hook is not None:
            self.resume(_LAUNCH)
        self.receive(hook, f"intent {event.action or '(no action)'}")

    def system(self, event: SystemEvent) -> None:
        """Delivers a system event, also in the background; a broadcast is found by its action."""
        name = dict(event.arguments).get("action", "") if event.name == "broadcast" else event.name
        hook = self._layout.on_system.get(name)
        if name == "process_death":
            self._end_process()
            if hook is None:
                return
        self.receive(hook, name)

    def _end_process(self) -> None:
        """Goes on with a new process: views and state as they were, but for what only memory has."""
        for each in self._layout.program.memory:
            self.state[each] = self._layout.initial[each]
        self._queue.clear()
        self.focus = None
        self.toast_text = None
        self.resume(_LAUNCH)


_LAUNCH = Launch()


def _tap(run: _AppProcess, event: Tap) -> None:
    run.tap(event.x, event.y, 0)


def _long_press(run: _AppProcess, event: LongPress) -> None:
    run.tap(event.x, event.y, 1)


def _double_tap(run: _AppProcess, event: DoubleTap) -> None:
    run.tap(event.x, event.y, 0)
    run._render()
    run.tap(event.x, event.y, 0)


def _nothing(run: _AppProcess, event: Event) -> None:
    """A pause or a pinch, for which programs have no handler."""


_ACTS: dict[type, Callable[[_AppProcess, Any], None]] = {
    Tap: _tap,
    LongPress: _long_press,
    DoubleTap: _double_tap,
    Swipe: _AppProcess.swipe,
    Pinch: _nothing,
    Text: _AppProcess.type,
    Key: _AppProcess.press,
    Rotate: _AppProcess.rotate,
    Wait: _nothing,
    Launch: _AppProcess.resume,
    StartIntent: _AppProcess.intent,
    SystemEvent: _AppProcess.system,
}
