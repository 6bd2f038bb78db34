"""The answers of tools as data. Fields whose names begin with `app_` hold texts of the app, which are untrusted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WidgetAnswer:
    """A widget of the screen; `number` is null for a text that is only read. `label_is` says what the label is."""

    number: int | None
    kind: str
    label_is: str
    app_label: str
    app_id: str | None
    marks: tuple[str, ...]
    bounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CrashAnswer:
    """A crash in short. `id` names it in a project; `suspect` is the reason why the device may be the cause."""

    id: str
    kind: str
    app_summary: str
    app_place: str | None
    suspect: str | None


@dataclass(frozen=True, slots=True)
class ScreenAnswer:
    """The app after a step: which step it was, whether the app runs, and the widgets of the screen."""

    step: int
    app_event: str
    ending: str
    app_activity: str | None
    new_code: int
    crash: CrashAnswer | None
    widgets: tuple[WidgetAnswer, ...]
    widgets_left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """Lines that the app has logged, the last ones."""

    app_lines: tuple[str, ...]
    lines_left_out: int


@dataclass(frozen=True, slots=True)
class DoneAnswer:
    """Something was done; `path` is the file that was written, if one was."""

    done: str
    path: str | None


@dataclass(frozen=True, slots=True)
class FoundCrashAnswer:
    """A crash of a project: how often it was seen, its fewest steps, and how often these replay."""

    crash: CrashAnswer
    times: int
    steps: int
    met: int | None
    runs: int | None
    is_reduced: bool


@dataclass(frozen=True, slots=True)
class CrashListAnswer:
    """The crashes of a project, those that a user can cause with the screen alone first."""

    project: str
    crashes: tuple[FoundCrashAnswer, ...]
    crashes_left_out: int


@dataclass(frozen=True, slots=True)
class AppRunAnswer:
    """A run at its end: why exploring ended, how much was seen, and the crashes."""

    project: str
    ended: str
    interrupted: bool
    events: int
    states: int
    lines_covered: int
    lines_total: int | None
    crashes: tuple[FoundCrashAnswer, ...]
    crashes_left_out: int
    suite: str | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SliceLineAnswer:
    """A line that the crash depends on; `steps` are the numbers of the steps in which it ran."""

    app_place: str
    app_code: str
    app_value: str | None
    why: str
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SliceAnswer:
    """Why a crash happened: the lines that made the value in error, nearest first."""

    app_criterion: str
    steps: tuple[int, ...]
    lines: tuple[SliceLineAnswer, ...]
    lines_left_out: int
    app_omissions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CrashDetailAnswer:
    """One crash of a project: its fewest steps, its stack, and its slice if one was made."""

    project: str
    found: FoundCrashAnswer
    world: int
    app_steps: tuple[str, ...]
    app_stack: tuple[str, ...]
    stack_left_out: int
    slice: SliceAnswer | None
    pictures: int


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
    """How often steps meet their goal."""

    app_goal: str
    met: int
    runs: int
    worlds_met: tuple[int, ...]
    app_steps: tuple[str, ...]
    crash: CrashAnswer | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReductionAnswer:
    """The steps that are left, and what finding them took."""

    before: int
    after: int
    runs: int
    is_minimal: bool
    stopped_by: str | None
    app_steps: tuple[str, ...]
    crash: CrashAnswer | None
    path: str


@dataclass(frozen=True, slots=True)
class WrittenFileAnswer:
    """A file of an export: where it was written, or its text."""

    name: str
    path: str | None
    app_text: str | None
    characters_left_out: int


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    """A test or script of another tool, made from steps; `losses` are what the format cannot say."""

    format: str
    files: tuple[WrittenFileAnswer, ...]
    files_left_out: int
    losses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestAnswer:
    """A test of a suite that did not pass; `app_reasons` are the first differences."""

    app_name: str
    status: str
    step: int | None
    app_reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """So many of something, by what became of it."""

    status: str
    count: int


@dataclass(frozen=True, slots=True)
class SuiteAnswer:
    """The results of a suite: how many tests by status, and those that did not pass."""

    tests: int
    counts: tuple[CountAnswer, ...]
    is_failure: bool
    not_passed: tuple[TestAnswer, ...]
    not_passed_left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassCoverageAnswer:
    """How much of a class was covered, in numbers of lines, branches and methods."""

    app_name: str
    app_file: str | None
    lines_covered: int
    lines_total: int
    branches_covered: int
    branches_total: int
    methods_covered: int
    methods_total: int


@dataclass(frozen=True, slots=True)
class CoverageAnswer:
    """What was covered: of the whole app, and of the classes asked for or least covered.

    `missed_lines` are the numbers of the lines that never ran, if one class was asked for.
    """

    project: str
    lines_covered: int
    lines_total: int
    classes: tuple[ClassCoverageAnswer, ...]
    classes_left_out: int
    missed_lines: tuple[int, ...]
    app_missed_methods: tuple[str, ...]
