"""Fixtures that any test may use. What starts a JVM lives in `integration/conftest.py`."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, Phase, settings

from froude.experiment.session import Hadoop
from froude.workload.types import Workload
from testbed import recorded
from tests.support.seeds import examples

# Machines are shared: no example fails for being slow. A long run, `make test-all`, has three times as many.
settings.register_profile(
    "froude",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(102),
)
settings.load_profile("froude")
# Of mutants only whether any example fails is asked, and each time the same (tools/mutate.py).
settings.register_profile("mutants", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])


# All that is collected lives to the end: a fifth of the time of collecting went into looking for garbage in it, and
# every later search of a worker would look again.
gc.disable()


def pytest_collection_finish() -> None:
    """Garbage is collected again, of what tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three workers on two cores: a worker waits for daemons nearly half of the time."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run that all its workers have; whoever writes there holds a lock (`base.locks.in_turn`)."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def mined(shared: Path) -> Workload:
    """The pattern of the job that was recorded on 2 and 3 nodes, mined once in a run."""
    return recorded.mined(shared)


@pytest.fixture(scope="session")
def hadoop() -> Hadoop:
    """The default Hadoop release, out of the cache (fetched once where it is cold)."""
    return Hadoop.find()


Gone = Callable[[Sequence[psutil.Process]], bool]
"""Waits until processes have ended; false when they do not in ten seconds."""


@pytest.fixture
def gone() -> Gone:
    """Tells whether processes end; a dead one that nobody has collected yet counts as ended."""

    def ended(process: psutil.Process) -> bool:
        try:
            return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    def wait(processes: Sequence[psutil.Process]) -> bool:
        deadline = time.monotonic() + 30
        while not all(map(ended, processes)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return all(map(ended, processes))

    return wait


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with nothing in it, and no Froude, Hadoop, Java or Maven named in the environment."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("FROUDE_CACHE", "FROUDE_MAVEN", "HADOOP_HOME", "JAVA_HOME", "M2_REPO", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def tls_alert() -> Iterator[int]:
    """Port of a server that answers plain HTTP as one does that speaks TLS alone."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(b"\x15\x03\x01\x00\x02\x02\x46\r\n")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
