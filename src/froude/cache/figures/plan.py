"""The page of a plan: who gets what and why, what it brings, and what other sizes of the SSD would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.summary import base_text
from froude.base.units import seconds_text
from froude.cache.curves import MissRatioCurve
from froude.cache.solve.plan import Advice, Expected, Grant, Plan
from froude.cache.solve.state import State, Vm
from froude.cache.solve.whatif import Case, measured_to
from froude.cache.solve.words import rate, size
from froude.render import (
    Axis,
    Callout,
    Chart,
    ChartKind,
    Column,
    KeyFigure,
    Mark,
    Report,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)
from froude.render.markdown import literal

_MOST_POINTS = 150
"""Of a curve as it is drawn."""
_MOST_PANELS = 24
"""Hypervisors whose curves are drawn; of more the page would be curves only."""


def plan_report(state: State, plan: Plan, cases: Sequence[Case], facts: Mapping[str, str]) -> Report:
    """A page of a plan.

    Args:
        cases: other sizes of the SSDs; none for no such section.
    """
    sections = [
        Section(
            "Who gets what, and why",
            (*_callouts(plan), _grants(state, plan), _reasons(plan), _sizes(state, plan)),
        ),
        Section("What a cache is worth to each VM", tuple(_curves(state, plan))),
    ]
    if plan.expected.times_s:
        sections.insert(1, Section("Jobs", (_jobs(plan),)))
    if cases:
        sections.append(Section("What if the SSDs were larger, or smaller?", _what_if(state, cases)))
    return Report(
        f"{size(sum(each.space_bytes for each in state.hypervisors))} of SSD for {len(state.vms)} VMs",
        f"policy {plan.policy}, {len(state.hypervisors)} hypervisor{'s' * (len(state.hypervisors) != 1)}",
        _lede(state, plan),
        Tone.WARNING if plan.advice else Tone.NEUTRAL,
        _figures(plan),
        tuple(sections),
        facts,
    )


def _lede(state: State, plan: Plan) -> str:
    before, after = plan.now, plan.expected
    known = sum(vm.reads_per_s > 0 and vm.misses.accesses > 0 for vm in state.vms)
    base = base_text(known, len(state.vms), "VM")
    text = f"Nothing is known of what a cache will bring: {base} read and have a curve."
    if None not in {before.latency_s, after.latency_s}:
        then, now = seconds_text(after.latency_s or 0.0), seconds_text(before.latency_s or 0.0)
        how = "as with the caches of now" if then == now else f"instead of {now} with the caches of now"
        text = f"By the curves of {base}, reads will take **{then}** on average {how}; "
        text += f"{rate(after.misses_per_s or 0.0)} of them will miss."
    if plan.kept:
        names = ", ".join(map(literal, plan.kept[:5])) + (" and others" if len(plan.kept) > 5 else "")
        text += f" The split of {names} stays: a better one would not pay for the move."
    if plan.advice:
        ssds = f"{len(plan.advice)} SSD{'s' * (len(plan.advice) > 1)}"
        text += f" **{ssds} cannot serve what is wanted**, however it is split."
    return text


def _figures(plan: Plan) -> tuple[KeyFigure, ...]:
    after, before = plan.expected, plan.now
    figures = [KeyFigure("written to SSDs a day", after.written_bytes_per_s * 86400, ValueKind.BYTES)]
    if after.misses_per_s is not None and before.misses_per_s is not None:
        now = f"now {rate(before.misses_per_s)}"
        figures.insert(0, KeyFigure("misses", round(after.misses_per_s, 1), unit="/s", note=now))
    if after.latency_s is not None and before.latency_s is not None:
        now = f"now {seconds_text(before.latency_s)}"
        figures.insert(0, KeyFigure("mean read", after.latency_s, ValueKind.DURATION, note=now))
    return tuple(figures)


def _callouts(plan: Plan) -> list[Callout]:
    notes = [
        Callout(f"{each.hypervisor} is asked for more than it serves", _sentence(each))
        for each in plan.advice
    ]
    return [*notes, *(Callout(text[:1].upper() + text[1:], tone=Tone.NEUTRAL) for text in plan.remarks)]


def _sentence(advice: Advice) -> str:
    return f"{advice.text[:1].upper()}{advice.text[1:]}."


def _grants(state: State, plan: Plan) -> Table:
    columns = (
        Column("VM"),
        Column("hypervisor"),
        Column("application"),
        Column("cache now", ValueKind.BYTES),
        Column("cache", ValueKind.BYTES),
        Column("misses", ValueKind.SHARE),
        Column("misses", ValueKind.NUMBER, "/s"),
        Column("at most", ValueKind.NUMBER, "IOPS"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            vm.name,
            vm.hypervisor,
            f"{vm.application}{' (master)' if vm.master else ''}" or None,
            vm.size_bytes,
            grant.size_bytes,
            grant.miss_ratio,
            None if grant.misses_per_s is None else round(grant.misses_per_s, 2),
            grant.iops,
        )
        for vm, grant in zip(state.vms, plan.grants, strict=True)
    ]
    note = "All VMs of a hypervisor share one cache." if plan.shared else ""
    return Table(columns, rows, "Grants", note)


def _reasons(plan: Plan) -> Table:
    rows: list[tuple[Value, ...]] = [
        (grant.vm, f"{grant.reason[:1].upper()}{grant.reason[1:]}.") for grant in plan.grants
    ]
    return Table((Column("VM"), Column("why")), rows, "Why")


def _sizes(state: State, plan: Plan) -> Chart:
    names = [vm.name for vm in state.vms]
    series = (
        Series("now", names, [vm.size_bytes for vm in state.vms]),
        Series("planned", names, [grant.size_bytes for grant in plan.grants]),
    )
    return Chart(
        "Caches, now and as planned",
        Axis("VM", ValueKind.TEXT),
        Axis("cache", ValueKind.BYTES),
        series,
        ChartKind.BARS,
    )


def _curves(state: State, plan: Plan) -> list[Chart]:
    """Curves of each hypervisor's VMs, a dot where each would be."""
    x, y = Axis("cache", ValueKind.BYTES), Axis("miss ratio", ValueKind.SHARE, extent=(0, 1))
    grants = {grant.vm: grant for grant in plan.grants}
    charts = []
    for hypervisor in state.hypervisors[:_MOST_PANELS]:
        vms = [vm for vm in state.on(hypervisor) if vm.misses.accesses]
        if not vms:
            continue
        series = tuple(_curve(vm, hypervisor.space_bytes) for vm in vms)
        caption = "; ".join(f"{literal(vm.name)}: {_given(grants[vm.name], plan)}" for vm in vms)
        title = f"{hypervisor.name}: {size(hypervisor.space_bytes)}"
        charts.append(Chart(title, x, y, series, ChartKind.STEP, caption=f"{caption}.", small=True))
    return charts


