"""Makes the class data archive of a release: one small cluster, whose classes the JVM then writes down."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from froude.base.files import folder_beside, stated_os_errors
from froude.base.locks import in_turn
from froude.base.progress import Progress
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.release.cds import archive, ready
from froude.hadoop.release.distribution import Hadoop

_DUMP_S = 180
_LISTED = re.compile(r"^([\w/$]+)(?: id: .*)?$")


def prepare(hadoop: Hadoop, progress: Progress) -> Path | None:
    """Make the archive unless it is there: one small cluster and one run of the JVM, some 15 s.

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
    with (
        progress.task(
            f"Once for Hadoop {hadoop.version}: an archive of its classes, for daemons that start in half the time"
        ),
        in_turn(place.with_suffix(".lock")),
    ):
        if not place.is_file():
            with folder_beside(place) as scratch:
                _dump(hadoop, _classes(hadoop, scratch), scratch, place)
    return ready(hadoop)


def listed_classes(text: str) -> set[str]:
    """The plain classes in a JVM's class list; generated ones, which differ from run to run, are left out."""
    matches = (_LISTED.match(line) for line in text.splitlines())
    return {
        match[1] for match in matches if match and "$$Lambda" not in match[1] and "LambdaForm" not in match[1]
    }


def _classes(hadoop: Hadoop, scratch: Path) -> set[str]:
    """What a NameNode, a DataNode and the shell load."""
    with Cluster(
        hadoop,
        datanodes=1,
        replication=1,
        fast=True,
        aged=False,
        flags=[f"-XX:DumpLoadedClassList={scratch}/%p.list"],
    ) as cluster:
        cluster.shell("-ls", "/")
    return set().union(*(listed_classes(each.read_text()) for each in scratch.glob("*.list")))


def _dump(hadoop: Hadoop, classes: set[str], scratch: Path, place: Path) -> None:
    names = scratch / "names"
    names.write_text("\n".join(sorted(classes)) + "\n")
    dump = scratch / "made.jsa"
    command = [
        str(hadoop.java.path),
        "-Xshare:dump",
        "-XX:+UseSerialGC",
        f"-XX:SharedClassListFile={names}",
        f"-XX:SharedArchiveFile={dump}",
        "-cp",
        hadoop.classpath,
    ]
    done = subprocess.run(command, capture_output=True, timeout=_DUMP_S, check=False)
    if done.returncode == 0 and dump.is_file():
        dump.replace(place)
        for older in place.parent.glob(f"{hadoop.version}-java{hadoop.java.major}-*.jsa"):
            if older != place:
                older.unlink(missing_ok=True)  # 80 MB each, of jars or a Java that changed since
