"""A job makes the same requests in a mixture as by itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Self

from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.seeds import Seeds
from froude.emulation.settings import Pacing
from froude.hadoop.release.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.mixture import mixture
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import read_workload
from testbed.workloads import OTHERS, WORKLOADS
from tests.support.simulation.players import Players

JOBS = {name: read_workload(path) for name, path in (WORKLOADS | OTHERS).items()}
DATANODES = 3


class _Unprefixed(Seeds):
    """The seeds of a mixture, without the names of its workloads: random choices hang on the names of nodes."""

    def child(self, *names: str | int) -> Self:
        """The node below, under its own workload's names."""
        own = tuple(
            name.replace("one_", "").replace("other_", "") if isinstance(name, str) else name
            for name in names
        )
        return type(self)(self.root, self.path + own)


def requests(plan: Plan, hadoop: Hadoop, seed: int) -> Counter[tuple[str, bytes]]:
    """What is sent, by method and body, until all clients have ended."""
    played = Players(plan, hadoop.schema(), 1, seeds=_Unprefixed(seed), pacing=Pacing.SCHEDULED)
    played.run()
    assert [core.failure for core in played.cores] == [None]
    return played.bodies


@settings(max_examples=8)
@given(
    jobs=st.permutations(sorted(JOBS)),
    size=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    first=st.booleans(),
    seed=st.integers(0, 50),
)
def test_a_job_alone_in_a_mixture_makes_its_own_requests(
    hadoop: Hadoop, jobs: list[str], size: tuple[int, int], first: bool, seed: int
) -> None:
    """Byte by byte, with the nodes of the other job away: whichever comes first, and lends its daemons."""
    clients, files = size
    job, other = JOBS[jobs[0]], JOBS[jobs[1]]
    by_itself = extrapolate(job, Scale.of(datanodes=DATANODES, clients=clients, files=files))
    mixed = mixture({"one": job, "other": other} if first else {"other": other, "one": job})
    scale = {
        "datanodes": DATANODES,
        "one_clients": clients,
        "one_files": files,
        "other_clients": 1,
        "other_files": 1,
    }
    plan = extrapolate(mixed, Scale.of(**scale))
    alone = replace(
        plan, counts={name: 0 if name.startswith("other_") else n for name, n in plan.counts.items()}
    )
    sent, expected = requests(alone, hadoop, seed), requests(by_itself, hadoop, seed)
    if not first:
        sent, expected = (
            Counter({k: n for k, n in each.items() if k[0] != "sendHeartbeat"}) for each in (sent, expected)
        )
    assert sent == expected
    assert expected
