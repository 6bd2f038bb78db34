"""The pool that a stage works with: sessions of this machine, or the slots of a farm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fewtaps.budget import CutOff
from fewtaps.device.jobs import OnWork, ignore_work
from fewtaps.device.ongoing import OngoingSession
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.registry import has_apk, parse_device
from fewtaps.device.session import Session
from fewtaps.pipeline.opening import OnDownload, Plan, open_session

if TYPE_CHECKING:
    from fewtaps.farm.tasks import Opener

TRIES = 3
"""Sessions on which a job is tried before it counts as failed."""


@dataclass(frozen=True, slots=True)
class PlanOpener:
    """Opens the app of a plan; a value, so that a slot of a farm can do it. With `is_ongoing` its run can go on."""

    plan: Plan
    is_ongoing: bool = False

    @property
    def backend(self) -> str:
        """The name of the kind of device."""
        return parse_device(self.plan.backend).backend.name

    @property
    def title(self) -> str:
        """The app's package."""
        return self.plan.app.package

    @property
    def apk(self) -> tuple[str, str]:
        """Path and digest of the APK file; both empty for an app that is no file."""
        app = self.plan.app
        return (app.path, app.digest) if has_apk(app) else ("", "")

    def on_device(self, device: str) -> Opener:
        """The same app on another device of its kind."""
        return replace(self, plan=replace(self.plan, backend=device))

    def __call__(self) -> AbstractContextManager[Session]:
        """The session, closed with its device at the end of the `with` block."""
        return open_plan(self.plan, is_ongoing=self.is_ongoing)


@contextmanager
def open_plan(
    plan: Plan, progress: OnDownload | None = None, *, is_ongoing: bool = False, cut_off: CutOff | None = None
) -> Iterator[Session]:
    """Opens the app of a plan on a device of its own; with `is_ongoing` the session remembers its run under way."""
    with open_session(plan, progress, cut_off) as session:
        yield OngoingSession(session) if is_ongoing else session


@contextmanager
def open_plan_pool(
    plan: Plan,
    *,
    size: int = 1,
    width: int | None = None,
    progress: OnDownload | None = None,
    is_ongoing: bool = False,
    cut_off: CutOff | None = None,
    on_work: OnWork = ignore_work,
) -> Iterator[SessionPool]:
    """The pool of a plan: `size` sessions of this machine, or the farm that the plan's settings name.

    `width` is how many jobs may be under way on a farm, by default `size`. After the moment of `cut_off` the sessions
    of this machine begin no job and answer none; `on_work` is told what they work on.
    """
    if not plan.device.farm:

        def opened() -> AbstractContextManager[Session]:
            return open_plan(plan, progress, is_ongoing=is_ongoing, cut_off=cut_off)

        with open_pool(opened, size=size, tries=TRIES, cut_off=cut_off, on_work=on_work) as pool:
            yield pool
        return
    from fewtaps.farm.address import parse_address, require_engine

    address = parse_address(plan.device.farm)
    require_engine()
    from fewtaps.farm.pool import open_farm_pool

    opener = PlanOpener(replace(plan, device=replace(plan.device, farm="")), is_ongoing)
    with open_farm_pool(address, opener, size=size, width=width or size) as farm:
        yield farm
