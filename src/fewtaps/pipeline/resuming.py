"""Begins an exploration in a store, or goes on with the last one there, with the settings that one was begun with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fewtaps.config import DeviceSettings, ExploreSettings
from fewtaps.device.capability import Capabilities, Capability
from fewtaps.device.registry import has_apk
from fewtaps.errors import NotFound, StoreError, UsageError
from fewtaps.explore.block import Blocklist
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.parameters import ExploreParameters, read_parameters
from fewtaps.explore.phones import ALWAYS_ORDINARY, PhoneSchedule, conditions
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.app import App
from fewtaps.model.event import Event, event_from_json, event_to_json
from fewtaps.model.phone import settings_in
from fewtaps.pipeline.opening import Plan, require_same_app
from fewtaps.replay import aim
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import RunId, RunPart, RunRow
from fewtaps.tracefile import read_trace

KIND = "explore"
BEFORE_PHONES_VARIED = ("episode.process_death=0", "system.time_changed=0.2", "system.clock_set=0")
"""Parameters of an exploration that was begun before phones varied, where its settings do not name them."""

# What decides an exploration: kept with it, and not to be changed when it goes on.
DECISIVE = ("strategy", "parameters", "seed", "width", "worlds", "block", "pictures")
_OPTIONS = {"parameters": "--set", "pictures": "--no-pictures", "backend": "--device"}


@dataclass(frozen=True, slots=True)
class ResumedExploration:
    """An exploration that can go on: its run in the store, the settings that hold, and all that it knows.

    `notes` say where the settings are not those that were asked for.
    """

    run: RunId
    settings: ExploreSettings
    exploration: Exploration
    notes: tuple[str, ...] = ()


@contextmanager
def open_exploration(plan: Plan, settings: ExploreSettings) -> Iterator[tuple[Store, ResumedExploration]]:
    """Begins an exploration in its folder's store, or goes on with the last one there; the store is closed at the end.

    Raises UsageError if the folder holds another app, if there is nothing to resume, or if settings were given that
    the exploration was not begun with; nothing is made or changed then.
    """
    if settings.resume:
        with open_store(settings.folder, write=True) as store:
            _require_same_package(store, plan, settings.folder)
            yield store, _resume(store, plan, settings)
        return
    prelude = _prelude(settings.prelude, plan)
    exploration = _exploration(plan, settings, prelude)
    with open_store(settings.folder, create=True, write=True) as store:
        _require_same_package(store, plan, settings.folder)
        yield store, _begin(store, plan, settings, prelude, exploration)


@contextmanager
def open_next_part(plan: Plan, settings: ExploreSettings) -> Iterator[tuple[Store, ResumedExploration]]:
    """Goes on with the last exploration in the folder if it was of this build, else begins one there.

    Raises as `open_exploration`, but the prelude that it was begun with may be given: the same command, given again,
    goes on.
    """
    prelude = _prelude(settings.prelude, plan)
    exploration = _exploration(plan, settings, prelude)
    with open_store(settings.folder, create=True, write=True) as store:
        _require_same_package(store, plan, settings.folder)
        last = store.runs.latest(KIND)
        if last is None or last.app != plan.app.ref:
            yield store, _begin(store, plan, settings, prelude, exploration)
            return
        if settings.prelude is not None and prelude != _kept_prelude(last):
            raise UsageError(f"--prelude: {settings.folder} was explored with another prelude; choose another folder")
        yield store, _resume(store, plan, replace(settings, prelude=None, resume=True))


def _begin(
    store: Store, plan: Plan, settings: ExploreSettings, prelude: Sequence[Event], exploration: Exploration
) -> ResumedExploration:
    last = store.runs.latest(KIND)
    if last is not None and last.app != plan.app.ref:
        store.results.forget_replays()
    kept = {name: getattr(settings, name) for name in DECISIVE}
    kept["vary"] = settings.varied
    kept |= {"jobs": settings.jobs or 1, "width": settings.episodes_ahead, "device": asdict(settings.device)}
    del kept["device"]["farm"], kept["device"]["reinstall"]
    kept["prelude"] = [event_to_json(event) for event in prelude]
    return ResumedExploration(store.runs.start(plan.app, KIND, kept, _given(settings)), settings, exploration)


def _given(settings: ExploreSettings) -> RunPart:
    """What this part may spend, for the report."""
    return RunPart(settings.limits.seconds, settings.limits.events)


def _require_same_package(store: Store, plan: Plan, folder: Path) -> None:
    runs = store.runs.all()
    if runs and runs[-1].app.package != plan.app.package:
        raise UsageError(f"{folder}: belongs to {runs[-1].app.package}; choose another folder with -o")


def _resume(store: Store, plan: Plan, settings: ExploreSettings) -> ResumedExploration:
    run = store.runs.latest(KIND)
    if run is None:
        raise NotFound(f"{settings.folder}: there is no exploration to resume")
    if run.app != plan.app.ref:
        raise UsageError(f"{settings.folder}: was explored with another build of {run.app.package} ({run.app.version})")
    if settings.prelude is not None:
        raise UsageError("--prelude: an exploration that is resumed keeps the prelude it was begun with")
    held = _held(run, settings)
    # An exploration that was begun before it could end processes goes on without that.
    earlier = () if "vary" in run.settings else BEFORE_PHONES_VARIED
    exploration = _exploration(plan, held, _kept_prelude(run), earlier)
    for episode in store.runs.iter_episodes(run.run_id):
        exploration.absorb(episode)
    store.runs.resume(run.run_id, _given(held))
    notes: tuple[str, ...] = ()
    if settings.jobs is not None and held.jobs != settings.jobs:
        notes = (f"the exploration was begun with --width {held.width}, which keeps no more devices busy",)
    return ResumedExploration(run.run_id, held, exploration, notes)


def _held(run: RunRow, settings: ExploreSettings) -> ExploreSettings:
    """The settings the run was begun with, and limits and jobs as given now."""
    kept = {name: _from_json(getattr(settings, name), run.settings.get(name)) for name in DECISIVE}
    # An exploration that was begun before phones varied goes on without.
    kept["vary"] = tuple(run.settings.get("vary") or ())
    kept["width"] = kept["width"] or _width_by_jobs(run.settings.get("jobs") or 1)
    _refuse_changes(kept, settings, ExploreSettings(settings.folder), settings.said)
    # Jail, farm and what may be removed are taken from the command, never from a store, which may come from elsewhere.
    now = settings.device
    device = replace(kept_device(run), jail=now.jail, anyway=now.anyway, reinstall=now.reinstall, farm=now.farm)
    _refuse_changes(asdict(device), settings.device, DeviceSettings(), settings.said)
    jobs = min(settings.jobs or run.settings.get("jobs") or 1, kept["width"])
    try:
        return replace(settings, device=device, jobs=jobs, **kept)
    except (TypeError, UsageError) as error:
        raise StoreError(f"{settings.folder}: the settings of its exploration cannot be read ({error})") from error


def _width_by_jobs(jobs: int) -> int:
    """The width of an exploration that was begun before the width was a setting."""
    return 1 if jobs == 1 else 4 * jobs


def kept_device(run: RunRow) -> DeviceSettings:
    """What a run ran on."""
    kept = run.settings.get("device")
    try:
        return DeviceSettings(**kept)  # type: ignore[arg-type]
    except (TypeError, UsageError) as error:
        raise StoreError(f"the settings of run {run.run_id} cannot be read ({error})") from error


def _refuse_changes(kept: Mapping[str, Any], given: object, default: object, said: Collection[str]) -> None:
    for name, value in kept.items():
        wanted = getattr(given, name)
        if (name in said or wanted != getattr(default, name)) and wanted != value:
            option = _OPTIONS.get(name, f"--{name}")
            raise UsageError(f"{option}: the exploration was begun {_with(value)}, not {_with(wanted)}")


def _with(value: object) -> str:
    """A setting's value as a person would say it. A switch of the command line turns off what is usually on."""
    if isinstance(value, bool):
        return "without it" if value else "with it"
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else value
    return "without it" if words in (None, "") else f"with {words}"


