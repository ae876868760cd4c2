"""Which targets may be played against: the one decision that stands between a load generator and a live cluster.

Targets that Froude started in this workspace are allowed. Any other, on loopback too since people tunnel, needs
its id typed; and what was recorded is never played against.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from froude.base.errors import GuardError, InputError
from froude.emulation.programs.fleet import PROTOCOL
from froude.hadoop.connection import Connection
from froude.hadoop.schema import Schema


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be played against."""

    host: str
    port: int
    id: str
    """Its identity as it told it: an HDFS cluster id."""

    @property
    def name(self) -> str:
        """`host:port`."""
        return f"{self.host}:{self.port}"


def decide(target: Target, *, ours: bool, typed: str | None, source_ids: Iterable[str]) -> None:
    """Allow a target, or refuse it.

    Args:
        target: who it is.
        ours: whether Froude started it in this workspace.
        typed: the id that the user typed (`--target-is`); None for none.
        source_ids: ids of the clusters that the workload was recorded on.

    Raises:
        GuardError: the target is refused.
    """
    if target.id in set(source_ids):
        raise GuardError(
            "is the cluster that the workload was recorded on, and is never played against",
            file=target.name,
            found=target.id,
        )
    if typed is not None and typed != target.id:
        raise GuardError(
            "is not the cluster that was named", file=target.name, found=target.id, allowed=typed
        )
    if not ours and typed is None:
        raise GuardError(
            "was not started by Froude here",
            file=target.name,
            remedy="If it is a test cluster that may be overloaded and filled, name it with --target-is and its "
            "cluster id (hdfs getconf or the NameNode's web page shows it)",
        )


def parse_target(text: str) -> tuple[str, int]:
    """Host and port of `hdfs://HOST:PORT` or `HOST:PORT`.

    Raises:
        InputError: another form.
    """
    bare = text.removeprefix("hdfs://").rstrip("/")
    host, colon, port = bare.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise InputError("is no target", place="--target", found=text, allowed="hdfs://HOST:PORT")
    return host.strip("[]"), int(port)


def identify(
    address: tuple[str, int], schema: Schema, *, user: str | None = None, timeout_s: float = 10.0
) -> Target:
    """Ask a NameNode who it is, by the one call that a DataNode begins with.

    Raises:
        TargetError: it refuses, hangs, or answers what it may not.
    """
    with Connection(*address, schema, PROTOCOL, user=user, timeout_s=timeout_s) as connection:
        info = connection.call("versionRequest", schema.method(PROTOCOL, "versionRequest").request())
    return Target(*address, info.info.storageInfo.clusterID)  # type: ignore[attr-defined]
