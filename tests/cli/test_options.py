"""Groups of options: how they become parameters of a command, and that commands stay short."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import pytest
import typer

from fewtaps.cli import commands, options
from fewtaps.cli.commands import COMMANDS
from fewtaps.cli.grouping import Without, expanded, group_of
from fewtaps.cli.main import main

MOST_PARAMETERS = 12


@dataclass(frozen=True)
class Fruit:
    """A group for these tests."""

    apples: Annotated[int, typer.Option("--apples", help="How many.")] = 1
    pears: Annotated[int, typer.Option("--pears", help="How many.")] = 2


def eaten() -> tuple[list[Any], Any]:
    seen: list[Any] = []

    def eat(*, name: str, fruit: Annotated[Fruit, Without("pears")], loud: bool = False) -> None:
        """Eats."""
        seen.append((name, fruit, loud))

    return seen, expanded(eat)


def test_a_group_stands_as_its_options() -> None:
    _, command = eaten()
    assert list(inspect.signature(command).parameters) == ["name", "apples", "loud"]
    assert command.__doc__ == "Eats."


def test_a_command_gets_its_group_back() -> None:
    seen, command = eaten()
    command(name="Eve", apples=5, loud=True)
    assert seen == [("Eve", Fruit(5), True)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_a_command_has_at_most_a_dozen_parameters_of_its_own(command: Any) -> None:
    hints = get_type_hints(command, include_extras=True)
    own = [name for name, hint in hints.items() if name != "return" and group_of(hint) is None]
    assert len(own) <= MOST_PARAMETERS, own


def test_no_option_is_written_twice() -> None:
    written: list[str] = []
    for module in (commands, options):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("typer.Option", "typer.Argument"):
                written.append(ast.unparse(node))
    assert len(written) > 50
    assert [text for text, count in Counter(written).items() if count > 1] == []


def test_every_command_is_registered() -> None:
    functions = {
        value
        for value in vars(commands).values()
        if inspect.isfunction(value) and value.__module__ == commands.__name__ and value is not commands.register
    }
    assert functions == set(COMMANDS)


def test_an_option_of_flaky_reductions_is_refused_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reduce", "sim:bill", "crash.jsonl", "--per-step", "3"]) == 2
    assert "--per-step is for flaky reductions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("jail", "no_jail", "jailed"),
    [
        (None, False, True),
        ("auto", False, True),
        ("bubblewrap", False, True),
        ("none", False, False),
        (None, True, False),
        ("none", True, False),
    ],
)
def test_a_jail_is_wanted_unless_none_is_named(jail: str | None, no_jail: bool, jailed: bool) -> None:
    assert options.DeviceOptions(jail=jail, no_jail=no_jail).settings.jail is jailed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jail", "firejail"], "fewtaps: --jail: 'firejail' is none of auto, bubblewrap, none\n"),
        (["--jail", "auto", "--no-jail"], "fewtaps: --jail auto and --no-jail: one of them\n"),
    ],
)
def test_a_jail_that_is_none_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "sim:bill", *words]) == 2
    assert capsys.readouterr().err == message
