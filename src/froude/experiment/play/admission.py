"""Who may be played against: targets are asked who they are, and the guard decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from froude.base.errors import InputError, TargetError
from froude.emulation.guard import decide
from froude.experiment.scenario.options import Running
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import SERVICES, ResourceManager
from froude.hadoop.rpc.connection import current_user
from froude.hadoop.rpc.errors import NAME_THE_ACTIVE
from froude.hadoop.rpc.identity import ask_identity, check_askable
from froude.hadoop.rpc.target import Target, answers_for, parse_address, target_at
from froude.messages.schema import Schema

_NAMENODE, _RESOURCEMANAGER = "namenode", "resourcemanager"
Started = NameNode | ResourceManager
"""A daemon that Froude started."""
TargetLike = Started | Running | str
"""A daemon that Froude started, another one, or `hdfs://HOST:PORT` of one, whose id nobody typed."""
Targets = dict[str, Started | Running]
"""By service; the empty name stands for the only one."""

_Ask = Callable[[str, tuple[str, int], str | None], str]
"""From a service, its address and the id that was typed, the target's id."""


def by_service(target: TargetLike | Mapping[str, TargetLike], called: Collection[str] = ()) -> Targets:
    """Targets by service; the empty name stands for the only one, of several services for their NameNode.

    A ResourceManager's other servers, where they are called and not named, are those of the same host at Hadoop's own
    ports, if the ResourceManager is at Hadoop's own port itself.

    Args:
        target: one, or several by service.
        called: the services that a plan calls.

    Raises:
        InputError: one is not an address, or the address of one that is called cannot be inferred.
    """
    targets = target if isinstance(target, Mapping) else {"": target}
    daemons = {answers_for(service) for service in called}
    only = _NAMENODE if _NAMENODE in called and len(called) > 1 else ""
    only = _RESOURCEMANAGER if daemons == {_RESOURCEMANAGER} else only
    found: Targets = {
        service or only: Running(address=each) if isinstance(each, str) else each
        for service, each in targets.items()
    }
    master = found.get(_RESOURCEMANAGER)
    for service, port in SERVICES.items() if master is not None else ():
        if service in called and service not in found:
            assert master is not None
            found[service] = _server_of(master, service, port)
    return found


def daemon_services(targets: Targets) -> set[str]:
    """What targets are, by whatever name a plan calls the NameNodes that Froude started."""
    return {_NAMENODE if isinstance(each, NameNode) else service for service, each in targets.items()}


def _server_of(master: Started | Running, service: str, port: int) -> Started | Running:
    """Another server of a ResourceManager."""
    if not isinstance(master, Running):
        return master
    host, named = parse_address(master.address, place="--target")
    if named != SERVICES[_RESOURCEMANAGER]:
        raise InputError(
            f"does not show where its {service} listens: it is not at Hadoop's own port {SERVICES[_RESOURCEMANAGER]}",
            file=master.address,
            place="--target",
            allowed=f"{service}=HOST:PORT as well",
        )
    return Running(address=f"{host}:{port}", id=master.id)


def admit(targets: Targets, source_ids: Iterable[str], schema: Schema) -> dict[str, Target]:
    """Every target, by service, once it has said who it is and the guard has allowed it.

    Args:
        targets: by service.
        source_ids: ids of the clusters that the workload was recorded on.

    Raises:
        GuardError: one is refused.
        TargetError: one does not say who it is, or is a NameNode that is not active.
    """
    user = current_user()

    def ask(service: str, address: tuple[str, int], _: str | None) -> str:
        found = ask_identity(service, address, schema, user=user)
        if found.passive:
            place = f"{address[0]}:{address[1]}"
            raise TargetError(
                "is not the active NameNode", file=place, found=found.passive, remedy=NAME_THE_ACTIVE
            )
        return found.id

    return _admitted(targets, source_ids, ask)


def check_targets(targets: Targets, source_ids: Iterable[str]) -> None:
    """Refuse targets that `admit` would refuse even if each were who the user says; nobody is asked.

    Args:
        targets: by service.
        source_ids: ids of the clusters that the workload was recorded on.

    Raises:
        GuardError: one is refused.
        TargetError: one is of a kind that cannot say who it is.
    """

    def presumed(service: str, address: tuple[str, int], typed: str | None) -> str:
        check_askable(service, address)
        return typed or ""

    _admitted(targets, source_ids, presumed)


def _admitted(targets: Targets, source_ids: Iterable[str], ask: _Ask) -> dict[str, Target]:
    sources = list(source_ids)
    called: dict[str, Target] = {}
    for service in sorted(targets, key=lambda name: answers_for(name) != name):
        target = targets[service]
        typed = None
        if isinstance(target, Running):
            admitted, typed = _asked(service, target, called, ask)
        elif isinstance(target, ResourceManager):
            admitted = target_at(service, target.address(service), target.id)
        else:
            admitted = target_at(_NAMENODE, target.address, target.cluster_id)
        decide(admitted, ours=not isinstance(target, Running), typed=typed, source_ids=sources)
        called[service] = admitted
    return called


def _asked(
    service: str, target: Running, others: Mapping[str, Target], ask: _Ask
) -> tuple[Target, str | None]:
    """A target and its typed id.

    A server that cannot be asked is taken for one of the daemon that was named: it shows that itself when a node speaks
    to it, before others do (`emulation.identification`).
    """
    address, typed = parse_address(target.address, place="--target"), target.id
    daemon = answers_for(service)
    if daemon != service and (daemon in others or typed is not None):
        identity = others[daemon].id if daemon in others else typed or ""
        return target_at(service, address, identity), typed or identity
    return target_at(service or _NAMENODE, address, ask(service, address, typed)), typed
