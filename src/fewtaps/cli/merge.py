"""`fewtaps merge`: project folders of one app become one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.terminal import Terminal, counted
from fewtaps.model.event import printable
from fewtaps.pipeline.merging import merge_projects


def run_merge(target: Path, folders: Sequence[Path], as_json: bool) -> None:
    """Joins them and prints what each added, and what could not be joined."""
    terminal = Terminal(as_json)
    merged = merge_projects(target, folders)
    for part in merged.parts:
        name = printable(str(part.folder), 200)
        if part.reason:
            terminal.line((f"{name}: not joined: ", "warn"), printable(part.reason, 300))
            continue
        added = (
            *(counted(part.runs, "run"), counted(part.episodes, "episode")),
            *(counted(part.reductions, "reduction"), counted(part.replays, "replay"), counted(part.slices, "slice")),
        )
        terminal.line(f"{name}: {', '.join(added)} added")
    folder = printable(str(merged.folder), 200)
    terminal.line(("Merged: ", "bold"), f"{printable(merged.app.package)}, {counted(merged.crashes, 'kind')} of crash")
    terminal.line(f"Look with: fewtaps crashes {folder}, coverage, states, report.")
    terminal.document(
        {
            "folder": str(merged.folder),
            "package": merged.app.package,
            "crashes": merged.crashes,
            "parts": [
                {
                    "folder": str(part.folder),
                    "runs": part.runs,
                    "episodes": part.episodes,
                    "reductions": part.reductions,
                    "replays": part.replays,
                    "slices": part.slices,
                    "reason": part.reason or None,
                }
                for part in merged.parts
            ],
        }
    )
