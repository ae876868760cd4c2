"""Calls of a server that takes and gives JSON over HTTP: bounded in size and time, with one clear error."""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

from froude.base.errors import InputError, TargetError
from froude.base.files import read_bounded

_LARGEST_PEM = 4 << 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a server may take."""

    timeout_s: float = 30.0
    """For the connection, and from one part of the answer to the next."""
    whole_s: float | None = None
    """For the whole call once it is connected, from the first byte of TLS to the last of the answer; None for as long as
    parts come in time."""
    largest_bytes: int = 256 << 20


def server_of(url: str) -> tuple[str, str] | None:
    """Scheme and `host`, or `host:port`, of a server's URL; None for any other text.

    Args:
        url: such as `https://10.0.0.1:8078`.
    """
    scheme, _, server = url.partition("://")
    if scheme not in {"http", "https"} or not server or any(sign in server for sign in " /?#@"):
        return None
    return scheme, server


def require_authority(path: Path) -> None:
    """See that a file holds certificates, before a peer is blamed for what it lacks.

    Raises:
        InputError: it cannot be read, or holds none.
    """
    read_bounded(path, limit_bytes=_LARGEST_PEM)
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:
        raise InputError(
            "holds no certificate", file=path, found=getattr(error, "reason", None) or error
        ) from error


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
            authority: PEM file of who signed its certificate; None for the system's.
            redirects: whether it may send a GET elsewhere; anything else that it sends elsewhere is refused.
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
            body: what is sent, as JSON; None for nothing.

        Raises:
            TargetError: no answer, or one that is too large or takes too long.
        """
        late = threading.Event()
        try:
            with (
                _session(self._bounds.whole_s, late) as session,
                session.request(
                    method,
                    f"{self._url}{path}",
                    params=[*query, *self._query],
                    data=None if body is None else json.dumps(body).encode(),
                    headers=self._headers,
                    timeout=self._bounds.timeout_s,
                    verify=self._verify,
                    # A change that is sent elsewhere would arrive there as a question.
                    allow_redirects=self._redirects and method == "GET",
                    stream=True,
                ) as answer,
            ):
                found = Answer(answer.status_code, answer.reason or "", self._read(answer))
                if late.is_set():  # what has come seems to be all
                    raise TimeoutError
                return found
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            cause = f"within {self._bounds.whole_s:g} s" if late.is_set() else f"({_cause(error)})"
            raise TargetError(f"does not answer {cause}", file=self._address) from error

    def send(self, method: str, path: str, body: Any = None, *, query: Sequence[tuple[str, str]] = ()) -> Any:
        """Make a call that must be served.

        Args:
            method: such as `GET`.
            body: what is sent, as JSON; None for nothing.

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
        data, bounds = bytearray(), self._bounds
        # what has come, however little: a whole piece may be long in coming
        while piece := answer.raw.read1(1 << 16, decode_content=True):
            data += piece
            if len(data) > bounds.largest_bytes:
                allowed = f"at most {bounds.largest_bytes} B"
                raise TargetError("answers too much", file=self._address, allowed=allowed)
        return bytes(data)


@contextmanager
def _session(whole_s: float | None, late: threading.Event) -> Iterator[requests.Session]:
    """A session whose connections are cut off after so long, whatever is being waited for; the event tells of that.

    A timeout of sockets counts from one byte to the next: a head, or a handshake of TLS, that drips is never too late.
    """
    connected: list[socket.socket] = []

    class Noting(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            made = super()._new_conn()
            connected.append(socket.socket(fileno=os.dup(made.fileno())))  # TLS takes the other one over
            return made

    class Secure(Noting, HTTPSConnection):
        pass

    class Plain(urllib3.HTTPConnectionPool):
        ConnectionCls = Noting

    class Encrypted(urllib3.HTTPSConnectionPool):
        ConnectionCls = Secure

    def cut_off() -> None:
        late.set()
        for each in connected:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    timer = None if whole_s is None else threading.Timer(whole_s, cut_off)
    with requests.Session() as session:
        session.trust_env = False  # proxies of the environment are not for clusters
        adapter = HTTPAdapter()
        adapter.poolmanager.pool_classes_by_scheme = {"http": Plain, "https": Encrypted}
        for scheme in ("http://", "https://"):
            session.mount(scheme, adapter)
        try:
            if timer is not None:
                timer.daemon = True
                timer.start()
            yield session
        finally:
            if timer is not None:
                timer.cancel()
                timer.join()
            for each in connected:
                each.close()


def _said(answer: Answer) -> str:
    """What it gives as the reason, short: a ResourceManager's, or that of our own service."""
    try:
        told = json.loads(answer.data[:4096].decode("utf-8", "replace"))
        return str(told.get("RemoteException", told)["message"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"{answer.status} {answer.reason}"


def _cause(error: BaseException) -> str:
    """The innermost reason: libraries wrap it several times."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment] # one of them is there
    return str(error) or type(error).__name__
