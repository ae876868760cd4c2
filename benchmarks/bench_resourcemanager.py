"""How far a ResourceManager scales on this machine: the shipped search, `froude scenario new containers`.

Run: `python benchmarks/bench_resourcemanager.py [--json]`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from froude.emulation.limits import YARN_LIMITS
from froude.experiment.knee.answer import Knee
from froude.experiment.knee.limit import REACHED, limit_text
from froude.experiment.play.execution import Execution
from froude.experiment.runners import KneeRunner
from froude.experiment.scenario.scenario import KneeScenario, read_scenario
from froude.experiment.scenario.shipped import FOLDER

_LIMIT_S = 300.0
_FIGURES = (
    ("containers granted", "containers_per_s", "1/s"),
    ("p50 of allocation", "allocation_p50_ms", "ms"),
    ("p99 of allocation", "allocation_p99_ms", "ms"),
    ("applications at work", "applications_running", ""),
    ("node heartbeats", "node_heartbeats_per_s", "1/s"),
    ("a placement of the scheduler", "scheduler_allocate_ms", "ms"),
    ("a heartbeat of the scheduler", "scheduler_node_update_ms", "ms"),
    ("CPU of the ResourceManager", "target_cpu_share", "cores"),
    ("CPU of the player", "player_cpu_share", "cores"),
)
"""What is shown of the plays at the knee: in words, as `RunSummary` has it, and its unit."""


def rows() -> Iterator[dict[str, object]]:
    """The answer, and the figures of the largest load that was kept and of the smallest that was not."""
    found = _searched()
    more = {"conditions": f"scenario containers, limits {'; '.join(YARN_LIMITS)}"}
    yield {"measure": "answer", "value": found.answer, "unit": ""} | more
    yield {"measure": "how sure", "value": found.confidence, "unit": ""} | more
    computed = found.computed_limit
    yield {
        "measure": "knee: share of the computed limit, containers",
        "value": "not known" if computed is None else round(100 * computed.reached),
        "unit": "" if computed is None else "%",
        "aim": f">= {REACHED:.0%}",
        "met": computed is not None and computed.reached >= REACHED,
        "conditions": limit_text(computed),
    }
    for bound, play in found.bounds.items():
        measure = f"containers granted while p99 of allocation stays below {bound}"
        yield {"measure": measure, "value": round(play.run.containers_per_s or 0.0, 1), "unit": "1/s"} | more
    for which, plays in (("limits kept", found.at(found.low)), ("not kept", found.at(found.high))):
        for name, field, unit in _FIGURES if plays else ():
            value = getattr(plays[-1].run, field)
            if value is not None:
                yield {"measure": f"{name} where {which}", "value": round(value, 3), "unit": unit} | more


def _searched() -> Knee:
    scenario = read_scenario(FOLDER / "containers.yaml").scenario
    assert isinstance(scenario, KneeScenario)
    search = scenario.knee.replaced(resolution=0.25)
    shorter = scenario.replaced(knee=search, repeats=2, time_limit_s=_LIMIT_S)
    with tempfile.TemporaryDirectory() as scratch:
        return KneeRunner.of(shorter).run(Execution(Path(scratch) / "knee.json"))


if __name__ == "__main__":
    measured = list(rows())
    if "--json" in sys.argv:
        print(json.dumps(measured, indent=2))
    else:
        for row in measured:
            print(f"{row['measure']}: {row['value']} {row['unit']}")
