"""Daemons as child processes: started under a reaper, ready when they answer, stopped by process id.

A daemon has a run folder with its configuration, log, output and pid. When it dies early, the error that it
logged itself is what the user sees.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import psutil

from froude.base.errors import TargetError
from froude.base.files import atomic_write_text, stated_os_errors
from froude.base.limits import raise_descriptor_limit
from froude.hadoop import site
from froude.hadoop.metrics.threads import ThreadTimes
from froude.hadoop.release import cds, jvm
from froude.hadoop.release.distribution import Hadoop

REAPER = Path(__file__).with_name("_reaper.py")
"""The program that stands between Froude and each child (see there)."""

_POLL_S = 0.02
_STOP_S = 10.0
_LOG_TAIL_BYTES = 256 << 10
_WEBAPPS = ("hdfs", "datanode", "static", "secondary", "journal")
_MESSAGE_LINES = 4
_PROBLEM = re.compile(
    r"^\S+ \S+ (?:ERROR|FATAL) |^(?:Exception in thread|Caused by: |Error: |\S*(?:Exception|Error): )"
)


class Daemon:
    """One daemon's process, from its start to its end."""

    def __init__(  # noqa: PLR0913 - the parts of one command line
        self,
        hadoop: Hadoop,
        *,
        name: str,
        main_class: str,
        folder: Path,
        arguments: Sequence[str] = (),
        heap: str | int = "256 MB",
        fast: bool = False,
        flags: Sequence[str] = (),
        jars: Sequence[Path] = (),
        patches: Sequence[Path] = (),
        before: Sequence[str] = (),
    ) -> None:
        """Describe a daemon; nothing is started yet.

        Args:
            name: short, unique in its folder: `namenode`, `datanode-0`.
            folder: its run folder; configuration is read from `conf` in it.
            heap: its largest heap, such as `4 GB`.
            fast: quick start-up instead of full speed (see `jvm.FAST_FLAGS`).
            flags: further JVM flags, such as `-Xlog:gc:file=gc.log`.
            jars: plug-ins, behind the release's own on the class path.
            patches: jars before the release's own, whose classes take the place of its classes.
            before: a program by its path, and its first words, that does something to its own process, such as to
                join a control group, and then becomes what its further words say.
        """
        self.hadoop = hadoop
        self.name = name
        self.folder = folder
        self.main_class = main_class
        self._arguments = tuple(arguments)
        self._before = tuple(before)
        self._fast = fast
        self._jars, self._patches = tuple(jars), tuple(patches)
        self._flags = [
            *jvm.flags(heap=heap, fast=fast, java=hadoop.java, release=hadoop.version, further=flags),
            *(cds.flags(hadoop) if fast else ()),
            *flags,
        ]
        self._process: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._threads: ThreadTimes | None = None

    @property
    def conf(self) -> Path:
        """The folder of its configuration files."""
        return self.folder / "conf"

    @property
    def log(self) -> Path:
        """Its own log."""
        return self.folder / f"{self.name}.log"

    @property
    def output(self) -> Path:
        """What it wrote to standard output and error."""
        return self.folder / f"{self.name}.out"

    @property
    def pid(self) -> int:
        """The process id of the Java process itself.

        Raises:
            TargetError: it is not running.
        """
        if self._pid is None:
            raise TargetError("is not running", file=self.name, remedy="Start it first")
        return self._pid

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    def configure(self, files: Mapping[str, Mapping[str, str]], log4j: str) -> None:
        """Write its configuration.

        Args:
            files: properties by file name, such as `{"core-site.xml": {...}}`.
            log4j: the text of `log4j.properties`; `${froude.log}` is its log file.
        """
        for name, properties in files.items():
            site.write_site(self.conf / name, properties)
        atomic_write_text(self.conf / "log4j.properties", log4j)
        for each in _WEBAPPS:  # the real ones are only in a tests jar; empty ones are enough for /jmx
            (self.conf / "webapps" / each / "WEB-INF").mkdir(parents=True, exist_ok=True)

    def command(self, arguments: Sequence[str] | None = None) -> list[str]:
        """The Java command line."""
        return [
            str(self.hadoop.java.path),
            *self._flags,
            f"-Dfroude.log={self.log}",
            f"-Dhadoop.log.dir={self.folder}",
            f"-Djava.io.tmpdir={self.folder}",  # where Jetty unpacks pages, which a killed daemon leaves
            "-cp",
            ":".join(self._class_path()),
            self.main_class,
            *(self._arguments if arguments is None else arguments),
        ]

    def _class_path(self) -> list[str]:
        released = cds.class_path(self.hadoop, self.conf, fast=self._fast)
        return [*map(str, self._patches), released, *map(str, self._jars)]

    def start(self) -> None:
        """Start the process; `wait_until` tells when it answers.

        Raises:
            TargetError: it runs already, or could not be started.
        """
        if self.running:
            raise TargetError("runs already", file=self.name)
        raise_descriptor_limit()
        pid_file = self.folder / f"{self.name}.pid"
        pid_file.unlink(missing_ok=True)
        reaper = reaper_command(pid_file, descendants=True)
        with stated_os_errors(self.output), self.output.open("ab") as out:
            self._process = subprocess.Popen(
                [*reaper, *self._before, *self.command()],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=child_environment(self.hadoop, self.conf),
                cwd=self.folder,
                start_new_session=True,  # Ctrl-C is for Froude, which then stops its daemons in order
            )
        self._pid = self._await_pid(pid_file)
        self._threads = ThreadTimes(self._pid)

    def run(self, arguments: Sequence[str], *, timeout_s: float = 120) -> None:
        """Run the same class to its end, for one-off tasks such as formatting.

        Args:
            arguments: of the class, such as `-format`.
            timeout_s: seconds it may take; then it is ended.

        Raises:
            TargetError: it failed or took too long; with what it said.
        """
        reaper = reaper_command()
        with self.output.open("ab") as out:
            try:
                done = subprocess.run(
                    [*reaper, *self.command(arguments)],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    env=child_environment(self.hadoop, self.conf),
                    cwd=self.folder,
                    timeout=timeout_s,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise self._failed(f"took longer than {timeout_s:g} s") from error
        if done.returncode:
            raise self._failed(f"ended with exit code {done.returncode}")

    def wait_until(self, ready: Callable[[], bool], *, what: str, timeout_s: float = 60) -> None:
        """Ask until the daemon answers.

        Args:
            ready: whether it does; asked every 20 ms.

        Raises:
            TargetError: it died, or did not answer in time; with the last error of its own log.
        """
        deadline = time.monotonic() + timeout_s
        while not ready():
            self.check()
            if time.monotonic() > deadline:
                raise self._failed(f"did not come to {what} in {timeout_s:g} s")
            time.sleep(_POLL_S)

    def check(self) -> None:
        """See that it has not died by itself.

        Raises:
            TargetError: it has; with the last error of its own log.
        """
        if not self.running:
            code = self._process.returncode if self._process is not None else None
            raise self._failed("is not running" if code is None else f"ended with exit code {code}")

    def terminate(self) -> None:
        """Ask it to end, without waiting."""
        if self.running and self._pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGCONT)  # a stopped process ends only once it goes on
                os.kill(self._pid, signal.SIGTERM)

    def stop(self, *, timeout_s: float = _STOP_S) -> None:
        """End it: asked first, killed when it does not follow in time. Harmless when it is not running."""
        if self._process is None:
            return
        self.terminate()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None
        self._pid = None

    def kill(self) -> None:
        """End it at once, as a crash would (kill -9)."""
        if self.running and self._pid is not None and self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._process.wait(_STOP_S)

    def cpu_seconds(self) -> float:
        """CPU time that it used so far, user and system."""
        times = psutil.Process(self.pid).cpu_times()
        return float(times.user + times.system)

    def thread_seconds(self) -> dict[str, float]:
        """What its JVM's compiler and garbage collector used of it (`metrics.threads`); empty where not known."""
        return {} if self._threads is None else self._threads.sample()

    def rss_bytes(self) -> int:
        """Memory that it holds now."""
        return int(psutil.Process(self.pid).memory_info().rss)

    def last_error(self) -> str | None:
        """The last error that the daemon itself reported, in one or two lines."""
        return last_error(self.log, self.output)

    def _failed(self, message: str) -> TargetError:
        remedy = f"Its log is {self.log if self.log.exists() else self.output}"
        return TargetError(message, file=self.name, found=self.last_error(), remedy=remedy)

    def _await_pid(self, pid_file: Path) -> int:
        """The Java process's id, which the reaper writes in the first milliseconds."""
        deadline = time.monotonic() + _STOP_S
        while time.monotonic() < deadline:
            if pid_file.exists():
                return int(pid_file.read_text())
            if not self.running:
                break
            time.sleep(0.001)
        raise self._failed("could not be started")


