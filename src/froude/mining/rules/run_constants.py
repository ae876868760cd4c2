"""Values of one run alone that only look constant: ids, names and secrets which every run has anew.

Where a single run is mined nothing else tells them from what a person wrote. So a value of a form that is made anew each
time is one of its generator, and a long number within a text is looked for in what was said before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from froude.mining.effects.rare_values import is_distinctive
from froude.mining.fit.patterns import SLOT, joined
from froude.mining.read.elements import leaf_name
from froude.mining.rules.evidence import Column
from froude.workload.generators import recognise
from froude.workload.rules import Special
from froude.workload.types import Generated, Rule, Scalar, Template

_SECRET = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,}")
"""What a capture puts in place of a secret text."""
_EPHEMERAL = 1 << 15
"""Ports from here on are given to whoever asks."""

FlowOf = Callable[[Column], Rule | None]
"""Finds where a value comes from."""


def of_this_run(column: Column, flow_of: FlowOf) -> Rule | None:
    """The rule of an argument that has one value in the only run; None where nothing says that another run has another.

    Args:
        flow_of: where its value, or a number within it, was seen before.
    """
    value = column.values[0]
    if isinstance(value, Special):
        return None
    made = recognise([value]) or _secret(value) or _ephemeral(column.path, value)
    if made is not None:
        return flow_of(column) or made
    if not isinstance(value, str):
        return None
    parts: list[str | Rule] = []
    for piece in SLOT.split(value):
        number = int(piece) if piece.isdecimal() and str(int(piece)) == piece else 0
        source = (
            flow_of(Column(column.occurrences, [number] * len(column.values), ""))
            if is_distinctive(number)
            else None
        )
        made = recognise([number]) if number else None
        parts.append(source or made or piece)
    return Template(joined(parts)) if any(not isinstance(part, str) for part in parts) else None


def _secret(value: Scalar) -> Generated | None:
    known = isinstance(value, str) and _SECRET.fullmatch(value)
    return Generated("hex", {"digits": len(value)}) if known and isinstance(value, str) else None


def _ephemeral(path: str, value: Scalar) -> Generated | None:
    given = type(value) is int and _EPHEMERAL <= value < 2 * _EPHEMERAL
    return Generated("port") if given and leaf_name(path).lower().endswith("port") else None
