"""Programs for the machine of `assembler`, and what tests ask of their slices."""

from __future__ import annotations

from slicing.assembler import Machine, Thing, Thrown

from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.slice import Slice

LISTS = {
    "java.util.ArrayList.<init>": lambda machine, values: None,
    "java.util.List.add": lambda machine, values: values[0].elements.append(values[1]) or 1,
    "java.util.List.get": lambda machine, values: values[0].elements[values[1]],
    "java.util.List.size": lambda machine, values: len(values[0].elements),
    "java.util.HashMap.<init>": lambda machine, values: None,
    "java.util.Map.put": lambda machine, values: values[0].fields.__setitem__(values[1], values[2]),
    "java.util.Map.get": lambda machine, values: values[0].fields.get(values[1]),
    "android.util.Log.d": lambda machine, values: 0,
}


def machine(file: str = "Main.java") -> Machine:
    """An empty machine that knows lists, maps and the log."""
    made = Machine(file)
    made.beyond.update(LISTS)
    return made


def crash_in(made: Machine, method: str, *values: object, line: int, at: str | None = None) -> Crash:
    """Calls a method that has to fail, and the crash with its stack; `at` is the method that threw."""
    try:
        made.call(method, *values)  # type: ignore[arg-type]
    except Thrown as thrown:
        owner, _, name = (at or method).rpartition(".")
        frames = (Frame(owner, name, made.file, line),)
        return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo(thrown.thing.kind, None, frames),))
    raise AssertionError(f"{method} did not fail")


def lines(found: Slice) -> list[int]:
    """The lines of a slice, sorted."""
    return sorted({line.place.line for line in found.lines})


def calc() -> tuple[Machine, Thing]:
    """`MainActivity` of the sample `calc`, line by line; its constructor has run."""
    made = machine("MainActivity.java")
    made.beyond |= {
        "android.app.Activity.<init>": lambda machine, values: None,
        "android.app.Activity.findViewById": lambda machine, values: machine.thing("TextView"),
        "java.lang.String.valueOf": lambda machine, values: str(values[0]),
        "android.widget.TextView.setText": lambda machine, values: None,
    }
    made.method(
        "MainActivity.<init>() outside",
        """
        9 beyond android.app.Activity.<init>:()V this
        10 one = const 1
        10 putfield this width one
        11 uno = const 1
        11 putfield this height uno
        11 return
        """,
    )
    for name, number in (("width", 20), ("height", 26)):
        made.method(
            f"MainActivity.{name}DecrementClick(view) outside",
            f"""
            {number} old = getfield this {name}
            {number} one = const 1
            {number} new = math isub old one
            {number} putfield this {name} new
            {number + 1} id = const 7
            {number + 1} found = beyond android.app.Activity.findViewById:(I)Landroid/view/View; this id
            {number + 1} store text found
            {number + 2} again = getfield this {name}
            {number + 2} words = beyond java.lang.String.valueOf:(I)Ljava/lang/String; again
            {number + 2} shown = load text
            {number + 2} beyond android.widget.TextView.setText:(Ljava/lang/CharSequence;)V shown words
            {number + 3} return
            """,
        )
    made.method(
        "MainActivity.compressImageClick(view) outside",
        """
        32 wide = getfield this width
        32 high = getfield this height
        32 ratio = math idiv wide high
        32 store maxRatio ratio
        33 return
        """,
    )
    this = made.thing("MainActivity")
    made.event(0)
    made.call("MainActivity.<init>", this)
    return made, this
