"""A knee as a value."""

from __future__ import annotations

from froude.emulation.limits import parse_limit
from froude.emulation.run.summary import summarise
from froude.experiment.knee.answer import Knee, Play, Status
from froude.experiment.knee.search import Outcome
from tests.support.experiment.main_jobs import a_run


def two_plays() -> Knee:
    """A knee between two and four clients."""
    runs = []
    for clients, p99_s in (("2", 0.5), ("4", 3.0)):
        run = a_run(scale={"clients": clients})
        run.tally.of("create").from_actual.add([p99_s] * 10)
        run.limits = [parse_limit("p99 < 1 s").check(run)]
        runs.append(summarise(run))
    plays = (Play(1.0, Outcome.KEPT, runs[0]), Play(2.0, Outcome.BROKE, runs[1]))
    return Knee(("clients",), ("p99 < 1 s",), plays, Status.FOUND, 1.0, 2.0, {"cores": "2"})
