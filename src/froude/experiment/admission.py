"""Who may be played against: targets are asked who they are, and the guard decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from froude.emulation.guard import decide
from froude.hadoop.connection import current_user
from froude.hadoop.identity import ask_identity, check_askable
from froude.hadoop.namenode import NameNode
from froude.hadoop.schema import Schema
from froude.hadoop.target import Target, answers_for, parse_address, target_at

TargetLike = NameNode | str
"""A NameNode that Froude started, or `hdfs://HOST:PORT` of another daemon."""

_Ask = Callable[[str, tuple[str, int], str | None], str]
"""From a service, its address and the id that was typed, the target's id."""


def admit(
    targets: Mapping[str, TargetLike],
    source_ids: Iterable[str],
    target_is: str | Mapping[str, str] | None,
    schema: Schema,
) -> dict[str, Target]:
    """Every target, by service, once it has said who it is and the guard has allowed it.

    Args:
        targets: by service.
        source_ids: ids of the clusters that the workload was recorded on.
        target_is: the ids that the user typed.
        schema: of the targets' release.

    Raises:
        GuardError: one is refused.
        TargetError: one does not say who it is.
        InputError: one is no address.
    """
    user = current_user()
    return _admitted(
        targets,
        source_ids,
        target_is,
        lambda service, address, _: ask_identity(service, address, schema, user=user).id,
    )


def check_targets(
    targets: Mapping[str, TargetLike],
    source_ids: Iterable[str],
    target_is: str | Mapping[str, str] | None = None,
) -> None:
    """Refuse targets that `admit` would refuse even if each were who the user says; nobody is asked.

    Args:
        targets: by service.
        source_ids: ids of the clusters that the workload was recorded on.
        target_is: the ids that the user typed.

    Raises:
        GuardError: one is refused.
        TargetError: one is of a kind that cannot say who it is.
        InputError: one is no address.
    """

    def presumed(service: str, address: tuple[str, int], typed: str | None) -> str:
        check_askable(service, address)
        return typed or ""

    _admitted(targets, source_ids, target_is, presumed)


def _admitted(
    targets: Mapping[str, TargetLike],
    source_ids: Iterable[str],
    target_is: str | Mapping[str, str] | None,
    ask: _Ask,
) -> dict[str, Target]:
    ids = target_is if isinstance(target_is, Mapping) else dict.fromkeys(targets, target_is)
    sources = list(source_ids)
    called: dict[str, Target] = {}
    for service in sorted(targets, key=lambda name: answers_for(name) != name):
        target, typed = targets[service], ids.get(service)
        if isinstance(target, NameNode):
            admitted = target_at(service or "namenode", target.address, target.cluster_id)
        else:
            admitted, typed = _asked(service, target, typed, called, ask)
        decide(admitted, ours=isinstance(target, NameNode), typed=typed, source_ids=sources)
        called[service] = admitted
    return called


def _asked(
    service: str, uri: str, typed: str | None, others: Mapping[str, Target], ask: _Ask
) -> tuple[Target, str | None]:
    """A target and its typed id; a server that cannot be asked is whose the other one on its host is."""
    address = parse_address(uri, place="--target")
    other = others.get(answers_for(service))
    if other is not None and other.host == target_at(service, address, "").host:
        return target_at(service, address, other.id), typed or other.id
    return target_at(service or "namenode", address, ask(service, address, typed)), typed
