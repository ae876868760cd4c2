"""Where servers stand, and what a placement needs to know of each: a small value that travels to other processes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from froude.harvest.place.grid import Grid, grid_of
from froude.harvest.telemetry.datacenter import Datacenter, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Servers by what their replicas may have in common; every array has shape (servers,), numbers from 0."""

    tenant: Ints
    environment: Ints
    rack: Ints
    """Servers whose rack is not known share one, as under HDFS's `/default-rack`."""
    row: Ints
    """Of the tenant's class: by peak utilisation."""
    column: Ints
    """Of the tenant's class: by reimages."""
    rows: int = 3
    columns: int = 3

    def __post_init__(self) -> None:
        if len({len(each) for each in (self.tenant, self.environment, self.rack, self.row, self.column)}) > 1:
            raise ValueError("each server has a tenant, an environment, a rack, a row and a column")

    @property
    def servers(self) -> int:
        """How many there are."""
        return len(self.tenant)


def layout(datacenter: Datacenter, grid: Grid) -> Layout:
    """What a placement needs to know of a datacenter."""
    tenant = datacenter.server_tenant
    rack = datacenter.server_rack
    known = np.where(rack >= 0, rack, int(rack.max(initial=-1)) + 1)
    environment = datacenter.tenant_environment[tenant]
    arrays = (tenant, environment, known, grid.row[tenant], grid.column[tenant])
    owner, outer, near, row, column = (each.astype(np.int32) for each in arrays)
    return Layout(owner, outer, near, row, column, grid.rows, grid.columns)


def layout_at(datacenter: Datacenter, moment_s: float, months: float = 3.0) -> Layout:
    """The layout with the classes that history gives at a moment.

    Args:
        moment_s: on the datacenter's own time; reimages from then on are not looked at.
        months: of reimages before it that count.
    """
    return layout(datacenter, grid_of(datacenter, moment_s, months))
