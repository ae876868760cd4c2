"""Measures everything that docs/results/harvesting shows: `make results-harvesting`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks import harvest_correlation, harvest_hdfs
from benchmarks.results import Row, Topic, at_least, at_most
from froude.base.seeds import Seeds
from froude.harvest.classify.backtest import backtest
from froude.harvest.classify.characterise import characterise
from froude.harvest.classify.classes import Features, Grouping, classify, folded
from froude.harvest.place.policies import Policy, preset
from froude.harvest.simulate.availability import AvailabilitySetting, availability
from froude.harvest.simulate.durability import DurabilitySetting, compare, year_of
from froude.harvest.simulate.jobs import drawn_jobs
from froude.harvest.simulate.month import Scheduler, SchedulingSetting, month_of
from froude.harvest.simulate.scaling import Scaling, factor_for, scaled
from froude.harvest.simulate.scheduling import compare as play
from froude.harvest.simulate.scheduling import gains, spreads
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.importers import LAYOUTS, read_samples
from froude.harvest.telemetry.profiles import PROFILES

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_AWARE = (Scheduler.PT, Scheduler.PROPORTIONAL, Scheduler.H, Scheduler.FORECAST)
_WORKERS = 2
TOPIC = Topic(
    "harvesting",
    "Harvesting, measured",
    "Every figure is measured by `make results-harvesting` on the machine named below, on datacenters that `froude "
    "harvest generate` makes up in the proportions of the paper (its own telemetry was never published), and on real "
    "series where that is said. T1 to T10 are the results that the paper reports.",
)
TOPIC.benchmark("speed", "Speed and memory", "bench_harvest")
TOPIC.benchmark(
    "colocation", "Three services and who harvests beside them (T3, T4 in miniature)", "colocation_rows"
)


def _datacenter(name: str, *, days: int = 31, seed: int = 1, months_after: int = 12) -> Datacenter:
    return generate(PROFILES[name], Seeds(seed), days=days, months_after=months_after)


@TOPIC.group("tenants", "Tenants and classes (T1, Figures 2 to 6)")
def tenants() -> list[Row]:
    """Shares, reimages, and what features and classes tell of the next month."""
    datacenter = _datacenter("DC-9", days=62)
    found = characterise(datacenter)
    periodic, constant, _ = found.server_shares
    few = 8 / 35 * (found.months - 1)
    said = "DC-9 as generated"
    rows = [
        Row("servers of periodic tenants", round(periodic, 3), "share", "about 0.4", conditions=said),
        Row(
            "servers of periodic or constant tenants",
            round(periodic + constant, 3),
            "share",
            "about 0.75",
            conditions=said,
        ),
        at_least(
            "servers with at most one reimage a month",
            round(float((found.server_reimages <= 1).mean()), 3),
            "share",
            0.9,
            conditions=said,
        ),
        at_least(
            "tenants with at most one a server and month",
            round(float((found.tenant_reimages <= 1).mean()), 3),
            "share",
            0.8,
            conditions=said,
        ),
        at_least(
            "tenants with at most 8 moves between terciles in 35 months",
            round(float((found.moves <= few).mean()), 3),
            "share",
            0.8,
            conditions=said,
        ),
        Row(
            "patterns found that were generated",
            round(float((found.patterns.pattern == datacenter.truth["pattern"]).mean()), 3),
            "share",
            conditions="an easy set: the generator's patterns are clear",
        ),
    ]
    for features in Features:
        classes = classify(datacenter, Seeds(1), Grouping(features))
        week = folded(datacenter)
        error = np.concatenate(
            [
                week[c.tenants] - week[c.tenants].mean(axis=0)
                for c in classes.classes
                if c.pattern.value == "periodic"
            ]
        )
        rmse = float(np.sqrt((error**2).mean()))
        rows.append(
            Row(
                f"spread within periodic classes, {features.value} features",
                round(rmse, 4),
                "share of a server",
                conditions="root mean square of the mean week by hour; 13 classes",
            )
        )
    return [*rows, *_backtests("DC-9, two months", datacenter)]


def _backtests(name: str, datacenter: Datacenter) -> Iterator[Row]:
    test = backtest(datacenter, Seeds(1))[0]
    said = f"{name}: {test.days} days against the {test.days} before"
    yield Row("servers whose pattern is kept", round(test.pattern_kept, 3), "share", conditions=said)
    yield Row(
        "server-slots above the peak of the period before",
        round(test.peak_exceeded, 4),
        "share",
        "0.01 if nothing changes",
        conditions=said,
    )
    for forecast in test.forecasts:
        yield Row(f"error by {forecast.name}", round(forecast.rmse, 4), "share of a server", conditions=said)


@TOPIC.group("real", "Backtest on ten real machines (NAB, AWS CloudWatch)")
def real() -> list[Row]:
    """One week against the next, on series that nobody here made."""
    files = sorted(f for f in _DATA.glob("nab_aws/*cpu_utilization_*.csv.gz") if "asg" not in f.name)
    if not files:
        return [Row("backtest on real series", None, "", conditions="not measured: the data are not here")]
    found, cleaned = read_samples(files, LAYOUTS["cloudwatch"], slot_s=300, name="nab", align=True)
    return [*_backtests(f"{len(files)} machines, {cleaned.text()}", found)]


@TOPIC.group("scheduling", "Scheduling (T4, T6, T7)")
def scheduling() -> list[Row]:
    """Gains of each scheduler over YARN-PT at the paper's load, over the load, and by datacenter."""
    rows = []
    setting = SchedulingSetting(days=7)
    jobs = drawn_jobs(Seeds(2))
    base = _datacenter("DC-9", days=14, months_after=0)
    outcomes = play(month_of(base, setting, Seeds(1)), jobs, setting, Seeds(3), runs=4, workers=_WORKERS)
    said = "DC-9, 5,000 servers, 7 days, 4 paired runs, primaries 33 % and batch 21 % of all cores, 52 made-up jobs"
    for name, gain in gains(outcomes).items():
        row = Row(
            f"jobs shorter than PT's: {name}",
            round(gain.mean, 3),
            "share",
            conditions=f"{said}; {gain.low:.3f} to {gain.high:.3f}",
        )
        rows.append(replace(row, aim=">= 0.206", met=gain.mean >= 0.206) if name == "h" else row)
    killed, used = spreads(outcomes, "killed_share"), spreads(outcomes, "utilisation")
    rows += [
        Row(f"containers killed: {name}", round(killed[name].mean, 4), "share", conditions=said)
        for name in killed
    ]
    rows.append(
        Row("CPU used under h", round(used["h"].mean, 3), "share", "0.54 in the paper", conditions=said)
    )
    rows += _over_load(base, setting, jobs)
    best = {}
    for name in PROFILES:
        profile = generate(PROFILES[name], Seeds(1), days=14, months_before=0)
        month = month_of(profile, setting, Seeds(1))
        found = play(month, jobs, setting, Seeds(3), schedulers=_AWARE, runs=2, workers=_WORKERS)
        best[name] = gains(found)
        rows += [
            Row(
                f"{name}: jobs shorter than PT's: {who}",
                round(best[name][who].mean, 3),
                "share",
                conditions="7 days, 2 paired runs",
            )
            for who in ("proportional", "h", "forecast")
        ]
    low = float(np.mean([best[name]["h"].mean for name in ("DC-0", "DC-2")]))
    high = float(np.mean([best[name]["h"].mean for name in ("DC-1", "DC-4")]))
    rows.append(
        at_least(
            "gain of h where tenants vary most less where they vary least",
            round(high - low, 3),
            "share",
            0.0,
            conditions="DC-1 and DC-4 against DC-0 and DC-2 (T7: sign)",
        )
    )
    return rows


