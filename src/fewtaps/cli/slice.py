"""`fewtaps slice`: why a crash happened, as text for a person, JSON for a program, or a file for another tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from fewtaps.cli.crashes import ID_LETTERS, what_text
from fewtaps.cli.terminal import Terminal, counted, show_download, warn
from fewtaps.config import SLICE_FORMATS, SliceSettings, require_one_of
from fewtaps.errors import UsageError
from fewtaps.model import words
from fewtaps.model.event import printable
from fewtaps.model.slice import DependenceKind, Life, Slice, SlicedLine, joined_steps, slice_to_json
from fewtaps.pipeline.slicing import (
    MadeSlice,
    SlicedCrash,
    is_project,
    slice_file,
    slice_project,
    write_slice,
)

MOST_LINES = 25
"""Lines that are printed with their reasons; the rest is folded by method."""
MOST_METHODS = 12
MOST_SENTENCES = 8
MOST_STEPS = 40
MOST_NAMES = 4
WRONG = 1
"""The exit code if the self-check finds a value that is not as the slice says."""


def run_slice(
    subject: str,
    steps: str | None,
    settings: SliceSettings,
    written: str | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Slices a crash of a project, all of its crashes, or a trace; 1 if `--check` finds a wrong value, else 0."""
    if written is not None:
        require_one_of("--format", written, SLICE_FORMATS)
        if as_json:
            raise UsageError("--format and --json: one at a time; --format json writes the slice alone")
    if output is not None and written is None:
        raise UsageError(f"-o is for a file of another tool: say which with --format, {', '.join(SLICE_FORMATS)}")
    terminal = Terminal(as_json)
    terminal.busy(f"slicing {printable(subject, 200)}")
    if not is_project(Path(subject)):
        if steps is None:
            raise UsageError(f"{printable(subject, 200)}: no project folder; to slice a trace: fewtaps slice APK TRACE")
        return _print_made(terminal, slice_file(subject, steps, settings, show_download), settings, written, output)
    if settings.at is not None:
        raise UsageError("a line is for a trace: fewtaps slice APK TRACE FILE:LINE")
    return _slice_crashes(terminal, Path(subject), steps, settings, written, output)


def _slice_crashes(
    terminal: Terminal,
    folder: Path,
    name: str | None,
    settings: SliceSettings,
    written: str | None,
    output: Path | None,
) -> int:
    code = 0
    sliced = list(slice_project(folder, name, settings, show_download))
    if written is not None and len(sliced) > 1:
        raise UsageError(f"--format: {folder} has {len(sliced)} crashes; name one of them")
    for each in sliced:
        if each.failure is not None:
            if len(sliced) == 1:
                raise each.failure
            warn(f"{each.case.row.fingerprint[:ID_LETTERS]}: {printable(str(each.failure), 500)}")
            terminal.document({"id": each.case.row.fingerprint, "failure": str(each.failure)})
        elif each.made is not None:
            code = max(code, _print_made(terminal, each.made, settings, written, output, each))
        elif each.slice is not None:
            _print(terminal, each.slice, settings, written, output, each)
    return code


def _print_made(
    terminal: Terminal,
    made: MadeSlice,
    settings: SliceSettings,
    written: str | None,
    output: Path | None,
    of: SlicedCrash | None = None,
) -> int:
    if settings.log:
        for line in made.log:
            terminal.line(printable(line, 500))
            terminal.document({"executed": line})
        return 0
    if made.why:
        for line in made.why:
            terminal.line(printable(line, 500))
        terminal.document({"why": list(made.why)})
        return 0
    _print(terminal, made.slice, settings, written, output, of)
    for line in made.check:
        terminal.line(printable(line, 500))
    if settings.check:
        terminal.document({"check": {"mistakes": made.mistakes, "lines": list(made.check)}})
    return WRONG if made.mistakes else 0


def _print(
    terminal: Terminal,
    made: Slice,
    settings: SliceSettings,
    written: str | None,
    output: Path | None,
    of: SlicedCrash | None,
) -> None:
    shown = made.thinned() if settings.thin else made
    if written is not None:
        text = write_slice(shown, written, output)
        if output is None:
            terminal.raw(text)
        else:
            terminal.line((written.upper(), "bold"), f": {printable(str(output), 200)}")
        return
    name = {} if of is None else {"id": of.case.row.fingerprint}
    terminal.document({**name, "slice": slice_to_json(shown)})
    if of is not None:
        crash = of.case.row.crash
        terminal.line((of.case.row.fingerprint[:ID_LETTERS], "bold"), "  ", (what_text(crash), "bad"))
    elif shown.crash:
        terminal.line((printable(shown.crash, 160), "bad"))
    print_slice(terminal, shown)
    terminal.line()


