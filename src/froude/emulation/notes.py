"""How the notes begin that a play counts and a run reads again: one place for those who write and those who read."""

from __future__ import annotations

LEFT_OUT = "call left out: "
"""A call that could not be sent, by step and method."""
AS_RECORDED = "call failed as recorded: "
"""A call that failed, as it did when it was recorded, by method."""
RETRIED = "call retried: "
"""A call that its client makes again after an error, as Hadoop's clients do, by method and class."""
FAILED = "call failed: "
"""A call that failed, though it did not when it was recorded, by step, method and class."""
REFUSED = "datanode refused: "
"""An emulated DataNode that the target did not take, by class."""
UNSENT = "call due, not sent before the end: "
"""A call that the play ended before, by method."""
