"""An audit log with the accesses of one job."""

from __future__ import annotations

from collections.abc import Iterable

from froude.provision.draft.jobs import Jobs
from froude.provision.draft.log import AccessLog, Window
from froude.provision.draft.paths import Folders
from froude.provision.draft.table import Grouping
from froude.provision.draft.types import Access, Caller
from froude.provision.types import Op

JOB = "mr_attempt_1699999999999_{:04d}_m_000000_0"


def log_of(accesses: Iterable[Access], named: Grouping | None = None) -> AccessLog:
    """A log of them."""
    log = AccessLog(Folders(frozenset(named.prefixes if named else ())), Jobs(), windows=[Window()])
    for access in accesses:
        log.add(access)
    return log


def read(path: str, time_s: float = 0.0, **parts: object) -> Access:
    """A read."""
    user, context, sender = (
        parts.pop(n, d) for n, d in (("user", "ann"), ("context", None), ("sender", None))
    )
    caller = Caller(user, context, sender)  # type: ignore[arg-type]
    return Access(time_s, caller, Op.READ, "open", path, **parts)  # type: ignore[arg-type]
