"""A resource that a container needs, as YARN describes it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from froude.emulation.programs.yarn.protocols import APPLICATION


def resource(path: str, visibility: int = APPLICATION, *, scheme: str = "hdfs", timestamp: int = 1) -> Any:
    """An entry of a launch context's map of resources."""
    url = SimpleNamespace(scheme=scheme, file=path)
    return SimpleNamespace(value=SimpleNamespace(resource=url, visibility=visibility, timestamp=timestamp))
