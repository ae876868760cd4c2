"""Speaks to a cached disk's control socket."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from froude.base.errors import MissingError, TargetError
from froude.cache.disk.status import DiskStatus, Limits, status_from

_ANSWER_LIMIT = 16 << 20
"""Bytes: a curve of very many points is below it."""


class DiskClient:
    """A connection to one disk; `with DiskClient(path) as disk:`."""

    def __init__(self, path: Path, *, timeout_s: float = 30.0) -> None:
        """Connect.

        Args:
            timeout_s: how long an answer may take; a resize answers when the SSD has its space back.

        Raises:
            MissingError: nobody serves there.
        """
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX)
        self._timeout_s = timeout_s
        self._rest = bytearray()
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(self._path)
        except OSError as error:
            self._socket.close()
            raise MissingError(f"no disk answers there ({error.strerror or error})", file=path) from error

    def stat(self) -> DiskStatus:
        """The disk's status.

        Raises:
            TargetError: it does not answer, or something else.
        """
        return status_from(self._ask({"cmd": "stat"}), self._path)

    def resize(self, size_bytes: int) -> Mapping[str, Any]:
        """Let the cache hold so much from now on; returns when what is too much has been given back.

        Args:
            size_bytes: 0 or more.

        Raises:
            TargetError: it does not answer, or refuses.
        """
        return self._ask({"cmd": "resize", "bytes": size_bytes})

    def limit(self, limits: Limits) -> None:
        """Set both limits.

        Raises:
            TargetError: it does not answer, or refuses.
        """
        self._ask({"cmd": "limit", "iops": limits.iops, "bytes_per_s": limits.bytes_per_s})

    def curve(self, *, forget: bool = False) -> Mapping[str, Any]:
        """The miss-ratio curve of the reads so far, as `commands` describes it.

        Args:
            forget: begin to count anew after it.

        Raises:
            TargetError: it does not answer.
        """
        return self._ask({"cmd": "curve", "forget": forget})

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def __enter__(self) -> DiskClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _line(self) -> bytes:
        """The next line within the time of one answer, however its bytes come; shorter where the connection ended."""
        until = time.monotonic() + self._timeout_s
        end = self._rest.find(b"\n") + 1
        while not end and len(self._rest) < _ANSWER_LIMIT:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self._socket.settimeout(left)
            if not (came := self._socket.recv(1 << 16)):
                break
            end = len(self._rest) + came.find(b"\n") + 1 if b"\n" in came else 0
            self._rest += came
        line = bytes(self._rest[:end])
        del self._rest[:end]
        return line

    def _ask(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            self._socket.sendall(json.dumps(command).encode() + b"\n")
            line = self._line()
        except OSError as error:
            self.close()  # what it may still say would be taken for the next answer
            raise TargetError(f"does not answer ({error})", file=self._path) from error
        if not line.endswith(b"\n"):
            raise TargetError("ended the connection", file=self._path)
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise TargetError("answers no JSON", file=self._path, found=repr(line[:80])) from error
        if not isinstance(answer, dict):
            raise TargetError("answers no object", file=self._path, found=repr(line[:80]))
        if isinstance(answer.get("error"), dict):
            parts = {k: answer["error"].get(k) for k in ("place", "found", "allowed", "remedy")}
            message = str(answer["error"].get("message", "refused"))
            raise TargetError(message, file=self._path, **parts)
        return answer
