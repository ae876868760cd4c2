"""From lines of an audit log to accesses: `open` reads, `create` and `append` write; no line tells a length."""

from __future__ import annotations

from froude.hadoop.audit.lines import AuditLine, own_context
from froude.provision.draft.jobs import short_user
from froude.provision.draft.log import AccessLog
from froude.provision.draft.types import Access, Caller
from froude.provision.types import Op

_OPS = {"open": Op.READ, "create": Op.WRITE, "append": Op.WRITE}


def take_line(line: AuditLine, log: AccessLog) -> None:
    """Count a line; a denied call did nothing.

    Args:
        line: of the audit log.
        log: takes the access, or counts a line that is none.
    """
    if not line.allowed:
        log.others += 1
        return
    op = _OPS.get(line.command)
    if op is None or not line.src:
        if line.command == "rename" and line.dst:
            log.jobs.heard(line.dst)
        log.others += 1
        return
    caller = Caller(short_user(line.user), own_context(line.caller_context or "") or None, None)
    log.add(Access(line.time_s, caller, op, line.command, line.src))
