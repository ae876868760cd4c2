"""Identity and lineage: what an artifact is, and what it was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.version import __version__


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where an artifact comes from: enough to make it again and to tell whether it was changed."""

    kind: str
    """`trace`, `workload`, `plan`, `run`, `report`, ..."""
    format_version: int
    """Version of its file form; see `froude.workspace.migrate`."""
    content_hash: str
    """SHA-256 in hex over its content, lineage and tags excepted."""
    inputs: tuple[str, ...] = ()
    """Content hashes of what it was made from."""
    command: str = ""
    """The command, or the Python call, that made it."""
    seed: int | None = None
    """Root of the seed tree, where chance had a part."""
    froude_version: str = __version__
    """The Froude that made it."""
    made_at: str = ""
    """When, ISO 8601 in UTC, whole seconds; empty when unknown."""

    def to_mapping(self) -> dict[str, Any]:
        """As a mapping for YAML or JSON, empty parts left out."""
        parts: dict[str, Any] = {
            "kind": self.kind,
            "format": self.format_version,
            "content": self.content_hash,
            "inputs": list(self.inputs),
            "command": self.command,
            "seed": self.seed,
            "froude": self.froude_version,
            "made_at": self.made_at,
        }
        return {name: part for name, part in parts.items() if part not in ("", None, [])}

    @classmethod
    def from_mapping(cls, parts: Mapping[str, Any], *, file: str | Path | None = None) -> Lineage:
        """Read what `to_mapping` made.

        Raises:
            InputError: a part is missing or of another type.
        """
        kind, version, content = parts.get("kind"), parts.get("format"), parts.get("content")
        if not isinstance(kind, str) or not isinstance(version, int) or not isinstance(content, str):
            allowed = "kind (text), format (number), content (hash)"
            raise InputError("a lineage is incomplete", file=file, found=dict(parts), allowed=allowed)
        seed = parts.get("seed")
        return cls(
            kind,
            version,
            content,
            tuple(str(one) for one in parts.get("inputs") or ()),
            str(parts.get("command", "")),
            seed if isinstance(seed, int) else None,
            str(parts.get("froude", "")),
            str(parts.get("made_at", "")),
        )


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact in its place."""

    path: Path
    """The file or folder."""
    lineage: Lineage
    """Where it comes from."""
    tags: frozenset[str] = frozenset()
    """Words by which it can be found again."""

    @property
    def kind(self) -> str:
        """What it is."""
        return self.lineage.kind

    @property
    def name(self) -> str:
        """Its name in the workspace, without suffix."""
        return self.path.name.split(".")[0]

    @property
    def id(self) -> str:
        """A short identity: the first twelve digits of its content hash."""
        return self.lineage.content_hash[:12]


def hash_file(path: Path) -> str:
    """SHA-256 of a file, in hex.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open("rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from error


def hash_parts(files: Iterable[Path], facts: Mapping[str, Any]) -> str:
    """The content hash of files (names and contents) and facts (canonical JSON) together."""
    named = {path.name: hash_file(path) for path in files}
    text = json.dumps([named, facts], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def stamp(wall_s: float) -> str:
    """Seconds since the epoch as ISO 8601 in UTC, whole seconds."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds")
