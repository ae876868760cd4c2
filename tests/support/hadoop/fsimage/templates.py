"""A profile that is quick to make a namespace of."""

from __future__ import annotations

import numpy as np

from froude.hadoop.fsimage.namespace import Namespace
from froude.hadoop.fsimage.templates import Profile, Span, Weighted, make_template

MIB = 1 << 20
PROFILE = Profile(
    inodes=1500,
    depth=(Weighted(1, 1), Weighted(2, 3), Weighted(3, 6)),
    files_per_directory=(Span(0, 0, 1), Span(1, 30, 4)),
    file_length=(Span(0, 0, 1), Span(1, 10 * MIB, 5)),
    block_size=MIB,
    replication=(Weighted(3, 9), Weighted(2, 1)),
    erasure_coding=(Weighted(-1, 8), Weighted(1, 2)),
    owners=(Weighted(("alice", "users"), 3), Weighted(("etl", "etl"), 1)),
    modes=(Weighted(0o644, 3), Weighted(0o600, 1)),
)


def template(seed: int = 0) -> Namespace:
    """A namespace of about that many inodes."""
    return make_template(PROFILE, np.random.default_rng(seed))
