"""What is to be made of tables of prices."""

from __future__ import annotations

from dataclasses import dataclass, field

from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.filters import Filters
from froude.provision.prices.layouts import Tariff
from froude.provision.types import HOURS


@dataclass(frozen=True, slots=True)
class Wanted:
    """Date, term, and which types and figures count."""

    date: str
    """Of the prices."""
    hours: float = HOURS
    """Of the term."""
    filters: Filters = field(default_factory=Filters)
    bandwidth: Bandwidth = Bandwidth.SUSTAINED
    tariff: Tariff = Tariff.ON_DEMAND
    region: str | None = None
    """Whose prices of volumes count; None where nobody said."""
