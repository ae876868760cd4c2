"""Containers of YARN in a workload's file: `container: {of: appmaster, priority: 20}`, `awaits: {ended: [map]}`."""

from __future__ import annotations

from typing import Any

from froude.documents.reading import Section
from froude.workload.container import Awaited, Container
from froude.workload.yaml_rules import lean

_SECONDS = (0.0, 1e9)
_PRIORITIES = (0, 1_000_000)


def container_fields(container: Container) -> dict[str, Any]:
    """What a file says of a container.

    Args:
        container: of a node type.
    """
    fields = lean(
        {
            "of": container.of,
            "priority": container.priority,
            "delay_s": container.delay_s or None,
            "after": container.after or None,
        }
    )
    return dict(fields)


def read_container(section: Section) -> Container:
    """A container as a file says it.

    Raises:
        InputError: a field is missing, unknown or out of range.
    """
    priority = section.value("priority", int, within=_PRIORITIES) if "priority" in section else None
    delay_s = section.value("delay_s", float, 0.0, within=_SECONDS)
    after = section.value("after", float, 0.0, within=(0, 1)) if "after" in section else 0.0
    container = Container(section.value("of", str), priority, delay_s, after)
    section.finish()
    return container


def awaited_fields(awaited: Awaited) -> dict[str, Any]:
    """What a file says of what a step waits for."""
    return {"ended": list(awaited.ended), "pause_s": awaited.pause_s}


def read_awaited(section: Section) -> Awaited:
    """What a step waits for, as a file says it.

    Raises:
        InputError: a field is unknown or out of range.
    """
    ended = tuple(map(str, section.items("ended")))
    awaited = Awaited(ended, section.value("pause_s", float, 0.0, within=_SECONDS))
    section.finish()
    return awaited
