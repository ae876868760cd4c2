"""Which variables of recordings can be told apart, and which run would help."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.experiment.variation import Variation, variation
from froude.workload.scale import Scale


def runs(*pairs: tuple[float, float]) -> list[Scale]:
    """Runs with so many DataNodes and files."""
    return [Scale.of(datanodes=datanodes, files=files) for datanodes, files in pairs]


def test_what_rose_together_is_separated_by_the_smallest_run() -> None:
    """Three sizes, each larger in everything: the second number of nodes with the first number of files."""
    varied = variation(runs((2, 10), (3, 15), (4, 25)))
    assert varied == Variation((), (("datanodes", "files"),), Scale.of(datanodes=3, files=10))


def test_one_that_fell_as_the_other_rose_is_no_better() -> None:
    """Their sum could be constant."""
    assert variation(runs((2, 25), (3, 15), (4, 10))).together == (("datanodes", "files"),)


def test_varied_apart() -> None:
    """Up, and down; or one alone."""
    assert variation(runs((2, 10), (3, 25), (4, 15))) == Variation((), (), None)
    assert variation(runs((2, 10), (3, 15), (3, 10))).together == ()
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
