"""A family's totals divide into pieces that never hold more than there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.prices.pieces import TOLERANCE, count_of, piece_of


@pytest.mark.parametrize(
    ("totals", "piece"),
    [((475, 950, 1900), 475), ((125, 225, 900), 25), ((5940,), 5940), ((300, 450), 150), ((), None)],
)
def test_pieces(totals: tuple[float, ...], piece: float | None) -> None:
    """The greatest common part."""
    assert piece_of(totals) == piece


def test_rounded_totals() -> None:
    """468 and 937 are one and two halves of a device of 937.5."""
    piece = piece_of((468, 937, 1875, 3750))
    assert piece == 468
    assert [count_of(total, piece) for total in (468, 937, 1875, 3750)] == [1, 2, 4, 8]


def test_totals_without_a_common_part() -> None:
    """None is better than one that is wrong."""
    assert piece_of((1000, 1013)) is None


@given(st.lists(st.integers(1, 10**5), min_size=1, max_size=6))
def test_pieces_fit(totals: list[int]) -> None:
    """Whatever is found holds no more than the total, and all but a little of it."""
    piece = piece_of([float(total) for total in totals])
    for total in totals if piece is not None else ():
        assert piece is not None
        held = count_of(total, piece) * piece
        assert held <= total * (1 + 1e-9)
        assert held >= total * (1 - 3 * TOLERANCE)
