"""The parameters, the prior and the schedule of a reduction by repeated runs, from the user's settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from fewtaps.cache import cache_dir
from fewtaps.config import FlakySettings
from fewtaps.errors import UsageError
from fewtaps.files import read_named_text
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.schedule import Greedy, RoundRobin, Schedule
from fewtaps.store.database import Store

LARGEST_PRIOR = 16 << 20


def parameters_for(flaky: FlakySettings) -> Nd3minParameters:
    """The settings as ND3MIN's parameters: where none are given, the paper's shares of the repeats."""
    usual = Nd3minParameters()
    needed = flaky.needed or max(1, round(flaky.repeats * usual.rate))
    share = round(flaky.repeats * usual.precheck / usual.runs)
    precheck = min(share, needed) if flaky.precheck is None else flaky.precheck
    return Nd3minParameters(flaky.repeats, needed, flaky.parts, flaky.per_step, precheck)


def schedule_for(
    flaky: FlakySettings, parameters: Nd3minParameters, prior: Prior, progress: Callable[[float], None] | None = None
) -> Schedule:
    """A schedule of ND3MIN by name; the optimal one may have to be solved first, with `progress` as its share done."""
    match flaky.schedule:
        case "greedy":
            return Greedy(parameters)
        case "round-robin":
            return RoundRobin(parameters)
        case "mdp":
            from fewtaps.reducing.nd3min.optimal import Optimal, optimal_policy

            return Optimal(parameters, optimal_policy(parameters, prior, cache=policy_folder(), progress=progress))
    return Heuristic(parameters)


def policy_folder() -> Path:
    """Where solved schedules are kept for all projects."""
    return cache_dir() / "policies"


def prior_for(flaky: FlakySettings, store: Store) -> Prior:
    """The prior of a file, or the one learned in the project, or the paper's."""
    if flaky.prior is not None:
        return read_prior(flaky.prior)
    learned = store.trials.load_prior()
    return Prior.paper() if learned is None else Prior.from_json(learned.content)


def read_prior(path: Path) -> Prior:
    """The prior in a file, as `fewtaps prior show --json` writes it."""
    text = read_named_text(path, LARGEST_PRIOR, "a prior")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path}: not a prior, which is an object with rates and weights")
    try:
        return Prior.from_json(content.get("prior", content))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
