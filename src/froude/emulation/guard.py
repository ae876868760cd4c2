"""Which targets may be played against: the one decision that stands between a load generator and a live cluster.

Targets that Froude started in this workspace are allowed. Any other, on loopback too since people tunnel, needs
its id typed; and what was recorded is never played against.
"""

from __future__ import annotations

from collections.abc import Iterable

from froude.base.errors import GuardError
from froude.hadoop.rpc.target import Target, same_daemon


def decide(target: Target, *, ours: bool, typed: str | None, source_ids: Iterable[str]) -> None:
    """Allow a target, or refuse it.

    Args:
        ours: whether Froude started it in this workspace.
        typed: the id that the user typed (`--target-is`); None for none.
        source_ids: ids of the clusters that the workload was recorded on.

    Raises:
        GuardError: the target is refused.
    """
    if any(same_daemon(target.service, target.id, source_id) for source_id in source_ids):
        raise GuardError(
            "is the cluster that the workload was recorded on, and is never played against",
            file=target.address,
            found=target.id,
        )
    if typed is not None and not same_daemon(target.service, typed, target.id):
        raise GuardError(
            "is not the cluster that was named", file=target.address, found=target.id, allowed=typed
        )
    if not ours and typed is None:
        raise GuardError(
            "was not started by Froude here",
            file=target.address,
            remedy="If it is a test cluster that may be overloaded and filled, name it with --target-is and its "
            "cluster id (hdfs getconf or the NameNode's web page shows it)",
        )
