"""Only whole runs of one load, limited by nothing but the target, are compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from froude.base.errors import InputError
from froude.emulation.run.bottleneck import Load
from froude.emulation.run.run import Run
from froude.experiment.compare.comparable import Sample, choose, environments, in_turns, remarks_on, unusable
from tests.support.experiment.comparisons import arms, run

BUSY = [Load(float(s), 0.95, 1, 1, 1) for s in range(10)]


def named(runs: Sequence[Run], arm: str) -> list[Sample]:
    """Runs with names."""
    return [Sample(f"{arm}{number}", each) for number, each in enumerate(runs)]


def two(runs: int = 3, *, turns: bool = True) -> tuple[list[Sample], list[Sample]]:
    """Two arms of samples."""
    given = arms(runs, turns=turns)
    return named(given["baseline"], "b"), named(given["candidate"], "c")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"failure": "it died"}, "it failed: it died"),
        ({"interrupted": True}, "it was interrupted"),
        ({"load": BUSY}, "the player was the limit: its latencies are Froude's own"),
    ],
)
def test_a_run_that_says_nothing_of_the_target(changes: dict[str, object], why: str) -> None:
    """Is left out with its reason; one that the player limited counts where that is asked for."""
    each = run(1, **changes)
    assert unusable(each) == why
    assert unusable(each, limited=True) == ("" if "player" in why else why)


def test_a_run_whose_ramp_never_ended() -> None:
    """Its figures are of the ramp."""
    each = run(1)
    each.tally.steady_from_s = None
    assert "had started" in unusable(each)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"scale": {"files": "10"}}, "scale"),
        ({"nodes": {"client": 3}}, "nodes"),
        ({"pacing": "scheduled"}, "pacing"),
        ({"speed": 2.0}, "speed"),
        ({"inputs": ("cd" * 32,)}, "plan"),
    ],
)
def test_runs_of_other_loads_are_refused(changes: dict[str, object], place: str) -> None:
    """With what they did differently; of a run that was never saved the plan is not known."""
    baseline, candidate = two()
    candidate.append(Sample("other", run(99, **changes)))
    with pytest.raises(InputError, match=rf"other:{place}: did something else than b0"):
        choose(baseline, candidate)
    choose(baseline, [*two()[1], Sample("unsaved", run(99, inputs=()))])


def test_a_run_counts_once() -> None:
    """Also where it is given for both arms; and an arm has one."""
    baseline, candidate = two()
    with pytest.raises(InputError, match="is given twice"):
        choose(baseline, [*candidate, baseline[1]])
    with pytest.raises(InputError, match="--candidate: has no run"):
        choose(baseline, [])


def test_turns_are_known_by_their_times() -> None:
    """Whichever arm came first in each; one arm after the other is none, and is remarked on."""
    baseline, candidate = two()
    assert in_turns(baseline, candidate) == list(zip(baseline, candidate, strict=True))
    assert in_turns(candidate, baseline) == list(zip(candidate, baseline, strict=True))
    assert in_turns(baseline, candidate[:2]) == []
    chosen = choose(*two(turns=False))
    assert not chosen.interleaved
    (remark,) = remarks_on(chosen, limited=False)
    assert "a drift of the machine would look like a difference" in remark


def test_what_is_to_be_kept_in_mind() -> None:
    """One NameNode for several runs, other machines, runs that were limited."""
    baseline, candidate = two()
    for each in candidate:
        each.run.target_id = "CID-one"
        each.run.environment = {"cores": "4", "heap": "2 GB"}
        each.run.load = BUSY
    chosen = choose(baseline, candidate, limited=True)
    said = " ".join(remarks_on(chosen, limited=True))
    assert "Several runs of the candidate were made on one target" in said
    assert "cores 2 of the baseline, 4 of the candidate" in said
    assert "Player or machine limited runs of the candidate: c0, c1, c2" in said
    assert environments(chosen) == [("cores", "2", "4"), ("heap", "unknown", "2 GB")]
