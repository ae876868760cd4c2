"""Volumes as they are bought: of a size, paid whole, with what comes with it and what is bought beyond."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.inputs.tree import FlawedInputError
from froude.provision.prices.rates import read_rates
from froude.provision.prices.volumes import GIB, MIB, Ability, Volume, fields_of

GP3 = Volume(
    "gp3",
    (100 * GIB, 2000 * GIB),
    Ability(3000, most=16000, price_month=0.005),
    Ability(125 * MIB, most=1000 * MIB, price_month=0.04),
    0.08,
)
GROWING = Volume("st1", (500 * GIB, 16000 * GIB), Ability(0, 0.04, 500), Ability(0, 0.04 * MIB, 500 * MIB))


def test_what_more_costs() -> None:
    """A month of 100 GiB is $8; of 12,000 IOPS and 500 MiB/s $45 + $15 more; of the most $65 + $35 more."""
    units = [unit for unit in GP3.units(0.08, 730.0) if unit.capacity == 100 * GIB]
    assert [unit.name for unit in units] == [
        "gp3 100GiB 3000IOPS 125MiBps",
        "gp3 100GiB 12000IOPS 500MiBps",
        "gp3 100GiB 16000IOPS 1000MiBps",
    ]
    assert [unit.price for unit in units] == pytest.approx([8, 8 + 45 + 15, 8 + 65 + 35])
    assert [unit.gap_r * iops for unit, iops in zip(units, (3000, 12000, 16000), strict=True)] == [1, 1, 1]
    assert {(unit.bus, unit.volatile, unit.price_per_gb_month) for unit in units} == {("volume", False, 0.0)}


def test_what_grows_with_the_size() -> None:
    """20 IOPS of 500 GiB, and the most of what would be more; without a price there is nothing to add."""
    small, large = GROWING.units(0.045, 730.0)
    assert (small.rate_r, 1 / small.gap_r) == pytest.approx((20 * MIB, 20))
    assert (large.rate_w, 1 / large.gap_w) == pytest.approx((500 * MIB, 500))
    assert large.price == pytest.approx(16000 * 0.045)


@given(
    st.floats(1, 1e5), st.floats(0, 10), st.none() | st.floats(0, 1e5), st.floats(1, 1e4), st.floats(1, 1e4)
)
def test_never_more_than_the_most_nor_less_than_included(
    included: float, per_gib: float, more: float | None, gib: float, factor: float
) -> None:
    """Whatever the size, and whatever is bought."""
    most = None if more is None else included + more
    ability = Ability(included, per_gib, most, 0.1)
    for value in (
        ability.at(gib * GIB),
        ability.times(factor, gib * GIB),
        ability.times(math.inf, gib * GIB),
    ):
        assert included <= value <= (math.inf if most is None else most)


FIELDS = "class: a, min_size: 10GiB, max_size: 1TiB, sizes: 10GiB, IOPS: 100, BW: 1MBps"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sizes: 10GiB", "sizes: 5GiB 10GiB", "sizes: has 5GiB, which cannot be bought"),
        ("sizes: 10GiB", "sizes: 10", "sizes: has no unit"),
        ("IOPS: 100", "IOPS: 100, max_IOPS: 99", "max_IOPS: is less than what is included"),
        ("BW: 1MBps", "BW: 1MBps, price_per_MiBps_month: 1", "has a price for more BW and no max_BW"),
        ("BW: 1MBps", "BW: 0", "BW: are none at all"),
    ],
)
def test_what_cannot_be_bought_is_refused(old: str, new: str, message: str) -> None:
    """With the field."""
    text = f"froude: rates/2\nvolume:\n  - {{{FIELDS.replace(old, new)}}}\n"
    with pytest.raises(FlawedInputError) as caught:
        read_rates(text.encode(), "r.yaml")
    assert message in str(caught.value.flaws[0])


@pytest.mark.parametrize("field", ["min_size: 10GiB", "sizes: 10GiB", "IOPS: 100", "BW: 1MBps"])
def test_a_blank_makes_no_volume_that_can_be_bought(field: str) -> None:
    """Of what it cannot be without; the rest is kept, and a class of which nothing is said is none."""
    name = field.split(":", maxsplit=1)[0]
    blank = FIELDS.replace(field, f"{name}: blank")
    (volume,) = read_rates(f"froude: rates/2\nvolume:\n  - {{{blank}}}\n".encode(), "r.yaml").volumes
    assert volume.missing == (name,)
    assert read_rates(b"froude: rates/2\nvolume:\n  - {class: a, IOPS: blank}\n", "r.yaml").volumes == ()


def test_what_can_be_bought_for_a_size_and_for_accesses() -> None:
    """Of 10 GiB at most 5,000 IOPS, and with them 250 MiB/s; what is included is included whatever the size."""
    limited = replace(GP3, sizes=(GIB, 10 * GIB), max_iops_per_gib=500.0, max_rate_per_iops=0.05 * MIB)
    offers = [(unit.capacity / GIB, 1 / unit.gap_r, unit.rate_r / MIB) for unit in limited.units(0.08, 730.0)]
    expected = [(1, 3000, 125), (1, 3000, 150), (10, 3000, 125), (10, 5000, 250)]
    assert [figure for offer in offers for figure in offer] == pytest.approx(
        [figure for offer in expected for figure in offer]
    )


def test_what_the_size_includes_is_not_paid_again() -> None:
    """100 GiB include 10 + 50 MiB/s: of the 200 that can be bought 140 are paid."""
    grown = Volume("a", (100 * GIB,), Ability(100), Ability(10 * MIB, 0.5 * MIB, 200 * MIB, 0.04))
    assert [unit.price for unit in grown.units(0.08, 730.0)] == pytest.approx([8, 8 + 0.04 * 140])


def test_limits_read_back() -> None:
    """As fields of a class."""
    text = f"{FIELDS}, max_IOPS_per_GiB: 500, max_BW_per_IOPS: 0.25MiBps"
    (volume,) = read_rates(f"froude: rates/2\nvolume:\n  - {{{text}}}\n".encode(), "r.yaml").volumes
    assert (volume.max_iops_per_gib, volume.max_rate_per_iops) == (500, 0.25 * MIB)
    assert fields_of(volume).keys() >= {"max_IOPS_per_GiB", "max_BW_per_IOPS"}


def test_names_of_offers_are_distinct() -> None:
    """A size that stands twice, and abilities that differ by less than is written, are one offer."""
    volume = replace(GP3, sizes=(GIB, GIB), iops=Ability(3000, most=3000.2, price_month=0.1))
    names = [unit.name for unit in replace(volume, throughput=Ability(MIB)).units(0.08, 730.0)]
    assert names == ["gp3 1GiB 3000IOPS 1MiBps"]
