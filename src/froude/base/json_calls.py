"""Calls of a server that takes and gives JSON over HTTP: bounded in size and time, with one clear error."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import requests
import urllib3

from froude.base.errors import TargetError


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a server may take."""

    timeout_s: float = 30.0
    """For the connection, and from one part of the answer to the next."""
    whole_s: float | None = None
    """For the whole answer; None for as long as parts come in time."""
    largest_bytes: int = 256 << 20
    """Of an answer."""


class RefusedError(TargetError):
    """A server answered that it does not do what it is asked for."""


class Answer(NamedTuple):
    """What a server answers, whatever it is."""

    status: int
    reason: str
    data: bytes


class JsonCalls:
    """One server; every call has a connection of its own, so that none is made on one that was closed meanwhile."""

    def __init__(
        self,
        address: str,
        root: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        bounds: Bounds | None = None,
        authority: Path | None = None,
        redirects: bool = True,
    ) -> None:
        """Nothing is sent yet.

        Args:
            address: `host:port`, or with `https://` before it.
            root: what all paths hang below, with a slash at its end; empty for none.
            query: what every call asks beside its own.
            headers: what every call says beside its form.
            bounds: of its answers.
            authority: PEM file of who signed its certificate; None for the system's.
            redirects: whether it may send a call elsewhere.
        """
        self._address = address
        self._url = f"{address if '://' in address else f'http://{address}'}/{root}"
        self._query = list(query)
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **(headers or {})}
        self._bounds = bounds or Bounds()
        self._verify = True if authority is None else str(authority)
        self._redirects = redirects

    def ask(
        self, method: str, path: str, body: Any = None, *, query: Sequence[tuple[str, str]] = ()
    ) -> Answer:
        """Make a call, whatever is answered.

        Args:
            method: such as `GET`.
            path: below the server's.
            body: what is sent, as JSON; None for nothing.
            query: what is asked.

        Raises:
            TargetError: no answer, or one that is too large or takes too long.
        """
        try:
            with requests.Session() as session:
                session.trust_env = False  # proxies of the environment are not for clusters
                with session.request(
                    method,
                    f"{self._url}{path}",
                    params=[*query, *self._query],
                    data=None if body is None else json.dumps(body).encode(),
                    headers=self._headers,
                    timeout=self._bounds.timeout_s,
                    verify=self._verify,
                    allow_redirects=self._redirects,
                    stream=True,
                ) as answer:
                    return Answer(answer.status_code, answer.reason or "", self._read(answer))
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise TargetError(f"does not answer ({_cause(error)})", file=self._address) from error

    def send(self, method: str, path: str, body: Any = None, *, query: Sequence[tuple[str, str]] = ()) -> Any:
        """Make a call that must be served.

        Args:
            method: such as `GET`.
            path: below the server's.
            body: what is sent, as JSON; None for nothing.
            query: what is asked.

        Returns:
            The answer; None for an empty one, or one of a call that changes something and is no JSON.

        Raises:
            RefusedError: it refuses.
            TargetError: no answer, or one that is no JSON.
        """
        answer = self.ask(method, path, body, query=query)
        if not 200 <= answer.status < 300:
            raise RefusedError(f"refuses {path}", file=self._address, found=_said(answer))
        strict = method == "GET"
        try:
            return json.loads(answer.data) if answer.data or strict else None
        except (ValueError, RecursionError) as error:
            if strict:
                raise TargetError(f"does not answer ({error})", file=self._address) from error
            return None

    def _read(self, answer: requests.Response) -> bytes:
        data, begun, bounds = bytearray(), time.monotonic(), self._bounds
        # what has come, however little: a whole piece may be long in coming
        while piece := answer.raw.read1(1 << 16, decode_content=True):
            data += piece
            if len(data) > bounds.largest_bytes:
                allowed = f"at most {bounds.largest_bytes} B"
                raise TargetError("answers too much", file=self._address, allowed=allowed)
            if bounds.whole_s is not None and time.monotonic() - begun > bounds.whole_s:
                raise TargetError(f"does not answer within {bounds.whole_s:g} s", file=self._address)
        return bytes(data)


def _said(answer: Answer) -> str:
    """What it gives as the reason, short: a ResourceManager's, or that of our own service."""
    try:
        told = json.loads(answer.data[:4096].decode("utf-8", "replace"))
        return str(told["RemoteException"]["message"] if "RemoteException" in told else told["detail"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"{answer.status} {answer.reason}"


def _cause(error: BaseException) -> str:
    """The innermost reason: libraries wrap it several times."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment] # one of them is there
    return str(error) or type(error).__name__
