"""What a master's answers say of who it is, wherever they are seen."""

from __future__ import annotations

from typing import Any, NamedTuple

_VERSION, _REGISTER, _NEW_APPLICATION = "versionRequest", "registerDatanode", "getNewApplication"


class Namespace(NamedTuple):
    """Whose namespace it is, as far as an answer says."""

    cluster_id: str = ""
    release: str = ""
    passive: str = ""
    """`standby` or `observer` of a NameNode that is not the active one; empty of releases that do not say it."""


def tells_namespace(method: str) -> bool:
    """Whether answers to a method say anything of the namespace."""
    return method in {_VERSION, _REGISTER}


def tells_start(method: str) -> bool:
    """Whether answers to a method say when their ResourceManager started."""
    return method == _NEW_APPLICATION


def resourcemanager_id(answer: Any, address: str) -> str:
    """Who a ResourceManager is: it tells its start time in every application id.

    Args:
        answer: the response message to a method that `tells_start`.
        address: its `host:port` for clients.
    """
    return f"{answer.application_id.cluster_timestamp}@{address}"


def namespace_in(method: str, answer: Any) -> Namespace:
    """What an answer says; empty where it is of another form.

    Args:
        method: what was called, one of those that `tells_namespace`.
    """
    part = getattr(answer, "info" if method == _VERSION else "registration", None)
    storage = getattr(part, "storageInfo", None)
    # A registration gives back the DataNode's own release.
    release = str(getattr(part, "softwareVersion", "")) if method == _VERSION else ""
    states = {1: "standby", 2: "observer"}  # NNHAStatusHeartbeatProto.State
    passive = states.get(getattr(part, "state", 0), "") if method == _VERSION else ""
    return Namespace("" if storage is None else str(storage.clusterID), release, passive)
