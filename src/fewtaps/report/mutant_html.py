"""Renders the page of mutants: which faults a suite found by operator and class, and each that it did not find."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fewtaps.errors import NotFound
from fewtaps.model.app import AppRef
from fewtaps.model.mutant import MutantResult, MutantStatus, MutationScore
from fewtaps.report.folder import MARK
from fewtaps.report.html import POLICY, environment_for, write_assets
from fewtaps.report.thumbnails import Thumbnails

MUTANTS = "mutants"
"""The folder, inside a project's, in which its report looks for the page of mutants."""
MUTANT_PAGES = "report"
"""The folder of the page, beside `mutations.xml`."""
FIRST_PAGE = "index.html"
FORMAT_VERSION = 1
MOST_SHOWN = 1000
"""Mutants at most in each list of the page; mutations.xml has all of them."""


@dataclass(frozen=True, slots=True)
class MutantGroup:
    """The mutants of an operator or a class, and how many of them were noticed."""

    name: str
    score: MutationScore


@dataclass(frozen=True, slots=True)
class MutantPage:
    """What the page shows. `lines` are source lines of survivors by the keys of their mutants."""

    app: AppRef
    results: tuple[MutantResult, ...]
    uncovered: int
    remaining: int
    by_states: MutationScore | None
    lines: Mapping[str, str]
    notes: tuple[str, ...] = ()
    version: str = ""

    @property
    def score(self) -> MutationScore:
        """How many were noticed."""
        return MutationScore.of(self.results)

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many mutants have each status, without those that none has."""
        counts = Counter(result.status for result in self.results)
        return [(status.value, counts[status]) for status in MutantStatus if counts[status]]

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """The mutants that no test noticed, up to `MOST_SHOWN`."""
        return tuple(each for each in self.results if each.status is MutantStatus.SURVIVED)[:MOST_SHOWN]

    @property
    def detected(self) -> tuple[MutantResult, ...]:
        """The mutants that a test noticed, up to `MOST_SHOWN`."""
        return tuple(each for each in self.results if each.status.is_detected)[:MOST_SHOWN]

    @property
    def operators(self) -> list[MutantGroup]:
        """The mutants by operator, by name."""
        return _groups(self.results, lambda each: each.mutant.operator)

    @property
    def classes(self) -> list[MutantGroup]:
        """The mutants by class, those with the most survivors first."""
        groups = _groups(self.results, lambda each: each.mutant.class_name)
        return sorted(groups, key=lambda group: group.score.detected - group.score.counted)

    def code(self, result: MutantResult) -> str:
        """The source line of a mutant, or the instruction where the line is not known."""
        return self.lines.get(result.mutant.key, result.mutant.instruction)


def render_mutants(page: MutantPage, folder: Path) -> None:
    """Writes the page and its assets into a folder."""
    environment = environment_for(Thumbnails(_NoPictures(), folder))
    text = environment.get_template("mutants.html").render(
        page="index.html", report=page, live=False, working=False, policy=POLICY
    )
    (folder / "index.html").write_text(text, encoding="utf-8")
    write_assets(folder)
    content = {
        "fewtaps": "mutants-report",
        "version": FORMAT_VERSION,
        "package": page.app.package,
        "detected": page.score.detected,
        "counted": page.score.counted,
    }
    (folder / MARK).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


class _NoPictures:
    """The page has no pictures."""

    def load(self, name: str) -> bytes:
        raise NotFound(f"there is no picture {name}")


def _groups(results: Iterable[MutantResult], name_of: Callable[[MutantResult], str]) -> list[MutantGroup]:
    members: dict[str, list[MutantResult]] = defaultdict(list)
    for result in results:
        members[name_of(result)].append(result)
    return [MutantGroup(name, MutationScore.of(members[name])) for name in sorted(members)]
