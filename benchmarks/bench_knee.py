"""How far a NameNode scales on this machine, twice: on its own, and with two busy processes beside it.

Run: `python benchmarks/bench_knee.py [--json] [WORKLOAD]`. Without a workload the demo's job is recorded and mined
first. Beside that: how many commands and how much time a job of one's own takes from a clone to its answer.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bench_unseen import busy
from froude.documents.store import Workspace
from froude.emulation.limits import DEFAULT_LIMITS
from froude.experiment.knee.answer import Knee
from froude.experiment.knee.knee import knee
from froude.experiment.main_job import record_job
from froude.experiment.record.jobs import DEMO
from froude.experiment.scenario.options import KneeOptions, KneeSearch
from froude.experiment.session import Hadoop
from froude.mining.traces import mine
from froude.workload.types import Workload
from froude.workload.yaml_file import read_workload
from testbed.pages import page_blocks, run_shell

_CHAIN_S = 1200.0


def rows(workload: Workload | None = None) -> list[dict[str, object]]:
    """The knee on a quiet and on a busy machine, then the chain of README.

    Args:
        workload: of the demo's job; recorded and mined where it is not given.
    """
    workload = workload or _mined()
    figures = _rows("nothing else on the machine", _searched(workload))
    with busy():
        figures += _rows("two busy processes beside it", _searched(workload))
    return figures + _chain()


def _mined() -> Workload:
    hadoop = Hadoop.find()
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Workspace(f"{scratch}/ws")
        return mine([record_job(DEMO, scale, workspace, hadoop).trace for scale in DEMO.train])


def _searched(workload: Workload) -> Knee:
    hadoop = Hadoop.find()
    return knee(
        workload,
        lambda: hadoop.namenode(heap="1 GB"),
        KneeOptions(knee=KneeSearch(resolution=0.25, most_plays=8), repeats=2, warm_up_s=40.0),
        at=DEMO.knee,
    )


def _rows(where: str, found: Knee) -> list[dict[str, object]]:
    more = {"conditions": f"{DEMO.name} from {DEMO.knee}, limits {'; '.join(DEFAULT_LIMITS)}; {where}"}
    kept, broke = found.at(found.low), found.at(found.high)
    figures: list[dict[str, object]] = [
        {"measure": "answer", "value": found.answer, "unit": ""},
        {"measure": "how sure", "value": found.confidence, "unit": ""},
    ]
    for name, plays in (("limits kept", kept), ("not kept", broke)):
        if plays:
            run = plays[-1].run
            figures += [
                {"measure": f"answered where {name}", "value": run.calls_per_s, "unit": "calls/s"},
                {"measure": f"p99 where {name}", "value": run.p99_ms, "unit": "ms"},
                {"measure": f"limited by, where {name}", "value": run.bottleneck, "unit": ""},
            ]
    return [{**row, "measure": f"knee, {row['measure']}; {where}"} | more for row in figures]


def _chain() -> list[dict[str, object]]:
    """README's commands, from its script to its answer, in an empty folder."""
    record, mined, *_ = page_blocks("README.md")[1:3]
    (search,) = (text for text in page_blocks("README.md") if "froude knee" in text)
    lines = [
        line for text in (record, mined, search) for line in text.splitlines() if line.startswith("froude ")
    ]
    needed = [line for line in lines if not line.startswith("froude extrapolate")]
    with tempfile.TemporaryDirectory() as scratch:
        begun = time.monotonic()
        done = run_shell(f"{record}{mined}{search}", Path(scratch), timeout_s=_CHAIN_S)
        took = time.monotonic() - begun
        written = Path(scratch) / "knee.json"
        answer = json.loads(written.read_text())["answer"] if written.is_file() else done.stderr[-300:]
    more = {"conditions": "README's job of three sizes, jars cached, after git clone and make setup"}
    return [
        {
            "measure": "commands from a script of one's own to how far it scales",
            "value": len(needed),
            "unit": "",
        }
        | more,
        {"measure": "time of these commands", "value": took, "unit": "s"} | more,
        {"measure": "their answer", "value": answer, "unit": ""} | more,
    ]


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if word != "--json"]
    measured = rows(read_workload(Path(names[0])) if names else None)
    if "--json" in sys.argv:
        print(json.dumps(measured, indent=2))
    else:
        for row in measured:
            print(f"{row['measure']}: {row['value']} {row['unit']}")
