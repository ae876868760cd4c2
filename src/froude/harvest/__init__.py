"""Harvesting: spare cycles and storage of servers that serve somebody else first, by their recorded history.

In a notebook: `fr.harvest.durability(fr.harvest.read_datacenter("dc9"), [fr.harvest.preset("history")], runs=5)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from froude.base.public import found_in

if TYPE_CHECKING:
    from froude.harvest.analyses import availability as availability
    from froude.harvest.analyses import characteristics as characteristics
    from froude.harvest.analyses import classes as classes
    from froude.harvest.analyses import durability as durability
    from froude.harvest.analyses import inspection as inspection
    from froude.harvest.analyses import scheduling as scheduling
    from froude.harvest.analyses import selection as selection
    from froude.harvest.place.policies import preset as preset
    from froude.harvest.schedule.dags.read import read_jobs as read_jobs
    from froude.harvest.telemetry.files import read_datacenter as read_datacenter

_ANALYSES = (
    "availability",
    "characteristics",
    "classes",
    "durability",
    "inspection",
    "scheduling",
    "selection",
)
_HOMES = {
    **dict.fromkeys(_ANALYSES, "froude.harvest.analyses"),
    "preset": "froude.harvest.place.policies",
    "read_datacenter": "froude.harvest.telemetry.files",
    "read_jobs": "froude.harvest.schedule.dags.read",
}
__getattr__ = found_in(__name__, _HOMES)


def __dir__() -> list[str]:
    """The public names, though most are not imported yet."""
    return list(_HOMES)
