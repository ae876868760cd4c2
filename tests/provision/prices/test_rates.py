"""The file of rates: every mistake with its line and field; a blank is nothing."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.provision.inputs.tree import FlawedInputError
from froude.provision.prices.rates import Memory, Rates, Speed, TypeFigures, read_rates
from froude.provision.prices.volumes import Volume
from tests.support.provision.prices.tables import RATES


def _flaws(text: str) -> list[str]:
    with pytest.raises(FlawedInputError) as caught:
        read_rates(text.encode(), "r.yaml")
    return [str(flaw) for flaw in caught.value.flaws]


def test_what_is_given() -> None:
    """In SI units."""
    rates = read_rates(RATES.encode(), "r.yaml")
    assert rates.memory == Memory(Speed(10e9, 1e-7, 10e9, 1e-7), 2e9)
    assert rates.volume_slots == 20
    assert (rates.nvme[0].types, rates.nvme[0].disk) == (("i9.*",), 468e9)
    assert rates.volumes[0].sizes == (100 * 2**30, 2**40)


def test_blanks_are_nothing() -> None:
    """Of a number, and of a whole entry."""
    text = RATES.replace("BW_per_cpu: 2GBps", "BW_per_cpu: blank").replace(
        "volume_slots: 20", "volume_slots: blank"
    )
    rates = read_rates(text.encode(), "r.yaml")
    assert (rates.memory, rates.volume_slots) == (None, None)
    assert read_rates(b"froude: rates/2\n", "r.yaml") == Rates()


def test_every_mistake_at_once() -> None:
    """With line and field, and the nearest name."""
    text = RATES.replace("rateR: 700MBps", "rateR: 700").replace("IOPS: 2000", "IOPSS: 2000")
    flaws = _flaws(text.replace("volume_slots: 20", "volume_slots: 2.5"))
    assert [flaw.split(":")[1] for flaw in flaws] == ["2", "5", "7"]
    assert "volume_slots: is not a whole number" in flaws[0]
    assert "nvme: rateR: has no unit" in flaws[1]
    assert "IOPSS: is not a field here, did you mean IOPS?" in flaws[2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("vol:\n  - {class: x}\n", "does not belong in rates, did you mean volume?"),
        ("  - {BW: 1Gbps}\n", "type is missing"),
        ("  - {type: a, BW: 1Gbps}\n  - {type: a, BW: 2Gbps}\n", "type: stands on line 10 already"),
        ("disk: nothing\n", "disk: is not a field here"),
    ],
)
def test_mistakes(more: str, message: str) -> None:
    """Names that stand twice, elements that do not exist, what is missing."""
    assert any(message in flaw for flaw in _flaws(RATES + more))


def test_another_kind_of_file() -> None:
    """A catalog is no file of rates."""
    with pytest.raises(InputError, match=r"r\.yaml:1: froude: "):
        read_rates(b"froude: provision/1\n", "r.yaml")


def test_the_first_entry_that_has_a_figure_counts() -> None:
    """Of a type by its name or by wildcards; of several files the one that is named first."""
    more = "  - {type: m9.large, BW: 1GBps}\n  - {type: m9.*, BW: 2GBps, volumes: 3}\n"
    rates = read_rates((RATES + more).encode(), "r.yaml")
    assert rates.of("m9.large") == TypeFigures("m9.large", network=1e9, volumes=3)
    assert rates.of("m9.xlarge") == TypeFigures("m9.xlarge", network=2e9, volumes=3)
    assert rates.of("m10.large") == TypeFigures("m10.large")
    own = Rates(types=(TypeFigures("*", volumes=7),), volume_slots=1, volumes=rates.volumes[:1])
    both = own + rates
    assert (both.of("m9.large").volumes, both.volume_slots, both.memory) == (7, 1, rates.memory)
    assert len(both.volumes) == 1


def test_an_older_file() -> None:
    """Its volumes were of any size, each at full rate: it is refused, not read as something else."""
    with pytest.raises(InputError, match=r"r\.yaml:1: froude: "):
        read_rates(RATES.replace("rates/2", "rates/1").encode(), "r.yaml")


def _merged(own: str, shipped: str) -> Volume:
    head = "froude: rates/2\nvolume:\n  - "
    own_, shipped_ = (read_rates(f"{head}{{class: a, {text}}}\n".encode(), "r") for text in (own, shipped))
    (volume,) = (own_ + shipped_).volumes
    return volume


SHIPPED = (
    "min_size: 1GiB, max_size: 1TiB, sizes: 10GiB, IOPS: 100, max_IOPS: 900, price_per_IOPS_month: 0.005, BW: 1MBps, "
    "price_per_GiB_month: 0.08, region: us"
)


@pytest.mark.parametrize(
    ("own", "price", "more", "region"),
    [
        ("price_per_GiB_month: 0.16, region: us", 0.16, 0.005, "us"),
        ("price_per_GiB_month: 0.16", 0.16, 0.005, "us"),
        ("price_per_GiB_month: 0.16, region: eu", 0.16, None, "eu"),
        ("price_per_IOPS_month: 0.007, region: eu", None, 0.007, "eu"),
        ("IOPS: 200, region: eu", 0.08, 0.005, "us"),
        ("price_per_GiB_month: 0.16, price_per_IOPS_month: 0.01", 0.16, 0.01, None),
    ],
)
def test_a_class_of_volumes_field_by_field(
    own: str, price: float | None, more: float | None, region: str | None
) -> None:
    """What the first file says counts; prices of two regions are not mixed, and a region is that of prices."""
    volume = _merged(own, SHIPPED)
    assert not volume.missing
    assert (volume.price_per_gib_month, volume.iops.price_month, volume.region) == (price, more, region)
    assert (volume.iops.included, volume.iops.most) == (200 if own.startswith("IOPS") else 100, 900)
    assert volume.throughput.included == 1e6
