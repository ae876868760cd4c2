"""The Universal Scalability Law, fitted to the calls in a second that were answered at each load. Pure.

Source: N. J. Gunther, "Guerrilla Capacity Planning" (2007): X(N) = rate N / (1 + sigma (N - 1) + kappa N (N - 1)), where
sigma is contention for what is shared, and kappa the cost of keeping it consistent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

_PARAMETERS = 3
_DEPARTS = 0.1
"""Share of the fitted rate by which a measured one departs from it."""


@dataclass(frozen=True, slots=True)
class Scalability:
    """The law's parameters, and where what was measured departs from it."""

    rate: float
    """Calls in a second at a load of one."""
    sigma: float
    kappa: float
    departs: tuple[float, ...]
    """Loads at which the measured rate differs from the fitted one by more than a tenth."""
    largest: float
    """The largest load that was fitted."""
    holds: bool = True
    """Whether half of the measured rates, or more, do not depart."""

    def at(self, load: float) -> float:
        """Calls in a second at a load."""
        return self.rate * load / (1 + self.sigma * (load - 1) + self.kappa * load * (load - 1))

    @property
    def peak(self) -> float | None:
        """The load of the highest rate; None where the rate at the largest load is not lower by more than a tenth."""
        peak = math.sqrt((1 - self.sigma) / self.kappa) if self.kappa > 0 and self.sigma < 1 else math.inf
        shown = peak < self.largest and self.at(self.largest) < (1 - _DEPARTS) * self.at(peak)
        return peak if shown else None


def fit(rates: Mapping[float, float]) -> Scalability | None:
    """The law with the least relative error of a load's time per call; no parameter is below zero.

    Args:
        rates: calls in a second by load, such as a number of clients.

    Returns:
        None of fewer loads than the law has parameters, and two more; and of rates that do not rise at all, from which
        the rate at a load of one does not follow.
    """
    seen = {load: rate for load, rate in rates.items() if load > 0 and rate > 0}
    if len(seen) < _PARAMETERS + 2:
        return None
    loads, measured = np.array(list(seen)), np.array(list(seen.values()))
    # N / X is linear in 1 / rate, sigma / rate and kappa / rate.
    terms = np.stack([np.ones_like(loads), loads - 1, loads * (loads - 1)], axis=1)
    scaled = terms * (measured / loads)[:, None]
    (one, sigma, kappa), _ = nnls(scaled, np.ones_like(loads))
    if one <= 0:
        return None
    law = Scalability(float(1 / one), float(sigma / one), float(kappa / one), (), max(seen))
    departs = tuple(load for load in sorted(seen) if abs(seen[load] / law.at(load) - 1) > _DEPARTS)
    return replace(law, departs=departs, holds=2 * len(departs) <= len(seen))


def scalability_text(law: Scalability | None, raised: str) -> str:
    """The fit in words; empty without one.

    Args:
        raised: what a load is a number of, such as `clients`.
    """
    if law is None:
        return ""
    if not law.holds:
        return "The Universal Scalability Law does not fit: most measured rates depart from it by more than 10 %."
    peak = (
        f"the highest rate at {raised}={law.peak:,.0f}" if law.peak else "no highest rate within these loads"
    )
    departs = ", ".join(f"{load:,g}" for load in law.departs)
    return (
        f"Universal Scalability fit: sigma {law.sigma:.2g} (contention), kappa {law.kappa:.2g} (coherency), {peak}; "
        + (
            f"measured rates depart from it by more than 10 % at {raised}={departs}."
            if departs
            else "it is within 10 % of all loads, as may be other parameters."
        )
    )
