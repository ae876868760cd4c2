"""Which bandwidth of an instance type can be had all day.

Of the layout with `network_bandwidth` and `ebs_bandwidth` the first is a baseline and the second a maximum:

* its source takes the network's figure from the column "baseline" of the vendor's documentation, and the volumes'
  from `EbsOptimizedInfo.MaximumBandwidthInMbps` of the vendor's interface;
* the figures themselves show it: within a family the network's grow with the cores (m5: 0.75, 1.25, 2.5, 5 Gbps for 2
  to 16 cores), while the volumes' stay the same over the smaller sizes (m5: 4.75 Gbps for 2 to 16 cores).

So a volumes' figure is "up to", for every type: the larger ones of a plateau may have it all day, but no column says
which. What they sustain must be given, or stand in a column of baselines.
"""

from __future__ import annotations

from enum import Enum

from froude.provision.prices.layouts import InstanceType


class Bandwidth(Enum):
    """Which figures count."""

    SUSTAINED = "sustained"
    UP_TO = "up-to"


def to_volumes(instance: InstanceType, given: float | None, bandwidth: Bandwidth) -> float | None:
    """Bytes per second to attached volumes; None when the figure must be given.

    Args:
        given: the sustained figure that the rates have; None where they have none.
    """
    if given is not None:
        return given
    if bandwidth is Bandwidth.UP_TO:
        return instance.volume or instance.volume_baseline
    return instance.volume_baseline


def to_network(instance: InstanceType, given: float | None, bandwidth: Bandwidth) -> float | None:
    """Bytes per second of the network; None when the figure must be given.

    Args:
        given: bytes per second that the rates have, which win over the table; None where they have none.
        bandwidth: whether an "up to" figure counts where there is no other.
    """
    if given is not None:
        return given
    return instance.network or (instance.network_burst if bandwidth is Bandwidth.UP_TO else None)
