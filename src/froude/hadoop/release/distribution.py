"""A Hadoop release: its jars and a Java that runs them, from a folder, `HADOOP_HOME` or Maven coordinates.

Only the jars that a NameNode, a DataNode and the file system shell load are fetched: 41 MB instead of 103.
They lie in Froude's cache, and each is looked at again before use: one that changed since it was verified is
hashed, and fetched anew when it is no longer what it was. A warm cache asks nothing of the network.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Self

from froude.base.errors import FroudeError, InputError
from froude.base.files import atomic_write_text, read_bounded, stated_os_errors
from froude.base.locks import in_turn
from froude.base.progress import Progress, Silent
from froude.hadoop.release import jvm
from froude.hadoop.release.maven import Coordinate, Repository, sha256_of
from froude.messages.schema import Schema

DEFAULT_RELEASE = "3.5.0"
"""Runs on Java 17 and on the wheel's 25, so on every machine."""

GROUP = "org.apache.hadoop"
ROOTS = ("hadoop-common", "hadoop-hdfs", "hadoop-hdfs-client", "hadoop-auth", "hadoop-annotations")
"""What HDFS's daemons are made of; the rest follows from these."""

# fmt: off
_NEEDED = frozenset((
    "commons-beanutils", "commons-cli", "commons-codec", "commons-collections", "commons-collections4",
    "commons-compress", "commons-configuration2", "commons-io", "commons-lang3", "commons-logging",
    "commons-math3", "commons-net", "commons-text", "hadoop-annotations", "hadoop-auth",
    "hadoop-common", "hadoop-hdfs", "hadoop-hdfs-client", "hadoop-shaded-guava",
    "hadoop-shaded-protobuf_3_21", "hadoop-shaded-protobuf_3_25", "hadoop-shaded-protobuf_3_7",
    "hk2-api", "hk2-locator", "hk2-utils", "httpclient", "httpcore", "istack-commons-runtime",
    "jackson-annotations", "jackson-core", "jackson-databind", "jakarta.activation-api",
    "jakarta.annotation-api", "jakarta.inject", "jakarta.validation-api", "jakarta.ws.rs-api",
    "jakarta.xml.bind-api", "javax.servlet-api", "jaxb-runtime", "jersey-client", "jersey-common",
    "jersey-container-servlet", "jersey-container-servlet-core", "jersey-core", "jersey-hk2",
    "jersey-media-jaxb", "jersey-server", "jersey-servlet", "jetty-http", "jetty-io", "jetty-security",
    "jetty-server", "jetty-servlet", "jetty-util", "jetty-util-ajax", "jetty-webapp", "jetty-xml",
    "netty-buffer", "netty-codec", "netty-codec-http", "netty-common", "netty-handler",
    "netty-transport", "osgi-resource-locator", "protobuf-java", "re2j", "reload4j", "slf4j-api",
    "slf4j-reload4j", "stax2-api", "woodstox-core",
))
"""Artifact ids that class-load traces of 3.3, 3.4 and 3.5 named; other lines take everything."""
# fmt: on

_TRACED_LINES = frozenset({(3, 3), (3, 4), (3, 5)})