def _given(grant: Grant, plan: Plan) -> str:
    return f"misses {grant.miss_ratio:.0%} of its reads" + (
        "" if plan.shared else f" with {size(grant.size_bytes)}"
    )


def _curve(vm: Vm, space_bytes: int) -> Series:
    """A curve up to what the SSD has, so that nobody reads off what cannot be had."""
    thin = MissRatioCurve.of_points(vm.misses.sizes_bytes, vm.misses.miss_ratio, 1, _MOST_POINTS)
    whole = zip(thin.sizes_bytes, thin.miss_ratio, strict=True)
    points = [point for point in whole if point[0] <= space_bytes]
    points.append((max(space_bytes, points[-1][0] + 1), points[-1][1]))
    return Series(vm.name, [at for at, _ in points], [ratio for _, ratio in points])


def _jobs(plan: Plan) -> Table:
    rows: list[tuple[Value, ...]] = [
        (name, plan.now.times_s.get(name), time_s) for name, time_s in plan.expected.times_s.items()
    ]
    columns = (
        Column("application"),
        Column("with caches as now", ValueKind.DURATION),
        Column("as planned", ValueKind.DURATION),
    )
    note = "Of applications whose jobs tell what a miss costs: time = a + b x misses, fitted to jobs that have ended."
    return Table(columns, rows, "Time of a job", note)


def _what_if(state: State, cases: Sequence[Case]) -> tuple[Chart | Table | Callout, ...]:
    spaces = [case.space_bytes for case in cases]
    x = Axis("all SSDs", ValueKind.BYTES)
    here = sum(each.space_bytes for each in state.hypervisors)
    marks = (Mark(here, "as it is"),)
    latency = Series("mean read", spaces, [case.plan.expected.latency_s for case in cases])
    charts = [
        Chart(
            "Mean read, each size split anew",
            x,
            Axis("mean read", ValueKind.DURATION),
            (latency,),
            marks=marks,
        )
    ]
    names = list(cases[0].plan.expected.times_s)
    if names:
        times = tuple(
            Series(name, spaces, [case.plan.expected.times_s[name] for case in cases]) for name in names
        )
        charts.append(
            Chart("Time of a job", x, Axis("time of a job", ValueKind.DURATION), times, marks=marks)
        )
    rows: list[tuple[Value, ...]] = [
        (f"{case.factor:g} x", case.space_bytes, *_row(case.plan.expected)) for case in cases
    ]
    columns = (
        Column("SSDs"),
        Column("space", ValueKind.BYTES),
        Column("mean read", ValueKind.DURATION),
        Column("misses", ValueKind.NUMBER, "/s"),
        Column("written a day", ValueKind.BYTES),
    )
    known, largest = measured_to(state), max((case.factor for case in cases), default=0.0)
    notes: tuple[Callout, ...] = ()
    if largest > known:
        text = f"Curves reach to {known:.3g} times the SSDs. Beyond, more space may bring more than is shown here."
        notes = (Callout("Not all of it was measured", text),)
    return (*notes, *charts, Table(columns, rows, "Other sizes"))


def _row(found: Expected) -> tuple[Value, ...]:
    misses = None if found.misses_per_s is None else round(found.misses_per_s, 2)
    return found.latency_s, misses, found.written_bytes_per_s * 86400
