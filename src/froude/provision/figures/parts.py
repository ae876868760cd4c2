"""What the pages of provisioning share: tables of items, axes, bands of storage types, verdicts in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status
from froude.render import Axis, Chart, ChartKind, Report, Series, Tone, ValueKind
from froude.render.format import share
from froude.render.theme import SERIES

_EXACT = 1e-6
"""A gap below it comes of rounding."""

OTHERS = "others, see the table"
"""Label of what has no colour of its own."""
HAIR = 1e-6
"""Relative, between neighbouring bands."""
DOLLARS = Axis("cost over the years of use", ValueKind.NUMBER, unit="$")


def no_cluster(lede: str, facts: Mapping[str, str]) -> Report:
    """The page of an answer without any cluster."""
    return Report("No cluster", lede=lede, tone=Tone.BAD, facts=facts)


def bars(title: str, x: str, y: Axis, series: Sequence[Series], caption: str = "") -> Chart:
    """Horizontal bars over categories.

    Args:
        series: each over the same categories.
    """
    kind = ChartKind.BARS
    return Chart(title, Axis(x, ValueKind.TEXT), y, tuple(series), kind, caption=caption)


def bounded(name: str, factors: Sequence[float], plans: Sequence[ProvisionPlan]) -> list[Series]:
    """Cost and lower bound of plans over the SLA.

    Args:
        factors: multiples of the SLA, ascending.
    """
    return [
        Series(name, factors, [upper(plan) for plan in plans]),
        Series(f"{name} (lower bound)", factors, [lower(plan) for plan in plans], dashed=True),
    ]


def curves(title: str, factors: Sequence[float], series: Sequence[Series], caption: str = "") -> Chart:
    """Costs over the SLA; between a cost and its bound lies a band.

    Args:
        factors: multiples of the SLA, ascending.
    """
    y = dollars_axis([cost for curve in series for cost in curve.ys])
    return Chart(title, sla_axis(factors), y, tuple(series), caption=caption, band=True)


def sla_axis(factors: Sequence[float]) -> Axis:
    """Multiples of the SLA; logarithmic where they are spread."""
    return Axis("multiple of the SLA", ValueKind.NUMBER, unit="x", log=spread(factors))


def dollars_axis(costs: Sequence[float | None]) -> Axis:
    """Cost; logarithmic where the costs are spread."""
    shown = [cost for cost in costs if cost is not None]
    return Axis(DOLLARS.title, ValueKind.NUMBER, unit="$", log=spread(shown))


def upper(plan: ProvisionPlan) -> float | None:
    """Cost of a plan; None without a cluster."""
    return plan.upper if plan.found else None


def lower(plan: ProvisionPlan) -> float | None:
    """Its lower bound; None without a cluster."""
    return plan.lower if plan.found else None


def storage_label(units: Sequence[str]) -> str:
    """What a dataset lies on, in a word: the unit, and its cache if it has one."""
    return " + ".join(units)


def storage_colours(problem: Problem, shown: Iterable[Sequence[str]]) -> dict[str, int]:
    """Number of the colour of each kind of storage, by its label, for all charts of a page.

    Units come first, in the catalog's order, shown or not, so that pages of one catalog agree. Where there are more
    labels than colours only the first that are shown have one: no two have the same.

    Args:
        shown: unit names, the cache second, of what the page shows; what must be told apart first.
    """
    units = [unit.name for unit in problem.catalog.units]
    labels = list(dict.fromkeys(map(storage_label, shown)))
    every = list(dict.fromkeys([*units, *sorted(labels)]))
    if len(every) > len(SERIES):
        first = labels[: len(SERIES) - 1]
        every = [label for label in every if label in first]
    return {label: number for number, label in enumerate(every)}


def strip(
    title: str,
    bands: Sequence[tuple[float, float, Mapping[str, Sequence[str]]]],
    colours: Mapping[str, int],
    caption: str = "",
) -> Chart:
    """One panel a dataset, a band in the colour of the storage that it lies on.

    Args:
        bands: (first factor, last factor, unit names per dataset), ascending; a hair is taken off each end, since
            areas that are stacked at the very same place would be drawn on top of each other.
    """
    edges = [edge for low, high, _ in bands for edge in _apart(low, high)]
    datasets = list(dict.fromkeys(name for _, _, choices in bands for name in choices))
    at = {name: [_coloured(choices[name], colours) for _, _, choices in bands] for name in datasets}
    series = tuple(
        Series(
            label,
            edges,
            [float(stored == label) for stored in at[name] for _ in range(2)],
            panel=name,
            colour=colours.get(label, len(SERIES) - 1),
        )
        for name in datasets
        for label in dict.fromkeys(at[name])
    )
    y = Axis("share of the dataset", ValueKind.SHARE)
    return Chart(title, sla_axis(edges), y, series, ChartKind.AREA, caption=caption)


def _coloured(units: Sequence[str], colours: Mapping[str, int]) -> str:
    label = storage_label(units)
    return label if label in colours else OTHERS


def _apart(low: float, high: float) -> tuple[float, float]:
    return (low * (1 + HAIR), high * (1 - HAIR)) if high > low * (1 + 3 * HAIR) else (low, high)


def between(factors: Sequence[float]) -> list[tuple[float, float]]:
    """Where each factor's part begins and ends: the geometric means with its neighbours."""
    means = [math.sqrt(a * b) for a, b in pairwise(factors)]
    return list(zip([*factors[:1], *means], [*means, *factors[-1:]], strict=True))


def spread(values: Sequence[float]) -> bool:
    """Whether a logarithmic axis reads better."""
    positive = [value for value in values if value > 0 and math.isfinite(value)]
    return bool(positive) and max(positive) > 10 * min(positive)


def verdict(plan: ProvisionPlan) -> str:
    """What is known of a plan, in a sentence."""
    if plan.status is Status.INFEASIBLE:
        return "**No cluster of this catalog meets the SLA.**"
    if not plan.found:
        return "The time was over before any cluster was found."
    if plan.status is Status.PROVED:
        proved = "the cheapest" if plan.gap < _EXACT else f"within {share(plan.gap)} of the cheapest"
        return f"**${plan.upper:,.2f}**, proved to be {proved}."
    return (
        f"**${plan.upper:,.2f}**; the cheapest may cost up to {plan.gap:.1%} less: the gap was not reached."
    )
