"""Tools that use an app by hand: open it, see its screen, touch it, type, turn the phone, kill the process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from fewtaps.agentserver.answers import CrashAnswer, DoneAnswer, LogAnswer, ScreenAnswer, WidgetAnswer
from fewtaps.agentserver.pictures import smaller
from fewtaps.agentserver.quoting import NOTICE, bounded, clean, from_app
from fewtaps.agentserver.schemas import Limits
from fewtaps.agentserver.tool import CallWork, Lane, ToolReply, make_tool
from fewtaps.agentserver.workbench import Workbench
from fewtaps.config import PERMISSIONS
from fewtaps.errors import DeviceError, Unsupported, UsageError
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, LongPress, Tap, Wait
from fewtaps.model.profile import PROFILES
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step
from fewtaps.pipeline.live_app import WAYS, LiveApp, key_event, text_event
from fewtaps.pipeline.numbered import ListedWidget
from fewtaps.pipeline.playing import save_trace
from fewtaps.stopping import stopped_by

MOST_WIDGETS = 80
"""Widgets of a screen in one answer at most."""
MOST_NOTES = 5
MOST_LOG_LINES = 200
LONGEST_WAIT_MS = 3_600_000
"""An hour of the app's time, which is virtual on most devices."""

ENDINGS = {
    Ending.RUNNING: "the app runs",
    Ending.LEFT: "the app is in the background",
    Ending.CRASHED: "the app has crashed",
    Ending.ANR: "the app does not answer",
    Ending.EXITED: "the app has ended itself",
    Ending.LOST: "the device has failed",
}

Number = Annotated[int, Limits("The number of a widget on the screen.", low=1, high=9999)]
MaybeNumber = Annotated[
    int | None, Limits("The number of a widget on the screen; without it, see the tool.", low=1, high=9999)
]
Picture = Annotated[bool, Limits("Also return a picture of the screen.")]


