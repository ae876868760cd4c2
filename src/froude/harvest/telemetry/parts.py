"""Files of samples, and which servers they are of: by their names, their folders and their days."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.harvest.telemetry.datacenter import Floats
from froude.harvest.telemetry.layouts import Layout

COLLECTD = re.compile(
    r".*/(?P<host>[^/]+)/(?P<what>(?:cpu|cpu-[0-9]+|aggregation-cpu-[a-z]+)/(?:percent|cpu)-[a-z]+)-20[0-9]{2}-[0-9-]{5}"
)
"""The path of a file of processors that collectd's plugin csv writes: below a host, a file a day."""
_OF_ALL = (
    "cpu/percent-active",
    "aggregation-cpu-average/percent-active",
    "aggregation-cpu-average/percent-idle",
)
"""Those with a utilisation of all processors of a host."""
_DATE = re.compile(r"[-_. ]?(?<![0-9])20[0-9]{2}([-_.]?)(?:0[1-9]|1[0-2])(?:\1[0-3][0-9])?(?![0-9])")
"""In the name of a file, the day or month that it is of."""
_ADDRESS = re.compile(r"[0-9.]+(?::|$)")
_TOTALS = re.compile(r"(?i)_?(?:grand[ _])?total|all|sum|avg|average|mean|overall")
"""Names in a column of servers that are not of a server."""
_IN_COMMON = 0.1
"""Share of the shorter of two files of one server that may be in both."""
_SEVERAL = 20
"""Samples that are hardly the same in two files by chance."""
_PACKED = {
    ".csv", ".txt", ".tsv", ".json", ".parquet", ".gz", ".zst", ".zstd", ".lz4", ".bz2", ".snappy", ".sz",
}  # fmt: skip
"""What the name of a file has behind that of its server."""


@dataclass(slots=True)
class Part:
    """The samples of one file."""

    path: Path
    layout: Layout
    names: Any
    """pyarrow dictionary array, shape (n,)."""
    time_s: Floats
    cpu: Floats
    end_s: Floats | None
    dropped: Dropped
    understood: str
    percent: bool | None
    """What the layout, or percent signs of cells, say of it."""
    stem: str = ""
    """The name of its server, where that is the file's."""


def of_collectd(files: list[Path]) -> list[Path]:
    """The files to read; of a tree of collectd, those with the utilisation of all processors of a host.

    Raises:
        InputError: there is none, or there are several for a host.
    """
    tree = {path: match["what"] for path in files if (match := COLLECTD.fullmatch(str(path.absolute())))}
    kinds = set(tree.values()) & set(_OF_ALL)
    if tree and len(kinds) != 1:
        found = ", ".join(sorted(kinds or set(tree.values()))[:3])
        remedy = (
            "Give one of those alone; of cpu-0, cpu-1, … take the mean with collectd's plugin aggregation"
        )
        allowed = " or ".join(_OF_ALL)
        raise InputError("has files of collectd", file=files[0], found=found, allowed=allowed, remedy=remedy)
    return [path for path, what in tree.items() if what in kinds] or files


def alike(servers: Sequence[str]) -> list[str]:
    """Names that may be of one server, in words: they differ in case and signs, or one has a domain behind it."""
    seen: dict[str, str] = {}
    for name in sorted(servers, key=len):
        plain = unicodedata.normalize("NFC", name.lower()).rstrip(".")
        plain = re.sub(r"[ _]", "-", re.sub(r"^([0-9]+)\.0$", r"\1", plain))
        host = re.split("[:]" if _ADDRESS.match(plain) else "[.:]", plain)[0]
        if other := seen.get(plain) or seen.get(host):
            return [f"{other!r} and {name!r} are two servers, and may be one"]
        seen[plain] = name
    return []


def refuse_copies(parts: Sequence[Part]) -> None:
    """Refuse a file that is there twice, such as plain and packed: it would count twice, or as another server.

    Raises:
        InputError: two files have the same samples, which are not of servers of their own that do nothing.
    """
    seen: dict[bytes, Path] = {}
    for part in parts:
        own = "\n".join(part.names.dictionary.to_pylist()) * (not part.stem)
        held = (own.encode(), np.asarray(part.names.indices), part.time_s, part.cpu)
        digest = hashlib.sha256(b"".join(map(bytes, held))).digest()
        changes = len(part.cpu) >= _SEVERAL and (part.cpu != part.cpu[0]).any()
        if changes and (other := seen.setdefault(digest, part.path)) is not part.path:
            remedy = "Leave out one of them"
            raise InputError("has the samples of another file", file=part.path, found=other, remedy=remedy)


