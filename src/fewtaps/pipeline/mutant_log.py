"""The results of mutants on disk, a line for each, appended as they come: what is there is not played again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fewtaps.errors import UsageError
from fewtaps.files import open_here, open_regular, read_inside, refusal
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus
from fewtaps.model.suite import Suite
from fewtaps.pipeline.opening import Plan
from fewtaps.suitefile import content_of_test


def question_of(suite: Suite, plan: Plan) -> str:
    """Identifies the tests, the build and the settings that results depend on."""
    digest = hashlib.sha256()
    for part in (plan.app.ref.digest or "", repr(plan.session), suite.abstraction):
        digest.update(part.encode(errors="surrogatepass") + b"\0")
    for test in suite.tests:
        digest.update(content_of_test(test) + b"\0")
    return digest.hexdigest()[:16]


class MutantLog:
    """An append-only file of results. A line that is damaged, as after a crash, is passed over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, mutants: Iterable[Mutant]) -> dict[str, MutantResult]:
        """The results of these mutants, by their keys."""
        by_key = {mutant.key: mutant for mutant in mutants}
        found: dict[str, MutantResult] = {}
        try:
            content = read_inside(self._path) if self._path.exists() else b""
        except OSError as error:
            raise UsageError(f"{self._path}: cannot be read ({error.strerror or error})") from error
        for line in content.splitlines():
            result = _from_json(line, by_key)
            if result is not None:
                found[result.mutant.key] = result
        return found

    def add(self, result: MutantResult) -> None:
        """Appends a result. Raises UsageError or StoreError if it cannot be written."""
        record = {"mutant": result.mutant.key, **result_to_json(result)}
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        try:
            with open(self._path, "ab+", opener=open_here) as stream:
                if stream.tell() and not _ends_with_newline(self._path):
                    line = b"\n" + line
                stream.write(line)
        except OSError as error:
            raise refusal(self._path, error) from error


def result_to_json(result: MutantResult) -> dict[str, Any]:
    """What the tests say of a mutant, as JSON data without the mutant."""
    return {
        "status": result.status.value,
        "test": result.test,
        "step": result.step,
        "difference": result.difference,
        "by_states": None if result.by_states is None else result.by_states.value,
        "tests_run": result.tests_run,
    }


def _from_json(line: bytes, mutants: dict[str, Mutant]) -> MutantResult | None:
    try:
        record = json.loads(line)
        by_states, test, step = record["by_states"], record["test"], record["step"]
        if not isinstance(test, str | None) or not (step is None or type(step) is int):
            return None
        return MutantResult(
            mutants[record["mutant"]],
            MutantStatus(record["status"]),
            test,
            step,
            str(record["difference"]),
            None if by_states is None else MutantStatus(by_states),
            int(record["tests_run"]),
        )
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _ends_with_newline(path: Path) -> bool:
    with open(path, "rb", opener=open_regular) as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
