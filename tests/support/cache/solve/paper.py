"""Random states for the paper's fitness."""

from __future__ import annotations

import numpy as np

from froude.cache.solve.paper import Signals


def drawn(count: int, seed: int) -> Signals:
    """Figures of as many VMs, normalised."""
    rng = np.random.default_rng(seed)
    return Signals(*(values / values.sum() for values in rng.random((3, count))))
