"""Workloads of earlier versions, brought to the newest one version at a time, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from froude.base.errors import InputError

Fields = MutableMapping[str, Any]
_CLOSES = frozenset({"complete"})
"""Methods that close a file: version 1 knew them, version 2 says the ids of the calls."""


def to_version_2(root: Fields) -> None:
    """Version 1 to 2, in place: think time apart from service time, who acts in an effect, what opens and closes.

    A workload of version 1 has no service times: it can be played with closed pacing only.

    Raises:
        InputError: a call is not written as in version 1; with its line.
    """
    nodes = root.get("nodes")
    for node in nodes.values() if isinstance(nodes, MutableMapping) else ():
        if not isinstance(node, MutableMapping):
            continue
        if node.get("program") == "calls":
            del node["program"]
        for call in _calls(node):
            _rename(call, "interval_s", "think_s")
        for effect in _mappings(node.get("effects")):
            effect.pop("batch", None)
            if effect.get("owner") is not None:
                effect["actor"] = "owner"
        closing = [call.get("id") for call in _calls(node) if call.get("call") in _CLOSES]
        for periodic in _mappings(node.get("periodic")):
            opening = periodic.pop("while_open", None)
            if opening is not None:
                periodic["opened_by"], periodic["closed_by"] = [opening], closing


def _calls(node: Fields) -> Iterator[Fields]:
    for name in ("steps", "periodic", "effects"):
        for step in _mappings(node.get(name)):
            if "steps" in step:
                yield from _calls(step)
            else:
                _check(step)
                yield step


def _check(call: Fields) -> None:
    """Refuse the calls of later versions: their fields stand within `call`."""
    found = call.get("call", "")
    if not isinstance(found, str):
        line = getattr(call, "lines", {}).get("call")
        message = "call is not written as in version 1, which the first line says this file is of"
        raise InputError(message, place=line, found=found, allowed="a method's name")


def _mappings(items: object) -> list[Fields]:
    return [item for item in items if isinstance(item, MutableMapping)] if isinstance(items, list) else []


def _rename(fields: Fields, old: str, new: str) -> None:
    if old in fields:
        fields[new] = fields.pop(old)
