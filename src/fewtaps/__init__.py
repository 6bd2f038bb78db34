"""Find the crash. Replay it in few taps. See why.

The names below are the public ones. Each is imported when first used, so that `import fewtaps` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewtaps.apk.reader import read_apk as read_apk
    from fewtaps.budget import Budget as Budget
    from fewtaps.device.registry import open_device as open_device
    from fewtaps.device.session import Capability as Capability
    from fewtaps.device.session import Device as Device
    from fewtaps.device.session import Session as Session
    from fewtaps.device.session import SessionSettings as SessionSettings
    from fewtaps.errors import FewtapsError as FewtapsError
    from fewtaps.errors import UsageError as UsageError
    from fewtaps.model.app import App as App
    from fewtaps.model.app import AppRef as AppRef
    from fewtaps.model.coverage import Coverage as Coverage
    from fewtaps.model.coverage import ProbeMap as ProbeMap
    from fewtaps.model.crash import Crash as Crash
    from fewtaps.model.ending import Ending as Ending
    from fewtaps.model.event import DoubleTap as DoubleTap
    from fewtaps.model.event import Event as Event
    from fewtaps.model.event import Key as Key
    from fewtaps.model.event import Launch as Launch
    from fewtaps.model.event import LongPress as LongPress
    from fewtaps.model.event import Pinch as Pinch
    from fewtaps.model.event import Rotate as Rotate
    from fewtaps.model.event import Selector as Selector
    from fewtaps.model.event import StartIntent as StartIntent
    from fewtaps.model.event import Swipe as Swipe
    from fewtaps.model.event import SystemEvent as SystemEvent
    from fewtaps.model.event import Tap as Tap
    from fewtaps.model.event import Text as Text
    from fewtaps.model.event import Wait as Wait
    from fewtaps.model.event import describe as describe
    from fewtaps.model.goal import Covers as Covers
    from fewtaps.model.goal import Goal as Goal
    from fewtaps.model.goal import Reaches as Reaches
    from fewtaps.model.goal import ReachesState as ReachesState
    from fewtaps.model.goal import SameCrash as SameCrash
    from fewtaps.model.goal import ShowsText as ShowsText
    from fewtaps.model.profile import PROFILES as PROFILES
    from fewtaps.model.profile import DeviceProfile as DeviceProfile
    from fewtaps.model.result import Reduction as Reduction
    from fewtaps.model.result import Reproduction as Reproduction
    from fewtaps.model.result import Verdict as Verdict
    from fewtaps.model.run_record import RecordedRun as RecordedRun
    from fewtaps.model.run_record import RecordWish as RecordWish
    from fewtaps.model.run_record import RunRecord as RunRecord
    from fewtaps.model.screen import Screen as Screen
    from fewtaps.model.screen import Widget as Widget
    from fewtaps.model.slice import Slice as Slice
    from fewtaps.model.trace import Step as Step
    from fewtaps.model.trace import Trace as Trace
    from fewtaps.reducing.plan import reduce as reduce
    from fewtaps.reducing.plan import reduce_trace as reduce_trace
    from fewtaps.replay import play as play
    from fewtaps.replay import play_recorded as play_recorded
    from fewtaps.replay import reproduce as reproduce
    from fewtaps.slicing.slicer import Slicer as Slicer
    from fewtaps.tracefile import read_trace as read_trace
    from fewtaps.tracefile import write_trace as write_trace

_PUBLIC = {
    "apk.reader": ("read_apk",),
    "budget": ("Budget",),
    "device.registry": ("open_device",),
    "device.session": ("Capability", "Device", "Session", "SessionSettings"),
    "errors": ("FewtapsError", "UsageError"),
    "model.app": ("App", "AppRef"),
    "model.coverage": ("Coverage", "ProbeMap"),
    "model.crash": ("Crash",),
    "model.ending": ("Ending",),
    "model.event": (
        *("DoubleTap", "Event", "Key", "Launch", "LongPress", "Pinch", "Rotate", "Selector", "StartIntent", "Swipe"),
        *("SystemEvent", "Tap", "Text", "Wait", "describe"),
    ),
    "model.goal": ("Covers", "Goal", "Reaches", "ReachesState", "SameCrash", "ShowsText"),
    "model.profile": ("PROFILES", "DeviceProfile"),
    "model.result": ("Reduction", "Reproduction", "Verdict"),
    "model.run_record": ("RecordWish", "RecordedRun", "RunRecord"),
    "model.screen": ("Screen", "Widget"),
    "model.slice": ("Slice",),
    "model.trace": ("Step", "Trace"),
    "reducing.plan": ("reduce", "reduce_trace"),
    "replay": ("play", "play_recorded", "reproduce"),
    "slicing.slicer": ("Slicer",),
    "tracefile": ("read_trace", "write_trace"),
}
_HOMES = {name: f"fewtaps.{module}" for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'fewtaps' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