def _over_load(base: Datacenter, setting: SchedulingSetting, jobs: Sequence[object]) -> Iterator[Row]:
    for scaling in Scaling:
        for mean in (0.2, 0.3, 0.4):
            factor = factor_for(base.utilisation, base.tenant_servers, scaling, mean)
            scaled_dc = replace(base, utilisation=scaled(base.utilisation, scaling, factor))
            month = month_of(scaled_dc, setting, Seeds(1))
            found = play(month, jobs, setting, Seeds(3), schedulers=_AWARE, runs=2, workers=_WORKERS)  # type: ignore[arg-type]
            killed = spreads(found, "killed_share")
            for name in ("h", "forecast"):
                kills = f"killed {killed[name].mean:.2%}, PT {killed['pt'].mean:.2%}"
                said = f"{scaling.value} scaling, primaries {mean:.0%}, batch 21 %, 7 days, 2 paired runs; {kills}"
                yield Row(
                    f"T6: jobs shorter than PT's: {name}",
                    round(gains(found)[name].mean, 3),
                    "share",
                    "0 to 0.55 (linear), 0.03 to 0.41 (root)" if name == "h" else "",
                    conditions=said,
                )


@TOPIC.group("reserve", "The reserve, swept")
def reserve() -> list[Row]:
    """Cores kept free against killed containers and the time of jobs."""
    base = _datacenter("DC-9", days=14, months_after=0)
    rows = []
    for cores in (2, 3, 4, 5):
        setting = SchedulingSetting(days=7, reserve_cores=cores)
        month = month_of(base, setting, Seeds(1))
        found = play(month, drawn_jobs(Seeds(2)), setting, Seeds(3), schedulers=[Scheduler.H], runs=1)[0]
        said = f"h, DC-9, 7 days; containers killed {found.killed_share:.2%}"
        rows.append(
            Row(f"mean job, {cores} of 12 cores in reserve", round(found.job_s), "s", conditions=said)
        )
    return rows


