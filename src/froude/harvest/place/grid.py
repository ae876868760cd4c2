"""The grid of Algorithm 2: tenants by how often they are reimaged and by how high their utilisation peaks.

Columns are terciles of the reimage frequency by space; rows are terciles of the peak by space *within* each column, so
that each of the nine classes holds as near to a ninth of the space as whole tenants allow ("the rows do not align",
harvesting paper, Figure 8). A tenant is never split over two classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints

MONTH_S = 30.0 * 86_400
"""A month of reimages."""
PEAK_QUANTILE = 0.99
"""The peak of a series: its very largest sample would be an outlier."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Which class each tenant is of."""

    row: Ints
    """Shape (tenants,): by peak, 0 the lowest, to `rows` - 1."""
    column: Ints
    """Shape (tenants,): by reimages, 0 the rarest, to `columns` - 1."""
    rows: int = 3
    columns: int = 3

    def __post_init__(self) -> None:
        for name, values, size in (("row", self.row, self.rows), ("column", self.column, self.columns)):
            if len(values) and not 0 <= int(values.min()) <= int(values.max()) < size:
                raise ValueError(f"{name} is 0 to {size - 1}")

    def space(self, of_tenant: npt.ArrayLike) -> Floats:
        """Shape (rows, columns): the space of each class.

        Args:
            of_tenant: shape (tenants,): space of each, any unit.
        """
        cells = self.row * self.columns + self.column
        sums = np.bincount(cells, np.asarray(of_tenant, float), self.rows * self.columns).astype(np.float64)
        return sums.reshape(self.rows, self.columns)


def reimage_frequency(datacenter: Datacenter, before_s: float, months: float = 3.0) -> Floats:
    """Shape (tenants,): reimages per server and month, in the months that end at a moment.

    Args:
        before_s: the moment, on the datacenter's own time; nothing from then on is looked at.
        months: how many, above 0.
    """
    seen = datacenter.reimages.between(before_s - months * MONTH_S, before_s)
    counts = np.bincount(datacenter.server_tenant[seen.server], minlength=len(datacenter.tenants))
    return counts / np.maximum(datacenter.tenant_servers, 1) / months


def peaks(datacenter: Datacenter, before_s: float, quantile: float = PEAK_QUANTILE) -> Floats:
    """Shape (tenants,): the peak of each tenant's utilisation, 0 to 1; 0 where nothing was measured.

    Slots that begin before the moment count; where there are none, all do: then a tenant's peak is taken for a
    property that does not change.

    Args:
        before_s: the moment, on the datacenter's own time.
        quantile: of the series, 0 to 1.
    """
    known = min(datacenter.slots, int(np.ceil(before_s / datacenter.slot_s)))
    series = datacenter.utilisation[:, : known if known > 0 else datacenter.slots]
    found = np.zeros(len(series))
    for tenant, values in enumerate(series):  # row by row: a partition of all at once would copy everything
        measured = values[~np.isnan(values)]
        if len(measured):
            found[tenant] = np.quantile(measured, quantile)
    return found


def make_grid(
    frequency: npt.ArrayLike, peak: npt.ArrayLike, space: npt.ArrayLike, rows: int = 3, columns: int = 3
) -> Grid:
    """Tenants in classes of equal space; n log n in tenants.

    Args:
        frequency: shape (tenants,): of reimages.
        peak: shape (tenants,): of utilisation.
        space: shape (tenants,): what is available now, in any unit, not below 0.
        rows: how many, from 1.
        columns: how many, from 1.

    Source: harvesting paper, Algorithm 2, line 4, and Figure 8.
    """
    high, room = np.asarray(peak, float), np.asarray(space, float)
    column = _shares(np.asarray(frequency, float), room, columns)
    row = np.zeros(len(room), np.int32)
    for each in range(columns):
        inside = np.flatnonzero(column == each)
        row[inside] = _shares(high[inside], room[inside], rows)
    return Grid(row, column, rows, columns)


def grid_of(
    datacenter: Datacenter, before_s: float, months: float = 3.0, space: Ints | Floats | None = None
) -> Grid:
    """The 3 x 3 grid of a datacenter as it was known at a moment.

    Args:
        before_s: the moment, on the datacenter's own time.
        space: shape (servers,): what each server has to give; by default all the same.
    """
    by_server = np.ones(len(datacenter.servers)) if space is None else space
    of_tenant = np.bincount(datacenter.server_tenant, by_server, len(datacenter.tenants))
    frequency = reimage_frequency(datacenter, before_s, months)
    return make_grid(frequency, peaks(datacenter, before_s), of_tenant)


def _shares(values: Floats, space: Floats, parts: int) -> Ints:
    """The part that each falls into when they are lined up by value and cut into parts of equal space.

    Who lies across a cut is of the part that holds its middle. Ties stand in the order given.
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(space[order])
    total = float(ends[-1]) if len(ends) else 0.0
    middles = (ends - space[order] / 2) / (total or 1.0)
    part = np.empty(len(values), np.int32)
    part[order] = np.minimum((middles * parts).astype(np.int32), parts - 1)
    return part
