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

from typing import TYPE_CHECKING

from froude.base.public import found_in
from froude.base.version import __version__

if TYPE_CHECKING:
    from froude import cache as cache
    from froude import harvest as harvest
    from froude import provision as provision
    from froude.base.errors import FroudeError as FroudeError
    from froude.emulation.run.files import read_run as read_run
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
    from froude.experiment.session import duet as duet
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
    "cache": "froude.cache",
    "compare": "froude.experiment.compare.compare",
    "compile_plan": "froude.provision.search.compile",
    "duet": "froude.experiment.session",
    "harvest": "froude.harvest",
    "knee": "froude.experiment.knee.knee",
    "mine": "froude.experiment.session",
    "play": "froude.experiment.play.play",
    "provision": "froude.provision",
    "read_problem": "froude.provision.inputs.read",
    "read_run": "froude.emulation.run.files",
}
__getattr__ = found_in(__name__, _HOMES)

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
    "cache",
    "compare",
    "compile_plan",
    "duet",
    "harvest",
    "knee",
    "mine",
    "play",
    "provision",
    "read_problem",
    "read_run",
]


def __dir__() -> list[str]:
    """The public names, though most are not imported yet."""
    return __all__
