"""What a NodeManager fetches before a container runs: the files that no container before it has had fetched.

Of a public file every folder above is asked for as well, whether all may pass it. Each group of files is fetched by a
process of its own, which asks for the file system's defaults once it has opened its first file: the public ones by the
NodeManager, the others by a localizer for the container.

Source: org.apache.hadoop.yarn.util.FSDownload (call, isPublic), ResourceLocalizationService; held against recordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from froude.emulation.programs.yarn.protocols import APPLICATION, PUBLIC

_HDFS = "hdfs"


class Fetch(NamedTuple):
    """One call of it."""

    method: str
    path: str
    """What it is about; empty for a call about nothing."""


class Localised:
    """What lies on one node."""

    __slots__ = ("_there",)

    def __init__(self) -> None:
        self._there: set[tuple[int, int, str, int]] = set()

    def fetch(self, resources: Iterable[Any], application: int) -> list[Fetch]:
        """The calls that fetch what is not there yet; it is there from now on.

        Args:
            resources: StringLocalResourceMapProto messages of a launch context.
        """
        public: list[str] = []
        own: list[str] = []
        for entry in resources:
            resource = entry.value
            kind = resource.visibility
            owner = application if kind == APPLICATION else 0
            known = (kind, owner, resource.resource.file, resource.timestamp)
            # Other file systems than HDFS, such as a local jar, are not this play's.
            if resource.resource.scheme == _HDFS and known not in self._there:
                self._there.add(known)
                (public if kind == PUBLIC else own).append(resource.resource.file)
        return [*_fetched(public, public=True), *_fetched(own, public=False)]

    def forget(self, application: int) -> None:
        """An application is over, and its own files are removed."""
        self._there = {known for known in self._there if known[:2] != (APPLICATION, application)}


def _fetched(paths: Iterable[str], *, public: bool) -> Iterator[Fetch]:
    """The calls of one group of files."""
    for number, path in enumerate(paths):
        yield Fetch("getFileInfo", path)
        if public:
            yield from (Fetch("getFileInfo", folder) for folder in _above(path))
        yield Fetch("getBlockLocations", path)
        if number == 0:
            yield Fetch("getServerDefaults", "")


def _above(path: str) -> Iterator[str]:
    """The folders above a path, nearest first, up to the root."""
    while path.rstrip("/"):
        path = path.rpartition("/")[0]
        yield path or "/"