def _from_json(like: object, value: Any) -> Any:
    return tuple(value) if isinstance(like, tuple) and isinstance(value, list) else value


def _prelude(path: Path | None, plan: Plan) -> tuple[Event, ...]:
    if path is None:
        return ()
    trace = read_trace(path)
    require_same_app(trace, plan.app)
    return trace.events[1:]


def _kept_prelude(run: RunRow) -> tuple[Event, ...]:
    try:
        return tuple(event_from_json(record) for record in run.settings.get("prelude", ()))
    except (TypeError, ValueError) as error:
        raise StoreError(f"the prelude of the exploration cannot be read: {error}") from error


def _exploration(
    plan: Plan, settings: ExploreSettings, prelude: Sequence[Event], defaults: Sequence[str] = ()
) -> Exploration:
    """The exploration before its first episode; `defaults` are parameters that the settings may change."""
    parameters = read_parameters((*defaults, *settings.parameters))
    strings = AppStrings(plan.app.path if has_apk(plan.app) else "", plan.app.digest)
    strategy = STRATEGIES[settings.strategy](plan.app, parameters, strings)
    return Exploration(
        plan.app,
        strategy,
        seed=settings.seed,
        worlds=settings.worlds if plan.has_worlds else 1,
        prelude=prelude,
        aim=aim,
        block=Blocklist(settings.block),
        parameters=parameters,
        pictures=settings.pictures,
        has_coverage=settings.device.coverage != "off",
        width=settings.episodes_ahead,
        phones=phone_schedule(plan.app, plan.capabilities, plan.session.profile.locale, settings, parameters),
    )


def phone_schedule(
    app: App, capabilities: Capabilities, locale: str, settings: ExploreSettings, parameters: ExploreParameters
) -> PhoneSchedule:
    """Which episodes are played on other phones, and on which; `locale` is that of the ordinary phone."""
    if not settings.varied or Capability.PHONES not in capabilities:
        return ALWAYS_ORDINARY
    device, is_apk = settings.device, has_apk(app)
    names = settings_in(settings.varied)
    if device.neighbours == "absent":
        names -= settings_in(["neighbours"])
    base = {
        *(("permissions", device.permissions), ("network", device.network), ("content", device.content)),
        ("locale", locale),
    }
    tried = conditions(app, names, base, has_manifest=is_apk, api=device.api)
    cared = None if not is_apk else _cared(app.path, app.digest)
    return PhoneSchedule(tried, seed=settings.seed, cared=cared, numbers=parameters.vary)


@dataclass(frozen=True, slots=True)
class AppStrings:
    """Reads the strings of an app's resources when called. A value that can be sent to another process."""

    path: str
    digest: str

    def __call__(self) -> tuple[str, ...]:
        """The strings; none for an app that is no file."""
        return _strings_of(self.path, self.digest) if self.path else ()


@lru_cache(8)
def _cared(path: str, digest: str) -> frozenset[str]:
    from fewtaps.apk.phone_uses import phone_uses

    # Every app has activities and a screen, and most of those that fail without them fail for users too.
    return phone_uses(Path(path)) | {"keep_activities", "split_screen"}


@lru_cache(8)
def _strings_of(path: str, digest: str) -> tuple[str, ...]:
    """Cached, because every plan that comes from another process has a strategy of its own."""
    from fewtaps.apk.strings import read_strings

    return read_strings(Path(path))
