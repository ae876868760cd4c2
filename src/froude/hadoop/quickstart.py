"""Start-up in two thirds of the time, or less: the daemons' classes, parsed and verified once, kept on disk.

A JVM spends most of a daemon's start on reading some nine thousand classes. `prepare` starts a small cluster
once, notes which classes it loads, and has the JVM write them into an archive that later starts map into
memory (class data sharing). Only `fast` starts use it, and only releases that Froude fetched itself, whose
jars hold no configuration: the archive wants the jars first on the class path and the configuration last.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.files import stated_os_errors
from froude.base.progress import Progress

if TYPE_CHECKING:
    from froude.hadoop.distribution import Hadoop

_OLDEST_JAVA = 17
_DUMP_S = 180
_LISTED = re.compile(r"^([\w/$]+)(?: id: .*)?$")


def archive(hadoop: Hadoop) -> Path | None:
    """Where the archive for this release and this Java is, or would be; None where there can be none."""
    if hadoop.cache is None or hadoop.java.major < _OLDEST_JAVA:
        return None
    parts = [hadoop.java.version, str(hadoop.java.path.resolve()), *(_state(jar) for jar in hadoop.jars)]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return hadoop.cache / "classes" / f"{hadoop.version}-java{hadoop.java.major}-{digest}.jsa"


def ready(hadoop: Hadoop) -> Path | None:
    """The archive, if it is there."""
    place = archive(hadoop)
    return place if place is not None and place.is_file() else None


def flags(hadoop: Hadoop) -> list[str]:
    """JVM flags that use the archive; none where it is not there.

    An archive that does not fit (a jar was touched) is passed over by the JVM, which then starts as usual;
    its remark on that is kept out of a client's output.
    """
    place = ready(hadoop)
    return (
        [] if place is None else [f"-XX:SharedArchiveFile={place}", "-Xlog:cds=off", "-Xlog:class+path=off"]
    )


def class_path(hadoop: Hadoop, conf: Path, *, fast: bool) -> str:
    """The class path of a daemon or client: configuration first, or last where the archive is used."""
    if fast and ready(hadoop) is not None:
        return f"{hadoop.classpath}:{conf}"
    return f"{conf}:{hadoop.classpath}"


def prepare(hadoop: Hadoop, progress: Progress) -> Path | None:
    """Make the archive unless it is there: one small cluster and one run of the JVM, some 15 s.

    Args:
        hadoop: the release and the Java.
        progress: shows what goes on.

    Returns:
        The archive; None where there can be none, or the JVM could not make it, which costs time and
        nothing else.

    Raises:
        TargetError: the cluster does not start.
    """
    place = archive(hadoop)
    if place is None or place.is_file():
        return place
    with stated_os_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = place.with_suffix(".lock").open("w")
    with lock, progress.task("Preparing quick starts"):
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_file():
            with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
                _dump(hadoop, _classes(hadoop, Path(scratch)), Path(scratch), place)
    return ready(hadoop)


def listed_classes(text: str) -> set[str]:
    """The plain classes in a JVM's class list; generated ones, which differ from run to run, are left out."""
    found = (_LISTED.match(line) for line in text.splitlines())
    return {
        match[1] for match in found if match and "$$Lambda" not in match[1] and "LambdaForm" not in match[1]
    }


def _state(jar: Path) -> str:
    """What the JVM compares: a jar that was touched does not fit an archive any more."""
    state = jar.stat() if jar.is_file() else None
    return str(jar) if state is None else f"{jar} {state.st_size} {state.st_mtime_ns}"


def _classes(hadoop: Hadoop, scratch: Path) -> set[str]:
    """What a NameNode, a DataNode and the shell load."""
    with hadoop.cluster(
        datanodes=1, replication=1, fast=True, flags=[f"-XX:DumpLoadedClassList={scratch}/%p.list"]
    ) as cluster:
        cluster.shell("-ls", "/")
    return set().union(*(listed_classes(each.read_text()) for each in scratch.glob("*.list")))


def _dump(hadoop: Hadoop, classes: set[str], scratch: Path, place: Path) -> None:
    names = scratch / "names"
    names.write_text("\n".join(sorted(classes)) + "\n")
    made = scratch / "made.jsa"
    command = [
        str(hadoop.java.path),
        "-Xshare:dump",
        "-XX:+UseSerialGC",
        f"-XX:SharedClassListFile={names}",
        f"-XX:SharedArchiveFile={made}",
        "-cp",
        hadoop.classpath,
    ]
    done = subprocess.run(command, capture_output=True, timeout=_DUMP_S, check=False)
    if done.returncode == 0 and made.is_file():
        made.replace(place)
        for older in place.parent.glob(f"{hadoop.version}-java{hadoop.java.major}-*.jsa"):
            if older != place:
                older.unlink(missing_ok=True)  # 80 MB each, of jars or a Java that changed since
