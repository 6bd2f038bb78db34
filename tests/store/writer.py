"""Writes episodes into a store, as a program that tests kill or give a small disk.

Episode k depends on k alone, so that a test can compare the store with what was written.
"""

from __future__ import annotations

import sys
from random import Random

from builders import APP, crash, screen, widget

from fewtaps.errors import FewtapsError
from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event, Launch, Tap
from fewtaps.model.screen import UNSEEN
from fewtaps.model.trace import Step, Trace
from fewtaps.store.database import open_store

THE_APP = App(APP.package, version_name=APP.version, digest=APP.digest)


def episode(number: int) -> Episode:
    """The episode of this number: 3 to 40 steps over old and new screens, a crash in 3 of 10, and two pictures."""
    random = Random(number)
    shown, steps = UNSEEN, []
    for place in range(random.randint(3, 40)):
        event: Event = Tap(random.randrange(100), random.randrange(200)) if place else Launch()
        texts = [f"{random.randrange(50)}", f"of {number}" if random.random() < 0.3 else "always"]
        after = screen(*(widget(text) for text in texts))
        covered = Coverage(ProbeSet.of(random.sample(range(500), 5)))
        steps.append(Step(event, shown, after, covered, (f"line {place}",) * random.randrange(4), clock_ms=500 * place))
        shown = after
    if random.random() < 0.3:
        death = crash(f"com.example.app.A{random.randrange(5)}.b")
        steps.append(Step(Tap(1, 1), shown, UNSEEN, crash=death, ending=Ending.CRASHED))
    pictures = ((0, random.randbytes(2000)), (len(steps) - 1, b"a picture that repeats" * 50))
    return Episode(
        number, Trace(APP, tuple(steps)), end=EpisodeEnd.EVENT_LIMIT, pictures=pictures, execution=b"x" * number
    )


def main(folder: str, count: int) -> None:
    """Adds `count` episodes to the latest run, or to a new one; prints the number of each after storing it."""
    with open_store(folder, create=True) as store:
        latest = store.runs.latest("explore")
        run = latest.run_id if latest else store.runs.start(THE_APP, "explore", {"seed": 1})
        store.runs.resume(run)
        first = store.runs.next_number(run)
        for number in range(first, first + count):
            store.runs.add_episode(run, episode(number))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]))
    except FewtapsError as error:
        sys.exit(f"{type(error).__name__}: {error}")
