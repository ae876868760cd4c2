"""Which variables of recordings can be told apart, and which run would help."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.experiment.record.variation import Variation, variation
from froude.workload.remarks import rose_together
from froude.workload.scale import Scale


def runs(*pairs: tuple[float, float]) -> list[Scale]:
    """Runs with so many DataNodes and files."""
    return [Scale.of(datanodes=datanodes, files=files) for datanodes, files in pairs]


def test_what_rose_together_is_separated_by_the_smallest_run() -> None:
    """Three sizes, each larger in everything: the second number of nodes with the first number of files."""
    varied = variation(runs((2, 10), (3, 15), (4, 20)))
    assert varied == Variation((), (("datanodes", "files"),), Scale.of(datanodes=3, files=10))


def test_one_that_fell_as_the_other_rose_is_no_better() -> None:
    """Their sum could be constant."""
    assert variation(runs((2, 20), (3, 15), (4, 10))).together == (("datanodes", "files"),)


def test_varied_apart() -> None:
    """Up, and down; or one alone."""
    assert variation(runs((2, 10), (3, 25), (4, 15))) == Variation((), (), None)
    assert variation(runs((2, 10), (3, 15), (3, 10))).together == ()
    assert variation(runs((2, 10), (3, 15), (4, 25))).together == ()
    assert variation(runs((2, 10), (2, 10))) == Variation(("datanodes", "files"), (), None)


def test_a_single_run_says_nothing_of_anything() -> None:
    """Nor do none."""
    assert variation(runs((2, 10))).constant == ("datanodes", "files")
    assert variation([]) == Variation((), (), None)


def test_of_three_variables_one_run_separates_as_many_as_it_can() -> None:
    """The one that is left rose with neither of the others."""
    scales = [Scale.of(a=n, b=n, c=n) for n in (1, 2, 3)]
    varied = variation(scales)
    assert len(varied.together) == 3
    assert varied.next_run is not None
    again = variation([*scales, varied.next_run])
    assert len(again.together) == 1


def test_three_variables_need_four_runs() -> None:
    """No two rose together, and three runs leave one coefficient of a sum open all the same."""
    scales = [Scale.of(a=a, b=b, c=c) for a, b, c in ((1, 5, 30), (2, 3, 20), (3, 4, 90))]
    varied = variation(scales)
    assert (varied.together, varied.free) == ((), 1)
    assert varied.next_run is not None
    assert variation([*scales, varied.next_run]).free == 0


def test_runs_that_follow_from_each_other_settle_nothing() -> None:
    """Four of them, in which c is always the sum of the others."""
    scales = [Scale.of(a=a, b=b, c=a + b) for a, b in ((1, 5), (2, 3), (3, 4), (4, 9))]
    assert variation(scales).free == 1
    assert variation([*scales, Scale.of(a=1, b=5, c=7)]).free == 0


@given(st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=2, max_size=6))
def test_the_proposed_runs_settle_everything(points: list[tuple[int, int, int]]) -> None:
    """One after the other, as many as there are open coefficients or pairs."""
    scales = [Scale.of(a=a, b=b, c=c) for a, b, c in points]
    for _ in range(6):
        varied = variation(scales)
        if varied.next_run is None:
            break
        scales.append(varied.next_run)
    assert (variation(scales).together, variation(scales).free) == ((), 0)


@given(st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=1, max_size=6))
def test_a_recording_and_its_workload_say_the_same(points: list[tuple[int, int, int]]) -> None:
    """What `froude record` advises on is what a workload of those runs, and its plan, remark on."""
    scales = [Scale.of(a=a, b=b, c=c) for a, b, c in points]
    assert list(variation(scales).together) == rose_together(scales)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=6))
def test_the_proposed_run_separates_two(pairs: list[tuple[int, int]]) -> None:
    """Whatever was recorded, and it is of recorded values."""
    varied = variation(runs(*pairs))
    if not varied.together:
        assert varied.next_run is None
        return
    assert varied.next_run is not None
    assert variation([*runs(*pairs), varied.next_run]).together == ()
    assert varied.next_run["files"].value in {files for _, files in pairs}
