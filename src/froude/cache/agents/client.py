"""Speaks to agents: each with a time limit, a bound on what it may answer, and its certificate looked at."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import requests
import urllib3

from froude.base.errors import TargetError
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import (
    Apply,
    CachedVm,
    HypervisorReport,
    LimitsMessage,
    Message,
    VmReport,
    parsed,
)

_LARGEST_BYTES = 64 << 20
M = TypeVar("M", bound=Message)


@dataclass(slots=True)
class AgentClient:
    """One agent; used by one thread at a time."""

    url: str
    """Such as `https://10.0.0.1:8078`."""
    token: str
    """The secret."""
    timeout_s: float = 10.0
    """For the connection, and for every part of the answer."""
    authority: Path | None = None
    """PEM file of who signed its certificate; None for the system's."""
    _session: requests.Session = field(default_factory=requests.Session)
    _instance: str | None = None
    """Of the agent, as it last reported."""

    def __post_init__(self) -> None:
        """Proxies of the environment are not for agents."""
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {self.token}"
        self._session.verify = True if self.authority is None else str(self.authority)

    def hypervisor(self) -> HypervisorReport:
        """The report of a hypervisor's agent.

        Raises:
            TargetError: no answer, or not one.
        """
        report = self._asked(HypervisorReport, "GET", "v1/report")
        self._instance = report.instance
        return report

    def vm(self) -> VmReport:
        """The report of a VM's agent.

        Raises:
            TargetError: no answer, or not one.
        """
        return self._asked(VmReport, "GET", "v1/report")

    def apply(self, vm: str, number: int, limits: Limits) -> CachedVm:
        """Change the limits of a VM.

        Args:
            vm: its name.
            number: of the change.
            limits: all of them.

        Returns:
            The VM after it.

        Raises:
            TargetError: refused, or nobody knows whether it was done.
        """
        body = Apply(number=number, instance=self._instance, limits=LimitsMessage.of(limits))
        return self._asked(CachedVm, "PUT", f"v1/vms/{quote(vm, safe='')}/limits", body.model_dump())

    def close(self) -> None:
        """End its connections."""
        self._session.close()

    def _asked(self, kind: type[M], method: str, path: str, body: Mapping[str, Any] | None = None) -> M:
        try:
            with self._session.request(
                method,
                f"{self.url}/{path}",
                json=body,
                timeout=self.timeout_s,
                stream=True,
                allow_redirects=False,
            ) as answer:
                data, status = self._read(answer), answer.status_code
        except (
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            http.client.HTTPException,
            OSError,
        ) as error:
            raise TargetError(f"does not answer ({_cause(error)})", file=self.url) from error
        try:
            document = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise TargetError("answers no JSON", file=self.url, found=f"status {status}") from error
        if status != 200:
            raise _refusal(self.url, status, document)
        return parsed(kind, document, peer=self.url)

    def _read(self, answer: requests.Response) -> bytes:
        """All of an answer, unless it is too large, or comes too slowly.

        Raises:
            TargetError: it is, or does.
        """
        data, until = bytearray(), time.monotonic() + self.timeout_s
        # what has come, however little: a whole piece may be long in coming
        while piece := answer.raw.read1(1 << 16, decode_content=True):
            data += piece
            if len(data) > _LARGEST_BYTES:
                raise TargetError("answers too much", file=self.url, allowed=f"at most {_LARGEST_BYTES} B")
            if time.monotonic() > until:
                raise TargetError(f"does not answer within {self.timeout_s:g} s", file=self.url)
        return bytes(data)


def _refusal(url: str, status: int, document: object) -> TargetError:
    fields = document if isinstance(document, dict) else {}
    parts = {name: fields[name] for name in ("place", "found", "allowed") if fields.get(name) is not None}
    return TargetError(f"refuses with {status}: {fields.get('message', 'no reason')}", file=url, **parts)


def _cause(error: BaseException) -> str:
    """The innermost reason: libraries wrap it several times."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment] # one of them is there
    return str(error) or type(error).__name__