@dataclass(frozen=True)
class Hadoop:
    """One Hadoop release that can be started here."""

    version: str
    """Such as `3.5.0`."""
    jars: list[Path]
    """What goes on the class path, in order."""
    java: jvm.Java
    """The Java that runs it."""
    source: str
    """Where it came from: `folder`, `HADOOP_HOME` or `Maven`."""
    folder: Path | None = field(default=None)
    """The folder it was found in, where it was."""
    cache: Path | None = field(default=None)
    """The cache that its jars lie in, where they were fetched."""
    beside: tuple[Path, ...] = ()
    """Jars after those, of YARN where that was asked for (see `yarn_jars`)."""

    @classmethod
    def find(
        cls,
        version: str | None = None,
        folder: str | Path | None = None,
        *,
        progress: Progress | None = None,
        cache: Path | None = None,
        environ: Mapping[str, str] | None = None,
        java: jvm.Java | None = None,
    ) -> Self:
        """Get a Hadoop: an explicit folder, else `HADOOP_HOME`, else a release by Maven coordinates.

        Args:
            version: the release; by default the folder's own, or 3.5.0. Naming one overrides `HADOOP_HOME`
                unless that holds the same.
            folder: a distribution unpacked (`share/hadoop/...`) or a plain folder of jars.
            cache: where fetched jars lie; by default `cache_folder()`.
            java: the one to run it; None for that of `java_for`, which is fetched if need be.

        Raises:
            MissingError: no such release, no network and no cache, or no Java that runs it.
            InputError: the folder holds no Hadoop, another version, or a jar that is broken.
        """
        environ = os.environ if environ is None else environ
        cache, progress = cache or cache_folder(environ), progress or Silent()
        home = environ.get("HADOOP_HOME")
        if folder is None and home and version in {None, _version_at(Path(home))}:
            folder, source = home, "HADOOP_HOME"
        else:
            source = "folder"
        if folder is not None:
            here = Path(folder)
            jars = jars_in(here)
            actual = version_of(jars, here)
            if version not in {None, actual}:
                raise InputError("holds another Hadoop", file=here, found=actual, allowed=version)
            return cls(actual, jars, java or java_for([actual], environ, progress), source, here)
        release = version or DEFAULT_RELEASE
        java = java or java_for([release], environ, progress)
        return cls(release, fetch(release, cache, progress), java, "Maven", cache=cache)

    @property
    def classpath(self) -> str:
        """The jars as `java -cp` wants them, without configuration."""
        return ":".join(str(jar) for jar in (*self.jars, *self.beside))

    @cached_property
    def _schema(self) -> Schema:
        return Schema.from_jars([*self.jars, *self.beside])

    def schema(self) -> Schema:
        """The message types of this very release, read out of its jars once."""
        return self._schema


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where fetched jars lie: `FROUDE_CACHE`, else `$XDG_CACHE_HOME/froude`, else `~/.cache/froude`."""
    environ = os.environ if environ is None else environ
    if place := environ.get("FROUDE_CACHE"):
        return Path(place)
    base = environ.get("XDG_CACHE_HOME")
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    return (Path(base) if base else home / ".cache") / "froude"


def java_for(
    releases: Iterable[str | None], environ: Mapping[str, str] | None = None, progress: Progress | None = None
) -> jvm.Java:
    """The first Java here that runs all of these releases, else one that can be fetched.

    Args:
        releases: as `Hadoop.find` takes them; None for that of `HADOOP_HOME`, else 3.5.0.
        progress: shows that it is fetched; None where it is only to be named.

    Raises:
        MissingError: none runs all of them, or it cannot be fetched.
    """
    environ = os.environ if environ is None else environ
    home = environ.get("HADOOP_HOME")
    default = (home and _version_at(Path(home))) or DEFAULT_RELEASE
    here = [*jvm.candidates(environ), *jvm.offered(cache_folder(environ))]
    java = jvm.choose(list(dict.fromkeys(each or default for each in releases)), here)
    if progress is not None:
        jvm.fetch(java, progress)
    return java


def cached_releases(cache: Path) -> list[str]:
    """The releases that were fetched whole, oldest first."""
    return sorted((each.stem for each in (cache / "releases").glob("*.json")), key=_numbers)


def fetch(release: str, cache: Path, progress: Progress, part: Part | None = None) -> list[Path]:
    """The jars of a release out of the cache, fetched there if they are not.

    Two processes at once wait for each other; a killed one leaves nothing torn.

    Args:
        part: which of them; None for those of HDFS's daemons.

    Raises:
        MissingError: they cannot be had.
        InputError: what came is not what the repository says it is.
    """
    jvm.check_release(release)
    part = part or HDFS
    manifests = cache / "releases" / part.folder
    manifest = manifests / f"{release}.json"
    repository = Repository(cache / "maven")
    entries = _read_manifest(manifest)
    if entries and all(_intact(repository, entry) for entry in entries):
        return [repository.path(entry.coordinate) for entry in entries]
    with stated_os_errors(manifests):
        manifests.mkdir(parents=True, exist_ok=True)
    with in_turn(manifests / f".{release}.lock"):
        entries = _read_manifest(manifest) or pinned(release, part)
        wanted: dict[Coordinate, str | None]
        if entries:
            wanted = {entry.coordinate: entry.sha256 for entry in entries}
            for entry in entries:
                if not _intact(repository, entry):
                    repository.path(entry.coordinate).unlink(missing_ok=True)
        else:
            with progress.task(f"Resolving {part.name} {release}"):
                wanted = dict.fromkeys(part.needed(release, repository))
        jars = repository.fetch_all(wanted, progress, f"Fetching {part.name} {release}")
        _write_manifest(manifest, [_entry(which, jar) for which, jar in zip(wanted, jars, strict=True)])
        return jars


def needed(release: str, repository: Repository) -> list[Coordinate]:
    """The jars a daemon of this release loads; all it depends on where no trace says which.

    Args:
        repository: where its POMs are read from.

    Raises:
        MissingError: the release is not in the repository.
    """
    roots = [Coordinate(GROUP, name, release) for name in ROOTS]
    closure = repository.closure(
        [root for root in roots if jvm.release_line(release) >= (2, 8) or "client" not in root.artifact]
    )
    closure = sorted({*closure, *_unlisted(closure)})
    if jvm.release_line(release) not in _TRACED_LINES:
        return [each for each in closure if not each.classifier]
    return [each for each in closure if each.artifact in _NEEDED and not each.classifier]


def _unlisted(closure: Sequence[Coordinate]) -> Iterator[Coordinate]:
    """What the daemons load but the POMs mark as provided or optional: a logging binding, JAXB for Jersey."""
    by_name = {each.artifact: each for each in closure}
    logging = "slf4j-reload4j" if "reload4j" in by_name else "slf4j-log4j12"
    if "slf4j-api" in by_name:
        yield Coordinate("org.slf4j", logging, by_name["slf4j-api"].version)
    server = by_name.get("jersey-server")
    if server is not None and server.group == "org.glassfish.jersey.core":
        yield Coordinate("org.glassfish.jersey.media", "jersey-media-jaxb", server.version)
    if server is not None and server.group == "com.sun.jersey":
        yield Coordinate(server.group, "jersey-servlet", server.version)


def jars_in(folder: Path) -> list[Path]:
    """The jars of an unpacked distribution, or of a plain folder of jars, in a stable order.

    Raises:
        InputError: no folder, no jars, or a jar that cannot be opened.
    """
    if not folder.is_dir():
        raise InputError(
            "is no folder", file=folder, remedy="Name an unpacked Hadoop or a folder of its jars"
        )
    share = folder / "share" / "hadoop"
    places = (
        [share / part for part in ("common/lib", "common", "hdfs/lib", "hdfs")]
        if share.is_dir()
        else [folder]
    )
    jars = [
        jar
        for place in places
        for jar in sorted(place.glob("*.jar"))
        if not jar.stem.endswith(("-tests", "-sources", "-javadoc"))
    ]
    if not any(jar.name.startswith("hadoop-") for jar in jars):
        raise InputError("holds no Hadoop jars", file=folder, allowed="share/hadoop/... or *.jar")
    for jar in jars:
        if not zipfile.is_zipfile(jar):
            raise InputError(
                "is no jar: damaged or cut short", file=jar, remedy="Unpack the distribution again"
            )
    return jars


def version_of(jars: Sequence[Path], folder: Path) -> str:
    """The release that a folder's jars belong to, by the name of hadoop-common or hadoop-hdfs.

    Args:
        jars: the folder's jars; only their names matter.

    Raises:
        InputError: neither is there.
    """
    for jar in jars:
        match = re.fullmatch(r"hadoop-(?:common|hdfs|hdfs-client|client-api)-(\d.*)\.jar", jar.name)
        if match:
            return match[1]
    raise InputError("holds no hadoop-common jar that names its version", file=folder)


@dataclass(frozen=True, slots=True)
class Part:
    """Jars of a release that are fetched together."""

    name: str
    """What progress calls it."""
    folder: str
    """Where its manifests lie, below that of all manifests; empty for that one itself."""
    needed: Callable[[str, Repository], list[Coordinate]]
    """Its jars, of a release without a manifest."""


HDFS = Part("Hadoop", "", needed)
"""What a NameNode, a DataNode and the file system shell load."""


def pinned(release: str, part: Part = HDFS) -> list[Entry]:
    """The jars of a release whose list and hashes ship with Froude: no resolving, and nobody to trust."""
    shipped = resources.files("froude.hadoop").joinpath("releases", part.folder, f"{release}.json")
    return _parse_manifest(shipped.read_bytes(), release) if shipped.is_file() else []


@dataclass(frozen=True, slots=True)
class Entry:
    """One jar as it was when it was verified."""

    coordinate: Coordinate
    sha256: str
    size_bytes: int = -1
    """Its length then; negative in a shipped list, which no file stands behind yet."""
    changed_ns: int = -1
    """Its modification time then: while both are the same, it is not hashed again."""


def _entry(coordinate: Coordinate, jar: Path) -> Entry:
    state = jar.stat()
    return Entry(coordinate, sha256_of(jar), state.st_size, state.st_mtime_ns)


def _intact(repository: Repository, entry: Entry) -> bool:
    path = repository.path(entry.coordinate)
    try:
        state = path.stat()
    except OSError:
        return False
    if (state.st_size, state.st_mtime_ns) == (entry.size_bytes, entry.changed_ns):
        return True
    return sha256_of(path) == entry.sha256


def _read_manifest(path: Path) -> list[Entry]:
    """What was fetched; nothing when the manifest is absent or was tampered with, so that it is made anew."""
    if not path.is_file():
        return []
    try:
        return _parse_manifest(read_bounded(path, limit_bytes=1 << 20), str(path))
    except FroudeError:
        return []


def _parse_manifest(data: bytes, name: str) -> list[Entry]:
    try:
        rows: list[dict[str, Any]] = json.loads(data)["jars"]
        return [
            Entry(
                Coordinate(*row["jar"].split(":")),
                str(row["sha256"]),
                int(row.get("size", -1)),
                int(row.get("changed", -1)),
            )
            for row in rows
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("is no list of jars", file=name) from error


def _write_manifest(path: Path, entries: Sequence[Entry]) -> None:
    rows = [
        {
            "jar": str(each.coordinate),
            "sha256": each.sha256,
            "size": each.size_bytes,
            "changed": each.changed_ns,
        }
        for each in entries
    ]
    atomic_write_text(path, json.dumps({"jars": rows}, indent=1) + "\n")


def _version_at(folder: Path) -> str | None:
    try:
        return version_of(jars_in(folder), folder)
    except InputError:
        return None


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release))
