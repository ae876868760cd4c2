"""A ResourceManager's configuration after changes to it."""

from __future__ import annotations

from dataclasses import replace

from froude.harvest.live.types import Changes, ClusterState


def applied(state: ClusterState, changes: Changes) -> ClusterState:
    """A ResourceManager after changes."""
    nodes = tuple(
        replace(
            each,
            label=changes.node_labels.get(each.id, each.label),
            total=changes.resources.get(each.id, each.total),
            attribute=changes.node_attributes.get(each.host, each.attribute),
        )
        for each in state.nodes
    )
    labels = {**state.labels, **dict.fromkeys(changes.add_labels, False)}
    merged = {**(state.scheduler or {}), **changes.scheduler}
    return ClusterState(
        state.id,
        nodes,
        {label: own for label, own in labels.items() if label not in changes.remove_labels},
        {name: value for name, value in merged.items() if value is not None},
    )
