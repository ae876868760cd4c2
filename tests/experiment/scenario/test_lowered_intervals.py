"""Lowered intervals: which properties set them, and what a Trace notes."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.experiment.scenario.lowered_intervals import lowered
from froude.trace.lowered import LoweredInterval, lowered_intervals


def test_an_interval_is_set_by_its_property() -> None:
    """A lease is renewed at half of the RPC timeout; mining learns how far each is from the real one."""
    properties, notes = lowered({"blockReport": 21.6, "renewLease": 5.0}, {"dfs.x": "1"})
    assert properties == {
        "dfs.x": "1",
        "dfs.blockreport.intervalMsec": "21600",
        "ipc.client.rpc-timeout.ms": "10000",
    }
    assert notes["interval.renewLease"] == "configured 30 s, recorded 5 s"
    assert lowered_intervals(notes)["blockReport"] == LoweredInterval("blockReport", 21_600.0, 21.6)


def test_a_configured_interval_is_the_real_one() -> None:
    """A timeout so long that it decides nothing leaves the default."""
    own = {"dfs.blockreport.intervalMsec": "3600000", "ipc.client.rpc-timeout.ms": "120000"}
    properties, notes = lowered({"blockReport": 36.0, "renewLease": 3.0}, own)
    assert properties["dfs.blockreport.intervalMsec"] == "36000"
    assert lowered_intervals(notes) == {
        "blockReport": LoweredInterval("blockReport", 3600.0, 36.0),
        "renewLease": LoweredInterval("renewLease", 30.0, 3.0),
    }
    assert lowered({}, own) == (own, {})


@pytest.mark.parametrize(
    ("intervals", "properties", "words"),
    [
        (
            {"mkdirs": 1.0},
            {},
            "has no interval that can be set; found mkdirs; allowed: blockReport, renewLease",
        ),
        (
            {"renewLease": 30.0},
            {},
            "is not lower than the real interval; found 30 s; allowed: less than 30 s",
        ),
        ({"blockReport": 5.0}, {"dfs.blockreport.intervalMsec": "x"}, "is no number; found x"),
    ],
)
def test_intervals_that_cannot_be_lowered(
    intervals: dict[str, float], properties: dict[str, str], words: str
) -> None:
    """Each in one error."""
    with pytest.raises(InputError) as caught:
        lowered(intervals, properties)
    assert words in str(caught.value)
