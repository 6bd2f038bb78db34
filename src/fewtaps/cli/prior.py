"""`fewtaps prior`: learns the distribution of candidates' rates, and prints it with bars."""

from __future__ import annotations

from pathlib import Path

from fewtaps.cli.terminal import Terminal
from fewtaps.errors import UsageError
from fewtaps.pipeline.learning import PriorSource, learn_prior, shown_prior

ACTIONS = ("show", "learn")
BAR = 50


def run_prior(action: str, folder: Path | None, as_json: bool) -> None:
    """Learns or shows a prior."""
    if action not in ACTIONS:
        raise UsageError(f"prior {action}: there are {' and '.join(ACTIONS)}")
    if action == "learn" and folder is None:
        raise UsageError("prior learn: say from which project: its folder, or with --dir")
    belief = learn_prior(folder) if action == "learn" and folder is not None else shown_prior(folder)
    _print(Terminal(as_json), belief)


def _print(terminal: Terminal, belief: PriorSource) -> None:
    if belief.learned is None:
        terminal.line("The prior that ships, of the shape in the paper. Rate, and its probability:")
    else:
        terminal.line(
            f"Learned from {belief.candidates} candidates and {belief.runs} runs of them, {belief.learned}."
            " Rate, and its probability:"
        )
    most = max(belief.prior.weights)
    for rate, weight in zip(belief.prior.rates, belief.prior.weights, strict=True):
        terminal.line(f"  {rate:5.0%}  {weight:6.3f}  ", ("█" * round(weight / most * BAR), "good"))
    terminal.line(f"A candidate does it in {belief.prior.mean:.0%} of runs on average.")
    terminal.document(
        {
            "prior": belief.prior.to_json(),
            "learned": belief.learned,
            "candidates": belief.candidates,
            "runs": belief.runs,
        }
    )
