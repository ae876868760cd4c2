"""Asks the daemon where a job shall run, runs it, and tells how long it took."""

from __future__ import annotations

import math
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from froude.base.clock import Clock
from froude.base.errors import InputError, TargetError
from froude.base.files import read_bounded, stated_os_errors
from froude.documents.reading import STAMP, parse_figures
from froude.hadoop.cluster.program import find_program
from froude.hadoop.rpc.target import parse_address
from froude.harvest.live.service_file import ACCESS, ACCESS_VERSION
from froude.harvest.live.submitting import Target, submission_for
from froude.rest.calls import JsonCalls, require_authority, server_of

_LIMIT_BYTES = 1 << 16
_POLL_S = 1.0
_ENDED = frozenset(("FINISHED", "FAILED", "KILLED"))


class Selecting(Protocol):
    """Who tells where a job shall run."""

    def select(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """An answer of the form of the API's."""

    def ran(self, told: Mapping[str, Any]) -> None:
        """Take how a job ran.

        Args:
            told: job, seconds and containers.
        """


class Remote:
    """The daemon, by its API."""

    def __init__(self, access: Path, authority: Path | None = None) -> None:
        """Nothing is sent yet.

        Args:
            access: where the daemon says that it is; or the folder of that file.
            authority: PEM file of who signed its certificate; None for the system's.

        Raises:
            InputError: no such file: the daemon does not run; or it is none, or the authority is.
        """
        file = access / "access.json" if access.is_dir() else access
        if not file.exists():
            raise InputError("is not there", file=file, remedy="Start the daemon: froude harvest serve")
        root = parse_figures(read_bounded(file, limit_bytes=_LIMIT_BYTES), str(file))
        if root.value(STAMP, str) != f"{ACCESS}/{ACCESS_VERSION}":
            raise root.error(STAMP, f"is not a {ACCESS} of this release", found=root.value(STAMP, str))
        address, token = root.value("address", str), root.value("token", str)
        root.finish()
        server = server_of(address)
        if server is None:
            raise root.error("address", "is no address of a daemon", found=address)
        parse_address(server[1], place=f"{file}:address")
        if not (token.isascii() and token.isprintable()):
            raise root.error("token", "is no token")
        if authority is not None:
            require_authority(authority)
        # the secret is for nobody else
        headers = {"Authorization": f"Bearer {token}"}
        self._calls = JsonCalls(address, "v1/", headers=headers, authority=authority, redirects=False)

    def select(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Selecting`."""
        answer: Mapping[str, Any] = self._calls.send("POST", "select", dict(asked))
        return answer

    def ran(self, told: Mapping[str, Any]) -> None:
        """See `Selecting`."""
        self._calls.send("POST", "ran", dict(told))


def run_commands(commands: Sequence[Sequence[str]], *, quiet_output: bool = False) -> list[int]:
    """Run commands side by side to their ends, with this process's input and output; all end with it.

    Args:
        quiet_output: whether what they print goes to standard error, so that ours stays alone on standard output.

    Returns:
        The exit code of each.

    Raises:
        InputError: there is no such program; nothing was started.
    """
    found = [[find_program(words[0]), *words[1:]] for words in commands]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for words in found:
            with stated_os_errors(Path(words[0])):
                processes.append(subprocess.Popen(words, stdout=2 if quiet_output else None))
        return [process.wait() for process in processes]
    finally:
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)


def run_application(
    cluster: JsonCalls, fields: Mapping[str, Any], target: Target, clock: Clock
) -> tuple[str, float]:
    """Run an application by a ResourceManager's REST interface to its end.

    Args:
        cluster: below `ws/v1/cluster/`.
        fields: its submission context, without id and labels.

    Returns:
        Its id, and how long it took, seconds.

    Raises:
        TargetError: it was refused, or did not succeed.
    """
    try:
        application = str(cluster.send("POST", "apps/new-application", {})["application-id"])
        cluster.send("POST", "apps", submission_for(fields, target, application))
        while True:
            app = cluster.send("GET", f"apps/{application}")["app"]
            if app["state"] in _ENDED:
                break
            clock.sleep(_POLL_S)
        if app["finalStatus"] != "SUCCEEDED":
            said = " ".join(str(app.get("diagnostics") or "").split())
            raise TargetError("did not succeed", file=application, found=said or app["finalStatus"])
        seconds = float(app["elapsedTime"]) / 1000
        if not 0 <= seconds < math.inf:
            raise ValueError(f"elapsedTime {seconds}")
        return application, seconds
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise TargetError("answers with a form that is not known", found=str(error)) from error
