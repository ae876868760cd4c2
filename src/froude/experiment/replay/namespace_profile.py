"""The profile of a namespace as YAML: what `froude image synth` makes one from.

Form: docs/reference/namespace-profile.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from froude.base.errors import InputError
from froude.base.units import parse_quantity
from froude.documents.lineage import open_document
from froude.documents.migrate import Migrations
from froude.documents.reading import Section
from froude.hadoop.fsimage.templates import Profile, Span, Weighted

T = TypeVar("T")
MIGRATIONS = Migrations("namespace-profile", 1)
SHIPPED = Path(__file__).parent / "profiles"
MOST_INODES = 1_000_000_000
_POLICIES = {
    "none": -1,
    "RS-6-3-1024k": 1,
    "RS-3-2-1024k": 2,
    "RS-LEGACY-6-3-1024k": 3,
    "XOR-2-1-1024k": 4,
    "RS-10-4-1024k": 5,
}
_MOST_FILES, _MOST_BLOCKS, _MOST_DEPTH = 1 << 20, 10_000, 100
"""What HDFS allows by default: items of a folder, blocks of a file; and a depth at which paths still fit."""
_MOST_ENTRIES, _MOST_WEIGHT = 1000, 1e12
_NAME = re.compile(r"[^\s:/\x00-\x1f]{1,100}")


def shipped() -> list[str]:
    """Names of the profiles that come with Froude."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def profile_path(name: Path) -> Path:
    """The file of a profile: of the shipped one with that name, unless a file has it."""
    inside = SHIPPED / f"{name}.yaml"
    return inside if len(name.parts) == 1 and not name.exists() and inside.is_file() else name


def read_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    root = open_document(path, MIGRATIONS).root
    block_size = _size(root, "block_size")
    profile = Profile(
        root.value("inodes", int, within=(2, MOST_INODES)),
        _weighted(root, "depth", _whole(1, _MOST_DEPTH)),
        _spans(root, "files_per_directory", _MOST_FILES),
        _spans(root, "file_length", _MOST_BLOCKS * block_size),
        block_size,
        _weighted(root, "replication", _whole(1, 512)),
        _weighted(root, "erasure_coding", _policy) if "erasure_coding" in root else (Weighted(-1, 1.0),),
        _weighted(root, "owners", _owner),
        _weighted(root, "modes", _mode),
    )
    root.finish()
    return profile


def _weights(section: Section) -> list[tuple[str, float]]:
    names = section.names()
    if not 1 <= len(names) <= _MOST_ENTRIES:
        raise section.error(
            None, "has no entry, or too many", found=len(names), allowed=f"1 to {_MOST_ENTRIES}"
        )
    pairs = [(name, section.value(name, float, within=(0, _MOST_WEIGHT))) for name in names]
    if not any(weight for _, weight in pairs):
        raise section.error(None, "has no weight above 0")
    return pairs


def _weighted(root: Section, name: str, convert: Callable[[str], T]) -> tuple[Weighted[T], ...]:
    section = root.section(name)
    return tuple(
        Weighted(_converted(section, key, convert), weight) for key, weight in _weights(section) if weight
    )


def _spans(root: Section, name: str, most: int) -> tuple[Span, ...]:
    section = root.section(name)

    def ends(key: str) -> tuple[int, int]:
        low, _, high = key.partition("..")
        first = parse_quantity(low.strip()).value
        last = parse_quantity(high.strip()).value if high else first
        if not 0 <= first <= last <= most:
            raise InputError("is no range", found=key, allowed=f"LOW..HIGH within 0 and {most}")
        return int(first), int(last)

    return tuple(Span(*_converted(section, key, ends), weight) for key, weight in _weights(section) if weight)


def _converted(section: Section, key: str, convert: Callable[[str], T]) -> T:
    try:
        return convert(key)
    except InputError as error:
        raise section.error(key, error.message, found=error.found, allowed=error.allowed) from error


def _size(root: Section, name: str) -> int:
    value = int(root.convert(name, parse_quantity).value)
    if not 1 << 20 <= value <= 1 << 40:  # dfs.namenode.fs-limits.min-block-size
        raise root.error(name, "is out of range", found=value, allowed="1 MiB to 1 TiB")
    return value


def _whole(low: int, high: int) -> Callable[[str], int]:
    def convert(key: str) -> int:
        if not (key.isascii() and key.isdecimal() and low <= int(key[:9]) <= high):
            raise InputError("is no such number", found=key, allowed=f"{low} to {high}")
        return int(key)

    return convert


def _policy(key: str) -> int:
    if key not in _POLICIES:
        raise InputError("is no policy", found=key, allowed=_POLICIES)
    return _POLICIES[key]


def _owner(key: str) -> tuple[str, str]:
    user, _, group = key.partition(":")
    if not (_NAME.fullmatch(user) and _NAME.fullmatch(group)):
        raise InputError("is no owner", found=key, allowed="USER:GROUP, without spaces and /")
    return user, group


def _mode(key: str) -> int:
    if not re.fullmatch("[0-7]{3}", key):
        raise InputError("is no mode", found=key, allowed="three octal digits")
    return int(key, 8)