def reaper_command(pid_file: Path | None = None, *, descendants: bool = False) -> list[str]:
    """What goes before a program's words so that it falls with this process, also after kill -9.

    Args:
        pid_file: where its process id is written; None for nowhere.
        descendants: whether all that it has started falls with it, whatever session that has made for itself.
    """
    everything = ["--descendants"] if descendants else []
    program = [sys.executable, "-I", "-S", str(REAPER)]
    return [*program, *everything, str(os.getpid()), "-" if pid_file is None else str(pid_file)]


def child_environment(hadoop: Hadoop, conf: Path) -> dict[str, str]:
    """This process's environment without what would leak another Hadoop or other JVM flags into a child."""
    return {**clean_environment(conf), "JAVA_HOME": str(hadoop.java.home)}


def clean_environment(conf: Path) -> dict[str, str]:
    """The same for a child that knows its Java."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("HADOOP_", "HDFS_", "YARN_"))
    }
    for harmful in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"):
        kept.pop(harmful, None)
    return {**kept, "HADOOP_CONF_DIR": str(conf)}


def last_error(*logs: Path) -> str | None:
    """The last error in the first of some logs that has one; None where none does, or none is there."""
    return next(filter(None, (last_problem(_tail(log)) for log in logs)), None)


def last_problem(log: str) -> str | None:
    """The last error in a log4j log or a Java stack trace, with its cause.

    Returns:
        The error line, and what the exception after it says; None when nothing went wrong.
    """
    lines = log.splitlines()
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if not _PROBLEM.match(line) or line.startswith("SLF4J"):
            continue
        after = " ".join(takewhile(_is_message, lines[index + 1 : index + 1 + _MESSAGE_LINES]))
        if line.rstrip().endswith("Exception:"):  # its message begins on the next line
            return f"{line.rstrip()} {after}"
        if line.startswith("Caused by: "):
            return line.removeprefix("Caused by: ")
        text = re.sub(r"^\S+ \S+ (?:ERROR|FATAL) \S+ ?", "", line)
        is_exception = re.match(r"^[\w.$]+(?:Exception|Error)\b", after) is not None
        return f"{text} {after}".strip() if is_exception else text.strip()
    return None


def _is_message(line: str) -> bool:
    """Whether a line goes on with an exception's message: it is no frame of its stack, and no next entry."""
    return not re.match(r"\s|Caused by: |\d{4}-\d\d-\d\d ", line)


def _tail(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as data:
        data.seek(max(0, path.stat().st_size - _LOG_TAIL_BYTES))
        return data.read().decode(errors="replace")
