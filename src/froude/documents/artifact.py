"""Identity and lineage: what an artifact is, what it was made from, and whether the making ended well."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from froude.base.errors import ChangedError, InputError
from froude.base.files import open_regular
from froude.base.version import __version__
from froude.documents.reading import STAMP, Section

LINEAGE, TAGS = "lineage", "tags"
SEAL = "text"
"""In a lineage: the SHA-256 of the file's text, with zeros in this place; see `froude.documents.lineage.seal`."""
_BESIDE_CONTENT = frozenset({STAMP, LINEAGE, TAGS})
"""Keys of every document that are no part of its content."""
_HASH = re.compile(r"[0-9a-f]{1,128}")
_EXACT = 2**53
"""Below it every whole float is one whole number."""


class State(Enum):
    """How the step ended that made an artifact."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """Ended from outside before its time: what is there is right, and not all."""
    FAILED = "failed"
    """An error ended it: what is there is what was seen until then."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How an artifact came to be, as far as only its maker knows."""

    command: str = ""
    """The command line as typed, or the Python call."""
    inputs: tuple[str, ...] = ()
    """Content hashes of what it was made from."""
    seed: int | None = None
    """Root of the seed tree, where chance had a part."""
    state: State = State.COMPLETE
    tags: tuple[str, ...] = ()
    """Words by which a workspace finds it."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where an artifact comes from: enough to make it again and to tell whether it was changed."""

    kind: str
    """`trace`, `workload`, `plan`, `run`, `report`, ..."""
    format_version: int
    """Version of its file form; see `froude.documents.migrate`."""
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
    state: State = State.COMPLETE
    """How the step ended that made it."""

    def to_mapping(self) -> dict[str, Any]:
        """As a mapping for YAML or JSON, empty parts left out."""
        parts: dict[str, Any] = {
            "kind": self.kind,
            "format": self.format_version,
            "content": self.content_hash,
            "state": self.state.value,
            "inputs": list(self.inputs),
            "command": self.command,
            "seed": self.seed,
            "froude": self.froude_version,
            "made_at": self.made_at,
        }
        return {name: part for name, part in parts.items() if part not in ("", None, [])}

    @classmethod
    def read(cls, section: Section) -> Lineage:
        """Read what `to_mapping` made.

        Raises:
            InputError: a part is missing, of another type, or none of a lineage.
        """
        lineage = cls(
            section.value("kind", str),
            section.value("format", int),
            section.convert("content", parse_hash),
            section.converted("inputs", parse_hash),
            section.value("command", str, ""),
            section.optional("seed", int),
            section.value("froude", str, ""),
            section.value("made_at", str, ""),
            section.value("state", State, State.COMPLETE),
        )
        section.optional(SEAL, str)
        section.finish()
        return lineage


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact in its place."""

    path: Path
    """The file or folder."""
    lineage: Lineage
    """Where it comes from."""
    tags: frozenset[str] = field(default_factory=frozenset)
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
    with open_regular(path) as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def hash_fields(fields: Mapping[str, Any]) -> str:
    """The content hash of a document: of its values in their order, stamp, lineage and tags excepted.

    Comments, quotes and the way a number is written do not count.
    """
    content = {name: value for name, value in fields.items() if name not in _BESIDE_CONTENT}
    return _digest(_canonical(content), sort_keys=False)


def hash_parts(files: Iterable[Path], facts: Mapping[str, Any]) -> str:
    """The content hash as forms of version 1 had it: of files (names and contents) and facts together.

    Args:
        files: read whole; only their names count, not where they lie.
        facts: further content, as JSON can hold it; the order of the keys does not matter.

    Returns:
        The hash as hexadecimal digits.
    """
    return _digest([{path.name: hash_file(path) for path in files}, facts], sort_keys=True)


def hash_files(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 by name, of the files that belong to a document; part of its content.

    Args:
        names: the files, relative to it.
    """
    return {name: hash_file(folder / name) for name in names}


def check_files(folder: Path, hashes: Section, remedy: str) -> None:
    """Compare the files that belong to a document with their hashes in it.

    Args:
        hashes: SHA-256 by name, as `hash_files` gave them.
        remedy: how to get on when one differs.

    Raises:
        ChangedError: one is not what was written.
        InputError: one cannot be read.
    """
    for name in hashes.names():
        expected = hashes.convert(name, parse_hash)
        actual = hash_file(folder / name)
        if actual != expected:
            message = "is not what was written: changed, cut or damaged"
            raise ChangedError(message, file=folder / name, found=actual, allowed=expected, remedy=remedy)


def stamp(wall_s: float) -> str:
    """Seconds since the epoch as ISO 8601 in UTC, whole seconds."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds")


def _digest(value: Any, *, sort_keys: bool) -> str:
    text = json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    """The value as every form of it gives it: whole numbers whole, bytes as text, no matter of what type."""
    if isinstance(value, float) and abs(value) < _EXACT and value == int(value):
        return int(value)
    if isinstance(value, bytes):
        return {"!!binary": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {str(name): _canonical(inner) for name, inner in value.items()}
    return [_canonical(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def parse_hash(value: object) -> str:
    """A content hash, as lineages name what an artifact was made from.

    Raises:
        InputError: not a hash.
    """
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise InputError("is no hash", found=value, allowed="SHA-256 in hex")
    return value
