"""Start-up in two thirds of the time, or less: the daemons' classes, parsed and verified once, kept on disk.

A JVM spends most of a daemon's start on reading some nine thousand classes. An archive of them (class data sharing,
CDS; `cds_build` makes it) is mapped into memory instead. Only `fast` starts use it, and only releases that Froude
fetched itself, whose jars hold no configuration: the archive wants the jars first on the class path and the
configuration last.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from froude.hadoop.release.distribution import Hadoop

_OLDEST_JAVA = 17


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
    """The class path of a daemon or client: configuration first, or last where the archive is used.

    Args:
        fast: whether the archive may be used, where there is one.

    Returns:
        The class path as `java -cp` takes it.
    """
    if fast and ready(hadoop) is not None:
        return f"{hadoop.classpath}:{conf}"
    return f"{conf}:{hadoop.classpath}"


def _state(jar: Path) -> str:
    """What the JVM compares: a jar that was touched does not fit an archive any more."""
    state = jar.stat() if jar.is_file() else None
    return str(jar) if state is None else f"{jar} {state.st_size} {state.st_mtime_ns}"
