"""Records of jobs in Rumen's form."""

from __future__ import annotations

import json
from typing import Any

RUMEN = [
    {
        "jobID": f"job_{n}",
        "submitTime": 1000,
        "finishTime": 21000,
        "mapTasks": [{"startTime": 2000, "finishTime": 4000}, {"startTime": 2000, "finishTime": 6000}],
        "reduceTasks": [{"startTime": 6000, "finishTime": 9000}] * n,
    }
    for n in (0, 1)
]


def lines(values: list[Any]) -> bytes:
    """Values one behind the other."""
    return "\n".join(map(json.dumps, values)).encode()
