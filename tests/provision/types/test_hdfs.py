"""Racks and the time to re-replicate as values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from froude.provision.types import Rack, ReReplication


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Rack(0, 1.0), "servers must be 1 or more"),
        (lambda: Rack(1, 0.0), "uplink must be above 0"),
        (lambda: Rack(1, 1.0, -1.0), "price must be 0 or above"),
        (lambda: Rack(1, 1.0, 0.0, 10.0, 11.0), "idle_power must lie in"),
        (lambda: ReReplication(0.0), "time "),
        (lambda: ReReplication(1.0, share=1.1), "share must lie in"),
        (lambda: ReReplication(1.0, max_streams=0), "max_streams"),
    ],
)
def test_ranges(make: Callable[[], object], said: str) -> None:
    """What no rack and no re_replication can be is refused."""
    with pytest.raises(ValueError, match=said):
        make()


def test_defaults_are_hadoops() -> None:
    """Two streams a heartbeat of 3 s, blocks of 128 MiB."""
    re_replication = ReReplication(3600.0)
    assert (re_replication.max_streams, re_replication.heartbeat, re_replication.block_size) == (
        2,
        3.0,
        134217728,
    )
