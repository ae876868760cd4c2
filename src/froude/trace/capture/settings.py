"""What a capture is asked to do and what came of it, as values that pass between its processes as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from froude.base.errors import FroudeError, InputError, MissingError, TargetError
from froude.base.units import Quantity
from froude.hadoop.rpc.target import Target
from froude.trace.capture.legs import Listener
from froude.trace.types import Loss

BACKLOG_BYTES = 128_000_000
"""How much traffic may wait to be recorded: some fifteen seconds of 40,000 small calls a second."""
SMALLEST_BACKLOG_BYTES = 1 << 18
MOST_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """One capture."""

    listeners: tuple[Listener, ...]
    """Where clients connect, and where their bytes go."""
    output: Path
    """The Trace to make."""
    scale: Mapping[str, Quantity] = field(default_factory=dict)
    """The scale it runs at."""
    source_id: str = ""
    """Whose traffic it is; empty to learn it from the traffic."""
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
    backlog_bytes: int = BACKLOG_BYTES
    """How much traffic may wait to be recorded, in each proxy process and again in its recorder."""
    lossless: bool = False
    """Beyond that the traffic waits, instead of passing unrecorded."""
    processes: int = 1
    """How many pairs of a proxy and a recorder share the connections."""

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            InputError: a number is out of its range.
        """
        if not 1 <= self.processes <= MOST_PROCESSES:
            allowed = f"1 to {MOST_PROCESSES}"
            raise InputError(
                "is no number of processes", place="processes", found=self.processes, allowed=allowed
            )
        if self.backlog_bytes < SMALLEST_BACKLOG_BYTES:
            allowed = f"at least {SMALLEST_BACKLOG_BYTES}"
            raise InputError(
                "is too small a backlog", place="backlog", found=self.backlog_bytes, allowed=allowed
            )

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
        parts["listeners"] = tuple(
            Listener(
                **{
                    **listener,
                    "target": Target(*listener["target"]),
                    "behind": None if listener["behind"] is None else tuple(listener["behind"]),
                }
            )
            for listener in parts["listeners"]
        )
        parts["output"] = Path(parts["output"])
        parts["scale"] = {name: Quantity(*pair) for name, pair in parts["scale"].items()}
        parts["tags"] = tuple(parts["tags"])
        return cls(**parts)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a recorder is told first."""

    settings: CaptureSettings
    """The capture; its output is this recorder's own where there are several."""
    schema_file: str
    """The target's schema, as `Schema.to_bytes` gives it."""
    key: bytes = field(repr=False)
    """With which all recorders of a capture replace secrets; never on a disk."""
    start_s: float
    """The tape's time that is the Trace's beginning."""
    started_at_s: float
    """The same in seconds since the epoch."""
    whole: bool = True
    """Whether this recorder makes the whole Trace in the end, or leaves its part to be joined with others."""

    def to_json(self) -> bytes:
        """For the other process."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        parts["settings"], parts["key"] = self.settings.to_json(), self.key.hex()
        return json.dumps(parts).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Setup:
        """What `to_json` wrote."""
        parts: dict[str, Any] = json.loads(text)
        parts["settings"] = CaptureSettings.from_json(parts["settings"])
        parts["key"] = bytes.fromhex(parts["key"])
        return cls(**parts)


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What a capture made."""

    path: Path
    calls: int
    connections: int
    loss: Loss
    """What it could not keep."""
    source_id: str
    """Whose traffic it is; empty if nothing told."""
    examples: tuple[str, ...] = ()
    """The first few losses in words."""
    recorder_cpu_s: float = 0.0
    """CPU seconds of the recorder processes."""
    proxy_cpu_s: float = 0.0
    """CPU seconds of the proxy processes."""

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