def open_app(
    bench: Workbench,
    work: CallWork,
    app: Annotated[str, Limits("The path of an APK file in an allowed folder.")],
    world: Annotated[int, Limits("The world: decides everything the app does not control.", low=0, high=1e9)] = 0,
    profile: Annotated[str | None, Limits("The kind of phone.", choices=tuple(PROFILES))] = None,
    permissions: Annotated[
        str | None, Limits("Whether the app's permissions are granted.", choices=PERMISSIONS)
    ] = None,
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Open an app on a device of its own, launch it with fresh data, and see its screen. An app that is open before is
    closed. The first time takes some seconds."""
    with stopped_by(work.is_cancelled):
        live = bench.open(app, world, profile, permissions)
    return _seen(live, picture)


def close_app(bench: Workbench, work: CallWork) -> ToolReply[DoneAnswer]:
    """Close the app that is open and its device."""
    name = bench.live.opened.app.package
    bench.close()
    return ToolReply(DoneAnswer("closed", None), f"Closed the app {from_app(name)}.")


def screen(bench: Workbench, work: CallWork, picture: Picture = False) -> ToolReply[ScreenAnswer]:
    """See the screen again: widgets that can be touched have numbers, texts between them have none."""
    return _seen(bench.live, picture)


def tap(
    bench: Workbench,
    work: CallWork,
    number: MaybeNumber = None,
    x: Annotated[int | None, Limits("With y: a point in pixels, in place of a number.", low=0, high=100_000)] = None,
    y: Annotated[int | None, Limits("With x: a point in pixels, in place of a number.", low=0, high=100_000)] = None,
    kind: Annotated[str, Limits("How it is tapped.", choices=("once", "long", "twice"))] = "once",
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Tap a widget by its number, or a point of the screen."""
    live = _running(bench)
    if number is not None and x is None and y is None:
        entry = live.entry(number)
        return _done(live, _TAPS[kind](*entry.widget.bounds.centre, entry.selector), picture)
    if number is None and x is not None and y is not None:
        return _done(live, _TAPS[kind](x, y, live.screen.selector_at(x, y)), picture)
    raise UsageError("tap: give either a number, or x and y")


def type_text(
    bench: Workbench,
    work: CallWork,
    text: Annotated[str, Limits("What is typed.", longest=5000)],
    number: MaybeNumber = None,
    replace: Annotated[bool, Limits("Empty the field first; with an empty text the field is only emptied.")] = False,
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Type a text into a field by its number, or into the field that has the focus."""
    if not text and not replace:
        raise UsageError("type_text: a text is needed, or replace to empty the field")
    live = _running(bench)
    return _done(live, text_event(text, None if number is None else live.entry(number), replace=replace), picture)


def swipe(
    bench: Workbench,
    work: CallWork,
    direction: Annotated[str, Limits("Where the finger goes; up scrolls down.", choices=tuple(WAYS))],
    number: MaybeNumber = None,
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Swipe across the screen, or across a widget by its number."""
    live = _running(bench)
    return _done(live, live.swipe(direction, None if number is None else live.entry(number)), picture)


def press_key(
    bench: Workbench,
    work: CallWork,
    key: Annotated[str, Limits("Android's name of the key: BACK, HOME, MENU, ENTER, VOLUME_UP, …", longest=60)] = (
        "BACK"
    ),
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Press a key of the phone; by default the back key."""
    return _done(_running(bench), key_event(key), picture)


def rotate(
    bench: Workbench,
    work: CallWork,
    orientation: Annotated[str | None, Limits("Without it, the other one.", choices=("portrait", "landscape"))] = None,
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Turn the phone."""
    live = _running(bench)
    return _done(live, live.turn(orientation), picture)


def wait(
    bench: Workbench,
    work: CallWork,
    milliseconds: Annotated[int, Limits("How much of the app's time passes.", low=1, high=LONGEST_WAIT_MS)] = 1000,
    picture: Picture = False,
) -> ToolReply[ScreenAnswer]:
    """Let time pass for the app. Where time is virtual, this takes no time."""
    return _done(_running(bench), Wait(milliseconds), picture)


def kill_process(bench: Workbench, work: CallWork, picture: Picture = False) -> ToolReply[ScreenAnswer]:
    """Let the system kill the app's process in the background and come back to the app, as Android does when memory is
    short. The app has to restore its state."""
    live = _running(bench)
    return _done(live, live.process_death(), picture)


def restart_app(bench: Workbench, work: CallWork, picture: Picture = False) -> ToolReply[ScreenAnswer]:
    """Launch the app anew with fresh data; the steps so far are dropped."""
    bench.live.restart()
    return _seen(bench.live, picture)


def undo(bench: Workbench, work: CallWork, picture: Picture = False) -> ToolReply[ScreenAnswer]:
    """Take back the last step: the app is launched anew and the steps before it are played again."""
    live = bench.live
    came_back = live.undo()
    return _seen(live, picture, () if came_back else ("the app did not come back to the same screen",))


def app_log(
    bench: Workbench,
    work: CallWork,
    lines: Annotated[int, Limits("How many of the last lines.", low=1, high=MOST_LOG_LINES)] = 40,
) -> ToolReply[LogAnswer]:
    """What the app has logged since its launch, the last lines."""
    logged = bench.live.log_lines()
    shown = logged[-lines:]
    answer = LogAnswer(tuple(clean(line, 300) for line in shown), len(logged) - len(shown))
    head = f"{len(shown)} of {len(logged)} lines that the app logged. {NOTICE}"
    return ToolReply(answer, bounded([head, *(f"log {from_app(line, 300)}" for line in shown)]))


def save_steps(
    bench: Workbench,
    work: CallWork,
    path: Annotated[str, Limits("The trace file to write, in an allowed folder; its name ends in .jsonl.")],
    overwrite: Annotated[bool, Limits("Replace a file that is there.")] = False,
) -> ToolReply[DoneAnswer]:
    """Save the steps since the launch as a trace, for replay, reduce and write_test."""
    if not path.endswith(".jsonl"):
        raise UsageError("save_steps: the name of a trace ends in .jsonl")
    target = bench.folders.new_file(path, overwrite=overwrite)
    save_trace(target, bench.live.trace)
    count = len(bench.live.steps) - 1
    return ToolReply(
        DoneAnswer(f"saved {count} steps", str(target)), f"Saved {count} steps after the launch to {target}"
    )


TOOLS = (
    make_tool(open_app, Lane.APP),
    make_tool(screen, Lane.APP, is_reading=True),
    *(make_tool(each, Lane.APP) for each in (tap, type_text, swipe, press_key, rotate, wait)),
    *(make_tool(each, Lane.APP) for each in (kill_process, restart_app, undo)),
    make_tool(app_log, Lane.APP, is_reading=True),
    make_tool(save_steps, Lane.APP),
    make_tool(close_app, Lane.APP),
)
"""In the order in which clients list them."""

_TAPS: Mapping[str, type[Tap] | type[LongPress] | type[DoubleTap]] = {
    "once": Tap,
    "long": LongPress,
    "twice": DoubleTap,
}


def _running(bench: Workbench) -> LiveApp:
    """The open app, if it can be used. Raises UsageError."""
    live = bench.live
    if live.is_gone or live.steps[-1].ending.is_final:
        raise UsageError("the app has ended: call restart_app, undo or open_app")
    return live


def _done(live: LiveApp, event: Event, picture: bool) -> ToolReply[ScreenAnswer]:
    try:
        live.perform(event)
    except DeviceError as error:
        # A device that cannot do an event has not done it: the app is as it was.
        live.is_gone = not isinstance(error, Unsupported)
        raise
    return _seen(live, picture)


def _seen(live: LiveApp, picture: bool, notes: tuple[str, ...] = ()) -> ToolReply[ScreenAnswer]:
    step = live.steps[-1]
    shown = live.entries[:MOST_WIDGETS]
    crash = step.crash
    all_notes = (*notes, *step.notes, *(live.opened.session.notes if len(live.steps) == 1 else ()))
    answer = ScreenAnswer(
        step=len(live.steps) - 1,
        app_event=clean(describe_step(step)),
        ending=step.ending.value,
        app_activity=None if step.after.activity is None else clean(step.after.activity),
        new_code=len(step.covered.branches) or len(step.covered.lines),
        crash=None if crash is None else crash_answer(crash),
        widgets=tuple(map(_widget_answer, shown)),
        widgets_left_out=len(live.entries) - len(shown),
        notes=tuple(clean(note, 300) for note in all_notes[:MOST_NOTES]),
    )
    is_over = step.ending.is_final
    pictures = (smaller(live.picture()),) if picture and not is_over else ()
    return ToolReply(answer, bounded(_screen_lines(live, step, answer, crash)), pictures)


def _screen_lines(live: LiveApp, step: Step, answer: ScreenAnswer, crash: Crash | None) -> Iterator[str]:
    yield f"Step {answer.step}: {ENDINGS[step.ending]}. {NOTICE}"
    yield f"event {from_app(describe_step(step))}"
    if crash is not None:
        yield from crash_lines(crash)
    yield from (f"note {from_app(note, 300)}" for note in answer.notes)
    if answer.app_activity and not step.ending.is_final:
        yield f"activity {from_app(answer.app_activity)}"
    yield from (_widget_line(entry) for entry in live.entries[:MOST_WIDGETS])
    if answer.widgets_left_out:
        yield f"… {answer.widgets_left_out} more widgets were left out"
    if step.ending.is_final:
        yield "Next: undo, restart_app, or save_steps and then reduce."


def crash_answer(crash: Crash) -> CrashAnswer:
    """A crash in short."""
    return CrashAnswer(
        id=crash.fingerprint,
        kind=crash.kind.value,
        app_summary=clean(crash.summary, 300),
        app_place=None if crash.place is None else clean(str(crash.place), 200),
        suspect=None if crash.suspect is None else clean(crash.suspect, 300),
    )


def crash_lines(crash: Crash) -> Iterator[str]:
    """A crash in two or three lines of text."""
    yield f"crash {crash.fingerprint[:8]} {from_app(crash.summary, 300)}"
    if crash.place is not None:
        yield f"  at {from_app(str(crash.place), 200)}"
    if crash.suspect is not None:
        yield f"  suspect, the device may be the cause: {from_app(crash.suspect, 300)}"


def _widget_answer(entry: ListedWidget) -> WidgetAnswer:
    source, label = entry.label
    name = entry.widget.resource_id
    return WidgetAnswer(
        number=entry.number,
        kind=entry.kind,
        label_is=source,
        app_label=clean(label),
        app_id=None if name is None else clean(name.rpartition("/")[2]),
        marks=entry.marks,
        bounds=tuple(entry.widget.bounds),
    )


def _widget_line(entry: ListedWidget) -> str:
    source, label = entry.label
    number = "    " if entry.number is None else f"{entry.number:4}"
    named = "" if source == "text" else f"{source} "
    marks = f" [{', '.join(entry.marks)}]" if entry.marks else ""
    name = entry.widget.resource_id
    shown_id = f" id {from_app(name.rpartition('/')[2], 60)}" if name is not None and source != "id" else ""
    return f"{number} {entry.kind} {named}{from_app(label)}{marks}{shown_id}"
