"""A capture as a child process, so that the work of the one who records does not slow the proxy."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from typing import Any, Self

from froude.base.errors import FroudeError, TargetError
from froude.base.files import atomic_write_bytes
from froude.base.scratch import Scratch
from froude.documents.artifact import State
from froude.messages.schema import Schema
from froude.trace.capture.settings import CaptureResult, CaptureSettings, error_from_mapping

_STOP_TIMEOUT_S = 660.0


class CaptureProcess:
    """A capture that runs beside: `with CaptureProcess(settings, schema) as capture:`.

    The child ends with its standard input, so also when this process is killed.
    """

    def __init__(self, settings: CaptureSettings, schema: Schema) -> None:
        """Prepare it; nothing runs before `start`.

        Args:
            settings: what to capture, and where to.
            schema: of the release whose calls pass.
        """
        self.settings = settings
        self._schema = schema
        self._child: subprocess.Popen[bytes] | None = None
        self.addresses: list[tuple[str, int]] = []
        """Where each listener listens, in the order of the settings; known once started."""
        self.result: CaptureResult | None = None
        """What came of it; known once stopped."""
        self.warnings: list[FroudeError] = []
        """What went wrong on the way, forwarding excepted."""

    def start(self) -> None:
        """Start and wait until it listens.

        Raises:
            InputError: an address or the output is taken.
            TargetError: the target does not answer.
            MissingError: no space for the schema among the temporary files.
        """
        command = [sys.executable, "-m", "froude.trace.capture.service"]
        with Scratch("capture") as scratch:
            schema_file = scratch / "schema.fds"
            atomic_write_bytes(schema_file, self._schema.to_bytes())
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            asked = {"settings": self.settings.to_json(), "schema_file": str(schema_file)}
            assert self._child.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # it has ended already, and `_next` says so
                self._child.stdin.write(json.dumps(asked).encode() + b"\n")
                self._child.stdin.flush()
            try:
                reported = self._next()
            except BaseException:
                self._end()
                raise
        self.addresses = [(str(host), int(port)) for host, port in reported["listening"]]

    def settle(self, seconds: float) -> None:
        """Go on for so long, so that periodic calls are seen more than once."""
        time.sleep(seconds)

    def stop(self, state: State = State.COMPLETE) -> CaptureResult:
        """End it and wait for the finished Trace.

        Args:
            state: how what was recorded ended; stands in the Trace's lineage.

        Raises:
            MissingError: the Trace could not be written.
            TargetError: the proxy died.
        """
        if self.result is not None:
            return self.result
        child = self._child
        if child is None or child.stdin is None:
            raise ValueError("the capture was not started")
        with contextlib.suppress(BrokenPipeError):  # it is gone, and `_next` says so
            child.stdin.write(f"{state.value}\n".encode())
            child.stdin.close()
        try:
            reported = self._next()
            self.result = CaptureResult.from_mapping(reported["done"])
        finally:
            self._end()
        return self.result

    @property
    def pid(self) -> int:
        """The proxy's process id."""
        if self._child is None:
            raise ValueError("the capture was not started")
        return self._child.pid

    def cpu_seconds(self) -> float:
        """CPU that the proxies and their recorders have used so far."""
        import psutil

        proxy = psutil.Process(self.pid)
        times = [process.cpu_times() for process in (proxy, *proxy.children(recursive=True))]
        return sum(used.user + used.system for used in times)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if self.result is not None or self._child is None:
            return
        if kind is None:
            self.stop()
            return
        try:
            self.stop(State.INTERRUPTED if kind is KeyboardInterrupt else State.FAILED)
        except FroudeError as second:
            self.warnings.append(second)  # the block's own error is the one to show

    def _end(self) -> None:
        """Wait until it has ended; interrupted again, kill it, so that it writes no Trace after its parent."""
        child = self._child
        assert child is not None
        assert child.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()
            child.wait(_STOP_TIMEOUT_S)
        except KeyboardInterrupt:
            self._kill()
            raise

    def _kill(self) -> None:
        """Kill it with its recorders, which would finish the Trace on their own."""
        import psutil

        assert self._child is not None
        if self._child.poll() is not None:
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            for recorder in psutil.Process(self._child.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    recorder.kill()
        self._child.kill()
        self._child.wait()

    def _next(self) -> dict[str, Any]:
        """The next report that is not a warning."""
        assert self._child is not None
        assert self._child.stdout is not None
        for line in self._child.stdout:
            report: dict[str, Any] = json.loads(line)
            if "warning" in report:
                self.warnings.append(error_from_mapping(report["warning"]))
            elif "error" in report:
                raise error_from_mapping(report["error"])
            else:
                return report
        raise TargetError("ended before its time", file="the capture's proxy process")
