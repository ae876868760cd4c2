"""Which lines an image holds already."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from froude.trace.audit.columns import from_lines
from froude.trace.audit.cut import Cut
from testbed.audit_lines import LINE

A, B = 1000, 2000


def kept(cut: Cut, *lines: tuple[int, str, str, bool]) -> tuple[list[str], int]:
    """The paths of the lines that stay."""
    made = [
        replace(LINE, command=command, src=src, dst=None, allowed=allowed, options=None)
        for _, command, src, allowed in lines
    ]
    times = np.array([milli * 1000 for milli, *_ in lines], np.int64)
    table, at = cut.applied(pa.table({**from_lines(made), "time": times}))
    return table.column("src").to_pylist(), at


def test_between_the_transactions() -> None:
    """Before A's millisecond nothing stays, from B's all; between, what changes nothing, was denied, or came behind."""
    cut = Cut(A * 1000, "", B * 1000, frozenset(["/set", "/same"]))
    lines = [
        (A - 1, "open", "/before", True),
        (A, "mkdirs", "/last", True),
        (A, "open", "/read-at-a", True),
        (A, "mkdirs", "/same", True),
        (A + 3, "mkdirs", "/late", True),
        (A + 3, "open", "/read", True),
        (A + 3, "create", "/denied", False),
        (A + 4, "setPermission", "/set", True),
        (B, "mkdirs", "/first", True),
        (B + 1, "delete", "/then", True),
    ]
    assert kept(cut, *lines) == (["/same", "/read", "/denied", "/set", "/first", "/then"], 1)


def test_without_edits() -> None:
    """All behind A's millisecond."""
    lines = [(A, "open", "/a", True), (A + 1, "mkdirs", "/b", True)]
    assert kept(Cut(A * 1000 + 500, ""), *lines) == (["/b"], 0)
