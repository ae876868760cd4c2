"""Over how many servers a copy stands, so that a lost rack leaves one of each record, and losses are soon made good.

A rack of n servers that hold at most 1 / H each may hold all pieces but those that a record needs, so n / H is at most
(pieces - needed) / pieces: 2/3 with 3 replicas, 1/3 with 6+3. HDFS's placement then can keep that for every record.

For the time to re-replicate: with k servers lost and no server holding more than 1 / H of a copy, at most k / H of
all bytes are gone, at least H - k holders are left, and they have at least (H - k) / H of the units that the copy needs.
What each of them may send, take in, read and write a second then bounds the time; it falls with H, so a time becomes a
least H. All bytes are taken to cross racks, all datasets to be on servers, and every server to have the slowest network
of the catalog: safe.

Source: ours; the limits of HDFS are those of its BlockManager (`dfs.namenode.replication.max-streams`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from froude.provision.model.copies import Redundancy, alone
from froude.provision.model.service import record_seconds
from froude.provision.types import (
    Dataset,
    Duplex,
    Lost,
    Op,
    Persistence,
    Problem,
    RackLoss,
    ReReplication,
    StorageUnit,
)

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Spreading:
    """How far to spread copies, for one problem."""

    re_replication: ReReplication | None
    lost: int
    """Servers lost at once."""
    through_network: int
    """Least number of servers, for what passes networks, uplinks and streams."""
    peak_fill: float
    rack: int
    """Servers of a rack that may be lost; 0 where none may."""

    @classmethod
    def of(cls, problem: Problem, *, across_racks: bool) -> Spreading:
        """What a problem asks for.

        Args:
            problem: the inputs; without a re_replication, nothing need be fast.
            across_racks: whether there may be several racks.
        """
        re_replication, rack = problem.sla.re_replication, problem.catalog.rack
        fill = problem.options.peak_fill
        may_lose = rack is not None and problem.options.survive_rack is not RackLoss.NONE
        in_rack = rack.servers if rack is not None and may_lose else 0
        if re_replication is None:
            return cls(None, 0, 1, fill, in_rack)
        lost = rack.servers if re_replication.of is Lost.RACK and rack is not None else 1
        work = sum(_read_again(dataset) for dataset in problem.application.datasets)
        ends = 2 if problem.options.duplex is Duplex.HALF else 1
        widths = [server.bandwidth for server in problem.catalog.servers]
        if rack is not None and across_racks:
            widths.append(rack.uplink / rack.servers)
        rates = [width * re_replication.share / ends for width in widths]
        rates.append(_streams(re_replication))
        # k * work / (H * (H - k) * rate) <= time
        holders = _holders(lost, work / (min(rates) * re_replication.time)) if work else 1
        return cls(re_replication, lost, holders, fill, in_rack)

    def servers(self, dataset: Dataset, unit: StorageUnit) -> int:
        """Least number of servers that a copy stands on; 1 where it has no pieces."""
        redundancy, re_replication = Redundancy.of(dataset), self.re_replication
        if unit.service or redundancy.pieces == 1:
            return 1
        least = redundancy.pieces
        if dataset.persistent is Persistence.REQUIRED:
            least = max(least, -(-self.rack * least // (least - redundancy.needed)))
        if re_replication is None:
            return least
        block = re_replication.block_size
        reading = record_seconds(unit, Op.READ, block, dataset.profile) / block
        writing = record_seconds(unit, Op.WRITE, block, dataset.profile) / block
        full = unit.capacity * self.peak_fill * (redundancy.needed * reading + writing)
        through_units = whole(self.lost * (1 + full / (re_replication.share * re_replication.time)))
        return max(least, self.through_network, through_units)


def least_servers(problem: Problem) -> int:
    """Servers that any cluster has that re-replicates in time, whatever it consists of; 1 where nothing is asked.

    The k fullest of N servers hold k / N of all bytes at least, and the others send no faster than their streams and
    the widest network of the catalog: k * work / (N * (N - k) * rate) <= time.

    Args:
        problem: the inputs; a service may keep data that no server does, so with one nothing is known.
    """
    re_replication, rack = problem.sla.re_replication, problem.catalog.rack
    if re_replication is None or any(unit.service for unit in problem.catalog.units):
        return 1
    lost = rack.servers if re_replication.of is Lost.RACK and rack is not None else 1
    work = sum(_read_again(dataset) for dataset in problem.application.datasets)
    ends = 2 if problem.options.duplex is Duplex.HALF else 1
    widest = max((server.bandwidth for server in problem.catalog.servers), default=0.0)
    rate = min(widest * re_replication.share / ends, _streams(re_replication))
    return _holders(lost, work / (rate * re_replication.time)) if work and rate else 1


def _streams(re_replication: ReReplication) -> float:
    """Bytes per second that a server sends."""
    return re_replication.max_streams * re_replication.block_size / re_replication.heartbeat


def _holders(lost: int, servers: float) -> int:
    """The least N with lost * servers <= N * (N - lost)."""
    return whole((lost + math.sqrt(lost * lost + 4 * lost * servers)) / 2)


def _read_again(dataset: Dataset) -> float:
    """Bytes that are read so that all of a dataset is written again: of each fragment all others that it needs."""
    redundancy = Redundancy.of(dataset)
    if not dataset.remote or redundancy.pieces == 1:
        return 0.0
    return alone(dataset).stored * redundancy.needed


def whole(amount: float) -> int:
    """So many whole things, where what is above a whole number by rounding alone asks for no further one."""
    return math.ceil(amount * (1 - _ROUNDING))
