"""Froude: scale models of Hadoop-class clusters.

```python
import froude as fr

ws = fr.Workspace("scaling")
hadoop = fr.Hadoop.find()
for n in (2, 3, 4):
    with hadoop.cluster(datanodes=n) as cluster:
        with ws.record(cluster, scale={"datanodes": n}) as recording:
            recording.shell("-put", "file", "/in")
workload = fr.mine(ws.traces())
plan = workload.at(datanodes=200)
with hadoop.namenode(heap="4 GB") as nn:
    run = fr.play(plan, nn)
ws.report(run).save("report.html")
```

Public names are found when they are first used, so that importing Froude costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from froude.base.version import __version__

if TYPE_CHECKING:
    from froude.base.errors import FroudeError as FroudeError
    from froude.experiment.play import play as play
    from froude.experiment.session import Workspace as Workspace
    from froude.hadoop.distribution import Hadoop as Hadoop
    from froude.mining.pipeline import mine as mine
    from froude.trace.types import Trace as Trace
    from froude.workload.scale import Scale as Scale
    from froude.workload.types import Workload as Workload

_HOMES = {
    "FroudeError": "froude.base.errors",
    "Hadoop": "froude.hadoop.distribution",
    "Scale": "froude.workload.scale",
    "Trace": "froude.trace.types",
    "Workload": "froude.workload.types",
    "Workspace": "froude.experiment.session",
    "mine": "froude.mining.pipeline",
    "play": "froude.experiment.play",
}

__all__ = ["FroudeError", "Hadoop", "Scale", "Trace", "Workload", "Workspace", "__version__", "mine", "play"]


def __getattr__(name: str) -> Any:
    """Find a public name in its module (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'froude' has no attribute {name!r}")
    return getattr(import_module(home), name)
