"""Which bandwidth holds all day: a figure that may be "up to" does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.prices.bandwidth import Bandwidth, to_network, to_volumes
from froude.provision.prices.layouts import InstanceType

SUSTAINED, UP_TO = Bandwidth.SUSTAINED, Bandwidth.UP_TO


def _type(name: str = "m5.large", family: str = "m5", cpu: int = 2, **more: float | None) -> InstanceType:
    return replace(InstanceType(name, family, 0.1, cpu, 1e9), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_", "baseline", "sustained", "most"),
    [(None, None, None, 600.0), (None, 80.0, 80.0, 600.0), (70.0, 80.0, 70.0, 70.0)],
)
def test_to_volumes(
    given_: float | None, baseline: float | None, sustained: float | None, most: float
) -> None:
    """What is given counts first, then the baseline; a figure that may be "up to" is never sustained."""
    for name, family in (("m5.large", "m5"), ("m7i-flex.large", "m7i-flex"), ("t2.large", "t2")):
        instance_type = _type(name, family, volume=600.0, volume_baseline=baseline)
        assert to_volumes(instance_type, given_, SUSTAINED) == sustained
        assert to_volumes(instance_type, given_, UP_TO) == most


def test_a_baseline_alone_is_a_figure() -> None:
    """Also for who takes figures as they stand; without any there is none."""
    assert to_volumes(_type(volume_baseline=80.0), None, UP_TO) == 80.0
    assert to_volumes(_type(), None, SUSTAINED) is None


def test_to_network() -> None:
    """What is given, what holds, and "up to" only for who takes it."""
    burst = _type(network_burst=900.0)
    assert to_network(burst, None, SUSTAINED) is None
    assert to_network(burst, None, UP_TO) == 900.0
    both = replace(burst, network=300.0)
    assert [to_network(both, None, which) for which in Bandwidth] == [300.0, 300.0]
    assert to_network(both, 200.0, UP_TO) == 200.0
