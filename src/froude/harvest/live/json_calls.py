"""Calls of a server that takes and gives JSON over HTTP: bounded, with one clear error."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from froude.base.errors import TargetError

_LARGEST_BYTES = 256 << 20
_TIMEOUT_S = 30.0


class RefusedError(TargetError):
    """A server answered that it does not do what it is asked for."""


class JsonCalls:
    """One server."""

    def __init__(
        self,
        address: str,
        root: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            address: `host:port`.
            root: what all paths hang below, with a slash at its end; empty for none.
            query: what every call asks beside its own.
            headers: what every call says beside its form.
        """
        self._address, self._root = address, root
        self._query = list(query)
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **(headers or {})}
        # An opener of our own: proxies of the environment are not for clusters.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def send(self, method: str, path: str, body: Any = None, *, query: Sequence[tuple[str, str]] = ()) -> Any:
        """Make a call.

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
        asked = [*query, *self._query]
        url = f"http://{self._address}/{self._root}{path}" + (f"?{urlencode(asked)}" if asked else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, self._headers, method=method)
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return _answer(answer.read(_LARGEST_BYTES), strict=method == "GET")
        except urllib.error.HTTPError as error:
            raise RefusedError(f"refuses {path}", file=self._address, found=_said(error)) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise TargetError(f"does not answer ({error})", file=self._address) from error


def _answer(raw: bytes, *, strict: bool) -> Any:
    try:
        return json.loads(raw) if raw or strict else None
    except ValueError:
        if strict:
            raise
        return None


def _said(error: urllib.error.HTTPError) -> str:
    """What it gives as the reason, short: a ResourceManager's, or that of our own service."""
    try:
        answer = json.loads(error.read(4096).decode("utf-8", "replace"))
        return str(answer["RemoteException"]["message"] if "RemoteException" in answer else answer["detail"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return f"{error.code} {error.reason}"
