"""Which hardware meets an SLA at least cost: catalog, application and SLA in, a cluster with a proved bound out.

```python
import froude as fr

problem = fr.read_problem(["photoshare-calibrated"])
answer = fr.provision.robustness(problem, ["unit.SSD.price"])
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from froude.base.public import found_in

if TYPE_CHECKING:
    from froude.provision.answers import comparison as comparison
    from froude.provision.answers import evaluation as evaluation
    from froude.provision.answers import roadmap as roadmap
    from froude.provision.answers import robustness as robustness
    from froude.provision.answers import sensitivity as sensitivity
    from froude.provision.answers import sweep as sweep
    from froude.provision.answers import uncertainty as uncertainty
    from froude.provision.answers import why_not as why_not
    from froude.provision.inputs.plan_file import read_cluster as read_cluster

_ANSWERS = (
    "comparison",
    "evaluation",
    "roadmap",
    "robustness",
    "sensitivity",
    "sweep",
    "uncertainty",
    "why_not",
)
_HOMES = {
    **dict.fromkeys(_ANSWERS, "froude.provision.answers"),
    "read_cluster": "froude.provision.inputs.plan_file",
}
__getattr__ = found_in(__name__, _HOMES)


def __dir__() -> list[str]:
    """The public names, though most are not imported yet."""
    return list(_HOMES)
