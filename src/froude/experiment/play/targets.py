"""Who is played against: daemons that were named, or those that run in a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from froude.documents.forms import FieldError, below
from froude.experiment.scenario.options import ANY, Running, parse_web
from froude.hadoop.cluster import background
from froude.hadoop.cluster.resourcemanager import SERVICES
from froude.hadoop.cluster.state import State
from froude.hadoop.rpc.target import parse_address


def running_targets(
    workspace: Path,
    daemons: Sequence[str],
    *,
    target: Sequence[str] = (),
    target_is: Sequence[str] = (),
    http: Sequence[str] = (),
) -> dict[str, Running]:
    """The targets that are named, or what of a workspace's own cluster a plan calls; by service.

    Args:
        workspace: folder whose cluster is meant where none is named, and whose ids are known.
        target: addresses, `[SERVICE=]hdfs://HOST:PORT`; none for the workspace's.
        target_is: ids, `[SERVICE=]ID`.
        http: web addresses, `[SERVICE=]HOST:PORT`; without a service, of the first target.

    Raises:
        FieldError: no target, one that is no address, one service twice, or a web address of a service without a
            target.
    """
    uris = _by_service(target or [_here(workspace)], "target")
    with below("target"):
        addresses = {service: parse_address(uri, place="target") for service, uri in uris.items()}
    ours = {
        service: state for service, at in addresses.items() if (state := _ours(workspace, at)) is not None
    }
    ids = {service: state.cluster_id for service, state in ours.items()} | _by_service(target_is, "target_is")
    webs = {service: state.http for service, state in ours.items()}
    for service, web in _by_service(http, "http").items():
        with below("http"):
            parse_web(web)
        if service and service not in uris:
            allowed = ", ".join(filter(None, uris)) or "HOST:PORT"
            raise FieldError(
                "is not the service of a target", names=("http",), found=service, allowed=allowed
            )
        webs[service or next(iter(uris))] = web
    logs = {service: Path(state.gc_log) for service, state in ours.items() if state.gc_log}
    running = {
        service or ANY: Running(
            address=uri, id=ids.get(service), http=webs.get(service), gc_log=logs.get(service)
        )
        for service, uri in uris.items()
    }
    return running if target else _with_master(workspace, daemons, running)


def _with_master(workspace: Path, called: Sequence[str], running: dict[str, Running]) -> dict[str, Running]:
    """What of all that runs in this workspace the plan calls."""
    state = background.running(workspace)
    if state is None or not state.master_id or "resourcemanager" not in called:
        return running
    host, port = parse_web(state.resourcemanager)
    (namenode,) = running.values()
    address, page = f"{host}:{SERVICES['resourcemanager']}", f"{host}:{port}"
    master = Running(address=address, id=state.master_id, http=page)
    return {each: namenode if each == "namenode" else master for each in called}


def _here(workspace: Path) -> str:
    state = background.running(workspace)
    if state is None:
        remedy = "Name one with --target, or start one: `froude hadoop up --datanodes 0`"
        raise FieldError(
            "there is no target: nothing runs in this workspace", names=("target",), remedy=remedy
        )
    return state.uri


def _ours(workspace: Path, address: tuple[str, int]) -> State | None:
    """What `froude hadoop up` runs in this workspace, where that is the target.

    The target must still say that it is this one: the guard compares.
    """
    state = background.running(workspace)
    return state if state is not None and parse_address(state.uri, place="state") == address else None


def _by_service(texts: Sequence[str], field: str) -> dict[str, str]:
    """`[SERVICE=]VALUE` texts by service; the empty name stands for the only one.

    Raises:
        FieldError: one service twice.
    """
    by_service: dict[str, str] = {}
    for text in texts:
        service, equals, value = text.rpartition("=")
        if (service if equals else "") in by_service:
            allowed = "one for each service, as SERVICE=VALUE"
            raise FieldError("a service is given twice", names=(field,), found=text, allowed=allowed)
        by_service[service if equals else ""] = value
    return by_service
