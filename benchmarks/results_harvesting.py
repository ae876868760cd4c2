"""Measures everything that docs/results/harvesting shows: `make results-harvesting`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import harvest_correlation, harvest_hdfs
from benchmarks.results import ONE_INPUT, Row, Topic, at_least, at_most, over_inputs, with_condition
from froude.base.forms import Options
from froude.base.seeds import Seeds
from froude.harvest.classify.backtest import backtest
from froude.harvest.classify.characterise import characterise
from froude.harvest.classify.classes import Features, Grouping, classify, folded
from froude.harvest.place.policies import preset
from froude.harvest.schedule.dags.graph import JobGraph
from froude.harvest.simulate.availability import availability
from froude.harvest.simulate.durability import Compared, Year, compare, year_of
from froude.harvest.simulate.jobs import drawn_jobs
from froude.harvest.simulate.month import Outcome, Scheduler, month_of
from froude.harvest.simulate.scaling import factor_for, scaled
from froude.harvest.simulate.scheduling import compare as play
from froude.harvest.simulate.scheduling import gains, spreads
from froude.harvest.simulate.settings import (
    AvailabilitySetting,
    DurabilitySetting,
    Scaling,
    SchedulingSetting,
)
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.importers import datacenter_of
from froude.harvest.telemetry.profiles import PROFILES
from froude.harvest.telemetry.samples import read_samples

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_AWARE = (Scheduler.PT, Scheduler.PROPORTIONAL, Scheduler.H, Scheduler.FORECAST)
_WEEK = SchedulingSetting(days=7)
_PAPERS_YEAR = DurabilitySetting()
_PLACED = (
    "stock",
    "stock-paper",
    "random",
    "rack-fault-tolerant",
    "environment",
    "rows+environment",
    "history",
    "copyset",
)
_FULL = 0.98
"""Fill level at which blocks are refused, or constraints given up."""
_FREE = {Scaling.LINEAR: 0.4, Scaling.ROOT: 0.5}
"""Mean utilisation up to which no access fails in the paper."""
_RUN = "datacenters, a run with chance of its own on each"
_PLAYED = "datacenters, 52 made-up jobs and a run with arrivals of its own on each"
_WORKERS = 2
TOPIC = Topic(
    "harvesting",
    "Harvesting, measured",
    "Every figure is measured by `make results-harvesting` on the machine named below, on datacenters that `froude "
    "harvest generate` makes up in the proportions of the paper (its own telemetry was never published), and on real "
    "series where that is said. Datacenters of other seeds give other figures: a value over several of them is their "
    "median, with the least and the most. T1 to T10 are the results that the paper reports.",
)
TOPIC.benchmark("speed", "Speed and memory", "bench_harvest", conditions=ONE_INPUT)
TOPIC.benchmark(
    "colocation", "Three services and who harvests beside them (T3, T4 in miniature)", "colocation_rows"
)


def _datacenter(name: str, seed: int, *, days: int = 31, months_after: int = 12) -> Datacenter:
    return generate(PROFILES[name], Seeds(seed), days=days, months_after=months_after)


@TOPIC.group("tenants", "Tenants and classes (T1, Figures 2 to 6)")
def tenants() -> list[Row]:
    """Shares, reimages, and what features and classes tell of the next month."""
    return over_inputs(_tenants, "datacenters", _WORKERS)


def _tenants(seed: int) -> list[Row]:
    datacenter = _datacenter("DC-9", seed, days=62)
    found = characterise(datacenter)
    periodic, constant, _ = found.server_shares
    few = 8 / 35 * (found.months - 1)
    kept = float((found.patterns.pattern == datacenter.truth["pattern"]).mean())
    rows = [
        Row("servers of periodic tenants", periodic, "share", "about 0.4"),
        Row("servers of periodic or constant tenants", periodic + constant, "share", "about 0.75"),
        _at_least("servers with at most one reimage a month", found.server_reimages <= 1, 0.9),
        _at_least("tenants with at most one a server and month", found.tenant_reimages <= 1, 0.8),
        _at_least("tenants with at most 8 moves between terciles in 35 months", found.moves <= few, 0.8),
        Row(
            "patterns found that were generated",
            kept,
            "share",
            conditions="an easy set: the generator's patterns are clear",
        ),
        *(_spread_within(datacenter, features, seed) for features in Features),
    ]
    rows = [with_condition(row, "DC-9 as generated") for row in rows]
    return [*rows, *_backtests("DC-9, two months", datacenter, seed)]


def _at_least(measure: str, which: npt.NDArray[np.bool_], aim: float) -> Row:
    return at_least(measure, float(which.mean()), "share", aim)


def _spread_within(datacenter: Datacenter, features: Features, seed: int) -> Row:
    classes = classify(datacenter, Seeds(seed), Grouping(features)).classes
    week = folded(datacenter)
    periodic = [week[each.tenants] for each in classes if each.pattern.value == "periodic"]
    error = np.concatenate([each - each.mean(axis=0) for each in periodic])
    measure = f"spread within periodic classes, {features.value} features"
    said = "root mean square of the mean week by hour"
    return Row(measure, float(np.sqrt((error**2).mean())), "share of a server", conditions=said)


def _backtests(name: str, datacenter: Datacenter, seed: int = 1) -> Iterator[Row]:
    test = backtest(datacenter, Seeds(seed))[0]
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
    samples = read_samples(files, Options(), align_s=300)
    found, cleaned = datacenter_of(samples, files[0], slot_s=300, name="nab")
    return [*_backtests(f"{len(files)} machines, {cleaned.text()}", found)]


@TOPIC.group("scheduling", "Scheduling (T4, T6)")
def scheduling() -> list[Row]:
    """Gains of each scheduler over YARN-PT at the paper's load, and over the load."""
    return over_inputs(_scheduling, _PLAYED, _WORKERS)


