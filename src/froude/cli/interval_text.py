"""Intervals and start times in words: of two Traces, and of a workload held against a Trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from froude.mining.check.intervals import Site
    from froude.mining.fit.starts import Delay
    from froude.trace.intervals import Agreement


def agreement_text(agreements: Sequence[Agreement]) -> str:
    """How many call sites of two runs agree, a line for each statistic."""
    from froude.trace.intervals import FEWEST, RESOLUTION_S, WITHIN

    return "\n".join(
        f"{sites.statistic} of the intervals within {WITHIN:.0%}: {len(sites.agreeing)} of {sites.compared} call "
        f"sites; {sites.few} more have fewer than {FEWEST} intervals, {sites.short} are below "
        f"{1000 * RESOLUTION_S:g} ms"
        for sites in agreements
    )


def sites_text(sites: Sequence[Site], other: Sequence[Site]) -> str:
    """How many call sites came out as predicted, by service.

    Args:
        sites: of the run that a workload is held against.
        other: of another run of its size; none where there is none, so that all sites count.
    """
    from froude.mining.check.intervals import slower, validated
    from froude.trace.intervals import FEWEST, WITHIN, Statistic

    lines = [
        f"intervals within {WITHIN:.0%}, of call sites with {FEWEST} or more"
        + " where the two runs agree" * bool(other)
    ]
    width = max((len(site.service) for site in sites), default=0)
    for service in sorted(Counter(site.service for site in sites)):
        own, theirs = ([site for site in run if site.service == service] for run in (sites, other or sites))
        for statistic in Statistic:
            found = validated(own, theirs, statistic)
            whole = len(found.agreement.agreeing)
            agreed = f" ({whole} of {found.agreement.compared} agree)" if other else ""
            counts = f"{found.within} of {whole}{agreed}" if whole else f"no such call site{agreed}"
            lines.append(f"{service:<{width}}  {statistic}: {counts}")
        times = slower(own)
        how = (
            "no step is long enough to compare" if times is None else f"steps took {times:.2f} times as long"
        )
        lines.append(f"{service:<{width}}  {how}{' as predicted, in the middle' * (times is not None)}")
    return "\n".join(lines)


def delays_text(delays: Sequence[Delay]) -> str:
    """When nodes started, as predicted and as seen.

    Args:
        delays: of the node types.
    """
    lines = ["starts (seconds after what is waited for): predicted, seen"]
    width = max((len(delay.node_type) for delay in delays), default=0)
    for delay in delays:
        seen = "before it" if delay.seen_s is None else f"{delay.seen_s:.1f}"
        lines.append(
            f"{delay.node_type:<{width}}  after {delay.after or 'the beginning'}: {delay.predicted_s:.1f}, {seen}"
        )
    return "\n".join(lines)
