"""A ResourceManager by REST: nodes, their resources and labels, and the scheduler's properties.

Answers of releases differ: up to 3.4 a lone element of some lists is an object instead of a list of one, and numbers
and truths of labels are texts; both forms are read here. Source: RMWebServices of Hadoop 3.4.2 and 3.5.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from froude.base.errors import GuardError, TargetError
from froude.base.summary import counted
from froude.hadoop.metrics.jmx import resourcemanager_id
from froude.harvest.live.types import ATTRIBUTE, Changes, ClusterState, Node, Resource
from froude.rest.calls import Bounds, JsonCalls, RefusedError

_BOUNDS = Bounds(whole_s=120.0)
"""A look a minute waits no longer for an answer that drips; ten thousand nodes take seconds."""
_CHECKED_EVERY = 100
"""Changes; a look at who answers costs about as much as one."""
_MOST_SHARE = 1.5
_LARGEST = 1 << 50
_ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What a form raises that is not known."""
_MOST_ODD = 0.05
_STATES = "RUNNING,LOST,UNHEALTHY,DECOMMISSIONED,DECOMMISSIONING"


class ResourceManager:
    """Calls to one ResourceManager's web server."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        user: str = "",
        set_classes: Callable[[Mapping[str, str]], None] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            user: who asks, where it believes a name (simple authentication); empty for nobody.
            set_classes: sets node attributes, which REST cannot (`AttributeAdmin`); None where none are set.
            note: told of a node, or a few percent of them, in a form that is not known, when that changes: they are left
                out. None refuses all nodes for one.
        """
        self.address = f"{host}:{port}"
        self._http = (host, port)
        self._set_classes = set_classes
        self._note, self._noted = note, ""
        self._identity, self._made = "", 0
        self._who = who = [("user.name", user)] if user else []
        self.calls = JsonCalls(self.address, "ws/v1/cluster/", query=who, bounds=_BOUNDS)
        """Its REST interface, for what is asked of nobody else."""

    def state(self) -> ClusterState:
        """Its nodes, labels and scheduler as they are now.

        Raises:
            TargetError: it does not answer, or not as a ResourceManager does.
        """
        identity = resourcemanager_id(self._http)
        with self._known_forms():
            labels = {_text(each["name"]): _truth(each["exclusivity"]) for each in self._labels()}
            return ClusterState(identity, self.nodes(), labels, self._scheduler())

    def nodes(self) -> tuple[Node, ...]:
        """Its NodeManagers, those that are lost too.

        Raises:
            TargetError: it does not answer, or not as a ResourceManager does.
        """
        with self._known_forms():
            return self._read(_listed(self._get("nodes", {"states": _STATES}), "nodes", "node"))

    def waiting(self) -> int:
        """Containers that applications have asked for and not been given.

        Raises:
            TargetError: it does not answer, or not as a ResourceManager does.
        """
        with self._known_forms():
            return _whole(self._get("metrics")["clusterMetrics"], "containersPending")

    def has_labels(self) -> bool | None:
        """Whether its nodes can have labels (`yarn.node-labels.enabled`); None where it does not say."""
        calls = JsonCalls(self.address, "", query=self._who, bounds=_BOUNDS)
        try:
            told = calls.send("GET", "conf", query=[("name", "yarn.node-labels.enabled"), ("format", "json")])
            return str(told["property"]["value"]).lower() == "true"
        except (TargetError, KeyError, TypeError):
            return None

    def stamps(self) -> frozenset[str]:
        """Start times in the names of the applications that it knows, which it has recovered from earlier lives, too.

        Raises:
            TargetError: it does not answer, or not as a ResourceManager does.
        """
        with self._known_forms():
            apps = _listed(self._get("apps", {"deSelects": "resourceRequests"}), "apps", "app")
            return frozenset(_text(app["id"]).removeprefix("application_").partition("_")[0] for app in apps)

    def apply(self, changes: Changes, identity: str, *, grace_s: float = 0.0) -> None:
        """Make changes, in an order in which each finds what it needs.

        Every change has a connection of its own, which may lead elsewhere by then: who answers is asked before the first
        one, and then before every hundredth.

        Args:
            identity: the id of the ResourceManager that was named.
            grace_s: how long containers may go on that a smaller node has no room for; then the youngest are killed
                first (`SchedulerNode.getContainersToKill`). Below 0 none is killed.

        Raises:
            GuardError: another ResourceManager answers, or its admin protocol is another one's.
            TargetError: it refuses one; those before it are made.
        """
        self._identity, self._made = identity, 0
        self._set_attributes(changes.node_attributes)
        if changes.add_labels:
            named = [{"name": label, "exclusivity": "false"} for label in changes.add_labels]
            self._post("add-node-labels", {"nodeLabelInfo": named})
        for node, resource in changes.resources.items():
            body = {
                "resource": {"memory": resource.memory_mb, "vCores": resource.vcores},
                "overCommitTimeout": -1 if grace_s < 0 or node in changes.spared else round(grace_s * 1000),
            }
            self._post(f"nodes/{quote(node)}/resource", body)
        added = {name: value for name, value in changes.scheduler.items() if value is not None}
        if added:
            self._put_scheduler(added)
        if changes.node_labels:
            entries = [
                {"nodeId": node, "labels": [label] if label else []}
                for node, label in changes.node_labels.items()
            ]
            self._post("replace-node-to-labels", {"nodeToLabels": entries})
        removed = {name: value for name, value in changes.scheduler.items() if value is None}
        if removed:
            self._put_scheduler(removed)
        if changes.remove_labels:
            labels = [("labels", label) for label in changes.remove_labels]
            self._post("remove-node-labels", {}, labels)

    def _set_attributes(self, wanted: Mapping[str, str]) -> None:
        """Set classes of hosts: of one first, since an admin protocol shows only by its effect whose it is."""
        now = self._attributes() if wanted else {}
        first = next((host for host, value in wanted.items() if now.get(host, value) != value), None)
        if first is None:  # no node here would show any of it
            return
        assert self._set_classes is not None, "attributes are to be set"
        self._check_identity()
        self._set_classes({first: wanted[first]})
        if self._attributes().get(first) != wanted[first]:
            raise GuardError(
                "does not show an attribute that its admin protocol was given: that is another ResourceManager's",
                file=self.address,
                place=first,
                remedy="Name the right one with --admin HOST:PORT",
            )
        rest = {host: value for host, value in wanted.items() if host != first}
        if rest:
            self._set_classes(rest)

    def _attributes(self) -> dict[str, str]:
        return {node.host: node.attribute for node in self.nodes()}

    def _check_identity(self) -> None:
        if self._made % _CHECKED_EVERY == 0:
            found = resourcemanager_id(self._http)
            if found != self._identity:
                raise GuardError(
                    "is another ResourceManager now", file=self.address, found=found, allowed=self._identity
                )
        self._made += 1

    @contextmanager
    def _known_forms(self) -> Iterator[None]:
        try:
            yield
        except _ODD as error:
            raise TargetError(
                "answers with a form that is not known", file=self.address, found=error
            ) from error

    def _read(self, listed: list[dict[str, Any]]) -> tuple[Node, ...]:
        """Nodes of known form; where others are more than a few, that of the last is raised."""
        nodes: list[Node] = []
        odd: list[str] = []
        for each in listed:
            try:
                nodes.append(_node(each))
            except _ODD as error:
                odd.append(f"{_name(each)} ({type(error).__name__}: {error})"[:200])
                most = max(1.0, _MOST_ODD * len(listed))
                if self._note is None or len(odd) > most or 2 * len(odd) > len(listed):
                    raise
        numbers = f"{len(odd):,} of {counted(len(listed), 'node')}"
        said = f"note: {numbers} in a form that is not known left alone, such as {odd[0]}" if odd else ""
        if said and said != self._noted and self._note is not None:
            self._note(said)
        self._noted = said
        return tuple(nodes)

    def _labels(self) -> list[dict[str, Any]]:
        return _listed(self._get("get-node-labels"), "nodeLabelInfo")

    def _scheduler(self) -> dict[str, str] | None:
        """None where its store is not mutable, which it says by refusing."""
        try:
            answer = self._get("scheduler-conf")
        except RefusedError:
            return None
        return {_text(each["name"]): _text(each["value"]) for each in _listed(answer, "property")}

    def _put_scheduler(self, properties: Mapping[str, str | None]) -> None:
        queues: dict[str, list[dict[str, str | None]]] = {}
        for name, value in properties.items():
            queue, key = _split(name)
            queues.setdefault(queue, []).append({"key": key, "value": value})
        update = [{"queue-name": queue, "params": {"entry": entries}} for queue, entries in queues.items()]
        self._check_identity()
        self.calls.send("PUT", "scheduler-conf", {"update-queue": update})

    def _get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        return self.calls.send("GET", path, query=list((query or {}).items()))

    def _post(self, path: str, body: Any, query: list[tuple[str, str]] | None = None) -> Any:
        self._check_identity()
        return self.calls.send("POST", path, body, query=query or [])


