"""Plays jobs in another process, as a farm does."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from fewtaps.device.jobs import Job
from fewtaps.pipeline.opening import Plan

PLAY = """
import pickle, sys
from fewtaps.device.jobs import JobContext
from fewtaps.pipeline.opening import open_session

plan, jobs = pickle.load(sys.stdin.buffer)
answers = []
with open_session(plan) as session:
    for number, job in jobs:
        # As a pool does: an answer that reads files of the session has to be a value before the session is used again.
        answers.append(pickle.dumps(job.run(session, JobContext(device=number))))
pickle.dump(answers, sys.stdout.buffer)
"""


def played_elsewhere(plan: Plan, jobs: Sequence[tuple[int, Job[Any]]]) -> list[Any]:
    """The answers that another process gives to the jobs, each with the number of its device."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        input=pickle.dumps((plan, jobs)),
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return [pickle.loads(answer) for answer in pickle.loads(done.stdout)]
