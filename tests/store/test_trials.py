"""Trials and priors come back equal from the store."""

from __future__ import annotations

from pathlib import Path

from fewtaps.model.result import Verdict
from fewtaps.model.trial import Trial
from fewtaps.store.database import open_store

MET = Trial(Verdict(True, 3, "", "a.Crash", 4), 12, "device 1", True)
MISSED = Trial(Verdict(False, 3, "a.Main", None, 4), 13, "device 2", False)
ALONE = Trial(Verdict(False, 3, "a.Main", None, 4))


def test_trials_come_back_in_their_order_for_their_question_and_candidate(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        trials = store.trials.on("question")
        for trial in (MET, MISSED, ALONE):
            trials.add("candidate", trial)
        store.trials.on("other").add("candidate", MET)
    with open_store(tmp_path) as store:
        trials = store.trials.on("question")
        assert trials.of("candidate") == [MET, MISSED, ALONE]
        assert trials.of("another") == []
        assert len(trials) == 3
        assert trials.all() == {"candidate": [MET, MISSED, ALONE]}


def test_shared_trials_are_not_kept_twice(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        trials = store.trials.on("question")
        trials.add("long", MET)
        trials.share("short", [MET])
        assert trials.of("short") == [MET]
    with open_store(tmp_path) as store:
        assert store.trials.on("question").of("short") == []


def test_counts_leave_out_worlds_in_which_the_best_fails_too(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        trials = store.trials.on("question")
        for trial in (MET, MISSED, ALONE, MET):
            trials.add("candidate", trial)
        trials.add("another", ALONE)
        assert store.trials.counts() == ((2, 1), (0, 1))


def test_the_last_prior_counts(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        assert store.trials.load_prior() is None
        store.trials.save_prior({"rates": [0, 1], "weights": [0.5, 0.5]}, 10, 30)
        store.trials.save_prior({"rates": [0, 1], "weights": [0.25, 0.75]}, 20, 60)
    with open_store(tmp_path) as store:
        row = store.trials.load_prior()
        assert row is not None
        assert (row.candidates, row.trials, row.content["weights"]) == (20, 60, [0.25, 0.75])
