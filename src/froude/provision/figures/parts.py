"""What the pages of provisioning share: axes, bands of storage types over the SLA, verdicts in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from froude.provision.types.plan import ProvisionPlan, Status
from froude.render import Axis, Chart, ChartKind, Series, ValueKind

HAIR = 1e-6
"""Relative, between neighbouring bands."""
DOLLARS = Axis("cost over the years of use", ValueKind.NUMBER, unit="$")


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


def strip(
    title: str, bands: Sequence[tuple[float, float, Mapping[str, Sequence[str]]]], caption: str = ""
) -> Chart:
    """One panel a dataset, a band in the colour of the storage that it lies on.

    Args:
        title: of the chart.
        bands: (first factor, last factor, unit names per dataset), ascending; a hair is taken off each end, since
            areas that are stacked at the very same place would be drawn on top of each other.
        caption: how to read it.
    """
    edges = [edge for low, high, _ in bands for edge in _apart(low, high)]
    datasets = list(dict.fromkeys(name for _, _, choices in bands for name in choices))
    at = {name: [" + ".join(choices[name]) for _, _, choices in bands] for name in datasets}
    series = tuple(
        Series(label, edges, [float(stored == label) for stored in at[name] for _ in range(2)], panel=name)
        for name in datasets
        for label in dict.fromkeys(at[name])
    )
    y = Axis("share of the dataset", ValueKind.SHARE)
    return Chart(title, sla_axis(edges), y, series, ChartKind.AREA, caption=caption)


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
        return f"**${plan.upper:,.2f}**, proved to be within {plan.gap:.2%} of the cheapest."
    return (
        f"**${plan.upper:,.2f}**; the cheapest may cost up to {plan.gap:.1%} less: the gap was not reached."
    )
