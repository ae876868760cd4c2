"""Types of machine that are left out, each with its reason."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.provision.prices.filters import Filters, apply, is_bare_metal, is_burstable, is_previous
from froude.provision.prices.layouts import InstanceType
from froude.provision.prices.rows import read_prices
from froude.provision.prices.tables import read_table
from tests.support.provision.prices.tables import EC2

ONE = InstanceType("m5.large", "m5", 0.1, 2, 8e9, arch="x86_64")
TYPES = read_prices(read_table(EC2.encode(), "t.csv")).instances


def test_no_filter_leaves_nothing_out() -> None:
    """Everything passes in its order."""
    kept, refused = apply(TYPES, Filters())
    assert kept == TYPES
    assert not refused


@pytest.mark.parametrize(
    ("filters", "left", "reason"),
    [
        (Filters(burstable=False), {"m9", "i9", "g9", "c3", "p9"}, "burstable"),
        (Filters(gpu=True), {"g9"}, "without a GPU"),
        (Filters(gpu=False), {"m9", "i9", "t3", "c3", "p9"}, "with a GPU"),
        (Filters(arch="arm64"), {"i9"}, "not arm64"),
        (Filters(families=("m9", "t3")), {"m9", "t3"}, "of other families"),
        (Filters(min_price=0.5), {"g9", "i9"}, "of another price"),
        (Filters(max_price=0.09), {"t3"}, "of another price"),
        (Filters(bare_metal=True), {"m9"}, "not bare metal"),
        (Filters(bare_metal=False), {"m9", "i9", "t3", "g9", "c3", "p9"}, "bare metal"),
        (Filters(previous=False), {"m9", "i9", "t3", "g9", "p9"}, "of a previous generation"),
    ],
)
def test_what_is_left(filters: Filters, left: set[str], reason: str) -> None:
    """What is left out is counted by its reason."""
    kept, refused = apply(TYPES, filters)
    assert {instance_type.family for instance_type in kept} == left & {
        instance_type.family for instance_type in TYPES
    }
    left_out = [instance_type.name for instance_type in TYPES if instance_type not in kept]
    assert refused == {reason: left_out}
    assert left_out


def test_everything_that_is_asked_for_must_hold() -> None:
    """A type is counted once, under the first reason."""
    kept, refused = apply(TYPES, Filters(gpu=False, arch="arm64", max_price=0.4))
    assert [instance_type.name for instance_type in kept] == ["i9.large", "i9.xlarge"]
    assert sum(map(len, refused.values())) == len(TYPES) - 2
    assert len(refused["of another price"]) == 1


def test_the_ends_of_a_price_range_belong_to_it() -> None:
    """A range of one price has the types of it."""
    assert Filters(min_price=0.1, max_price=0.1).refusal(ONE) is None
    assert Filters(min_price=math.nextafter(0.1, 1)).refusal(ONE) == "of another price"
    assert Filters(max_price=math.nextafter(0.1, 0)).refusal(ONE) == "of another price"


@pytest.mark.parametrize(
    ("name", "family", "burstable"),
    [
        ("t3.large", "t3", True),
        ("t4g.nano", "t4g", True),
        ("e2-micro", "e2", True),
        ("e2-standard-4", "e2", False),
        ("m7i-flex.large", "m7i-flex", True),
        ("trn1.2xlarge", "trn1", False),
        ("m5.large", "m5", False),
    ],
)
def test_cores_on_credit(name: str, family: str, burstable: bool) -> None:
    """By family, by type, or by the end of the family's name."""
    assert is_burstable(replace(ONE, name=name, family=family)) is burstable


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("m5.metal", True),
        ("c7i.metal-24xl", True),
        ("c3-standard-192-metal", True),
        ("metallic.large", False),
        ("m5.large", False),
    ],
)
def test_bare_metal_is_a_word_of_the_name(name: str, bare: bool) -> None:
    """Not a part of one."""
    assert is_bare_metal(replace(ONE, name=name)) is bare


@pytest.mark.parametrize(
    ("family", "generation", "previous"),
    [("m1", "", True), ("m5", "Previous", True), ("m5", "current", False), ("m10", "", False)],
)
def test_a_previous_generation(family: str, generation: str, previous: bool) -> None:
    """As the table says, or by the known families."""
    assert is_previous(replace(ONE, family=family, generation=generation)) is previous