def _listed(answer: Any, *names: str) -> list[dict[str, Any]]:
    """The list below some names: nothing, one element or several."""
    for name in names:
        answer = (answer or {}).get(name)
    if answer is None:
        return []
    return list(answer) if isinstance(answer, list) else [answer]


def _name(node: object) -> str:
    """Which node of an unknown form it is, as far as it says."""
    return str(node.get("id")) if isinstance(node, dict) else str(node)


def _whole(fields: Mapping[str, Any], name: str) -> int:
    """A count, or an amount of MiB; 0 where it is not told."""
    value = int(fields.get(name, 0))
    if not 0 <= value <= _LARGEST:
        raise ValueError(f"{name} is {str(value)[:40]}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}"[:80])
    return value


def _truth(value: object) -> bool:
    return value is True or str(value).lower() == "true"


def _node(fields: Mapping[str, Any]) -> Node:
    usage = fields.get("resourceUtilization") or {}
    total = fields.get("totalResource") or {}
    labels = fields.get("nodeLabels") or ""
    label = _text(next(iter(labels), "") if isinstance(labels, list) else labels)
    used = _whole(usage, "nodePhysicalMemoryMB")
    share, cpu = (float(fields.get(name, 0)) / 100 for name in ("memUtilization", "cpuUtilization"))
    containers = float(usage.get("containersCPUUsage", 0))
    resource = Resource(memory_mb=_whole(total, "memory"), vcores=_whole(total, "vCores"))
    # A share that cannot be tells nothing: such a node is left as it is. A busy one may be told a little above 1.
    says = (
        bool(usage)
        and used > 0
        and 0 <= cpu <= _MOST_SHARE
        and 0 <= share <= 1
        and 0 <= containers < math.inf
    )
    return Node(
        id=str(fields["id"]),
        host=str(fields["nodeHostName"]),
        state=str(fields["state"]),
        total=resource,
        containers=_whole(fields, "numContainers"),
        label=label,
        cpu_share=min(1.0, cpu) if says else None,
        containers_vcores=containers if says else 0.0,
        memory_used_mb=used if says else None,
        machine_mb=round(used / share) if says and share > 0 else None,
        containers_memory_mb=_whole(usage, "aggregatedContainersPhysicalMemoryMB"),
        allocated=Resource(
            memory_mb=_whole(fields, "usedMemoryMB"), vcores=_whole(fields, "usedVirtualCores")
        ),
        attribute=_attribute(fields),
    )


def _attribute(fields: Mapping[str, Any]) -> str:
    """The value of `ATTRIBUTE`; empty where the node has none, or its form does not say."""
    prefix, _, name = ATTRIBUTE.partition("/")
    for each in _listed(fields.get("nodeAttributesInfo"), "nodeAttributeInfo"):
        if (each["prefix"], each["name"]) == (prefix, name):
            return str(each["value"])
    return ""


def _split(name: str) -> tuple[str, str]:
    """The queue of a property, and the rest: queues' names have dots between, and so have keys."""
    path = name.removeprefix("yarn.scheduler.capacity.")
    at = path.index(".accessible-node-labels")
    return path[:at], path[at + 1 :]