def _scheduling(seed: int) -> list[Row]:
    jobs = drawn_jobs(Seeds(seed).child("jobs"))
    base = _datacenter("DC-9", seed, days=14, months_after=0)
    outcomes = _played(base, jobs, seed, tuple(Scheduler))
    said = "DC-9, 5,000 servers, 7 days, primaries 33 % and batch 21 % of all cores"
    rows = []
    for name, gain in gains(outcomes).items():
        row = Row(f"jobs shorter than PT's: {name}", gain.mean, "share", conditions=said)
        rows.append(replace(row, aim=">= 0.206", met=gain.mean >= 0.206) if name == "h" else row)
    rows += _killed("containers killed", outcomes, said)
    used = spreads(outcomes, "utilisation")["h"].mean
    rows.append(Row("CPU used under h", used, "share", "0.54 in the paper", conditions=said))
    return [*rows, *_over_load(base, jobs, seed)]


def _played(
    datacenter: Datacenter,
    jobs: Sequence[JobGraph],
    seed: int,
    schedulers: Sequence[Scheduler] = _AWARE,
    setting: SchedulingSetting = _WEEK,
) -> list[Outcome]:
    month = month_of(datacenter, setting, Seeds(seed))
    return play(month, jobs, setting, Seeds(seed), schedulers=schedulers, runs=1)


def _killed(measure: str, outcomes: Sequence[Outcome], conditions: str) -> Iterator[Row]:
    for each in outcomes:
        yield Row(f"{measure}: {each.scheduler}", each.killed_share, "share", conditions=conditions)


