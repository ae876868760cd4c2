"""Curves that were read and begun anew, put together."""

from __future__ import annotations

import pytest

from froude.cache.curves import MissRatioCurve
from froude.cache.monitor.pieces import CurvePieces


def _curve(ratio: float, accesses: float = 100.0) -> MissRatioCurve:
    return MissRatioCurve((0, 4096), (1.0, ratio), accesses)


def test_equal_pieces() -> None:
    """Two of the same moment weigh alike."""
    pieces = CurvePieces(60)
    assert pieces.curve(0.0) is None
    pieces.add(_curve(0.2), 1.0)
    pieces.add(_curve(0.4), 1.0)
    curve = pieces.curve(1.0)
    assert curve is not None
    assert curve.at(4096) == pytest.approx(0.3)


def test_the_newer_prevails() -> None:
    """After two windows the past is next to nothing."""
    pieces = CurvePieces(60)
    pieces.add(_curve(0.2), 0.0)
    pieces.add(_curve(0.8), 120.0)
    curve = pieces.curve(120.0)
    assert curve is not None
    assert curve.at(4096) == pytest.approx(0.8, abs=0.02)


def test_a_pause_is_no_change() -> None:
    """A VM that reads nothing for an hour is known as it was; a piece of nothing is none."""
    pieces = CurvePieces(60)
    pieces.add(_curve(0.2), 0.0)
    pieces.add(None, 10.0)
    pieces.add(_curve(1.0, 0.0), 20.0)
    curve = pieces.curve(3600.0)
    assert curve is not None
    assert curve.at(4096) == 0.2
    assert 0 < curve.accesses <= 1.0
