"""ExploreParameters: the paper's numbers are the defaults, and nonsense is refused in one line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from fewtaps.errors import UsageError
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters, read_parameters
from fewtaps.explore.strategies import STRATEGIES


def test_the_defaults_are_those_of_the_paper() -> None:
    parameters = DEFAULT_PARAMETERS
    assert (parameters.queue_length, parameters.max_no_progress) == (10, 200)
    assert (parameters.frequent_share, parameters.easy_share) == (0.2, 0.8)
    assert (parameters.path_length, parameters.reward, parameters.penalty) == (3, 0.1, 0.1)
    assert parameters.interesting_factor == 6


def test_reads_assignments_and_keeps_the_others() -> None:
    assert read_parameters(["queue_length=20", "easy-share=0.5"]) == ExploreParameters(queue_length=20, easy_share=0.5)
    assert read_parameters([]) == DEFAULT_PARAMETERS


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("queue=20", "no parameter 'queue'"),
        ("queue_length=many", "not a whole number: 'many'"),
        ("queue_length=1e3", "not a whole number: '1e3'"),
        ("easy_share=much", "not a number: 'much'"),
        ("queue_length=0", "queue_length: at least 1"),
        ("easy_share=1.5", "easy_share: between 0 and 1"),
        ("penalty=1", "penalty: between 0 and 0.999"),
        ("reward=nan", "reward"),
        ("path_length=-1", "path_length"),
        ("queue_length", "not a whole number"),
    ],
)
def test_refuses_what_makes_no_sense(assignment: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_parameters([assignment])
    assert "\n" not in str(caught.value)


def test_the_documentation_names_every_parameter_and_strategy() -> None:
    page = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text("utf-8")
    for field in fields(ExploreParameters):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{field.name}` |"))
        assert f"| {getattr(DEFAULT_PARAMETERS, field.name):g} |" in row
    for name in STRATEGIES:
        assert f"| `{name}` |" in page