def _over_load(base: Datacenter, jobs: Sequence[JobGraph], seed: int) -> Iterator[Row]:
    for scaling in Scaling:
        for mean in (0.2, 0.3, 0.4):
            factor = factor_for(base.utilisation, base.tenant_servers, scaling, mean)
            loaded = replace(base, utilisation=scaled(base.utilisation, scaling, factor))
            found = _played(loaded, jobs, seed, (Scheduler.PT, Scheduler.H, Scheduler.FORECAST))
            said = f"{scaling.value} scaling, primaries {mean:.0%}, batch 21 %, 7 days"
            for name in ("h", "forecast"):
                aim = "0 to 0.55 (linear), 0.03 to 0.41 (root)" if name == "h" else ""
                gain = gains(found)[name].mean
                yield Row(f"T6: jobs shorter than PT's: {name}", gain, "share", aim, conditions=said)
            yield from _killed("T6: containers killed", found, said)


@TOPIC.group("profiles", "Scheduling by profile of the datacenter (T7)")
def profiles() -> list[Row]:
    """Gains of each scheduler over YARN-PT on each of the paper's ten, and where tenants vary most."""
    return over_inputs(_profiles, _PLAYED, _WORKERS)


def _profiles(seed: int) -> list[Row]:
    jobs, rows, best = drawn_jobs(Seeds(seed).child("jobs")), [], {}
    for name, profile in PROFILES.items():
        made = generate(profile, Seeds(seed), days=14, months_before=0)
        best[name] = gains(_played(made, jobs, seed))
        for who in ("proportional", "h", "forecast"):
            measure = f"{name}: jobs shorter than PT's: {who}"
            rows.append(Row(measure, best[name][who].mean, "share", conditions="7 days"))
    low, high = (
        float(np.mean([best[name]["h"].mean for name in names]))
        for names in (("DC-0", "DC-2"), ("DC-1", "DC-4"))
    )
    said = "DC-1 and DC-4 against DC-0 and DC-2 (T7: sign)"
    measure = "gain of h where tenants vary most less where they vary least"
    return [*rows, at_least(measure, high - low, "share", 0.0, conditions=said)]


@TOPIC.group("reserve", "The reserve, swept")
def reserve() -> list[Row]:
    """Cores kept free against killed containers and the time of jobs."""
    return over_inputs(_reserve, _PLAYED, _WORKERS)


def _reserve(seed: int) -> list[Row]:
    base = _datacenter("DC-9", seed, days=14, months_after=0)
    jobs, rows = drawn_jobs(Seeds(seed).child("jobs")), []
    for cores in (2, 3, 4, 5):
        setting = _WEEK.replaced(reserve_cores=cores)
        found = _played(base, jobs, seed, [Scheduler.H], setting)[0]
        of, said = f"{cores} of 12 cores in reserve", "h, DC-9, 7 days"
        rows.append(Row(f"mean job, {of}", found.job_s, "s", conditions=said))
        rows.append(Row(f"containers killed, {of}", found.killed_share, "share", conditions=said))
    return rows


@TOPIC.group("durability", "Durability (T8) and the ablation")
def durability() -> list[Row]:
    """A year of 4,000,000 blocks on DC-9 by policy; R = 4; every datacenter; the fill level."""
    return over_inputs(_durability, _RUN, _WORKERS)


def _durability(seed: int) -> list[Row]:
    year = year_of(_datacenter("DC-9", seed), 0.0)
    said, rows, lost = "DC-9, one year, 4,000,000 blocks", [], {}
    for each in _year(year, seed, _PLACED):
        lost[each.policy] = each.lost.mean
        copied = each.of(lambda outcome: outcome.repaired).mean
        rows.append(Row(f"blocks lost: {each.policy}", each.lost.mean, "blocks", conditions=f"{said}, R = 3"))
        rows.append(Row(f"copied again: {each.policy}", copied, "replicas", conditions=f"{said}, R = 3"))
    more = lost["stock"] / max(1.0, lost["history"])
    rows.append(
        at_least("stock's loss over history's", more, "x", 100, conditions="T8: more than two orders")
    )
    stock, history = (
        each.lost.mean for each in _year(year, seed, ("stock", "history"), DurabilitySetting(replicas=4))
    )
    rows += [
        Row("blocks lost at R = 4: stock", stock, "blocks", conditions=said),
        Row("blocks lost at R = 4: history", history, "blocks", "0", history == 0, conditions=said),
        at_most(
            "history at R = 3 over stock at R = 4", lost["history"] - stock, "blocks", 0.0, conditions="T8"
        ),
    ]
    return [*rows, *_everywhere(seed), *_fills(year, seed)]


