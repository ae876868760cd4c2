"""Failures that come together on real racks and days, beside what the paper's datacenters are taken for."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.results import Row, near
from froude.base.seeds import Seeds
from froude.harvest.place.policies import constrained, preset
from froude.harvest.simulate.durability import compare, year_of
from froude.harvest.simulate.settings import DurabilitySetting
from froude.harvest.telemetry.correlation import SSD_FAILURES, Together, together
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.profiles import PROFILES

_TABLE = (
    Path(__file__).resolve().parents[2]
    / "shared"
    / "data"
    / "alibaba_ssd_failures"
    / "ssd_failure_tag.csv.zip"
)
_POLICIES = ("stock", "rack-fault-tolerant", "environment", "rows+environment", "history")


def measured() -> Iterator[Row]:
    """What the racks and days of two years of SSD failures say, and whether the shipped figures are those."""
    if not _TABLE.is_file():
        yield Row("failures on racks and days", None, "", conditions="not measured: the data are not here")
        return
    rooms, racks = _found("machine_room_id"), _found("rack_id")
    said = f"{racks.failures:,} servers with a failed SSD, by day, 2018 and 2019 (Alibaba, Han et al., FAST 2021)"
    shipped = SSD_FAILURES.share
    yield near(
        "failures with another of their rack and day",
        round(racks.correlation.share, 4),
        "share",
        shipped,
        0.001,
        said,
    )
    same = racks.correlation.sizes == SSD_FAILURES.sizes
    yield Row("sizes of such groups as shipped", str(same), "", "True", same, conditions=said)
    for name, found in (("rack", racks), ("room", rooms)):
        value = round(found.pairs / found.by_chance, 1)
        pairs = (
            f"{found.pairs:,} pairs, {found.by_chance:,.0f} if its failures were dealt out to days at random"
        )
        yield Row(f"pairs of one {name} and day over chance", value, "x", conditions=f"{said}; {pairs}")


def durability(seed: int) -> list[Row]:
    """A year of a DC-9 whose reimages come together as the paper's are taken to, and as those failures did.

    Args:
        seed: of the datacenter and of the year's chance.
    """
    rows = []
    chosen = [*map(preset, _POLICIES), constrained(["environment", "rack"])]
    for name, profile in (("paper", PROFILES["DC-9"]), ("ssd-failures", PROFILES["DC-9"].like(SSD_FAILURES))):
        year = year_of(generate(profile, Seeds(seed), days=2, months_after=12), 0.0)
        said = f"DC-9, correlation {name}, one year, 4,000,000 blocks, R = 3"
        for each in compare([year], DurabilitySetting(), Seeds(seed), chosen, 1):
            measure = f"blocks lost, correlation {name}: {each.policy}"
            rows.append(Row(measure, each.lost.mean, "blocks", conditions=said))
    return rows


def _found(group: str) -> Together:
    with zipfile.ZipFile(_TABLE) as packed:
        table = pl.read_csv(io.BytesIO(packed.read(packed.namelist()[0])), infer_schema=False)
    day = table["failure_time"].str.to_datetime().dt.epoch("d").cast(pl.Int64)
    server, rack = (table[name].cast(pl.Int64).to_numpy() for name in ("node_id", group))
    return together(server, rack, day.to_numpy())
