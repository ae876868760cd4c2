"""Options refuse what cannot be; a problem without any has the defaults."""

from __future__ import annotations

import math

import pytest

from froude.provision.types import Options, Problem
from tests.support.provision.clusters import photoshare


@pytest.mark.parametrize("name", ["peak_utilization", "peak_fill"])
@pytest.mark.parametrize("value", [0, -0.5, 1.01, math.nan])
def test_what_is_no_share_above_zero_is_refused(name: str, value: float) -> None:
    """By its name, with what was given; one is as full as can be."""
    with pytest.raises(ValueError, match=rf"{name} must lie in \(0, 1\], got {value:g}"):
        Options(**{name: value})
    Options(**{name: 1.0})
    Options(**{name: 1e-9})


def test_no_fewer_than_no_servers_fail() -> None:
    """Any number may."""
    with pytest.raises(ValueError, match="survive_hosts"):
        Options(survive_hosts=-1)
    assert Options(survive_hosts=9).survive_hosts == 9


def test_a_problem_may_leave_its_options_out() -> None:
    """It has the defaults then."""
    problem = photoshare()
    assert Problem(problem.catalog, problem.application, problem.sla).options == Options()