def _year(
    year: Year,
    seed: int,
    names: Sequence[str],
    setting: DurabilitySetting = _PAPERS_YEAR,
    fills: Sequence[float] = (),
) -> Sequence[Compared]:
    return compare([year], setting, Seeds(seed), [preset(name) for name in names], 1, fills=fills)


def _everywhere(seed: int) -> Iterator[Row]:
    for name in PROFILES:
        own = year_of(_datacenter(name, seed), 0.0)
        for each in _year(own, seed, ("stock", "history"), DurabilitySetting(blocks=1_000_000)):
            measure = f"{name}: blocks lost: {each.policy}"
            yield Row(measure, each.lost.mean, "blocks", conditions="one year, 1,000,000 blocks, R = 3")


def _fills(year: Year, seed: int) -> Iterator[Row]:
    setting, said = DurabilitySetting(blocks=400_000), "DC-9, one year, 400,000 blocks, R = 3"
    names = ("history", "history-soft", "stock")
    for each in _year(year, seed, names, setting, (0.5, 0.9, _FULL)):
        where = f"at {each.setting.fill:.0%} full: {each.policy}"
        yield Row(f"blocks lost {where}", each.lost.mean, "blocks", conditions=said)
        if each.setting.fill == _FULL:
            outcome = each.outcomes[0]
            yield Row(f"blocks refused {where}", outcome.refused, "blocks", conditions=said)
            given_up = sum(outcome.relaxed.values())
            yield Row(f"constraints given up {where}", given_up, "", conditions=said)


@TOPIC.group("availability", "Availability (T9)")
def failed() -> list[Row]:
    """Accesses that fail, by mean utilisation and scaling."""
    return over_inputs(_failed, _RUN, _WORKERS)


def _failed(seed: int) -> list[Row]:
    datacenter = _datacenter("DC-9", seed, days=62)
    policies = [preset(name) for name in ("stock", "environment", "rows+environment", "history")]
    rows = []
    for scaling in Scaling:
        setting = AvailabilitySetting(means=(0.4, 0.5, 0.66, 0.75), scaling=scaling)
        said = f"{scaling.value} scaling; DC-9, 1,000,000 blocks, 100 moments; classes of the month before"
        for each in availability(datacenter, 31 * 86400.0, setting, Seeds(seed), policies, 1):
            measure, share = f"accesses failed at {each.mean:.0%}: {each.policy}", each.spread.mean
            row = Row(measure, share, "share", conditions=said)
            if each.policy == "history" and each.mean <= _FREE[scaling]:
                row = replace(row, aim="<= 0.0001 (none in the paper)", met=share <= 1e-4)
            rows.append(row)
    return rows


@TOPIC.group("correlation", "Reimages that come together, as failures on real racks and days do")
def correlation() -> list[Row]:
    """How SSD failures share racks and days, and what blocks a year of such reimages loses."""
    lost = over_inputs(harvest_correlation.durability, _RUN, _WORKERS)
    return [*harvest_correlation.measured(), *lost]


@TOPIC.group("hdfs", "Placement on real NameNodes with emulated DataNodes (T2, T10)")
def hdfs() -> list[Row]:
    """Constraints kept on three releases, and the replication storm."""
    kept = [*harvest_hdfs.constraints_kept(), *over_inputs(harvest_hdfs.without_java, "datacenters")]
    return [*kept, *harvest_hdfs.storm()]


@TOPIC.group("addblock", "The cost of a block on a real NameNode with emulated DataNodes (T2)")
def cost_of_a_block() -> list[Row]:
    """What a call takes with either policy."""
    return list(harvest_hdfs.cost_of_a_block())


if __name__ == "__main__":
    TOPIC.main()
