"""`fewtaps doctor`: what this machine has, and what to do about the rest."""

from __future__ import annotations

from fewtaps.cli.terminal import Terminal
from fewtaps.pipeline.health import Health, diagnose

MARKS = {
    Health.GOOD: ("✓", "good"),
    Health.LATER: ("↓", "warn"),
    Health.OPTIONAL: ("-", "dim"),
    Health.BAD: ("✗", "bad"),
}


def run_doctor(as_json: bool) -> int:
    """Prints every check as it is made; 3 if the twin cannot run here, else 0."""
    terminal = Terminal(as_json)
    checks = []
    for check in diagnose():
        checks.append(check)
        mark, style = MARKS[check.health]
        terminal.line((f"{mark} ", style), (f"{check.name:8}", "bold"), check.found)
        if check.advice:
            terminal.line(" " * 10, (check.advice, "dim"))
    bad = [check.name for check in checks if check.health is Health.BAD]
    healthy = not bad
    terminal.document(
        {
            "healthy": healthy,
            "checks": [
                {"name": each.name, "health": each.health.value, "found": each.found, "advice": each.advice}
                for each in checks
            ],
        }
    )
    terminal.line()
    terminal.line((_verdict(bad), "good" if healthy else "bad"))
    return 0 if healthy else 3


def _verdict(bad: list[str]) -> str:
    if not bad:
        return "The twin can run here."
    if bad == ["jail"]:
        return "The twin runs here only with --no-jail, which is for apps you trust: nothing would confine them."
    return "The twin cannot run here yet."
