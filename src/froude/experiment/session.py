"""The Workspace as Python users see it: record, look up, report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from froude.base.units import Quantity
from froude.emulation.run import Run
from froude.experiment import record as recording
from froude.experiment.figures.page import Page, Part, page
from froude.hadoop.cluster import Cluster
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workspace.store import Workspace as Store


class Workspace:
    """A folder in which every artifact has its place; made when it is not there.

    Args:
        folder: an existing one must be empty or hold a `froude.toml`.

    Raises:
        InputError: the folder holds other things, or was made by a newer Froude.
    """

    def __init__(self, folder: Path | str = ".") -> None:
        self.store = Store(folder)
        """What lies where."""

    def record(
        self,
        cluster: Cluster,
        *,
        scale: Mapping[str, str | float | Quantity],
        tags: Sequence[str] = (),
        settle_s: float = 0.0,
    ) -> AbstractContextManager[recording.Recording]:
        """Record what reaches a cluster's NameNode while the block runs; see `experiment.record`."""
        return recording.record(cluster, self.store, scale=scale, tags=tags, settle_s=settle_s)

    def traces(self, tag: str | None = None) -> list[Trace]:
        """The traces kept here, oldest first."""
        return [read_trace(path) for path in self.store.traces(tag)]

    def runs(self, tag: str | None = None) -> list[Run]:
        """The runs kept here, oldest first."""
        return [Run.read(path) for path in self.store.runs(tag)]

    def report(self, *parts: Part, title: str = "Froude report") -> Page:
        """A page of Traces, Workloads, Plans, predictions and Runs: `ws.report(run).save("report.html")`."""
        return page(parts, title=title)
