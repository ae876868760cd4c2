"""What a node tells of its containers, and when it forgets them."""

from __future__ import annotations

from froude.emulation.programs.yarn.containers import ContainerKey, Held
from froude.emulation.programs.yarn.protocols import (
    SUB_DONE,
    SUB_RUNNING,
    SUB_SCHEDULED,
)


def test_a_status_is_made_anew_when_it_changes() -> None:
    """It is kept in between."""
    held = Held(ContainerKey(1, 1, 2), b"", b"", None, None)
    held.status = b"kept"
    assert held.sub_state == SUB_SCHEDULED
    held.runs()
    assert (held.sub_state, held.status, held.over) == (SUB_RUNNING, b"", False)
    held.status = b"kept"
    held.ends(0)
    assert (held.sub_state, held.status, held.over) == (SUB_DONE, b"", True)
