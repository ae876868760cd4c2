"""Which bandwidth holds all day: a figure that a larger sibling shares does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.prices.bandwidth import Bandwidth, only_up_to, to_network, to_volumes
from froude.provision.prices.layouts import InstanceType

SUSTAINED, UP_TO = Bandwidth.SUSTAINED, Bandwidth.UP_TO


def _type(name: str = "m5.large", family: str = "m5", cpu: int = 2, **more: float | None) -> InstanceType:
    return replace(InstanceType(name, family, 0.1, cpu, 1e9), **more)  # type: ignore[arg-type]


def test_the_largest_of_a_plateau_has_it_all_day() -> None:
    """The smaller ones of the same family do not, unless their baseline is known; others' figures say nothing."""
    plateau = [_type(f"m5.{cpu}", cpu=cpu, volume=600.0) for cpu in (2, 4, 16, 16)]
    others = [
        _type("m5.32", cpu=32, volume=900.0),
        _type("c5.2", family="c5", volume=600.0),
        _type("known", volume=600.0, volume_baseline=80.0),
        _type("silent"),
    ]
    assert only_up_to([*plateau, *others]) == {"m5.2", "m5.4"}


@given(st.lists(st.tuples(st.integers(1, 9), st.sampled_from([100.0, 200.0])), min_size=1, max_size=9))
def test_each_figure_is_somebodys(figures: list[tuple[int, float]]) -> None:
    """For every figure of a family there is a type that has it all day: the one with most cores."""
    types = [_type(str(n), cpu=cpu, volume=volume) for n, (cpu, volume) in enumerate(figures)]
    held = [instance_type for instance_type in types if instance_type.name not in only_up_to(types)]
    for volume in {instance_type.volume for instance_type in types}:
        most = max(instance_type.cpu for instance_type in types if instance_type.volume == volume)
        assert {instance_type.cpu for instance_type in held if instance_type.volume == volume} == {most}


@pytest.mark.parametrize(
    ("given_", "baseline", "up_to", "sustained", "most"),
    [
        (None, None, False, 600.0, 600.0),
        (None, None, True, None, 600.0),
        (None, 80.0, False, 80.0, 600.0),
        (None, 80.0, True, 80.0, 600.0),
        (70.0, 80.0, True, 70.0, 70.0),
    ],
)
def test_to_volumes(
    given_: float | None, baseline: float | None, up_to: bool, sustained: float | None, most: float
) -> None:
    """What is given counts first, then the baseline, then a figure that is its own."""
    instance_type = _type(volume=600.0, volume_baseline=baseline)
    names = frozenset({instance_type.name} if up_to else ())
    assert to_volumes(instance_type, names, given_, SUSTAINED) == sustained
    assert to_volumes(instance_type, names, given_, UP_TO) == most


def test_a_baseline_alone_is_a_figure() -> None:
    """Also for who takes figures as they stand; without any there is none."""
    assert to_volumes(_type(volume_baseline=80.0), frozenset(), None, UP_TO) == 80.0
    assert to_volumes(_type(), frozenset(), None, SUSTAINED) is None


def test_to_network() -> None:
    """What is given, what holds, and "up to" only for who takes it."""
    burst = _type(network_burst=900.0)
    assert to_network(burst, None, SUSTAINED) is None
    assert to_network(burst, None, UP_TO) == 900.0
    both = replace(burst, network=300.0)
    assert [to_network(both, None, which) for which in Bandwidth] == [300.0, 300.0]
    assert to_network(both, 200.0, UP_TO) == 200.0
