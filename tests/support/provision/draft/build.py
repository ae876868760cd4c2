"""Telemetry and jobs from which a problem is drafted."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.draft.log import AccessLog
from froude.provision.draft.types import Access
from froude.provision.types import Op
from tests.support.provision.draft.table import JOB, log_of, read


def write(path: str, time_s: float, size: float, **parts: object) -> Access:
    """A write."""
    return replace(read(path, time_s, bytes=size, **parts), op=Op.WRITE, command="create")


def jobs() -> AccessLog:
    """Two jobs a minute apart and one an hour later; each reads three files, two of them write one."""
    rows = []
    for number, start in enumerate((0.0, 50.0, 3600.0)):
        context = JOB.format(number)
        rows += [
            read(f"/in/f{n}", start + n, context=context, bytes=10.0 * (n + 1), sender=f"{number} {n}")
            for n in range(3)
        ]
        if number:
            rows.append(write(f"/out/f{number}", start + 9, 500.0, context=context, sender=f"{number} 0"))
    return log_of(rows)
