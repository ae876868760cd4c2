"""What is to be made of tables of prices."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.filters import Filters
from froude.provision.prices.layouts import Tariff
from froude.provision.types import HOURS

HOURS_PER_YEAR = 8760.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Date, term, and which types and figures count."""

    date: str
    """Of the prices."""
    hours: float = HOURS
    filters: Filters = field(default_factory=Filters)
    bandwidth: Bandwidth = Bandwidth.SUSTAINED
    tariff: Tariff = Tariff.ON_DEMAND
    region: str | None = None
    """Whose prices of volumes count; None where nobody said."""

    @property
    def paid_hours(self) -> float:
        """For which servers are paid: reserved ones for whole terms of their tariff, which the last may outlast."""
        whole = self.tariff.years * HOURS_PER_YEAR
        return math.ceil(self.hours / whole - 1e-9) * whole if whole else self.hours
