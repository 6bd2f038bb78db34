"""`fewtaps doctor`: what this machine has, and what to do about the rest."""

from __future__ import annotations

from fewtaps.cli.terminal import Terminal
from fewtaps.device.backend import Health
from fewtaps.pipeline.health import diagnose, verdict

MARKS = {
    Health.GOOD: ("✓", "good"),
    Health.LATER: ("↓", "warn"),
    Health.OPTIONAL: ("-", "dim"),
    Health.BAD: ("✗", "bad"),
}


def run_doctor(as_json: bool) -> int:
    """Prints every check as it is made; 3 if the default device cannot run here, else 0."""
    terminal = Terminal(as_json)
    checks = []
    for check in diagnose():
        checks.append(check)
        mark, style = MARKS[check.health]
        terminal.line((f"{mark} ", style), (f"{check.name:8}", "bold"), check.found)
        if check.advice:
            terminal.line(" " * 10, (check.advice, "dim"))
    healthy = all(check.health is not Health.BAD for check in checks)
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
    terminal.line((verdict(checks), "good" if healthy else "bad"))
    return 0 if healthy else 3
