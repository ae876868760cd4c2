"""Containers that start in half their processor time: their classes, parsed and verified once, in an archive of the JVM.

An application master spends most of its time on reading some six thousand classes. The archive needs the jars first on
the class path, so a job's own jar is put among Hadoop's, and the job class loader keeps a container's folders off it.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from froude.hadoop.cluster.cds_build import listed_classes
from froude.hadoop.release.distribution import Hadoop, cache_folder

_HIDDEN = "java.,javax.,org.w3c.,org.xml.,org.apache.commons.,org.apache.log4j.,org.apache.hadoop."
"""What a job may not bring along: all that is its own, too, which is found among Hadoop's jars then."""
_DUMP_S = 300
_QUIET = "-Xlog:cds=off -Xlog:class+path=off"


def link(lib: Path, jars: Sequence[Path]) -> None:
    """Put jobs' jars among those that containers load.

    Args:
        lib: the folder of these.
        jars: to be linked.
    """
    for jar in jars:
        (lib / f"999-{jar.name}").symlink_to(jar)


def conf(lib: Path) -> dict[str, str]:
    """What lets containers use an archive.

    Args:
        lib: the folder of their jars.
    """
    return {
        "yarn.application.classpath": f"{lib}/*,$HADOOP_CONF_DIR",
        "mapreduce.job.classloader": "true",
        "mapreduce.job.classloader.system.classes": _HIDDEN,
    }


def flags(archive: Path | None, heap_mb: int) -> list[str]:
    """Of a job whose application master uses an archive.

    Args:
        archive: None for none.
        heap_mb: of the application master.
    """
    use = "" if archive is None else f" -XX:SharedArchiveFile={archive} {_QUIET}"
    return [f"-Dyarn.app.mapreduce.am.command-opts=-Xmx{heap_mb}m{use}"]


def archive(hadoop: Hadoop, lib: Path, train: Callable[[str], None]) -> Path | None:
    """The archive for these jars, made unless it is there; None where the JVM cannot make it.

    Args:
        hadoop: whose Java runs the containers.
        lib: the folder of their jars.
        train: runs a job whose application master has one more flag.
    """
    parts = [hadoop.java.version, str(lib)]
    parts += [f"{jar} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in sorted(lib.iterdir())]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    place = cache_folder() / "classes" / f"containers-{digest}.jsa"
    if place.is_file():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    names, made = lib.parent / "containers.list", lib.parent / "containers.jsa"
    train(f"-XX:DumpLoadedClassList={names}")
    names.write_text("\n".join(sorted(listed_classes(names.read_text()))) + "\n")
    command = [str(hadoop.java.path), "-Xshare:dump", "-XX:+UseSerialGC", f"-XX:SharedClassListFile={names}"]
    command += [f"-XX:SharedArchiveFile={made}", "-cp", f"{lib}/*"]
    done = subprocess.run(command, capture_output=True, timeout=_DUMP_S, check=False)
    if done.returncode or not made.is_file():
        return None
    for older in place.parent.glob("containers-*.jsa"):
        older.unlink(missing_ok=True)
    subprocess.run(["cp", str(made), str(place)], check=True)
    return place
