"""Froude: scale models of Hadoop-class clusters.

```python
from pathlib import Path
from tempfile import TemporaryDirectory

import froude as fr

ws = fr.Workspace("scaling")
hadoop = fr.Hadoop.find()
for datanodes, files in ((2, 5), (3, 12), (4, 8)):
    with (
        TemporaryDirectory() as data,
        hadoop.cluster(datanodes=datanodes, fast=True) as cluster,
        ws.record(cluster, scale={"datanodes": datanodes, "files": files}) as recording,
    ):
        names = [f"{data}/file-{number}" for number in range(files)]
        for name in names:
            Path(name).write_bytes(bytes(1000))
        recording.shell("-mkdir", "-p", "/in")
        recording.shell("-put", *names, "/in")
workload = fr.mine(ws.traces())
plan = workload.at(datanodes=50, files=40)
with hadoop.namenode(heap="1 GB") as nn:
    run = fr.play(plan, nn, fr.PlayOptions(limits=("error_rate < 1 %",)))
print(run.bottleneck, run.latency("addBlock").p99_ms)
ws.report(run).save("scaling/report.html")
```

Which hardware, at least cost:

```python
import froude as fr

problem = fr.read_problem(["photoshare-calibrated"])
plan = fr.compile_plan(problem)
print(plan.status, plan.lower, plan.upper, plan.choices)
```

Public names are found when they are first used, so that importing Froude costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from froude.base.version import __version__

if TYPE_CHECKING:
    from froude.base.errors import FroudeError as FroudeError
    from froude.experiment.compare.compare import compare as compare
    from froude.experiment.knee.knee import knee as knee
    from froude.experiment.play.play import play as play
    from froude.experiment.scenario.options import KneeOptions as KneeOptions
    from froude.experiment.scenario.options import KneeSearch as KneeSearch
    from froude.experiment.scenario.options import Load as Load
    from froude.experiment.scenario.options import PlayOptions as PlayOptions
    from froude.experiment.scenario.options import Running as Running
    from froude.experiment.session import Hadoop as Hadoop
    from froude.experiment.session import Workload as Workload
    from froude.experiment.session import Workspace as Workspace
    from froude.experiment.session import mine as mine
    from froude.provision.inputs.read import read_problem as read_problem
    from froude.provision.search.compile import compile_plan as compile_plan
    from froude.trace.types import Trace as Trace
    from froude.workload.scale import Scale as Scale

_HOMES = {
    "FroudeError": "froude.base.errors",
    "Hadoop": "froude.experiment.session",
    "KneeOptions": "froude.experiment.scenario.options",
    "KneeSearch": "froude.experiment.scenario.options",
    "Load": "froude.experiment.scenario.options",
    "PlayOptions": "froude.experiment.scenario.options",
    "Running": "froude.experiment.scenario.options",
    "Scale": "froude.workload.scale",
    "Trace": "froude.trace.types",
    "Workload": "froude.experiment.session",
    "Workspace": "froude.experiment.session",
    "compare": "froude.experiment.compare.compare",
    "compile_plan": "froude.provision.search.compile",
    "knee": "froude.experiment.knee.knee",
    "mine": "froude.experiment.session",
    "play": "froude.experiment.play.play",
    "read_problem": "froude.provision.inputs.read",
}

__all__ = [
    "FroudeError",
    "Hadoop",
    "KneeOptions",
    "KneeSearch",
    "Load",
    "PlayOptions",
    "Running",
    "Scale",
    "Trace",
    "Workload",
    "Workspace",
    "__version__",
    "compare",
    "compile_plan",
    "knee",
    "mine",
    "play",
    "read_problem",
]


def __dir__() -> list[str]:
    """The public names, though most are not imported yet."""
    return __all__


def __getattr__(name: str) -> Any:
    """Find a public name in its module (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'froude' has no attribute {name!r}")
    return getattr(import_module(home), name)
