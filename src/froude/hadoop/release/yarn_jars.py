"""YARN and MapReduce of a release: the jars that their daemons and jobs load beside HDFS's, and the jars of ready jobs.

What is on the class path of every daemon and container is one thing; a job's own jar, which its client uploads with
each run, is another: examples, streaming and DistCp are kept apart, as a distribution keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from froude.base.errors import InputError, MissingError
from froude.base.progress import Progress, Silent
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import GROUP, ROOTS, Hadoop, Part, fetch, needed
from froude.hadoop.release.maven import Coordinate, Repository
from froude.messages.schema import Schema

JOBS = {
    "examples": "hadoop-mapreduce-examples",
    "streaming": "hadoop-streaming",
    "distcp": "hadoop-distcp",
}
"""Artifact of each ready job's jar, by the word that names it on the command line."""
_DAEMONS = (
    "hadoop-yarn-server-resourcemanager",
    "hadoop-yarn-server-nodemanager",
    "hadoop-yarn-server-timelineservice",
    "hadoop-mapreduce-client-app",
    "hadoop-mapreduce-client-hs",
    "hadoop-mapreduce-client-jobclient",
    "hadoop-mapreduce-client-shuffle",
)
_STAND_IN = "3.4.2"
"""Its examples and streaming serve releases that are in Maven's repository without their own, such as 3.5.0."""
_OLDEST = (3, 3)
_OLDEST_JAVA = 9
_UNUSED = frozenset(("byte-buddy", "byte-buddy-agent", "jline", "mockito-core", "mssql-jdbc", "objenesis"))
"""What POMs ask for and nothing here loads: test doubles, a terminal, a database."""


@dataclass(frozen=True, slots=True)
class YarnJars:
    """A release that can run jobs."""

    hadoop: Hadoop
    """The release with all jars of the daemons: HDFS's, and YARN's beside them."""
    jobs: Mapping[str, Path]
    """The jar of each ready job, by its word; those that are here."""

    @classmethod
    def find(cls, hadoop: Hadoop, *, progress: Progress | None = None) -> YarnJars:
        """Find YARN where the release came from: beside its jars in its folder, or by Maven coordinates.

        Raises:
            MissingError: the jars cannot be had.
            InputError: the release is too old, its Java is, or the folder holds no YARN.
        """
        if jvm.release_line(hadoop.version) < _OLDEST:
            raise InputError(
                "cannot be started with YARN", place="release", found=hadoop.version, allowed="3.3 or later"
            )
        if hadoop.java.major < _OLDEST_JAVA:
            allowed = f"Java {_OLDEST_JAVA} or later"
            raise InputError(
                "cannot run YARN here", file=hadoop.java.path, found=hadoop.java.version, allowed=allowed
            )
        if hadoop.cache is not None:
            jars = fetch(hadoop.version, hadoop.cache, progress or Silent(), YARN)
        else:
            jars = _in_folder(hadoop)
        jobs = {word: jar for jar in jars for word, artifact in JOBS.items() if _is(jar, artifact)}
        known = {*jobs.values(), *hadoop.jars}
        kept = [jar for jar in hadoop.jars if jar not in jobs.values()]
        beside = tuple(jar for jar in jars if jar not in known)
        return cls(replace(hadoop, jars=kept, beside=beside), jobs)

    def schema(self) -> Schema:
        """The messages of all that its daemons and jobs speak."""
        return Schema.from_jars([*self.hadoop.jars, *self.hadoop.beside])


def needed_for_jobs(release: str, repository: Repository) -> list[Coordinate]:
    """The jars that YARN and MapReduce need beside HDFS's, and those of ready jobs.

    Raises:
        MissingError: the release is not in the repository.
    """
    here = {each.artifact for each in needed(release, repository)}
    closure = repository.closure([Coordinate(GROUP, name, release) for name in (*ROOTS, *_DAEMONS)])
    beside = [
        each
        for each in closure
        if not each.classifier and each.artifact not in here | _UNUSED | set(JOBS.values())
    ]
    return [*beside, *(_published(artifact, release, repository) for artifact in JOBS.values())]


YARN = Part("YARN of Hadoop", "yarn", needed_for_jobs)
"""Beside `distribution.HDFS`."""


def _published(artifact: str, release: str, repository: Repository) -> Coordinate:
    """The jar of this release, or the one that stands in for it."""
    own = Coordinate(GROUP, artifact, release)
    try:
        repository.fetch(replace(own, packaging="pom"))
    except MissingError:
        return Coordinate(GROUP, artifact, _STAND_IN)
    return own


def _in_folder(hadoop: Hadoop) -> list[Path]:
    """The jars beside HDFS's in the folder: a distribution's, or the same plain folder's."""
    folder = hadoop.folder or Path()
    share = folder / "share" / "hadoop"
    jars = list(hadoop.jars)
    if share.is_dir():
        places = ("yarn/lib", "yarn", "mapreduce/lib", "mapreduce")
        jars = [jar for place in places for jar in sorted((share / place).glob("*.jar"))]
        jars += [
            jar
            for artifact in JOBS.values()
            for jar in sorted((share / "tools" / "lib").glob(f"{artifact}-*.jar"))
        ]
        jars = [jar for jar in jars if not jar.stem.endswith(("-tests", "-sources", "-javadoc"))]
    if not any(_is(jar, _DAEMONS[0]) for jar in jars):
        raise InputError("holds no YARN", file=folder, allowed="share/hadoop/yarn/... or its jars")
    return jars


def _is(jar: Path, artifact: str) -> bool:
    return re.fullmatch(re.escape(artifact) + r"-\d.*\.jar", jar.name) is not None
