"""A job played in a process: what is measured of it."""

from __future__ import annotations

from froude.emulation.engine import QUANTILES
from froude.emulation.playing import _quantiles_ms, _so_far
from froude.emulation.run.tally import Tally


def test_all_that_can_be_told_of_a_play() -> None:
    """Of both phases together; quantiles as the histogram itself has them."""
    tally = Tally()
    tally.begin_ramp()
    tally.of("create").sent = 2
    tally.of("create").errors["java.io.IOException"] += 1
    tally.end_ramp(1.0)
    tally.of("create").sent, tally.of("create").answered = 3, 1
    tally.of("create").errors["java.io.IOException"] += 2
    counts, errors = _so_far(tally)
    assert (counts, dict(errors)) == ({"create": (5, 1)}, {("create", "java.io.IOException"): 3})
    assert _quantiles_ms(tally.lateness) == {}
    tally.lateness.add(at / 1000 for at in range(1, 1001))
    told = _quantiles_ms(tally.lateness)
    assert list(told) == list(QUANTILES)
    assert [told[q] for q in QUANTILES[:-1]] == tally.lateness.quantiles_ms(QUANTILES[:-1])
