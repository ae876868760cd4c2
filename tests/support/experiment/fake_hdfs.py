"""A file system in memory that the jobs' clients work on in the place of a cluster's; it keeps every call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any


class FakeHdfs:
    """What the jobs use of `hdfs_native.Client`; a call to it is the client's making."""

    def __init__(self) -> None:
        """Empty."""
        self.files: dict[str, bytes] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.made: list[tuple[str, dict[str, str]]] = []

    def __call__(self, uri: str, settings: dict[str, str]) -> FakeHdfs:
        """A client."""
        self.made.append((uri, settings))
        return self

    def methods(self) -> list[str]:
        """The calls by name."""
        return [call[0] for call in self.calls]

    def mkdirs(self, path: str, permission: int, *, create_parent: bool) -> None:
        """Folders are not kept."""
        assert create_parent
        self.calls.append(("mkdirs", path, permission))

    @contextmanager
    def create(self, path: str, options: Any) -> Iterator[Any]:
        """A file that is not there yet."""
        assert path not in self.files
        self.calls.append(("create", path, options.block_size, options.replication))
        yield self._writer(path, b"")

    @contextmanager
    def append(self, path: str) -> Iterator[Any]:
        """To a file that is there."""
        self.calls.append(("append", path))
        yield self._writer(path, self.files[path])

    def _writer(self, path: str, before: bytes) -> Any:
        self.files[path] = before

        def write(data: bytes) -> None:
            self.files[path] += data

        return SimpleNamespace(write=write)

    @contextmanager
    def read(self, path: str) -> Iterator[Any]:
        """All of a file."""
        self.calls.append(("read", path))
        yield SimpleNamespace(read=lambda: self.files[path])

    def list_status(self, path: str, *, recursive: bool) -> Iterator[Any]:
        """Files below a folder; nothing is asked before the first is taken."""
        self.calls.append(("list_status", path, recursive))
        yield from (SimpleNamespace(path=each) for each in self.files if each.startswith(f"{path}/"))

    def rename(self, path: str, to: str, *, overwrite: bool) -> None:
        """A file, or all of a folder."""
        assert not overwrite
        self.calls.append(("rename", path, to))
        for each in [each for each in self.files if each == path or each.startswith(f"{path}/")]:
            self.files[to + each.removeprefix(path)] = self.files.pop(each)

    def delete(self, path: str, *, recursive: bool) -> None:
        """A file."""
        assert not recursive
        self.calls.append(("delete", path))
        del self.files[path]

    def set_permission(self, path: str, permission: int) -> None:
        """Of a file that is there."""
        assert path in self.files
        self.calls.append(("set_permission", path, permission))

    def get_content_summary(self, path: str) -> None:
        """Only counted."""
        self.calls.append(("get_content_summary", path))
