"""Speaks to agents: each with a time limit, a bound on what it may answer, and its certificate looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from froude.base.errors import TargetError
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import (
    Apply,
    CachedVm,
    HypervisorReport,
    Message,
    VmReport,
    parsed,
)
from froude.rest.calls import Bounds, JsonCalls

_LARGEST_BYTES = 64 << 20
M = TypeVar("M", bound=Message)


@dataclass(slots=True)
class AgentClient:
    """One agent; used by one thread at a time."""

    url: str
    """Such as `https://10.0.0.1:8078`."""
    token: str
    timeout_s: float = 10.0
    """For the connection, and for the answer."""
    authority: Path | None = None
    """PEM file of who signed its certificate; None for the system's."""
    _instance: str | None = None
    """Of the agent, as it last reported."""

    def hypervisor(self) -> HypervisorReport:
        """The report of a hypervisor's agent.

        Raises:
            TargetError: no answer, or not one.
        """
        report = self._asked(HypervisorReport, "GET", "report")
        self._instance = report.instance
        return report

    def vm(self) -> VmReport:
        """The report of a VM's agent.

        Raises:
            TargetError: no answer, or not one.
        """
        return self._asked(VmReport, "GET", "report")

    def apply(self, vm: str, number: int, limits: Limits) -> CachedVm:
        """Change the limits of a VM.

        Returns:
            The VM after it.

        Raises:
            TargetError: refused, or nobody knows whether it was done.
        """
        body = Apply(number=number, instance=self._instance, limits=limits)
        return self._asked(CachedVm, "PUT", f"vms/{quote(vm, safe='')}/limits", body.model_dump())

    def _asked(self, kind: type[M], method: str, path: str, body: Mapping[str, Any] | None = None) -> M:
        calls = JsonCalls(
            self.url,
            "v1/",
            headers={"Authorization": f"Bearer {self.token}"},
            bounds=Bounds(self.timeout_s, self.timeout_s, _LARGEST_BYTES),
            authority=self.authority,
            redirects=False,  # the secret is for nobody else
        )
        answer = calls.ask(method, path, body)
        try:
            document = json.loads(answer.data)
        except (ValueError, RecursionError) as error:
            raise TargetError("answers no JSON", file=self.url, found=f"status {answer.status}") from error
        if answer.status != 200:
            raise _refusal(self.url, answer.status, document)
        return parsed(kind, document, peer=self.url)


def _refusal(url: str, status: int, document: object) -> TargetError:
    fields = document if isinstance(document, dict) else {}
    parts = {name: fields[name] for name in ("place", "found", "allowed") if fields.get(name) is not None}
    return TargetError(f"refuses with {status}: {fields.get('message', 'no reason')}", file=url, **parts)
