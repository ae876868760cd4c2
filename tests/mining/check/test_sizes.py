"""Each size left out in turn: figures, and questions about what came out wrong without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from froude.mining.check.forecast import Announced, NodeDifference
from froude.mining.check.sizes import doubts, left_out
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Recording
from froude.workload.review import accept, open_questions
from froude.workload.scale import Scale
from froude.workload.types import NODES, STEPS, Constant, LeftOut, Question
from tests.support.mining.events import event


def _looks(files: int, times: int) -> Recording:
    """A client that looks so often."""
    events = tuple(event(at, "look", {"src": f"/in/{at}"}, start_s=at**1.5) for at in range(times))
    return Recording(events, Scale.of(files=files), f"CID-{files}")


def _figures(runs: Sequence[Recording]) -> list[LeftOut]:
    return [each.figures for each in left_out(runs) if each.figures is not None]


def _doubts(runs: Sequence[Recording]) -> list[Question]:
    return doubts(mine_recordings(runs), left_out(runs))


def test_each_size_is_predicted_from_the_others() -> None:
    """A straight line leaves nothing out; two sizes are too few."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 8, 9)]
    figures = _figures(runs)
    assert [(each.scale, each.fitness, each.precision, each.worst) for each in figures] == [
        (run.scale, 1.0, 1.0, None) for run in runs
    ]
    assert left_out([*runs[:2], runs[0]]) == ()


def test_a_size_at_which_more_is_done_stands_out() -> None:
    """Eight files are looked at twenty times instead of sixteen: four calls of twenty were not predicted."""
    figures = _figures([*(_looks(files, 2 * files) for files in (3, 5, 9, 12)), _looks(8, 20)])
    assert (figures[-1].fitness, figures[-1].precision, figures[-1].worst) == (0.8, 1.0, "client")


def test_a_variable_of_one_size_alone_leaves_that_size_without_figures() -> None:
    """What is mined from the others does not say what it does."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 8)]
    odd = replace(runs[0], scale=Scale.of(days=3))
    assert odd.scale not in [each.scale for each in _figures([*runs, odd])]


def _looks_and_asks(files: int, asks: int) -> Recording:
    """A client that looks at each file, and asks so often at the end."""
    looks = _looks(files, files)
    asked = (event(files + at, "ask", {"src": "/out"}, start_s=1000.0 + at) for at in range(asks))
    return replace(looks, events=(*looks.events, *asked))


def test_what_was_silently_wrong_at_a_size_that_was_left_out_is_asked_about() -> None:
    """Two asks at three sizes, three at a fourth: of the others two are predicted, and the steps are in doubt."""
    runs = [_looks_and_asks(files, 2) for files in (3, 5, 9)]
    assert _doubts([*runs, _looks_and_asks(12, 2)]) == []
    odd = [*runs, _looks_and_asks(12, 3)]
    (asked,) = _doubts(odd)
    assert (asked.id, asked.path) == ("client:steps", STEPS)
    assert "1 call at files=12 did not follow from the other sizes" in asked.text
    workload = replace(mine_recordings(odd), questions=(asked,))
    assert Announced(workload, Scale.of(files=40)).call("client", "client.c1")
    answered = accept(workload)
    assert (answered.node_types, open_questions(answered)) == (workload.node_types, ())
    assert not Announced(answered, Scale.of(files=40)).call("client", "client.c1")


def test_two_other_sizes_put_nothing_in_doubt() -> None:
    """Of three sizes each follows from two alone, through which anything is a straight line."""
    runs = [_looks_and_asks(files, asks) for files, asks in ((3, 2), (5, 2), (12, 3))]
    assert _doubts(runs) == []


def test_a_number_of_nodes_and_an_argument_that_came_out_otherwise_are_asked_about() -> None:
    """A node that was not seen puts the number in doubt, a wrong value its argument; what is asked already is not."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 9, 12)]
    workload, sizes = mine_recordings(runs), left_out(runs)
    wrong = replace(
        sizes[0].prediction,
        silent=(NodeDifference("client", (), ("client.c1",), node=True),),
        silent_leaves=frozenset({(runs[0].events[1].order, "src")}),
    )
    asked = doubts(workload, [replace(sizes[0], prediction=wrong), *sizes[1:]])
    assert [(each.number, each.call, each.path) for each in asked] == [
        (NODES, None, None),
        (None, "client.c1", "src"),
    ]
    assert "1 node at files=3" in asked[0].text
    assert "1 value at files=3" in asked[1].text
    renamed = replace(
        sizes[0].prediction,
        silent=(NodeDifference("other", (), ("other.c1", "other.c2"), first=runs[0].events[0].order),),
        silent_leaves=frozenset((each.order, "src") for each in runs[0].events[:2]),
    )
    steps, argument = doubts(workload, [replace(each, prediction=renamed) for each in [sizes[0]] * 4])
    assert (steps.id, steps.candidates) == ("client:steps", (Constant("as mined"),))
    assert "8 calls at files=3" in steps.text
    assert "8 values at files=3" in argument.text
    known = replace(workload, questions=tuple(asked))
    assert doubts(known, [replace(sizes[0], prediction=wrong), *sizes[1:]]) == []


def test_of_many_sizes_three_are_named() -> None:
    """The others are counted."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 9, 12)]
    workload = mine_recordings(runs)
    silent = (NodeDifference("client", (), ("client.c1",), node=True),)
    wrong = [replace(each, prediction=replace(each.prediction, silent=silent)) for each in left_out(runs)]
    (asked,) = doubts(workload, wrong)
    assert "1 node at files=3 and 1 node at files=5 and 1 node at files=9 and 1 size more did" in asked.text


def test_of_several_runs_of_one_size_the_first_is_predicted() -> None:
    """The second looks more often, which is then no matter."""
    runs = [_looks(files, 2 * files) for files in (3, 5, 9)]
    assert left_out([*runs, _looks(9, 30)])[-1].recording is runs[-1]
