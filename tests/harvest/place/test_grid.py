"""The grid of Algorithm 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.place.grid import MONTH_S, Grid, grid_of, make_grid, peaks, reimage_frequency
from froude.harvest.telemetry.datacenter import Datacenter, Reimages
from tests.support.harvest.even import datacenter


def small(times_s: list[float], servers: list[int]) -> Datacenter:
    """Two tenants, one of a server and one of two, two slots of utilisation."""
    return Datacenter(
        tenants=("web", "index"),
        tenant_environment=np.zeros(2, np.int32),
        environments=("search",),
        servers=("a", "b", "c"),
        server_tenant=np.array([0, 1, 1], np.int32),
        server_rack=np.zeros(3, np.int32),
        utilisation=np.array([[0.1, 0.9], [0.5, np.nan]], np.float32),
        reimages=Reimages(np.array(servers, np.int32), np.array(times_s)),
    )


def test_reimages_count_per_server_and_month_before_the_moment() -> None:
    """One of the two servers of `index` was wiped in the last month; what is older or later does not count."""
    found = reimage_frequency(small([-2 * MONTH_S, -10.0, 0.0], [0, 1, 0]), before_s=0, months=1)
    assert found.tolist() == [0, 0.5]


def test_peaks_are_of_slots_before_the_moment() -> None:
    """The second slot begins at 120 s; before any slot was seen, all count."""
    known = small([], [])
    assert peaks(known, 120.0, 1.0) == pytest.approx([0.1, 0.5])
    assert peaks(known, 240.0, 1.0) == pytest.approx([0.9, 0.5])
    assert peaks(known, 0.0, 1.0) == pytest.approx([0.9, 0.5])


def test_nine_equal_tenants_fill_nine_classes_and_rows_do_not_align() -> None:
    """Columns by reimages; within each, rows by peak, whatever the peaks of other columns."""
    frequency = [0, 1, 2, 3, 4, 5, 6, 7, 8]
    peak = [0.1, 0.2, 0.3, 0.9, 0.8, 0.7, 0.5, 0.4, 0.6]
    made = make_grid(frequency, peak, np.ones(9))
    assert made.column.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert made.row.tolist() == [0, 1, 2, 2, 1, 0, 1, 0, 2]
    assert made.space(np.ones(9)).tolist() == [[1, 1, 1]] * 3


def test_a_tenant_across_a_cut_goes_where_its_middle_lies() -> None:
    """It is not split: half of the space in one tenant makes its column larger than a third."""
    made = make_grid([0, 1, 2], [0, 0, 0], [1, 4, 1])
    assert made.column.tolist() == [0, 1, 2]


def test_a_grid_names_classes_that_there_are() -> None:
    """A row from 0 to rows - 1."""
    with pytest.raises(ValueError, match="row is 0 to 2"):
        Grid(np.array([3], np.int32), np.zeros(1, np.int32))


def test_the_grid_of_a_datacenter() -> None:
    """Thirty equal tenants: each class has three or four of them."""
    made = grid_of(datacenter(), 0.0)
    counts = made.space(np.ones(30))
    assert counts.sum() == 30
    assert counts.min() >= 3
    assert np.array_equal(grid_of(datacenter(), 0.0, space=np.full(300, 7, np.int32)).row, made.row)


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=60))
def test_no_class_is_off_by_more_than_whole_tenants_demand(tenants: list[tuple[float, float, int]]) -> None:
    """A column misses a third of the space by at most the largest tenant, and so does a row its column's third."""
    frequency, peak, space = (np.array(each, float) for each in zip(*tenants, strict=True))
    made = make_grid(frequency, peak, space)
    inside = made.space(space)
    assert inside.sum() == pytest.approx(space.sum())
    assert np.abs(inside.sum(axis=0) - space.sum() / 3).max() <= space.max() + 1e-6
    assert np.abs(inside - inside.sum(axis=0) / 3).max() <= space.max() + 1e-6
