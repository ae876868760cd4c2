"""Over how many servers copies stand, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.model.spreading import Spreading, least_servers
from froude.provision.types import Duplex, Lost, Persistence, Problem, Rack, RackLoss, ReReplication
from tests.support.provision.small import DATA, DISK, STORE, small

_THREE = replace(DATA, replication=3)


def _problem(re_replication: ReReplication | None = None, **options: object) -> Problem:
    problem = small(data=_THREE)
    return replace(
        problem,
        catalog=replace(problem.catalog, rack=Rack(4, 1e4)),
        sla=replace(problem.sla, re_replication=re_replication),
        options=replace(problem.options, **options),  # type: ignore[arg-type]
    )


def _servers(problem: Problem, **changes: object) -> int:
    dataset = replace(_THREE, **changes)  # type: ignore[arg-type]
    return Spreading.of(problem, across_racks=True).servers(dataset, DISK)


def test_pieces_alone() -> None:
    """As many servers as pieces; one for what has none, and for a service."""
    assert [_servers(_problem(), replication=n) for n in (1, 2, 3)] == [1, 2, 3]
    assert _servers(_problem(), replication=1, erasure=(6, 3)) == 9
    assert Spreading.of(_problem(), across_racks=True).servers(_THREE, STORE) == 1


def test_a_lost_rack_takes_a_part_only() -> None:
    """4 servers hold at most 2/3 of three replicas, 1/2 of two, 1/3 of 6+3; what may be lost needs no more."""
    losing = _problem(survive_rack=RackLoss.DATA)
    assert [_servers(losing, replication=n) for n in (3, 2)] == [6, 8]
    assert _servers(losing, replication=1, erasure=(6, 3)) == 12
    assert _servers(losing, persistent=Persistence.NOT_NEEDED) == 3


def test_disks_that_replicate_again() -> None:
    """A full disk of 1000 bytes is read at 100 and written at 50 B/s: 30 s of one, in 10 s of four (1 of 4 is lost)."""
    disk = ReReplication(10.0, block_size=1e9, heartbeat=1.0)
    quick = replace(DISK, gap_r=0.0, gap_w=0.0)
    spread = Spreading.of(_problem(disk), across_racks=False)
    assert spread.servers(_THREE, quick) == 4
    assert spread.servers(_THREE, replace(quick, capacity=2000.0)) == 7
    assert Spreading.of(_problem(replace(disk, share=0.5)), across_racks=False).servers(_THREE, quick) == 7


def test_networks_that_replicate_again() -> None:
    """1800 bytes over H, through the others' 1e4 B/s, both ways; with racks each has a fourth of the uplink."""
    quick = replace(DISK, rate_r=1e9, rate_w=1e9, gap_r=0.0, gap_w=0.0)
    re_replication = ReReplication(0.01, block_size=1e9, heartbeat=1.0)

    def servers(*, across: bool, duplex: Duplex = Duplex.HALF, of: Lost = Lost.SERVER) -> int:
        problem = _problem(replace(re_replication, of=of), duplex=duplex)
        return Spreading.of(problem, across_racks=across).servers(_THREE, quick)

    # H (H - 1) >= 1800 * 2 / (1e4 * 0.01) = 36, and four times as much over uplinks
    assert servers(across=False) == 7
    assert servers(across=False, duplex=Duplex.FULL) == 5
    assert servers(across=True) == 13
    # four servers of a rack: H (H - 4) >= 4 * 144
    assert servers(across=True, of=Lost.RACK) == 27


@pytest.mark.parametrize(("streams", "servers"), [(1, 43), (2, 31), (4, 22)])
def test_streams_that_replicate_again(streams: int, servers: int) -> None:
    """H (H - 1) >= 1800 bytes / (streams of a byte a second) in a second; more streams need fewer."""
    quick = replace(DISK, rate_r=1e9, rate_w=1e9, gap_r=0.0, gap_w=0.0)
    re_replication = ReReplication(1.0, max_streams=streams, block_size=1.0, heartbeat=1.0)
    spread = Spreading.of(_problem(re_replication), across_racks=False)
    assert spread.servers(_THREE, quick) == servers


@pytest.mark.parametrize("lost", [Lost.SERVER, Lost.RACK])
def test_the_least_number_of_any_cluster(lost: Lost) -> None:
    """Equally full servers with the widest network, one fewer of which is too slow; with a service nothing is known."""
    problem = _problem(ReReplication(50.0, lost, block_size=30.0))
    assert least_servers(_problem()) == 1
    number, gone = least_servers(problem), 1 if lost is Lost.SERVER else 4
    rate = min(max(server.bandwidth for server in problem.catalog.servers) / 2, 2 * 30.0 / 3.0)

    def seconds(servers: int) -> float:
        return (
            gone / servers * 3 * _THREE.size / ((servers - gone) * rate) if servers > gone else float("inf")
        )

    assert seconds(number) <= 50.0 * (1 + 1e-9) < seconds(number - 1)
    served = replace(problem, catalog=replace(problem.catalog, units=(*problem.catalog.units, STORE)))
    assert least_servers(served) == 1
