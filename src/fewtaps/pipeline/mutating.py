"""Measures which faults a suite finds: mutants of the app, each played by the tests that reach its line."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.config import MutateSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Capability
from fewtaps.errors import UsageError
from fewtaps.files import leads_out, read_inside, refusal, write_inside
from fewtaps.model.app import App
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus, MutationScore
from fewtaps.model.suite import Suite
from fewtaps.model.trace import Trace
from fewtaps.model.world import on_other_date
from fewtaps.pipeline.mutant_jobs import CheckMutant, CheckRules, ListMutants, MeasureTest, PlayMutant, TestMeasurement
from fewtaps.pipeline.mutant_log import MutantLog, question_of
from fewtaps.pipeline.opening import OnDownload, Plan, open_session
from fewtaps.pipeline.recording_tests import RECORDED_WORLDS
from fewtaps.pipeline.reporting import version
from fewtaps.pipeline.slice_files import LARGEST_SOURCE
from fewtaps.pipeline.suite_app import device_settings, plan_suite
from fewtaps.report.folder import new_folder, require_replaceable
from fewtaps.report.mutant_html import FIRST_PAGE, MUTANT_PAGES, MutantPage, render_mutants
from fewtaps.report.mutations import mutations_xml
from fewtaps.suite.mutants import KillHistory, MeasuredTest, sample_mutants, score_by_states
from fewtaps.suite.telling import TellingText, fewest_texts, telling_texts, with_texts
from fewtaps.suitefile import load_suite, write_suite

TRIES = 3

MUTANTS_AHEAD = 16
"""Mutants that are begun before the first of them is answered. The order of tests depends on this number, and not on
the number of devices."""

XML_NAME = "mutations.xml"


@dataclass(frozen=True, slots=True)
class MutationReport:
    """What a suite says of the mutants of a build.

    `results` are those of the sample, in the order of the code. `uncovered` are the mutants that no test reaches.
    `candidates` counts the mutants that some test reaches, of which the sample was taken. `failing` are tests that do
    not pass without a fault and were left out. `remaining` counts mutants of the sample for which there was no time.
    `resumed` counts results of an earlier run. `lines` are the source lines of survivors by the keys of the mutants, as
    far as they were found. `added` are texts that the tests expect from now on.
    """

    app: App
    suite: Suite
    results: tuple[MutantResult, ...]
    uncovered: tuple[Mutant, ...] = ()
    candidates: int = 0
    failing: tuple[TestMeasurement, ...] = ()
    remaining: int = 0
    resumed: int = 0
    notes: tuple[str, ...] = ()
    xml: Path | None = None
    page: Path | None = None
    added: tuple[TellingText, ...] = ()
    lines: dict[str, str] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)

    @property
    def score(self) -> MutationScore:
        """How many mutants of the sample were noticed."""
        return MutationScore.of(self.results)

    @property
    def score_by_states(self) -> MutationScore | None:
        """How many are noticed by states, endings and crashes alone; None if that was not asked for."""
        return score_by_states(self.results)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """The mutants that no test noticed."""
        return tuple(result for result in self.results if result.status is MutantStatus.SURVIVED)


@dataclass(frozen=True, slots=True)
class MutationProgress:
    """A mutant that was played: its number in the sample, the size of the sample, and what the tests say of it."""

    number: int
    total: int
    result: MutantResult


OnMutant = Callable[[MutationProgress], None]


def mutate_suite(
    folder: str,
    name: str,
    settings: MutateSettings,
    on_mutant: OnMutant | None = None,
    progress: OnDownload | None = None,
) -> MutationReport:
    """Plays mutants of an app with the tests of a suite; see `fewtaps mutate`.

    Results are kept as they come in the output folder: the same command goes on where it was.
    """
    source = load_suite(folder)
    suite = source.suite
    if not suite.tests:
        raise UsageError(f"{folder}: the suite has no tests")
    plan = plan_suite(suite, name, device_settings(suite, settings.device, settings.said))
    if Capability.MUTATIONS not in plan.capabilities:
        raise UsageError(f"the device {plan.backend} cannot put faults into an app")
    if plan.session.coverage == "off":
        raise UsageError(f"{folder}: the suite was made without coverage, which mutants need; add --coverage app")
    require_replaceable(settings.output / MUTANT_PAGES)
    log = MutantLog(_folder(settings.output) / f"results-{question_of(suite, plan)}.jsonl")
    budget = Budget(seconds=None if settings.minutes is None else settings.minutes * 60)
    began = time.monotonic()
    rules = rules_for(suite, plan)
    with open_pool(lambda: open_session(plan, progress), size=settings.jobs, tries=TRIES) as pool:
        mutants = pool.ask(ListMutants(settings.operator_names))
        measurements = measure_tests(pool, suite, rules)
        measured_tests = tuple(each.measured for each in measurements if each.failed_at is None)
        failing = tuple(each for each in measurements if each.failed_at is not None)
        if not measured_tests:
            raise UsageError(_nothing_passes(folder, failing))
        covered = [each for each in mutants if any(test.covers(each) for test in measured_tests)]
        sample = sample_mutants(covered, settings.mutants, settings.seed)
        known = log.read(sample)
        if settings.with_states:
            known = {key: result for key, result in known.items() if result.by_states is not None}
        results: list[MutantResult] = []
        played = play_mutants(
            pool, sample, measured_tests, rules, known=known, with_states=settings.with_states, budget=budget
        )
        with closing(played) as answers:
            for result in answers:
                results.append(result)
                if result.mutant.key not in known:
                    log.add(result)
                if on_mutant is not None:
                    on_mutant(MutationProgress(len(results), len(sample), result))
        added: tuple[TellingText, ...] = ()
        if settings.adds_texts:
            suite, added = add_texts(pool, suite, results, measured_tests)
    reached = {each.key for each in covered}
    uncovered = tuple(each for each in mutants if each.key not in reached)
    resumed = sum(result.mutant.key in known for result in results)
    names = plan.session.names
    if names is not None:
        results = [replace(each, mutant=names.mutant(each.mutant)) for each in results]
        uncovered = tuple(map(names.mutant, uncovered))
    xml = settings.output / XML_NAME
    unreached = [MutantResult(each, MutantStatus.NO_COVERAGE) for each in uncovered]
    write_inside(xml, mutations_xml([*results, *unreached]))
    if settings.keeps_kills:
        suite = with_kills(suite, results)
    if settings.keeps_kills or added:
        write_suite(folder, suite)
    report = MutationReport(
        app=plan.app,
        suite=suite,
        results=tuple(results),
        uncovered=uncovered,
        candidates=len(covered),
        failing=failing,
        remaining=len(sample) - len(results),
        resumed=resumed,
        notes=source.notes,
        xml=xml,
        page=settings.output / MUTANT_PAGES / FIRST_PAGE,
        added=added,
        lines=source_lines(results, settings.sources),
        seconds=time.monotonic() - began,
    )
    with new_folder(settings.output / MUTANT_PAGES) as place:
        render_mutants(_page(report), place)
    return report


def _page(report: MutationReport) -> MutantPage:
    left_out = (
        f"{each.measured.test.name} fails without a fault at step {each.failed_at} and was left out"
        for each in report.failing
    )
    return MutantPage(
        report.app.ref,
        report.results,
        uncovered=len(report.uncovered),
        remaining=report.remaining,
        by_states=report.score_by_states,
        lines=report.lines,
        notes=(*report.notes, *left_out),
        version=version(),
    )


def add_texts(
    pool: SessionPool, suite: Suite, results: Iterable[MutantResult], measured_tests: Sequence[MeasuredTest]
) -> tuple[Suite, tuple[TellingText, ...]]:
    """The suite with texts that tell survivors from the app without a fault, and these texts.

    A text is taken only if it is the same in several worlds and on another date.
    """
    survivors = [each.mutant for each in results if each.status is MutantStatus.SURVIVED]
    runs = {each.test.name: _runs_without_fault(pool, each) for each in measured_tests}
    jobs = [
        PlayMutant(mutant, measured, measured.test.trace.world)
        for mutant in survivors
        for measured in measured_tests
        if measured.covers(mutant)
    ]
    told: dict[str, list[TellingText]] = defaultdict(list)
    with closing(pool.stream(jobs, width=MUTANTS_AHEAD)) as answers:
        for job, trace in zip(jobs, answers, strict=True):
            assert job.mutant is not None
            test = job.measured.test
            told[job.mutant.key].extend(telling_texts(test, runs[test.name], trace))
    texts = fewest_texts(told)
    tests = tuple(with_texts(test, runs[test.name][0], texts) if test.name in runs else test for test in suite.tests)
    return replace(suite, tests=tests), texts


def _runs_without_fault(pool: SessionPool, measured: MeasuredTest) -> list[Trace]:
    """The test in its own world, in the next ones, and in its own on another date."""
    world = measured.test.trace.world
    worlds = [*range(world, world + RECORDED_WORLDS), on_other_date(world)]
    return pool.map([PlayMutant(None, measured, each) for each in worlds])


def with_kills(suite: Suite, results: Iterable[MutantResult]) -> Suite:
    """The suite whose tests know how many mutants each was the first to notice."""
    kills = Counter(result.test for result in results if result.test is not None)
    return replace(suite, tests=tuple(replace(test, kills=kills[test.name]) for test in suite.tests))


def rules_for(suite: Suite, plan: Plan) -> CheckRules:
    """How the suite's tests are compared on this build: states may have moved in any but the suite's own."""
    is_own = bool(suite.app.digest) and suite.app.digest == plan.app.ref.digest
    return CheckRules(suite.abstraction, () if is_own else suite.states)


def measure_tests(pool: SessionPool, suite: Suite, rules: CheckRules) -> tuple[TestMeasurement, ...]:
    """Runs every test once without a fault."""
    return tuple(pool.map([MeasureTest(test, rules) for test in suite.tests]))


def play_mutants(
    pool: SessionPool,
    mutants: Sequence[Mutant],
    measured_tests: Sequence[MeasuredTest],
    rules: CheckRules,
    *,
    known: dict[str, MutantResult] | None = None,
    with_states: bool = False,
    budget: Budget | None = None,
) -> Generator[MutantResult, None, None]:
    """The results of the mutants in order; those that are known are not played again.

    No mutant is begun once the budget is spent.
    """
    results = known or {}
    history = KillHistory()
    waiting: list[Mutant] = []

    def jobs() -> Iterator[CheckMutant]:
        for mutant in mutants:
            if budget is not None and budget.exhausted is not None:
                return
            waiting.append(mutant)
            if mutant.key in results:
                history.add(results[mutant.key])
            else:
                yield CheckMutant(mutant, history.ordered(mutant, measured_tests), rules, with_states)

    def until_played() -> Iterator[MutantResult]:
        """Known results that come before the next one that has to be played."""
        while waiting and waiting[0].key in results:
            yield results[waiting.pop(0).key]

    with closing(pool.stream(jobs(), width=MUTANTS_AHEAD)) as answers:
        for answer in answers:
            yield from until_played()
            waiting.pop(0)
            history.add(answer)
            yield answer
    yield from until_played()


def source_lines(results: Iterable[MutantResult], folders: Sequence[Path]) -> dict[str, str]:
    """The source lines of survivors, by their keys: files lie below the folders, in the folder of their package."""
    if not folders:
        return {}
    wanted = [each.mutant for each in results if each.status is MutantStatus.SURVIVED and each.mutant.file]
    tails = {_source_path(mutant) for mutant in wanted}
    names = {tail.rpartition("/")[2] for tail in tails}
    texts: dict[str, list[str]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.name not in names or not path.is_file() or leads_out(folder, path):
                continue
            for tail in tails:
                if path.as_posix().endswith(f"/{tail}") and tail not in texts:
                    # One that cannot be read is like one that is not there.
                    with suppress(OSError):
                        texts[tail] = read_inside(path, LARGEST_SOURCE).decode("utf-8", "replace").splitlines()
    found: dict[str, str] = {}
    for mutant in wanted:
        lines = texts.get(_source_path(mutant), [])
        if 0 < mutant.line <= len(lines):
            found[mutant.key] = lines[mutant.line - 1].strip()
    return found


def _source_path(mutant: Mutant) -> str:
    package = mutant.class_name.rpartition(".")[0].replace(".", "/")
    return f"{package}/{mutant.file}" if package else str(mutant.file)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, error) from error
    return path


def _nothing_passes(folder: str, failing: Sequence[TestMeasurement]) -> str:
    first = failing[0]
    return (
        f"{folder}: no test passes on this build without a fault; "
        f"{first.measured.test.name} differs at step {first.failed_at} ({first.difference})"
    )
