"""What each input does to the cost alone."""

from __future__ import annotations

import pytest

from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.tornado import tornado
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from tests.provision.clusters import photoshare

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


def test_swings_are_ranked_and_signed() -> None:
    """A fifth of three servers is $840 either way; an upload's compute time moves the cost only upward, and more."""
    problem = photoshare()
    paths = ("unit.SSD.price", "server.Server1.price", "compute.upload.time", "dataset.photos.hit_ratio")
    best = compile_plan(problem, LIMITS)
    swings = tornado(problem, best, [find_input(problem, path) for path in paths], LIMITS)
    assert [swing.input.path for swing in swings] == [paths[2], paths[1], paths[0], paths[3]]
    changes = [
        (swing.change(swing.low_plan, best.upper), swing.change(swing.high_plan, best.upper))
        for swing in swings
    ]
    assert [*changes[1], *changes[2]] == pytest.approx([-840, 840, -90, 90])
    assert changes[0][0] == pytest.approx(0, abs=0.01)
    assert swings[3].high_plan is None
    assert not any(swing.moves for swing in swings)


def test_counts_move_by_a_piece() -> None:
    """A fifth of four slots is less than one."""
    problem = photoshare()
    slots = find_input(problem, "server.Server1.buses.SAS.slots")
    swing = tornado(problem, compile_plan(problem, LIMITS), [slots], LIMITS)[0]
    assert (swing.low, swing.high) == (3, 5)
