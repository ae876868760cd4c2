"""Timing in a workload's file."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.documents.plain import Fields
from froude.documents.reading import Section
from froude.workload.scale import Count
from froude.workload.timing import Timing
from froude.workload.yaml_timing import read_timing, timing_fields


def _read(**fields: Any) -> Timing:
    return read_timing(Section(Fields(fields), "w.yaml"))


def test_what_is_written_is_read() -> None:
    """Also of a call of which nothing is known, which has no field."""
    timing = Timing(Count(0.1, {"nodes": 2.0}, 9.0), (0.1, 0.2, 0.5), Count(1), (1.0, 1.0, 3.0))
    fields = timing_fields(timing)
    assert _read(**{name: value for name, value in fields.items() if value is not None}) == timing
    assert not any(timing_fields(Timing()).values())
    assert _read() == Timing()


def test_a_spread_of_earlier_files_is_even_about_the_median() -> None:
    """Twice its median absolute deviation to either side, though never below zero."""
    assert _read(think_s=1, spread_s=0.25).think_quantiles_s == (0.5, 1.0, 1.5)
    assert _read(think_s=0.1, spread_s=0.25).think_quantiles_s == (0.0, 0.1, 0.6)
    assert _read(think_s="2*nodes", spread_s=0.25).think_quantiles_s == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"think_quantiles_s": [1, 2]},
        {"think_quantiles_s": [1, 3, 2]},
        {"service_quantiles_s": [-1, 0, 2]},
        {"service_quantiles_s": ["a", 0, 2]},
        {"think_s": -1},
        {"service_s": 1e10},
    ],
)
def test_times_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    """With the field that has them."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        _read(**wrong)