@TOPIC.group("durability", "Durability (T8) and the ablation")
def durability() -> list[Row]:
    """A year of 4,000,000 blocks on DC-9 by policy; R = 4; every datacenter; the fill level."""
    datacenter = _datacenter("DC-9")
    year = [year_of(datacenter, 0.0)]
    rows = []
    names = (
        "stock",
        "stock-paper",
        "random",
        "rack-fault-tolerant",
        "environment",
        "rows+environment",
        "history",
        "copyset",
    )
    lost = {}
    for name in names:
        found = compare(year, DurabilitySetting(), Seeds(1), [preset(name)], 2, _WORKERS)[0]
        lost[name] = found.lost.mean
        copied = found.of(lambda outcome: outcome.repaired).mean
        runs = f"2 paired runs ({found.lost.least:g} to {found.lost.most:g})"
        said = f"DC-9, one year, 4,000,000 blocks, R = 3, {runs}; {copied:,.0f} replicas copied again"
        rows.append(Row(f"blocks lost: {name}", found.lost.mean, "blocks", conditions=said))
    rows.append(
        at_least(
            "stock's loss over history's",
            lost["stock"] / max(1.0, lost["history"]),
            "x",
            100,
            conditions="T8: more than two orders",
        )
    )
    four = DurabilitySetting(replicas=4)
    for name, aim in (("stock", ""), ("history", "0")):
        found = compare(year, four, Seeds(1), [preset(name)], 1)[0]
        rows.append(
            Row(
                f"blocks lost at R = 4: {name}",
                found.lost.mean,
                "blocks",
                aim,
                (found.lost.mean == 0) if aim else None,
                conditions="one run",
            )
        )
        if name == "stock":
            rows.append(
                at_most(
                    "history at R = 3 over stock at R = 4",
                    lost["history"] - found.lost.mean,
                    "blocks",
                    0.0,
                    conditions="T8",
                )
            )
    for name in PROFILES:
        own = [year_of(_datacenter(name), 0.0)]
        both = compare(
            own,
            DurabilitySetting(blocks=1_000_000),
            Seeds(1),
            [preset("stock"), preset("history")],
            1,
            _WORKERS,
        )
        said = f"one year, 1,000,000 blocks, R = 3, one run; stock loses {both[0].lost.mean:,.0f}"
        rows.append(Row(f"{name}: blocks lost: history", both[1].lost.mean, "blocks", conditions=said))
    return [*rows, *_fills(year)]


def _fills(year: list) -> Iterator[Row]:
    levels = (0.5, 0.9, 0.98)
    chosen: list[Policy] = [preset("history"), preset("history-soft"), preset("stock")]
    for each in compare(year, DurabilitySetting(blocks=400_000), Seeds(1), chosen, 1, _WORKERS, levels):
        outcome = each.outcomes[0]
        said = f"400,000 blocks; {outcome.refused:,} refused, {sum(outcome.relaxed.values()):,} constraints given up"
        yield Row(
            f"blocks lost at {each.setting.fill:.0%} full: {each.policy}",
            each.lost.mean,
            "blocks",
            conditions=said,
        )


@TOPIC.group("availability", "Availability (T9)")
def failed() -> list[Row]:
    """Accesses that fail, by mean utilisation and scaling."""
    datacenter = _datacenter("DC-9", days=62)
    rows = []
    for scaling in Scaling:
        setting = AvailabilitySetting((0.4, 0.5, 0.66, 0.75), scaling)
        policies = [preset(name) for name in ("stock", "environment", "rows+environment", "history")]
        found = availability(datacenter, 31 * 86400.0, setting, Seeds(1), policies, 2, _WORKERS)
        for each in found:
            said = (
                f"{scaling.value} scaling; 1,000,000 blocks, 100 moments, 2 runs; classes of the month before"
            )
            limit = (
                1e-4
                if each.policy == "history" and each.mean in {0.4, 0.5 if scaling is Scaling.ROOT else 0.4}
                else None
            )
            row = Row(
                f"accesses failed at {each.mean:.0%}: {each.policy}",
                round(each.spread.mean, 6),
                "share",
                conditions=said,
            )
            rows.append(
                row
                if limit is None
                else replace(row, aim="<= 0.0001 (none in the paper)", met=each.spread.mean <= limit)
            )
    return rows


@TOPIC.group("correlation", "Reimages that come together, as failures on real racks and days do")
def correlation() -> list[Row]:
    """How SSD failures share racks and days, and what blocks a year of such reimages loses."""
    return [*harvest_correlation.measured(), *harvest_correlation.durability()]


@TOPIC.group("hdfs", "Placement on real NameNodes with emulated DataNodes (T2, T10)")
def hdfs() -> list[Row]:
    """Constraints kept on three releases, the cost of a block, and the replication storm."""
    kept = [*harvest_hdfs.constraints_kept(), *harvest_hdfs.without_java()]
    return [*kept, *harvest_hdfs.cost_of_a_block(), *harvest_hdfs.storm()]


if __name__ == "__main__":
    TOPIC.main()
