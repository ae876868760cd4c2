"""The file that asks for what is missing, and reads back as what was given."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.provision.prices.asked import Asked, Family, template
from froude.provision.prices.rates import Disk, Memory, Nvme, Rates, Speed, TypeFigures, read_rates
from froude.provision.prices.volumes import Ability, Volume

SPEED = Speed(1e8, 0.001, 2e8, 0.002)
NOTHING = Rates()


def test_nothing_asked_and_nothing_given() -> None:
    """Is a file of rates all the same."""
    assert not Asked()
    assert read_rates(template(Asked(), NOTHING).encode(), "t") == NOTHING


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (
            Asked(memory=True),
            "memory: {rateR: blank, gapR: blank, rateW: blank, gapW: blank, BW_per_cpu: blank}",
        ),
        (Asked(volume_slots=True), "volume_slots: blank    # volumes that a server takes"),
        (Asked(nvme={"i9.*": Family(3, told=True)}), '  - {types: "i9.*", rateR: blank, gapR: blank'),
        (Asked(nvme={"i9.*": Family(3, told=False)}), '  - {types: "i9.*", disk: blank, rateR: blank'),
        (
            Asked(volumes=("ssd",)),
            "  - {class: ssd, min_size: blank, max_size: blank, sizes: blank, IOPS: blank, BW: blank}",
        ),
        (Asked(baseline=("t3.large",)), "  - {type: t3.large, baseline: blank}"),
        (Asked(disks=("st8",)), "  - {model: st8, capacity: blank, bus: blank, rateR: blank"),
        (Asked(network=("m5.large",)), "  - {type: m5.large, BW: blank}"),
        (Asked(to_volumes=("m5.large",)), "  - {type: m5.large, volume_BW: blank}"),
        (Asked(network=("a",), to_volumes=("a",)), "  - {type: a, BW: blank, volume_BW: blank}"),
    ],
)
def test_a_blank_for_everything_that_is_missing(asked: Asked, line: str) -> None:
    """Under its section; as long as it is blank it is nothing."""
    assert asked
    text = template(asked, NOTHING)
    assert any(row.startswith(line) for row in text.splitlines()), text
    assert read_rates(text.encode(), "t") == NOTHING


def test_what_is_given_stands_beside_what_is_asked() -> None:
    """Of a type too, of which one figure is known."""
    rates = Rates(
        volumes=(Volume("ssd", (2.0**30,), Ability(9.0), Ability(1e8), 0.1, min_size=2.0**30),),
        types=(TypeFigures("m5.large", network=1e8),),
    )
    text = template(Asked(volumes=("plain",), to_volumes=("m5.large",)), rates)
    assert "{class: ssd, min_size: 1GiB, sizes: 1GiB, IOPS: 9, BW: 100MBps" in text
    assert "{class: plain, min_size: blank" in text
    again = template(Asked(volumes=("ssd",)), rates)
    assert "sizes: 1GiB, IOPS: 9, BW: 100MBps, price_per_GiB_month: 0.1, max_size: blank}" in again
    assert again.count("class: ssd") == 1
    assert "{type: m5.large, BW: 100MBps}" in text
    assert "{type: m5.large, volume_BW: blank}" in text


_figure = st.floats(1e-3, 1e12)
_speed = st.builds(Speed, _figure, _figure, _figure, _figure)
_name = st.text("aZ09 ._-/+:#'\"{},é", min_size=1, max_size=8).filter(
    lambda s: s.strip() == s
) | st.sampled_from(
    ["yes", "No", "null", "1e3", "007", "0x1f", "1_000", "~", "-", "1.5", ".5", "true", "2026-07-31", "a: b"]
)
_word = st.text("aZ09._-/+", min_size=1, max_size=6)
_ability = st.builds(
    lambda included, per_gib, more, price: Ability(
        included, per_gib, None if more is None else included + more, None if more is None else price
    ),
    _figure,
    st.just(0.0) | _figure,
    st.none() | _figure,
    st.none() | _figure,
)
_types = st.lists(
    st.builds(
        TypeFigures,
        _name,
        st.none() | _figure,
        st.none() | _figure,
        st.none() | _figure,
        st.none() | st.integers(0, 99),
        st.none() | _figure,
    ),
    max_size=2,
    unique_by=lambda entry: entry.name,
).map(lambda entries: tuple(entry for entry in entries if entry != TypeFigures(entry.name)))
_rates = st.builds(
    Rates,
    memory=st.none() | st.builds(Memory, _speed, _figure),
    nvme=st.lists(
        st.builds(Nvme, st.tuples(_word), _speed, st.none() | _figure),
        max_size=2,
        unique_by=lambda one: one.types,
    ).map(tuple),
    volumes=st.lists(
        st.builds(
            Volume, _name, st.tuples(_figure), _ability, _ability, st.none() | _figure, st.none() | _word
        ),
        max_size=2,
        unique_by=lambda one: one.name,
    ).map(tuple),
    disks=st.lists(
        st.builds(Disk, _name, _figure, _name, _speed, _figure), max_size=2, unique_by=lambda one: one.model
    ).map(tuple),
    volume_slots=st.none() | st.integers(1, 99),
    types=_types,
)


@settings(max_examples=60, deadline=None)
@given(_rates)
def test_what_was_given_reads_back_the_same(rates: Rates) -> None:
    """Any names, which may look like numbers or like YAML, and any figures."""
    again = read_rates(template(Asked(), rates).encode(), "t")
    for one in fields(Rates):
        assert getattr(again, one.name) == getattr(rates, one.name), one.name
