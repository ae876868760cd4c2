"""Which bandwidth of an instance type can be had all day.

Of the layout with `network_bandwidth` and `ebs_bandwidth` the first is a baseline and the second a maximum:

* its source takes the network's figure from the column "baseline" of the vendor's documentation, and the volumes'
  from `EbsOptimizedInfo.MaximumBandwidthInMbps` of the vendor's interface;
* the figures themselves show it: within a family the network's grow with the cores (m5: 0.75, 1.25, 2.5, 5 Gbps for 2
  to 16 cores), while the volumes' stay the same over the smaller sizes (m5: 4.75 Gbps for 2 to 16 cores).

So a volumes' figure that a type shares with a sibling of more cores is "up to": the largest of the plateau can have it
all day, the smaller ones for a while. What they sustain stands in no column and must be given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from froude.provision.prices.layouts import InstanceType


class Bandwidth(Enum):
    """Which figures count."""

    SUSTAINED = "sustained"
    UP_TO = "up-to"


def only_up_to(types: Sequence[InstanceType]) -> frozenset[str]:
    """Names of the types whose figure to volumes a larger sibling shares, and no baseline is known.

    Args:
        types: all of the table, also those that a filter leaves out, for they are siblings too.
    """
    largest: dict[tuple[str, float], int] = {}
    for one in types:
        if one.volume is not None:
            key = one.family, one.volume
            largest[key] = max(largest.get(key, 0), one.cpu)
    return frozenset(
        one.name
        for one in types
        if one.volume is not None
        and one.volume_baseline is None
        and one.cpu < largest[one.family, one.volume]
    )


def to_volumes(
    one: InstanceType, up_to: frozenset[str], given: Mapping[str, float], bandwidth: Bandwidth
) -> float | None:
    """Bytes per second to attached volumes; None when the figure must be given.

    Args:
        one: the type.
        up_to: see `only_up_to`.
        given: sustained figures that the user knows, by type.
        bandwidth: which figures count.
    """
    if one.name in given:
        return given[one.name]
    if bandwidth is Bandwidth.UP_TO:
        return one.volume or one.volume_baseline
    if one.volume_baseline is not None:
        return one.volume_baseline
    return None if one.name in up_to else one.volume


def to_network(one: InstanceType, given: Mapping[str, float], bandwidth: Bandwidth) -> float | None:
    """Bytes per second of the network; None when the figure must be given."""
    if one.name in given:
        return given[one.name]
    return one.network or (one.network_burst if bandwidth is Bandwidth.UP_TO else None)
