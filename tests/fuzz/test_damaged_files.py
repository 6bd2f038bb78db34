"""No damaged file ends in a traceback. `make fuzz` tries more; each file that failed is in `tests/data/damaged`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from fuzz.cases import failure_of, run_cases
from fuzz.damage import damaged
from fuzz.subject import Subject
from fuzz.subjects import SUBJECTS

from fewtaps.errors import UsageError

KEPT = Path(__file__).resolve().parents[1] / "data" / "damaged"
CASES = 300


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_no_reader_fails_on_damaged_files(subject: Subject) -> None:
    failures = list(run_cases(subject, seed=1, count=CASES))
    assert [(each.case, each.error) for each in failures] == []


@pytest.mark.parametrize("path", sorted(KEPT.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_file_that_failed_once_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    (subject,) = (each for each in SUBJECTS if each.name == path.parent.name)
    assert failure_of(subject, path.read_bytes(), tmp_path) is None


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_the_undamaged_files_are_read(subject: Subject, tmp_path: Path) -> None:
    (tmp_path / "contents").mkdir()
    for number, content in enumerate(subject.contents(tmp_path / "contents")):
        case = tmp_path / str(number)
        case.mkdir()
        subject.read(content, case)


def test_a_failing_reader_is_told(tmp_path: Path) -> None:
    def fragile(content: bytes, folder: Path) -> int:
        if not content:
            raise UsageError("empty")
        return 1 // content.count(b"a")

    subject = Subject("fragile", lambda folder: [b"a" * 30], fragile)
    errors = {failure.error for failure in run_cases(subject, seed=1, count=50)}
    assert errors == {"ZeroDivisionError: integer division or modulo by zero"}


def test_seed_and_number_decide_a_damage() -> None:
    assert damaged(b"some content", Random("a 1 2")) == damaged(b"some content", Random("a 1 2"))
