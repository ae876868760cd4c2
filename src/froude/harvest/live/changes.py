"""From classes and utilisation to what must change at a ResourceManager, and back again; nothing is sent here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from froude.base.errors import GuardError, InputError, TargetError
from froude.harvest.live.classes import Classes
from froude.harvest.live.types import RUNNING, Changes, ClusterState, Prior
from froude.harvest.live.usage import Reserve, Usage, allowance, used_by
from froude.harvest.telemetry.profiles import PATTERNS

PREFIX = "yarn.scheduler.capacity."
"""Of the properties of queues."""
_CLASS = re.compile(rf"(?:{'|'.join(each.value for each in PATTERNS)})-[0-9]+")
_LABEL = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z_-]{0,254}")
_ACTIVE = frozenset({RUNNING, "UNHEALTHY", "DECOMMISSIONING"})
"""States in which a ResourceManager changes a node's resources (AdminService.updateNodeResource)."""
_PERCENT = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class Carrier(Enum):
    """What carries a node's class at the ResourceManager."""

    LABELS = "labels"
    """One a node; any job can ask for one, and queues have shares of them."""
    ATTRIBUTES = "attributes"
    """Many a node; a job may ask for one class or another, if it sends scheduling requests."""
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Which class each node is of, and which gets it as its label."""

    classes: Mapping[str, str]
    """By node; those whose class is known."""
    node_labels: Mapping[str, str]
    """Of those, the ones that carry no label of somebody else."""
    unknown: tuple[str, ...]
    """Nodes whose server or class is not known: they are left alone."""
    foreign: tuple[str, ...]
    """Nodes that carry a label of somebody else: they are left alone."""


def class_labels(classes: Classes, state: ClusterState, prior: Prior | None = None) -> Labelled:
    """A class for each node, that of its server, and a label where nobody else has given one.

    Args:
        prior: what was there before any change; labels that were added then are ours, also of classes that are gone.
    """
    names = {each.name for each in classes.known}
    names |= set() if prior is None else set(prior.labels_added)
    known = {node.id: name for node in state.nodes if (name := classes.of(node)) is not None}
    foreign = tuple(
        node.id for node in state.nodes if node.id in known and node.label and node.label not in names
    )
    barred = frozenset(foreign)
    labels = {node: name for node, name in known.items() if node not in barred}
    unknown = tuple(node.id for node in state.nodes if node.id not in known)
    return Labelled(known, labels, unknown, foreign)


def require_memory(address: str, state: ClusterState, before: Prior | None) -> None:
    """Refuse a cluster whose nodes carry classes when nothing is remembered of how it was without them.

    A second memory would take resources that were pushed already for a node's own, and bring those back. Where nodes
    were only resized, nothing at a ResourceManager tells.

    Raises:
        GuardError: another `apply` or `serve` has been here.
    """
    if before is not None:
        return
    for node in state.nodes:
        name = node.attribute or (node.label if _CLASS.fullmatch(node.label) else "")
        if name:
            raise GuardError(
                "has classes already, and how it was before is not known here",
                file=address,
                found=f"{node.id} is {name}",
                remedy="Give the --state of the `apply` that made them, or it to `serve --prior`; or roll that one back",
            )


def label_changes(state: ClusterState, node_labels: Mapping[str, str], *, queues: bool = True) -> Changes:
    """What makes nodes carry their labels and queues reach them.

    Every queue may use each new label to the same percentage as its share of the cluster.

    Args:
        node_labels: by node.
        queues: whether capacities of queues are changed, too.

    Raises:
        InputError: a name is no label, or a queue's capacity is no percentage.
    """
    wanted = sorted(set(node_labels.values()))
    for label in wanted:
        if not _LABEL.fullmatch(label):
            allowed = "letters, digits, - and _, the first a letter or digit"
            raise InputError("is no node label", place="class", found=label, allowed=allowed)
    now = {node.id: node.label for node in state.nodes}
    scheduler = _capacities(state.scheduler, wanted) if queues and state.scheduler is not None else {}
    return Changes(
        add_labels=tuple(label for label in wanted if label not in state.labels),
        scheduler=scheduler,
        node_labels={node: label for node, label in node_labels.items() if now.get(node) != label},
    )


def class_changes(
    state: ClusterState, labelled: Labelled, carrier: Carrier, *, queues: bool = True
) -> Changes:
    """What makes nodes carry their classes.

    Args:
        queues: whether capacities of queues are changed, too, for labels.

    Raises:
        InputError: as `label_changes`.
    """
    parts = []
    if carrier is not Carrier.ATTRIBUTES:
        parts.append(label_changes(state, labelled.node_labels, queues=queues))
    if carrier is not Carrier.LABELS:
        parts.append(attribute_changes(state, labelled.classes))
    return together(*parts)


def attribute_changes(state: ClusterState, classes: Mapping[str, str]) -> Changes:
    """What makes nodes carry their class as an attribute.

    Args:
        classes: by node.
    """
    return Changes(
        node_attributes={
            node.host: classes[node.id]
            for node in state.nodes
            if node.id in classes and node.attribute != classes[node.id]
        }
    )


def resource_changes(
    state: ClusterState,
    prior: Prior | None,
    reserve: Reserve,
    measured: Mapping[str, Usage] | None = None,
    expected: Mapping[str, float] | None = None,
) -> Changes:
    """What makes each running node give its containers what its primary tenant leaves.

    Args:
        prior: what was there before any change; its resources are a node's own. None takes those of now.
        measured: by node or host; None takes what the nodes report.
        expected: by node or host, the most CPU that its tenant is expected to use soon, 0 to 1. A node then takes no
            more containers than that leaves; killed are only those that what is used now leaves no room for.
    """
    own_of = {} if prior is None else prior.resources
    resources, spared = {}, set()
    for node in state.nodes:
        own = own_of.get(node.id, node.total)
        used = used_by(node, measured)
        if node.state != RUNNING or used is None:
            continue
        allowed = allowance(own, used, reserve, node.machine_mb)
        soon = None if expected is None else expected.get(node.id, expected.get(node.host))
        if soon is not None and node.allocated.within(allowed):
            later = replace(used, cpu_share=max(used.cpu_share, soon))
            allowed = allowance(own, later, reserve, node.machine_mb)
            spared.add(node.id)
        if allowed != node.total:
            resources[node.id] = allowed
    return Changes(resources=resources, spared=frozenset(spared & resources.keys()))


def together(*changes: Changes) -> Changes:
    """Several changes as one; later ones win."""
    both = Changes()
    for each in changes:
        both = Changes(
            tuple(dict.fromkeys((*both.add_labels, *each.add_labels))),
            {**both.scheduler, **each.scheduler},
            {**both.node_labels, **each.node_labels},
            {**both.resources, **each.resources},
            tuple(dict.fromkeys((*both.remove_labels, *each.remove_labels))),
            both.spared.difference(each.resources) | each.spared,
            {**both.node_attributes, **each.node_attributes},
        )
    return both


def remembered(address: str, state: ClusterState, changes: Changes, before: Prior | None) -> Prior:
    """What must be known to take changes back: of a thing that was changed twice, what it was at first."""
    labels = {node.id: node.label for node in state.nodes}
    totals = {node.id: node.total for node in state.nodes}
    attributes = {node.host: node.attribute for node in state.nodes}
    known = before or Prior(address=address, id=state.id)
    return known.replaced(
        labels_added=tuple(dict.fromkeys((*known.labels_added, *changes.add_labels))),
        scheduler={name: (state.scheduler or {}).get(name) for name in changes.scheduler}
        | dict(known.scheduler),
        node_labels={node: labels.get(node, "") for node in changes.node_labels} | dict(known.node_labels),
        resources={node: totals[node] for node in changes.resources} | dict(known.resources),
        node_attributes={host: attributes.get(host, "") for host in changes.node_attributes}
        | dict(known.node_attributes),
    )


def remembered_part(changes: Changes, prior: Prior | None) -> Changes:
    """What of changes can be taken back by what is remembered already.

    Args:
        prior: what is remembered; None for nothing.
    """
    if prior is None:
        return Changes()
    new = frozenset(changes.add_labels).difference(prior.labels_added)
    resources = {node: to for node, to in changes.resources.items() if node in prior.resources}
    return Changes(
        tuple(label for label in changes.add_labels if label not in new),
        {name: value for name, value in changes.scheduler.items() if name in prior.scheduler},
        {
            node: label
            for node, label in changes.node_labels.items()
            if node in prior.node_labels and label not in new
        },
        resources,
        spared=changes.spared & resources.keys(),
        node_attributes={h: to for h, to in changes.node_attributes.items() if h in prior.node_attributes},
    )


def restoring(prior: Prior, state: ClusterState) -> Changes:
    """What brings everything back that was changed; what is back already, or gone, is left out.

    Args:
        state: of now. Resources of nodes that do not run are left out, see `unreachable`.
    """
    labels = {node.id: node.label for node in state.nodes}
    totals = {node.id: node.total for node in state.nodes if node.state in _ACTIVE}
    attributes = {node.host: node.attribute for node in state.nodes}
    if prior.scheduler and state.scheduler is None:
        raise TargetError("does not show its queues, which were changed", file=prior.address)
    properties = state.scheduler or {}
    return Changes(
        scheduler={name: value for name, value in prior.scheduler.items() if properties.get(name) != value},
        node_labels={node: was for node, was in prior.node_labels.items() if labels.get(node, was) != was},
        resources={node: was for node, was in prior.resources.items() if totals.get(node, was) != was},
        remove_labels=tuple(label for label in prior.labels_added if label in state.labels),
        node_attributes={
            host: was for host, was in prior.node_attributes.items() if attributes.get(host, was) != was
        },
    )


def unreachable(prior: Prior, state: ClusterState) -> tuple[str, ...]:
    """Nodes whose resources cannot be brought back now: a ResourceManager changes those of active nodes alone."""
    return tuple(
        node.id
        for node in state.nodes
        if node.state not in _ACTIVE and prior.resources.get(node.id, node.total) != node.total
    )


def _capacities(properties: Mapping[str, str], labels: list[str]) -> dict[str, str | None]:
    """Properties that let each queue use each label to its own share; those that are there already are kept."""
    changed: dict[str, str | None] = {}
    for queue in _queues(properties):
        capacity = "100" if queue == "root" else properties.get(f"{PREFIX}{queue}.capacity", "")
        if not _PERCENT.fullmatch(capacity):
            raise InputError(
                "has a capacity that is no percentage",
                place=queue,
                found=capacity or "none",
                remedy="Set the capacities of its labels by hand, and say --keep-queues",
            )
        wanted = {f"{PREFIX}{queue}.accessible-node-labels": "*"}
        wanted |= {f"{PREFIX}{queue}.accessible-node-labels.{label}.capacity": capacity for label in labels}
        changed |= {name: value for name, value in wanted.items() if name not in properties}
    return changed


def _queues(properties: Mapping[str, str]) -> list[str]:
    """Paths of all queues, parents first."""
    found, todo = [], ["root"]
    while todo:
        queue = todo.pop(0)
        found.append(queue)
        children = properties.get(f"{PREFIX}{queue}.queues", "")
        todo += [f"{queue}.{child.strip()}" for child in children.split(",") if child.strip()]
    return found