def print_slice(terminal: Terminal, made: Slice) -> None:
    """The slice for a person: steps, the value's life, lines by distance, what did not happen, guesses."""
    terminal.line("Sliced from ", (printable(made.criterion, 200), "bold"))
    for note in made.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    _print_steps(terminal, made)
    if made.life:
        terminal.line()
        terminal.line(("Where the value came from", "bold"))
        for station in _both_ends(made.life):
            if station is None:
                terminal.line("  …")
                continue
            where = f"  {printable(station.place.source_name, 80)}, step {station.step}"
            terminal.line(f"  {printable(station.station, 20):7} ", printable(station.sentence, 200), (where, "dim"))
    terminal.line()
    own = [line for line in made.lines if line.place.is_app or line.kind is DependenceKind.CRITERION]
    terminal.line(("Lines", "bold"), f", nearest first ({_size(made)})")
    width = max((len(printable(line.place.source_name, 40)) for line in own[:MOST_LINES]), default=0)
    for line in own[:MOST_LINES]:
        _print_line(terminal, line, width)
    _print_folded(terminal, "more", own[MOST_LINES:])
    _print_folded(terminal, "of libraries", [line for line in made.lines if line not in own])
    if made.omissions:
        terminal.line()
        terminal.line(("What did not happen", "bold"))
        for each in made.omissions[:MOST_SENTENCES]:
            terminal.line(f"  {printable(each.sentence, 500)}", (f"  {printable(each.place.source_name, 80)}", "dim"))
    if made.guesses:
        terminal.line()
        terminal.line(("Guessed", "bold"), ", because there is no code of them here; --summaries can tell")
        for guess in made.guesses[:MOST_SENTENCES]:
            terminal.line(f"  {printable(guess.call, 160)}", (f"  {counted(guess.lines, 'line')}", "dim"))


def _print_steps(terminal: Terminal, made: Slice) -> None:
    """The steps that matter; those between them are counted."""
    terminal.line()
    terminal.line(("Steps that matter", "bold"), f" (world {made.world})")
    last = -1
    for number in made.steps[:MOST_STEPS]:
        if number != last + 1:
            terminal.line("      ", (f"… {counted(number - last - 1, 'step')} in which no line of it ran", "dim"))
        text = made.step_texts[number] if number < len(made.step_texts) else ""
        terminal.line(f"{number:4}. ", (printable(text, 160), "bold"))
        last = number
    if len(made.steps) > MOST_STEPS:
        terminal.line("      ", (f"… {counted(len(made.steps) - MOST_STEPS, 'step')} more", "dim"))
    for (source, target, kind), names in list(joined_steps(made).items())[:MOST_SENTENCES]:
        named = [printable(name, 40) for name in names]
        more = f" and {len(named) - MOST_NAMES} more" if len(named) > MOST_NAMES else ""
        what = f" by {', '.join(named[:MOST_NAMES])}{more}" if named else ""
        sentence = (
            f"step {source} depends on step {target}{what}" if source != target else f"within step {source}{what}"
        )
        terminal.line("      ", (f"{sentence} ({kind.value})", "dim"))


def _both_ends(life: Sequence[Life]) -> Iterator[Life | None]:
    """The stations of a life; of a long one the first and the last, and None for those between."""
    if len(life) <= MOST_SENTENCES + 1:
        yield from life
        return
    yield from life[: MOST_SENTENCES // 2]
    yield None
    yield from life[-MOST_SENTENCES // 2 :]


def _print_line(terminal: Terminal, line: SlicedLine, width: int) -> None:
    value = f"  = {printable(line.value, 60)}" if line.value is not None else ""
    where = f"{printable(line.place.source_name, 40):{width}}"
    style = "bad" if line.kind is DependenceKind.CRITERION else "bold"
    terminal.line(f"  {where}  ", (printable(line.code, 100), style), (value, "warn"))
    times = f", {line.count} times" if line.count > 1 else ""
    steps = f" [{words.steps(line.steps)}{times}]" if line.steps else ""
    reason = f": {printable(line.reason, 200)}" if line.reason else ""
    terminal.line(" " * (width + 4), (f"{words.DEPENDENCES[line.kind]}{reason}{steps}", "dim"))


def _print_folded(terminal: Terminal, title: str, lines: Sequence[SlicedLine]) -> None:
    """Lines by method, the method with most lines first."""
    if not lines:
        return
    counts = Counter(line.place.method_name for line in lines)
    terminal.line(f"  … {counted(len(lines), 'line')} {title}, by method:")
    for name, count in counts.most_common(MOST_METHODS):
        terminal.line("    ", (f"{printable(name, 120)}: {counted(count, 'line')}", "dim"))
    if len(counts) > MOST_METHODS:
        terminal.line("    ", (f"… {counted(len(counts) - MOST_METHODS, 'method')} more", "dim"))


def _size(made: Slice) -> str:
    size = made.size
    if not size.executed_lines:
        return counted(len(made.lines), "line")
    return f"{counted(len(made.lines), 'line')} of {size.executed_lines} that ran"
