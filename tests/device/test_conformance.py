"""One file, every backend as a parameter; one that is absent skips and says why.

The twin's subject comes from `tests/integration/twin_subject.py`: a function `open_subject()` that returns a context
manager with a `Subject`. It is opened once for all checks, because a cold start takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import pytest

from fewtaps.device.conformance import CHECKS, Check, NotConforming, Subject
from fewtaps.device.session import Capability
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import notes_app
from fewtaps.errors import UnsupportedApp
from fewtaps.model.app import App
from fewtaps.model.event import Selector, Tap, Wait
from fewtaps.model.screen import Screen


def target(screen: Screen, text: str) -> Tap:
    """A tap on the widget that shows the text."""
    widget = next(widget for widget in screen.iter_widgets() if widget.text == text)
    return Tap(*widget.bounds.centre)


@contextmanager
def simulated_subject(*, worlds: bool = True) -> Iterator[Subject]:
    program = notes_app()
    device = SimulatedDevice([program], worlds=worlds)
    with device.open(program.app) as session:
        first = session.launch().after
        yield Subject(
            session,
            changes=(target(first, "Sync"), target(first, "Save"), Wait(3000)),
            crashes=(target(first, "Urgent"), target(first, "Save")),
            field=Selector(resource_id="com.example.notes:id/title"),
            device=device,
        )


def twin_subject() -> AbstractContextManager[Subject]:
    if find_spec("integration") is None or find_spec("integration.twin_subject") is None:
        pytest.skip("there is no tests/integration/twin_subject.py")
    opened: AbstractContextManager[Subject] = import_module("integration.twin_subject").open_subject()
    return opened


SUBJECTS: dict[str, Callable[[], AbstractContextManager[Subject]]] = {
    "simulated": simulated_subject,
    "without worlds": partial(simulated_subject, worlds=False),
    "twin": twin_subject,
}


@pytest.fixture(
    scope="module",
    params=["simulated", "without worlds", pytest.param("twin", marks=pytest.mark.jvm)],
)
def subject(request: pytest.FixtureRequest) -> Iterator[Subject]:
    with SUBJECTS[request.param]() as opened:
        yield opened


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_backend(check: Check, subject: Subject) -> None:
    check(subject)


def test_every_check_is_in_the_list() -> None:
    module = import_module("fewtaps.device.conformance")
    checks = {
        value
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__annotations__", {}).get("subject") == "Subject"
    }
    assert checks == set(CHECKS)


def test_a_session_that_lies_is_found_out() -> None:
    class Forgetful:
        """Hands on everything but reports a clock that never moves."""

        def __init__(self, subject: Subject) -> None:
            self.session = subject.session

        def __getattr__(self, name: str) -> object:
            return getattr(self.session, name)

        def perform(self, event: object) -> object:
            from dataclasses import replace

            return replace(self.session.perform(event), clock_ms=0)  # type: ignore[arg-type]

    with simulated_subject() as opened:
        lying = Subject(Forgetful(opened), opened.changes, opened.crashes)  # type: ignore[arg-type]
        failed = []
        for check in CHECKS:
            try:
                check(lying)
            except NotConforming:
                failed.append(check.__name__)
    assert "waiting_moves_the_clock" in failed
    assert "a_crash_is_data" not in failed


def test_the_simulated_device_says_which_apps_it_has() -> None:
    with pytest.raises(UnsupportedApp, match=r"com\.example\.notes"):
        SimulatedDevice([notes_app()]).open(App("com.other"))


def test_the_simulated_device_has_no_java() -> None:
    assert Capability.JACOCO not in SimulatedDevice().capabilities
