"""Patterns of tenants of whose history a part is missing, next to those that the full history gives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from benchmarks.results import ONE_INPUT, Row, at_least, at_most, over
from froude.base import parallel
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import classify
from froude.harvest.classify.patterns import Patterns, Rule, find_patterns
from froude.harvest.simulate.month import month_of
from froude.harvest.simulate.settings import SchedulingSetting
from froude.harvest.telemetry.datacenter import Datacenter, Shares
from froude.harvest.telemetry.files import read_datacenter
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.profiles import PATTERNS, PROFILES, Pattern

SHARES = (0.05, 0.2, 0.4)
"""Of the samples that are taken out."""
_DATA = Path("shared", "data")
"""In a folder above this one."""
_FROUDE = str(Path(sys.executable).with_name("froude"))
_HOLE_H, _OWN_H, _MONTH_DAYS = 31, 12, 30
_OF = "generated datacenters, DC-0 to DC-9"
_WALKS, _BY_CHANCE = 2000, 0.01
_DRAWS = 20
_WORKERS = 2
_Rng = np.random.Generator


def at_random(series: Shares, per_day: int, share: float, rng: _Rng) -> Shares:
    """Each sample is missing with the same chance."""
    return np.where(rng.random(series.shape) < share, np.float32(np.nan), series)


def common_hole(series: Shares, per_day: int, share: float, rng: _Rng) -> Shares:
    """31 hours of all tenants, and the rest of the share at random."""
    length = _HOLE_H * per_day // 24
    begin, slots = int(rng.integers(0, series.shape[1] - length)), series.shape[1]
    out = at_random(series, per_day, max(0.0, (share * slots - length) / (slots - length)), rng)
    out[:, begin : begin + length] = np.nan
    return out


def own_outages(series: Shares, per_day: int, share: float, rng: _Rng) -> Shares:
    """Stretches of 12 hours, of each tenant at other times."""
    out, length = series.copy(), _OWN_H * per_day // 24
    for row in out:
        while np.isnan(row).mean() < share:
            begin = int(rng.integers(-length, len(row)))
            row[max(0, begin) : begin + length] = np.nan
    return out


def borders(series: Shares, per_day: int, share: float, rng: _Rng) -> Shares:
    """A gap at each border of months, of each tenant of a length of its own."""
    out, month = series.copy(), _MONTH_DAYS * per_day
    edges = range(month, series.shape[1], month)
    for row in out:
        for edge in edges:
            length = share * len(row) / len(edges) * rng.uniform(0.8, 1.2)
            begin = edge - length * rng.random()
            row[round(begin) : round(begin + length)] = np.nan
    return out


_FORMS = {
    "at random": (at_random, 31),
    f"one hole of {_HOLE_H} h in all tenants, others at random": (common_hole, 31),
    f"outages of {_OWN_H} h of each tenant": (own_outages, 31),
    "borders of three months": (borders, 90),
}


def rows() -> Iterator[Row]:
    """Patterns kept, changed and marked, by what is missing; then false alarms, pulses, a real form, and the fill."""
    by_datacenter = parallel.map(_patterns, sorted(PROFILES), _WORKERS)
    yield from (over(rows, _OF) for rows in zip(*by_datacenter, strict=True))
    yield from _false_alarms()
    yield _pulses()
    for folder in (folder / _DATA for folder in Path(__file__).resolve().parents):
        if folder.is_dir():
            yield _outages(folder / "reported" / "outage.csv.gz")
            files = sorted((folder / "nab_aws").glob("*cpu_utilization_*.csv.gz"))
            yield from _real([file for file in files if "asg" not in file.name])
    yield from _filled()


def _patterns(name: str) -> list[Row]:
    """All forms and shares on one datacenter."""
    found: list[Row] = []
    for days in sorted({days for _, days in _FORMS.values()}):
        datacenter = generate(PROFILES[name], Seeds(1), days=days, months_before=0)
        full, earlier = find_patterns(datacenter), find_patterns(datacenter, Rule(repeated_from=2.0))
        changed = float((full.pattern != earlier.pattern).sum())
        said = f"complete histories of {days} days; against harmonics of the day alone"
        found.append(
            at_most("patterns that the autocorrelation changes", changed, "tenants", 0, conditions=said)
        )
        rng = np.random.default_rng(Seeds(1).child(name, days).value)
        for form, (take, of_days) in _FORMS.items():
            for share in SHARES if of_days == days else ():
                series = take(datacenter.utilisation, 720, share, rng)
                less = find_patterns(replace(datacenter, utilisation=series))
                found += _compared(full, less, f"{share:.0%} of the samples missing: {form}; {days} days")
    return found


def _compared(full: Patterns, less: Patterns, said: str) -> list[Row]:
    tenants = len(full.pattern)
    kept = float((full.pattern == less.pattern).mean())
    silent = (full.pattern != less.pattern) & (less.pattern >= 0) & ~less.uncertain
    marked = int((less.uncertain | (less.pattern < 0)).sum())
    return [
        at_least("tenants that keep their pattern", kept, "share", 0.9, conditions=said),
        at_most("patterns that change without a mark", float(silent.sum()), "tenants", 0, conditions=said),
        Row("tenants marked as uncertain or without a pattern", marked / tenants, "share", conditions=said),
    ]


def _false_alarms() -> Iterator[Row]:
    """Random walks by the quarter of an hour that are taken for periodic."""
    rng, per_day = np.random.default_rng(1), 96
    for days in (7, 14, 31):
        walks = np.cumsum(rng.standard_normal((_WALKS, days * per_day)), axis=1)
        walks = ((walks - walks.min()) / np.ptp(walks)).astype(np.float32)
        forms = {"nothing missing": walks}
        if days > _MONTH_DAYS / 4:  # of a week with gaps there is no pattern
            for form, (take, of_days) in _FORMS.items():
                if of_days < days + _MONTH_DAYS:
                    forms[f"40% missing: {form}"] = take(walks, per_day, 0.4, rng)
        for form, series in forms.items():
            found = find_patterns(_of(series, 86400 / per_day), Rule(constant_below=0.0))
            share = len(found.of(Pattern.PERIODIC)) / _WALKS
            said = f"{_WALKS - found.unknown} of {_WALKS} with a pattern, {days} days, {form}; {ONE_INPUT}"
            yield at_most("random walks taken for periodic", share, "share", _BY_CHANCE, conditions=said)


def _pulses() -> Row:
    """Jobs of an hour a night of 200 tenants, with 40 % of the samples missing."""
    rng, per_day, days, tenants = np.random.default_rng(2), 144, 31, 200
    slot = np.arange(days * per_day)
    hour = rng.integers(0, 24, (tenants, 1))
    series = 0.2 + 0.5 * (slot % per_day * 24 // per_day == hour) + rng.normal(0, 0.05, (tenants, len(slot)))
    series = at_random(np.clip(series, 0, 1).astype(np.float32), per_day, 0.4, rng)
    found = find_patterns(_of(series, 86400 / per_day))
    said = f"{tenants} tenants, 50 points on noise of 5, {days} days, 40% of the samples missing at random; {ONE_INPUT}"
    share = len(found.of(Pattern.PERIODIC)) / tenants
    return at_least("jobs of an hour a night found periodic", share, "share", 1, conditions=said)


def _outages(table: Path) -> Row:
    found = classify(_imported([table], "--slot", "10min"), Seeds(1))
    periodic = sum(len(each.tenants) for each in found.classes if each.pattern is Pattern.PERIODIC)
    said = f"two outages of 4 h in 16 days, {len(found.patterns.outages)} named; {ONE_INPUT}"
    return at_least("periodic tenants with a class, of 12", float(periodic), "tenants", 12, conditions=said)


def _real(files: list[Path]) -> list[Row]:
    """Ten real machines of which a part is taken out, twenty times in each form."""
    datacenter = _imported(files, "--layout", "cloudwatch", "--align", "--slot", "5min")
    full, found = find_patterns(datacenter), []
    for form, (take, of_days) in _FORMS.items():
        for share in SHARES if of_days == 31 else ():
            rng = np.random.default_rng(4)
            less = [
                find_patterns(replace(datacenter, utilisation=take(datacenter.utilisation, 288, share, rng)))
                for _ in range(_DRAWS)
            ]
            every = [_compared(full, each, "") for each in less]
            kept, silent, marked = (sum(float(rows[n].value or 0) for rows in every) for n in range(3))
            said = f"{len(files)} machines (NAB), {_DRAWS} draws; {share:.0%} of the samples missing: {form}; 14 days"
            found += [
                at_least(
                    "real tenants that keep their pattern", kept / _DRAWS, "share", 0.9, conditions=said
                ),
                at_most(
                    "patterns of real tenants that change without a mark",
                    silent,
                    "tenants",
                    0,
                    conditions=said,
                ),
                Row("real tenants marked as uncertain", marked / _DRAWS, "share", conditions=said),
            ]
    return found


def _imported(tables: list[Path], *flags: str) -> Datacenter:
    with TemporaryDirectory() as scratch:
        place = Path(scratch) / "dc"
        command = [_FROUDE, "harvest", "import", *map(str, tables), *flags, "-o", str(place)]
        subprocess.run(command, check=True, capture_output=True)
        return read_datacenter(place)


def _filled() -> Iterator[Row]:
    """How far filled samples are from those that were taken out, next to the spread of what was taken out."""
    datacenter = generate(PROFILES["DC-9"], Seeds(1), days=31, months_before=0)
    for form in (at_random, common_hole):
        series = form(datacenter.utilisation, 720, 0.15, np.random.default_rng(3))
        setting = SchedulingSetting(days=31, fill=True)
        month = month_of(replace(datacenter, utilisation=series), setting, Seeds(1))
        gone = np.isnan(series)
        periodic = datacenter.truth["pattern"] == PATTERNS.index(Pattern.PERIODIC)
        for name, tenants in (("periodic", periodic), ("other", ~periodic)):
            error = month.datacenter.utilisation[tenants] - datacenter.utilisation[tenants]
            rmse = float(np.sqrt(np.mean(error[gone[tenants]] ** 2)))
            spread = float(np.sqrt(datacenter.utilisation[tenants].var(axis=1).mean()))
            said = f"{form.__name__.replace('_', ' ')}, {gone.mean():.1%} of all samples filled; "
            said += f"standard deviation of a tenant {spread:.3f}; DC-9, {ONE_INPUT}"
            yield Row(f"error of filled samples, {name} tenants", rmse, "share of a server", conditions=said)


def _of(series: npt.NDArray[np.float32], slot_s: float) -> Datacenter:
    count = len(series)
    numbers = np.arange(count, dtype=np.int32)
    names = [f"t{number}" for number in numbers.tolist()]
    return Datacenter(names, numbers, names, names, numbers, numbers, series, slot_s)
