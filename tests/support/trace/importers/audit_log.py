"""Texts of packed and rotated audit logs."""

from __future__ import annotations

from collections.abc import Sequence

from froude.hadoop.audit.lines import AuditLine
from testbed.audit_lines import written


def texts(lines: Sequence[AuditLine]) -> str:
    """A log."""
    return "".join(map(written, lines))
