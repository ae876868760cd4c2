"""Samples the primary tenants' CPU of every node of a ResourceManager, for `froude harvest import`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator

from froude.base.clock import Clock
from froude.base.errors import TargetError
from froude.harvest.live.resourcemanager import ResourceManager
from froude.harvest.live.types import RUNNING, Node
from froude.harvest.live.usage import usage_of

HEAD = "time,server,cpu\n"
"""Of the table; `cpu` is a share, 0 to 1."""


def sample_lines(nodes: Iterable[Node], time_s: float) -> str:
    """A line a node that says what it uses; what its containers use is taken off.

    Args:
        time_s: of the sample, seconds since 1970.
    """
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    for node in nodes:
        used = usage_of(node) if node.state == RUNNING else None
        if used is not None:
            lines.writerow((f"{time_s:.0f}", node.host, f"{used.cpu_share:.4f}"))
    return out.getvalue()


def collect(
    resourcemanager: ResourceManager,
    clock: Clock,
    *,
    interval_s: float,
    samples: int | None,
    failed: Callable[[TargetError], None],
) -> Iterator[str]:
    """Samples at equal distances; one that fails is told and left out, and the next one is tried.

    Args:
        interval_s: from one sample to the next, above 0.
        samples: how many; None for no end.
        failed: told of an answer that did not come.

    Yields:
        The lines of each sample.
    """
    begun, number = clock.now(), 0
    while samples is None or number < samples:
        clock.sleep(max(0.0, begun + number * interval_s - clock.now()))
        try:
            yield sample_lines(resourcemanager.nodes(), clock.wall())
        except TargetError as error:
            failed(error)
        number += 1
