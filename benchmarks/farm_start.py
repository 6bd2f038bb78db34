#!/usr/bin/env python3
"""Measures what the farm costs commands that use none: their time with Dask installed, and with Dask hidden.

Run: python benchmarks/farm_start.py [--times N] [--write]

Each command runs so many times with each, alternating; the median of its seconds counts. `--write` writes
benchmarks/results/farm_start.json.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from results import Cell, load_average, measured, save, shown, table, this_machine

HIDING = """
import sys
hidden = {"dask", "distributed", "tornado"}
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(name)
if sys.argv.pop(1) == "hidden":
    sys.meta_path.insert(0, Finder())
from fewtaps.cli.main import main
code = main(sys.argv[1:])
loaded = sorted(hidden & set(sys.modules))
sys.exit(f"imported: {loaded}" if loaded else code)
"""


def seconds(which: str, command: list[str]) -> float:
    """How long a command takes; ends this program if it fails or imports the engine."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", HIDING, which, *command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def main() -> int:
    options = parse()
    load = load_average()
    rows: list[list[Cell]] = []
    with tempfile.TemporaryDirectory() as name:
        commands = {
            "--help": ["--help"],
            "farm --help": ["farm", "--help"],
            "run without --farm": ["run", "sim:feed", "--events", "30", "--json"],
        }
        for words, command in commands.items():
            found: dict[str, list[float]] = {"installed": [], "hidden": []}
            for number in range(options.times):
                for which, times in found.items():
                    folder = ["-o", str(Path(name) / f"{which}-{number}")] if command[0] == "run" else []
                    times.append(1000 * seconds(which, [*command, *folder]))
            installed, hidden = (statistics.median(each) for each in found.values())
            rows.append([words, installed, hidden, installed / hidden])
    columns = [("with Dask installed, ms", "{:.0f}"), ("with Dask hidden, ms", "{:.0f}"), ("ratio", "{:.2f}")]
    tables = {"commands": table(["command", *columns], rows)}
    print(shown(tables["commands"]))
    if options.write:
        save("farm_start", measured(this_machine(load=load), tables, {"times": options.times}))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
