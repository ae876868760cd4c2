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

from collections.abc import Sequence
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
    for instance in types:
        if instance.volume is not None:
            key = instance.family, instance.volume
            largest[key] = max(largest.get(key, 0), instance.cpu)
    return frozenset(
        instance.name
        for instance in types
        if instance.volume is not None
        and instance.volume_baseline is None
        and instance.cpu < largest[instance.family, instance.volume]
    )


def to_volumes(
    instance: InstanceType, up_to: frozenset[str], given: float | None, bandwidth: Bandwidth
) -> float | None:
    """Bytes per second to attached volumes; None when the figure must be given.

    Args:
        instance: the type.
        up_to: see `only_up_to`.
        given: the sustained figure that the rates have; None where they have none.
        bandwidth: which figures count.
    """
    if given is not None:
        return given
    if bandwidth is Bandwidth.UP_TO:
        return instance.volume or instance.volume_baseline
    if instance.volume_baseline is not None:
        return instance.volume_baseline
    return None if instance.name in up_to else instance.volume


def to_network(instance: InstanceType, given: float | None, bandwidth: Bandwidth) -> float | None:
    """Bytes per second of the network; None when the figure must be given.

    Args:
        instance: the type, with what its table says.
        given: bytes per second that the rates have, which win over the table; None where they have none.
        bandwidth: whether an "up to" figure counts where there is no other.
    """
    if given is not None:
        return given
    return instance.network or (instance.network_burst if bandwidth is Bandwidth.UP_TO else None)
