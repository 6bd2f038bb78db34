"""Result files of benchmarks, and the page that is made from them."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
NAMES = sorted(path.stem for path in (BENCHMARKS / "results").glob("*.json"))


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("results")


@pytest.fixture
def page(results: Any) -> Any:
    return import_module("page")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_file_is_read_and_written_without_loss(results: Any, name: str) -> None:
    text = (BENCHMARKS / "results" / f"{name}.json").read_text("utf-8")
    assert results.to_json(results.from_json(text)) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_result_file_says_when_where_and_how_it_was_measured(results: Any, name: str) -> None:
    result = results.load(name)
    assert result.date == "unknown" or re.fullmatch(r"\d{4}-\d\d-\d\d", result.date)
    assert result.command
    assert result.commit != "unknown" or re.fullmatch(r"[0-9a-f]{7}", result.recorded_in)
    assert result.tables or result.values


@pytest.mark.parametrize("name", [name for name in NAMES if name != "earlier"])
def test_every_result_file_has_a_command_of_ours(results: Any, name: str) -> None:
    script = next(word for word in results.load(name).command.split() if "/" in word)
    assert (BENCHMARKS.parent / script).is_file()


def test_the_page_shows_every_table_and_every_file(page: Any, results: Any) -> None:
    template = page.TEMPLATE.read_text("utf-8")
    shown = set(re.findall(r'table\("(\w+)", "(\w+)"\)', template))
    there = {(name, table) for name in NAMES for table in results.load(name).tables}
    # Of an ablation the page shows the worth of the ideas, not each exploration.
    raw = {(name, table) for name in ("ablation", "ablation_longer") for table in ("worths", "explorations")}
    raw.add(("width", "explorations"))
    # The tables of the survey stand in docs/twin.md.
    raw |= {("survey", name) for name in ("groups", "failures", "crashes")}
    # The table of damaged inputs stands in docs/security.md.
    raw.add(("fuzz", "readers"))
    # What stands below `has` of itself may be measured later.
    optional = set(re.findall(r'if has\("(\w+)", "(\w+)"\)', template))
    optional |= {(name, table) for name, table in shown if any(name == each for each, _ in optional)}
    assert shown - optional - {("ablation", "ideas")} <= there
    assert there - shown <= raw


def test_a_new_figure_changes_the_page_and_nothing_else_does(page: Any, results: Any) -> None:
    template = '{{ measured("it") }}\n\n{{ table("it", "t") }}\n\nTwice {{ cell("it", "t", "a", "ratio") }}.'
    machine = results.Machine(processor="a processor", cores=2, load_average=(0.5,))
    old = results.Result(
        "2030-01-02",
        "abcdef0",
        "python x.py",
        machine,
        None,
        {"t": results.table(["", ("ratio", "{:.2f}")], [("a", 2)])},
    )
    new = replace(old, tables={"t": results.table(["", ("ratio", "{:.2f}")], [("a", 2.5)])})
    assert page.render(template, {"it": old}) == (
        "Measured on 2030-01-02 at commit abcdef0 by `python x.py`: a processor, 2 cores, load average 0.5 before the "
        "start.\n\n|  | ratio |\n| --- | --- |\n| a | 2.00 |\n\nTwice 2.00.\n"
    )
    assert page.render(template, {"it": new}) == page.render(template, {"it": old}).replace("2.00", "2.50")


def test_a_name_that_is_in_no_result_file_is_an_error(page: Any) -> None:
    with pytest.raises(KeyError):
        page.render('{{ value("it", "seeds") }}', {})


def test_wrapping_keeps_code_tables_and_lists(page: Any) -> None:
    wrap = import_module("wrapping").wrap
    words = " ".join(["word"] * 40)
    code = f"```\n{words}\n```\n"
    row = f"| {words} |\n|---|\n"
    assert wrap(code) == code and wrap(row) == row and wrap(f"    {words}\n") == f"    {words}\n"
    item = wrap(f"- {words}\n  {words}\n- next\n").splitlines()
    assert [line[:2] for line in item] == ["- ", "  ", "  ", "  ", "- "]
    assert all(len(line) <= 120 for line in item)
    assert wrap(f"{words} `{words[:100]}` - 1. {words}\n").count("`") == 2
    assert not re.search(r"^(- |1\. )", wrap(f"{'x' * 117} - {'y' * 116} 1. {words}\n"), re.MULTILINE)
    text = (BENCHMARKS.parent / "README.md").read_text("utf-8")
    assert wrap(wrap(text)) == wrap(text)
