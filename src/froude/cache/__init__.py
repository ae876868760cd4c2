"""Splitting a scarce SSD cache among VMs: cached disks, their curves, what observes, decides and applies.

```python
import froude as fr

from froude.cache.solve.files import shipped

state = fr.cache.read_state(shipped()["table-1"]).state
answer = fr.cache.split(state, factors=[0.5, 2])
print(answer.table("grants"))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from froude.base.public import found_in

if TYPE_CHECKING:
    from froude.cache.analyses import replay as replay
    from froude.cache.analyses import simulation as simulation
    from froude.cache.analyses import split as split
    from froude.cache.simulate.scenario import read_scenario as read_scenario
    from froude.cache.simulate.traces import read_traces as read_traces
    from froude.cache.solve.files import read_state as read_state

_HOMES = {
    **dict.fromkeys(("replay", "simulation", "split"), "froude.cache.analyses"),
    "read_scenario": "froude.cache.simulate.scenario",
    "read_state": "froude.cache.solve.files",
    "read_traces": "froude.cache.simulate.traces",
}
__getattr__ = found_in(__name__, _HOMES)


def __dir__() -> list[str]:
    """The public names, though most are not imported yet."""
    return list(_HOMES)
