"""What a capture is asked to do and what came of it, as values that pass between its processes as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from froude.base.errors import FroudeError, InputError, MissingError, TargetError
from froude.base.units import Quantity
from froude.trace.capture.proxy import Listener
from froude.trace.types import Loss

BACKLOG_LIMIT_BYTES = 128 << 20
"""How far the recorder may lag behind the proxy before bytes go unrecorded."""


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """One capture."""

    target: tuple[str, int]
    """Where clients' bytes go."""
    listeners: tuple[Listener, ...]
    """Where clients connect."""
    output: Path
    """The Trace to make."""
    scale: Mapping[str, Quantity] = field(default_factory=dict)
    """The scale it runs at."""
    source_id: str = ""
    """Identity of the target; empty to learn it from the traffic."""
    release: str = ""
    """The target's release, where known."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Free facts to keep."""
    tags: tuple[str, ...] = ()
    """Words by which a workspace finds it."""
    command: str = ""
    """What the lineage shall name as its maker."""
    keep_unknown: bool = False
    """Keep bodies of methods that the schema does not know: they may hold secrets."""
    backlog_bytes: int = BACKLOG_LIMIT_BYTES
    """How far the recorder may lag behind."""

    def to_json(self) -> str:
        """For the other process."""
        parts = asdict(self)
        parts["output"] = str(self.output)
        parts["scale"] = {name: (q.value, q.unit) for name, q in self.scale.items()}
        parts["notes"] = dict(self.notes)
        return json.dumps(parts)

    @classmethod
    def from_json(cls, text: str | bytes) -> CaptureSettings:
        """What `to_json` wrote."""
        parts: dict[str, Any] = json.loads(text)
        parts["target"] = tuple(parts["target"])
        parts["listeners"] = tuple(Listener(**one) for one in parts["listeners"])
        parts["output"] = Path(parts["output"])
        parts["scale"] = {name: Quantity(*pair) for name, pair in parts["scale"].items()}
        parts["tags"] = tuple(parts["tags"])
        return cls(**parts)


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What a capture made."""

    path: Path
    """The Trace."""
    calls: int
    """Calls in it."""
    connections: int
    """Connections seen."""
    loss: Loss
    """What it could not keep."""
    source_id: str
    """Whose traffic it is; empty if nothing told."""
    examples: tuple[str, ...] = ()
    """The first few losses in words."""
    recorder_cpu_s: float = 0.0
    """CPU seconds of the recorder process."""
    proxy_cpu_s: float = 0.0
    """CPU seconds of the proxy process."""

    def to_mapping(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "path": str(self.path), "examples": list(self.examples)}

    @classmethod
    def from_mapping(cls, parts: Mapping[str, Any]) -> CaptureResult:
        """What `to_mapping` made."""
        whole = dict(parts)
        whole["path"] = Path(whole["path"])
        whole["loss"] = Loss(**whole["loss"])
        whole["examples"] = tuple(whole["examples"])
        return cls(**whole)


_KINDS: dict[str, type[FroudeError]] = {
    kind.__name__: kind for kind in (FroudeError, InputError, TargetError, MissingError)
}
_PARTS = ("file", "place", "found", "allowed", "remedy")


def error_to_mapping(error: FroudeError) -> dict[str, Any]:
    """An error for the other process."""
    kind = next((k.__name__ for k in type(error).__mro__ if k.__name__ in _KINDS), "FroudeError")
    return {"kind": kind, "message": error.message, **{part: getattr(error, part) for part in _PARTS}}


def error_from_mapping(parts: Mapping[str, Any]) -> FroudeError:
    """The error that the other process stated."""
    kind = _KINDS.get(str(parts.get("kind")), FroudeError)
    return kind(str(parts.get("message")), **{part: parts.get(part) for part in _PARTS})