def named_by_folder(parts: Sequence[Part]) -> list[str]:
    """Call files of one server by one name, without their days; those of several whose times meet after their folders.

    Returns:
        What was done, in words.
    """
    folders: dict[tuple[Path, str], list[Part]] = defaultdict(list)
    for part in (each for each in parts if each.stem):
        folders[part.path.absolute().parent, _DATE.sub("", part.stem).strip("-_. ")].append(part)
    groups: dict[str, dict[Path, list[Part]]] = defaultdict(dict)
    for (folder, plain), own in folders.items():
        dated = len(own) > 1 and not _meet(own)
        for part in own:
            stem = plain if dated else part.stem
            groups[stem].setdefault(folder, []).append(part)
    apart: list[str] = []
    joined: list[str] = []
    for stem, group in groups.items():
        meet = len(group) > 1 and _meet(*group.values())
        common = os.path.commonpath(group) if meet else ""
        for folder, own in group.items():
            name = str(folder.relative_to(common) / stem) if meet else stem or folder.name
            (apart if meet else joined).extend([name] * (meet or len(own) > 1 or len(group) > 1))
            for part in own:
                part.names = one_name(name, len(part.cpu))
    remarks = {
        "files of one name and time are servers of their own": apart,
        "files of one name are one server": joined,
    }
    return [f"{text}, such as {names[0]!r}" for text, names in remarks.items() if names]


def _meet(*groups: Sequence[Part]) -> bool:
    """Whether files of groups, or of one, have more time in common than months of a server cut a little late."""
    spans = sorted(
        (float(part.time_s.min()), float(part.time_s.max()), number if len(groups) > 1 else part.path)
        for number, group in enumerate(groups)
        for part in group
    )

    def common(begin: float, end: float, later: float, last: float) -> bool:
        both = min(end, last) - later
        return (begin, end) == (later, last) or both > _IN_COMMON * min(end - begin, last - later)

    return any(own != other and common(*span, *later) for (*span, own), (*later, other) in pairwise(spans))


def without_totals(parts: Sequence[Part]) -> tuple[list[Part], list[str]]:
    """Samples without those of all servers together; and what was left out, in words.

    Raises:
        InputError: the others are numbered: they may be processors of one server.
    """
    names = {name for part in parts for name in part.names.dictionary.to_pylist()}
    totals = {name for name in names if _TOTALS.fullmatch(name)}
    if not totals or names == totals:
        return list(parts), []
    found = f"{', '.join(sorted(totals))}, and {', '.join(sorted(names - totals)[:3])}"
    if all(map(str.isdecimal, names - totals)):
        remedy = "Keep the rows of the total, if the others are processors of one server; else those of the servers"
        raise InputError("has a total among its servers", file=parts[0].path, found=found, remedy=remedy)
    kept = []
    for part in parts:
        codes = [code for code, name in enumerate(part.names.dictionary.to_pylist()) if name in totals]
        rows = ~np.isin(np.asarray(part.names.indices), codes)
        kept.append(part if rows.all() else taken(part, rows))
    return kept, [f"without {', '.join(map(repr, sorted(totals)))}"]


def taken(part: Part, rows: Any) -> Part:
    """Some of the samples of a file, by where they are taken."""
    end_s = None if part.end_s is None else part.end_s[rows]
    names = part.names.filter(pa.array(rows)).cast(pa.string()).dictionary_encode()
    return replace(part, names=names, time_s=part.time_s[rows], cpu=part.cpu[rows], end_s=end_s)


def one_name(name: str, count: int) -> Any:
    """The names of samples that are all of one server; a dictionary array, shape (count,)."""
    own = pa.array([name]).dictionary_encode().dictionary
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32), pa.int32()), own)


def stem_of(path: Path) -> str:
    """A server's name by its file: without what names a form or a packing."""
    name = path.name
    while (suffix := Path(name).suffix.lower()) in _PACKED:
        name = name[: -len(suffix)]
    return name or path.name
