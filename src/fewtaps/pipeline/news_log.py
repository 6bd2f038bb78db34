"""What stages tell, as records of the log: numbers and names.

Words that may quote the app, a trace or an option are the `texts` of a record, which the log leaves out by default.
"""

from __future__ import annotations

import logging

from fewtaps.model.crash import Crash
from fewtaps.pipeline.news import (
    AppOpened,
    CandidateRun,
    CrashFound,
    CrashGivenUp,
    CrashNotSliced,
    CrashReplayed,
    CrashSliced,
    CrashSlicing,
    CrashWorkDone,
    CrashWorkStarted,
    DeviceOpening,
    EpisodeFailed,
    EpisodeKept,
    ExploringStarted,
    News,
    OriginalMet,
    OtherWorldsTried,
    PreludeMissed,
    ReductionResumed,
    ResultSaved,
    ShorterFound,
    SuiteAdvanced,
    SuiteRunStarted,
    SuiteStarted,
    SuiteTestDone,
    Tell,
    TestRecorded,
    TraceNoted,
)

log = logging.getLogger(__name__)


def logged(tell: Tell) -> Tell:
    """The same function, with a record in the log of each thing it is told."""

    def told(news: News) -> None:
        log_news(news)
        tell(news)

    return told


def log_news(news: News) -> None:
    """One record in the log, or none for what happens at every step."""
    match news:
        case DeviceOpening():
            log.info("opening the first device")
        case AppOpened():
            log.info("the app is open, with %d events and %d states so far", news.progress.events, news.progress.states)
            for note in news.notes:
                log.info("note: %s", note)
        case ExploringStarted():
            log.info("exploring: %.0f of %.0f s are spent", news.spent_seconds, news.given_seconds)
        case EpisodeKept():
            seen = news.progress
            log.debug(
                "episode %d is kept: %d steps; %d events, %d states, %d lines and %d crashes in all",
                news.episode.number, len(news.episode.trace.steps),
                seen.events, seen.states, seen.lines, seen.crashes,
            )  # fmt: skip
        case CrashFound():
            log.info(
                "crash %s in episode %d: %s",
                news.crash.fingerprint, news.episode.number, kind_of(news.crash),
                extra={"texts": news.crash.suspect or ""},
            )  # fmt: skip
        case EpisodeFailed():
            log.info("episode %d failed: %s", news.number, news.error)
        case PreludeMissed():
            log.info("step %d of the prelude did not find its widget", news.step)
        case CrashWorkStarted():
            log.info("crash %s: work begins", news.case.row.fingerprint)
        case CrashReplayed():
            log.debug("crash %s: met in %d of %d replays", news.case.row.fingerprint, news.met, news.runs)
        case CrashWorkDone():
            log.info("crash %s: work ends with %d steps", news.case.row.fingerprint, news.case.steps)
        case CrashSlicing():
            log.info("crash %s: slicing %d steps", news.case.row.fingerprint, news.case.steps)
        case CrashSliced():
            lines, executed = len(news.slice.lines), news.slice.size.executed_lines
            log.info("crash %s is sliced: %d of %d lines", news.case.row.fingerprint, lines, executed)
        case CrashNotSliced():
            log.info("crash %s has no slice", news.case.row.fingerprint, extra={"texts": news.error})
        case CrashGivenUp():
            log.info("crash %s is given up", news.case.row.fingerprint, extra={"texts": news.error})
        case TraceNoted():
            log.info("there is a note on the trace to be reduced", extra={"texts": news.note})
        case ReductionResumed():
            log.info("a reduction goes on: from %d to %d events in %d runs", news.before, news.after, news.runs)
        case OriginalMet():
            log.info("the original meets the goal")
        case OtherWorldsTried():
            unit = "worlds" if news.has_worlds else "runs"
            log.info("the original does not meet the goal; it is played in %d other %s", news.worlds, unit)
        case CandidateRun():
            log.debug("a candidate was run")
        case ShorterFound():
            log.info("reduced to %d events", news.reduction.size)
        case ResultSaved():
            log.info("the result is in %s", news.output)
        case SuiteStarted():
            log.info("%d traces with %d events are reduced to a suite", news.traces, news.events)
        case SuiteAdvanced():
            now = news.progress
            log.debug(
                "suite, %s: %d runs, %d events, %d of %d elements; %d runs played, %d refused",
                now.phase.value, now.runs, now.transitions, now.covered, now.wanted, now.played, now.refused,
            )  # fmt: skip
        case TestRecorded():
            log.info("test %d of %d is recorded", news.done, news.tests)
        case SuiteRunStarted():
            log.info("%d tests are played in %d worlds", news.tests, news.worlds)
        case SuiteTestDone():
            log.info("test %d of %d: %s", news.done, news.tests, news.result.status.value)


def kind_of(crash: Crash) -> str:
    """The kind of a crash and the classes of its exceptions.

    Their messages may be texts of the app, and the reason for a suspicion may quote them.
    """
    classes = ", ".join(each.type for each in crash.exceptions)
    doubt = "" if crash.suspect is None else " (suspect)"
    return f"{crash.kind.value} {classes}{doubt}"
