"""`fewtaps doctor`: what this machine has, what to do about the rest, and a bundle for a bug report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.logs import PROJECT_FILE, log_files
from fewtaps.cli.terminal import Terminal
from fewtaps.device.backend import Health, HealthCheck
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.health import diagnose, verdict

MARKS = {
    Health.GOOD: ("✓", "good"),
    Health.LATER: ("↓", "warn"),
    Health.OPTIONAL: ("-", "dim"),
    Health.BAD: ("✗", "bad"),
}


def run_doctor(bundle: Path | None, project: Path | None, as_json: bool) -> int:
    """Prints every check as it is made, and packs the bundle; 3 if the default device cannot run here, else 0."""
    if project is not None and bundle is None:
        raise UsageError("--dir names the project to pack: give --bundle too, or leave it out")
    terminal = Terminal(as_json)
    checks = []
    for check in diagnose():
        checks.append(check)
        mark, style = MARKS[check.health]
        terminal.line((f"{mark} ", style), (f"{check.name:8}", "bold"), check.found)
        if check.advice:
            terminal.line(" " * 10, (check.advice, "dim"))
    healthy = all(check.health is not Health.BAD for check in checks)
    document: dict[str, object] = {
        "healthy": healthy,
        "checks": [
            {"name": each.name, "health": each.health.value, "found": each.found, "advice": each.advice}
            for each in checks
        ],
    }
    terminal.line()
    terminal.line((verdict(checks), "good" if healthy else "bad"))
    if bundle is not None:
        document["bundle"] = _pack(terminal, bundle, project, checks)
    terminal.document(document)
    return 0 if healthy else 3


def _pack(terminal: Terminal, target: Path, project: Path | None, checks: Sequence[HealthCheck]) -> dict[str, object]:
    from fewtaps.pipeline.bundling import write_bundle

    if project is None and (target / PROJECT_FILE).is_file():
        project = target
    bundle = write_bundle(target, project, checks, tuple(log_files(project)))
    terminal.line()
    terminal.line(f"Packed into {printable(str(bundle.path), 300)}:")
    for name in bundle.files:
        terminal.line(f"  {name}")
    terminal.line("No app, screenshot or trace is in it. Look it through before you send it.")
    return {"path": str(bundle.path), "files": list(bundle.files)}
