"""Small layouts for tests of placement."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from froude.harvest.place.layout import Layout


def nine(servers: int = 2) -> Layout:
    """Nine tenants, one in each class, each an environment and a rack of its own.

    Args:
        servers: of each tenant.
    """
    tenant = np.repeat(np.arange(9, dtype=np.int32), servers)
    return Layout(tenant, tenant, tenant, (tenant // 3).astype(np.int32), (tenant % 3).astype(np.int32))


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Up to 40 servers of up to 15 tenants, anyhow."""
    tenants = draw(st.integers(1, 15))
    number = st.integers(0, 2)

    def column(values: st.SearchStrategy[int], size: int) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=size, max_size=size)), np.int32)

    environment, row, col = (
        column(st.integers(0, 6), tenants),
        column(number, tenants),
        column(number, tenants),
    )
    tenant = np.sort(column(st.integers(0, tenants - 1), draw(st.integers(1, 40))))
    rack = column(st.integers(0, 5), len(tenant))
    return Layout(tenant, environment[tenant], rack, row[tenant], col[tenant])
