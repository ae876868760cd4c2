"""The pages of simulations: clusters of jobs under each policy, and a block trace under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.cache.simulate.compare import BASE, Gain, gains, means
from froude.cache.simulate.play import JobTime, Outcome
from froude.cache.simulate.replay import Replay, Replayed
from froude.cache.simulate.scenario import Scenario
from froude.cache.simulate.traces import BlockTrace
from froude.cache.solve.policies import policy
from froude.cache.solve.words import size
from froude.render import (
    Axis,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Report,
    Section,
    Series,
    Table,
    TableOf,
    Tone,
    Value,
    ValueKind,
)
from froude.render.markdown import literal

_ALIKE = 0.0005
"""Miss ratios that differ by less are written alike."""


def simulation_report(scenario: Scenario, outcomes: Sequence[Outcome], facts: Mapping[str, str]) -> Report:
    """Clusters of jobs under each policy."""
    totals = means(outcomes, lambda each: each.total_s)
    gained = gains(outcomes, lambda each: each.total_s)
    runs = 1 + max(each.run for each in outcomes)
    base = f"{counted(runs, 'run')} of this scenario"
    best = min(totals, key=lambda name: totals[name])
    soonest = " soonest" * (totals[best] < max(totals.values()))
    lede = f"All jobs end{soonest} under **{best}**: after {seconds_text(totals[best])}."
    rival = gained.get(best) or max(gained.values(), key=lambda gain: gain.mean, default=None)
    if rival is not None:
        interval = _interval(rival)
        interval = f"{interval}, {base}" if interval else f"{base}: no interval"
        how = f"{rival.mean:.1%} sooner than with one cache for all ({interval})"
        lede += f" That is {how}." if best in gained else ""
        low, high = rival.interval or (0.0, 0.0)
        if low <= 0 <= high:
            who = f"the soonest, **{best}**," if best in gained else "the soonest of the others"
            lede = f"These runs show no difference from one cache for all: {who} ends {how}."
    space = scenario.space_bytes * len(scenario.hypervisors)
    times = "once" if runs == 1 else f"{runs} times"
    what = f"{len(outcomes[0].jobs)} jobs of {len(scenario.clusters)} clusters, {size(space)} of SSD, {times}"
    blocks: tuple[Table | Chart, ...] = (_policies(outcomes), *_intervals(gained, runs))
    sections = [Section("Policies", blocks), Section("Jobs", _jobs(outcomes))]
    return Report(
        "Splits of the SSD, played out", what, lede, Tone.NEUTRAL, _figures(totals), tuple(sections), facts
    )


def _figures(totals: Mapping[str, float]) -> tuple[KeyFigure, ...]:
    return tuple(
        KeyFigure(name, total, ValueKind.DURATION, note="until all jobs have ended")
        for name, total in sorted(totals.items(), key=lambda item: item[1])[:5]
    )


def _policies(outcomes: Sequence[Outcome]) -> Table:
    by_figure = {
        "total": means(outcomes, lambda each: each.total_s),
        "jobs": means(outcomes, lambda each: each.jobs_s / max(1, len(each.jobs))),
        "misses": means([each for each in outcomes if each.reads], lambda each: each.misses / each.reads),
        "moved": means(outcomes, lambda each: each.moved_bytes),
    }
    total = gains(outcomes, lambda each: each.total_s)
    job = gains(outcomes, lambda each: each.jobs_s)
    rows: list[tuple[Value, ...]] = [
        (
            name,
            by_figure["total"][name],
            *_gain(total.get(name)),
            by_figure["jobs"][name],
            *_gain(job.get(name)),
            by_figure["misses"].get(name),
            by_figure["moved"][name],
        )
        for name in by_figure["total"]
    ]
    sooner = (Column("sooner", ValueKind.SHARE), Column("95 % interval"))
    columns = (
        Column("policy"),
        Column("all jobs", ValueKind.DURATION),
        *sooner,
        Column("mean job", ValueKind.DURATION),
        *sooner,
        Column("misses", ValueKind.SHARE),
        Column("grown by", ValueKind.BYTES),
    )
    words = "; ".join(f"{name}: {policy(name).about}" for name in by_figure["total"])
    note = f"Sooner than under {BASE} in the same run; the interval is of the mean of this scenario's runs. {words}."
    return Table(columns, rows, "The same jobs under each policy", note)


def _gain(gain: Gain | None) -> tuple[float | None, str | None]:
    return (None, None) if gain is None else (gain.mean, _interval(gain))


def _interval(gain: Gain) -> str | None:
    return None if gain.interval is None else f"{gain.interval[0]:.1%} to {gain.interval[1]:.1%}"


def _intervals(gained: Mapping[str, Gain], runs: int) -> list[Chart]:
    ends = {name: gain.interval for name, gain in gained.items() if gain.interval is not None}
    if not ends:
        return []
    names, low, high = list(ends), [end[0] for end in ends.values()], [end[1] for end in ends.values()]
    series = Series("all jobs", names, [gained[name].mean for name in names], low=low, high=high)
    axes = Axis("policy", ValueKind.TEXT), Axis(f"sooner than {BASE}", ValueKind.SHARE)
    caption = f"The mean of {runs} runs of this scenario and its 95 % interval; one with 0 in it shows no difference."
    return [Chart("How much sooner all jobs end", *axes, (series,), ChartKind.INTERVALS, caption=caption)]


def _jobs(outcomes: Sequence[Outcome]) -> tuple[Table]:
    names = list(dict.fromkeys(each.policy for each in outcomes))
    times: dict[tuple[int, str], dict[str, list[float]]] = {}
    jobs: dict[tuple[int, str], JobTime] = {}
    for outcome in outcomes:
        for job in outcome.jobs:
            key = (job.group, job.cluster)
            jobs[key] = job
            times.setdefault(key, {}).setdefault(outcome.policy, []).append(job.time_s)
    rows: list[tuple[Value, ...]] = [
        (
            f"{group + 1}",
            cluster,
            jobs[group, cluster].job,
            *(sum(times[group, cluster][name]) / len(times[group, cluster][name]) for name in names),
        )
        for group, cluster in sorted(times)
    ]
    columns = (
        Column("group"),
        Column("cluster"),
        Column("job"),
        *(Column(name, ValueKind.DURATION) for name in names),
    )
    return (Table(columns, rows, "Mean time of each job"),)


def _fewest_misses(ratios: Mapping[str, float], reads: int) -> str:
    """Who misses least, as far as that can be seen in the figures of the page."""
    if not reads:
        return "Nothing was read: no policy has a miss ratio."
    least = min(ratios.values())
    best = [name for name, ratio in ratios.items() if ratio - least < _ALIKE]
    if len(best) == len(ratios):
        lede = f"{least:.1%} of {counted(reads, 'read')} miss"
        return lede + (f" under **{best[0]}**." if len(best) == 1 else ", whatever the policy.")
    lede = f"Reads miss least under **{' and '.join(best)}**: {least:.1%} of {reads:,}."
    return (
        lede
        if BASE in best or BASE not in ratios
        else f"{lede} With one cache for all volumes it is {ratios[BASE]:.1%}."
    )


def replay_report(
    trace: BlockTrace, how: Replay, found: Sequence[Replayed], facts: Mapping[str, str]
) -> Report:
    """A block trace under each policy."""
    ratios = {each.policy: each.miss_ratio for each in found if each.miss_ratio is not None}
    lede = _fewest_misses(ratios, sum(found[0].reads.values()))
    what = (
        f"{len(trace.requests):,} requests of {len(trace.volumes)} volumes in {seconds_text(trace.duration_s)}, "
        f"{size(how.space_bytes)} of SSD, chunks of {size(how.chunk_bytes)}, "
        f"{'reads and writes' if how.cache_writes else 'reads only'} cached"
    )
    notes = []
    if trace.dropped.total:
        text = literal("; ".join(trace.dropped.notes()))
        notes.append(Callout(f"{trace.dropped.total:,} lines are left out", text))
    notes += [Callout("Volumes of one name count as several", literal(text)) for text in trace.remarks]
    figures = tuple(
        KeyFigure(each.policy, each.miss_ratio, ValueKind.SHARE, note="of reads miss") for each in found[:5]
    )
    sections = (
        Section("Policies", (*notes, _replayed(found))),
        Section("Volumes", (_volumes(trace, found),)),
    )
    return Report("A block trace through split caches", what, lede, Tone.NEUTRAL, figures, sections, facts)


def _replayed(found: Sequence[Replayed]) -> Table:
    return (
        TableOf[Replayed]()
        .words("policy", lambda each: each.policy)
        .share("misses", lambda each: each.miss_ratio)
        .number("missed", lambda each: sum(each.misses.values()), "chunks")
        .number("splits", lambda each: each.plans, "that changed")
        .size("grown by", lambda each: each.moved_bytes)
        .of(
            found,
            "The same requests under each policy",
            note=f"Of {sum(found[0].reads.values()):,} chunks read.",
        )
    )


def _volumes(trace: BlockTrace, found: Sequence[Replayed]) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            name,
            found[0].reads[name],
            *(each.misses[name] / each.reads[name] if each.reads[name] else None for each in found),
        )
        for name in trace.volumes
    ]
    columns = (
        Column("volume"),
        Column("read", ValueKind.NUMBER, "chunks"),
        *(Column(each.policy, ValueKind.SHARE) for each in found),
    )
    return Table(columns, rows, "Part of each volume's reads that miss")
