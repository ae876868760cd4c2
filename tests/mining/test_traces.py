"""Mining Traces, and each size left out in turn."""

from __future__ import annotations

from dataclasses import replace

from froude.mining.read.events import Recording
from froude.mining.traces import left_out
from froude.workload.scale import Scale
from tests.support.mining.events import event


def _looks(files: int, times: int) -> Recording:
    """A client that looks so often."""
    events = tuple(event(at, "look", {"src": f"/in/{at}"}, start_s=at**1.5) for at in range(times))
    return Recording(events, Scale.of(files=files), f"CID-{files}")


def test_each_size_is_predicted_from_the_others() -> None:
    """A straight line leaves nothing out; two sizes are too few."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 8, 9)]
    figures = left_out(runs)
    assert [(each.scale, each.fitness, each.precision, each.worst) for each in figures] == [
        (run.scale, 1.0, 1.0, None) for run in runs
    ]
    assert left_out([*runs[:2], runs[0]]) == ()


def test_a_size_at_which_more_is_done_stands_out() -> None:
    """Eight files are looked at twenty times instead of sixteen: four calls of twenty were not predicted."""
    figures = left_out([*(_looks(files, 2 * files) for files in (3, 5, 9, 12)), _looks(8, 20)])
    assert (figures[-1].fitness, figures[-1].precision, figures[-1].worst) == (0.8, 1.0, "client")


def test_a_variable_of_one_size_alone_leaves_that_size_without_figures() -> None:
    """What is mined from the others does not say what it does."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 8)]
    odd = replace(runs[0], scale=Scale.of(days=3))
    assert odd.scale not in [each.scale for each in left_out([*runs, odd])]
