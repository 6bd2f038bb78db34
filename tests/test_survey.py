"""`scripts/survey` tells of each app how it got on, and the reason where it did not come up."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from builders import APP, screen, widget

from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode
from fewtaps.model.event import Launch
from fewtaps.model.trace import Step, Trace

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    loader = SourceFileLoader("survey_script", str(ROOT / "scripts" / "survey"))
    spec = importlib.util.spec_from_loader("survey_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["survey_script"] = module
    loader.exec_module(module)
    return module


def episode(step: Step, number: int = 0) -> Episode:
    return Episode(number, Trace(APP, (step,)))


def test_an_app_with_a_window_of_its_own_came_up(script: ModuleType) -> None:
    assert script.state_of([episode(Step(Launch(), after=screen(widget("OK"))))], "com.example.app") == "up"


def test_an_app_that_hands_over_to_another_app_at_once_leaves_for_what_the_device_noted(script: ModuleType) -> None:
    note = "left to another app: android.intent.action.VIEW https:"
    left = [episode(Step(Launch(), ending=Ending.LEFT)), episode(Step(Launch(), ending=Ending.LEFT, notes=(note,)), 1)]
    assert script.state_of(left, "com.example.app") == "leaves at once"
    assert script.left_for(left) == note


def test_an_app_that_leaves_without_a_note_still_has_a_reason(script: ModuleType) -> None:
    assert "without a note" in script.left_for([episode(Step(Launch(), ending=Ending.LEFT))])


def test_the_reason_of_a_crash_at_launch_is_the_crash_and_of_a_refusal_what_the_refusal_says(
    script: ModuleType,
) -> None:
    crash = {"what": "java.lang.IllegalStateException: no server", "suspect": None}
    assert script.reason_of({"state": "crashes at launch", "crashes": [crash]}) == "IllegalStateException: no server"
    refused = {"state": "refused", "reason": "the twin cannot run app.apk: it has no launcher activity"}
    assert script.reason_of(refused) == "it has no launcher activity"
