"""Jars by Maven coordinates: resolved in pure Python by jgo, kept whole and verified in Froude's own cache.

jgo resolves; how a file gets here is ours: the local repository of this user's Maven is read, mirrors of its
settings are honoured, every file is checked against the repository's checksum (or the one pinned here) and
put in place by renaming, so that two processes that fetch at once, or one that is killed, leave no torn jar.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from froude.base.errors import FroudeError, InputError, MissingError
from froude.base.files import file_beside, read_bounded
from froude.base.progress import Progress

CENTRAL = "https://repo.maven.apache.org/maven2"
"""The repository that every mirror stands in for."""

_TIMEOUT_S = (10, 60)
_SYSTEM_TRUST = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
_PARALLEL = 6
_TRIES = 3
_BUSY = (429, 500, 502, 503, 504)
_LARGEST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True, order=True)
class Coordinate:
    """What Maven calls one jar."""

    group: str
    """Such as `org.apache.hadoop`."""
    artifact: str
    """Such as `hadoop-hdfs`."""
    version: str
    classifier: str = ""
    """Mostly empty; `linux-x86_64` for native parts."""
    packaging: str = "jar"
    """`jar`, or `pom` while resolving."""

    @property
    def path(self) -> PurePosixPath:
        """Where a Maven repository keeps it, from the repository's root."""
        tail = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{tail}.{self.packaging}"
        return PurePosixPath(*self.group.split("."), self.artifact, self.version, name)

    def __str__(self) -> str:
        tail = f":{self.classifier}" if self.classifier else ""
        return f"{self.group}:{self.artifact}:{self.version}{tail}"


class Repository:
    """A local store of Maven files, filled from a remote repository as needed."""

    def __init__(self, store: Path, *, remote: str | None = None, local: Path | None = None) -> None:
        """Stand on a folder.

        Args:
            store: where files are kept, in Maven's own layout; made when first written.
            remote: the repository to fetch from; by default what the user's Maven settings say, else Central.
            local: the user's own Maven repository, only read; by default `M2_REPO` or `~/.m2/repository`.
        """
        self.store = store
        self._named = remote
        self.local = local if local is not None else _user_repository(os.environ)

    @cached_property
    def remote(self) -> str:
        """The address fetched from; looked up at the first fetch, so that a warm cache needs no settings.

        Raises:
            InputError: the user's Maven settings are no XML.
        """
        return (self._named or remote_of(os.environ)).rstrip("/")

    @cached_property
    def _session(self) -> Any:
        """Keeps connections open between files, and asks again when a busy server says so."""
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util import Retry

        again = Retry(
            total=_TRIES, backoff_factor=0.5, status_forcelist=_BUSY, respect_retry_after_header=True
        )
        session = requests.Session()
        session.verify = _trust()
        for scheme in ("https://", "http://"):
            session.mount(scheme, HTTPAdapter(pool_maxsize=_PARALLEL, max_retries=again))
        return session

    def path(self, coordinate: Coordinate) -> Path:
        """Where the file is or would be in the store."""
        return self.store / coordinate.path

    def fetch(self, coordinate: Coordinate, *, sha256: str | None = None) -> Path:
        """Bring one file into the store, unless it is there.

        Args:
            sha256: what it must hash to, where that is known; else the repository's checksum counts.

        Raises:
            MissingError: it cannot be had (offline, not in the repository, no space).
            InputError: what came does not match its checksum.
        """
        target = self.path(coordinate)
        if target.exists():
            return target
        if self.local is not None and self._copy_local(self.local / coordinate.path, target, sha256):
            return target
        self._download(coordinate, target, sha256)
        return target

    def fetch_all(
        self, wanted: Mapping[Coordinate, str | None], progress: Progress, label: str
    ) -> list[Path]:
        """Bring many files at once, a few connections in parallel, in the order given.

        Args:
            wanted: each file and, where known, its SHA-256.
        """
        with progress.task(label, total=len(wanted)) as task, ThreadPoolExecutor(_PARALLEL) as pool:
            waiting = [pool.submit(self.fetch, which, sha256=digest) for which, digest in wanted.items()]
            result = []
            try:
                for future in waiting:
                    result.append(future.result())
                    task.advance()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
            return result

    def closure(self, roots: list[Coordinate]) -> list[Coordinate]:
        """The jars that these need at run time, themselves included, by jgo's resolver.

        Reads some hundred small POM files: half a minute when none is cached.

        Raises:
            MissingError: a POM cannot be had.
        """
        from jgo.maven import MavenContext

        context = MavenContext(
            resolver=_resolver(self), repo_cache=self.store, remote_repos={"central": self.remote}
        )
        asked = [context.create_dependency(str(root)) for root in roots]
        try:
            inputs, others = context.resolver.resolve(asked)
        except FroudeError:
            raise
        except Exception as error:
            raise MissingError(
                f"the jars it needs could not be resolved ({error})", file=str(roots[0])
            ) from error
        coordinates = {
            Coordinate(each.groupId, each.artifactId, each.version, each.classifier or "")
            for each in (*inputs, *others)
            if each.type == "jar" and each.scope != "provided"
        }
        return sorted(coordinates)

    def _copy_local(self, source: Path, target: Path, sha256: str | None) -> bool:
        """Take a file from the user's Maven repository if it is there and sound."""
        if not source.is_file() or not _sound(source, sha256):
            return False
        with file_beside(target, self.store) as (handle, _), source.open("rb") as data:
            shutil.copyfileobj(data, handle)
        return True

    def _download(self, coordinate: Coordinate, target: Path, sha256: str | None) -> None:
        url = f"{self.remote}/{coordinate.path}"
        with _stated_network_errors(url), file_beside(target, self.store) as (out, beside):
            digest = self._receive(url, out)
            out.flush()
            expected = sha256 or self._remote_sha1(url)
            actual = digest["sha256"] if sha256 else digest["sha1"]
            if expected is not None and expected != actual:
                raise InputError("does not match its checksum", file=url, found=actual, allowed=expected)
            if coordinate.packaging == "jar" and not zipfile.is_zipfile(beside):
                raise InputError("is no jar", file=url)

    def _receive(self, url: str, out: Any) -> dict[str, str]:
        import requests

        hashes = {"sha256": hashlib.sha256(), "sha1": hashlib.sha1(usedforsecurity=False)}
        received = 0
        with self._session.get(url, stream=True, timeout=_TIMEOUT_S) as response:
            if response.status_code != requests.codes.ok:
                found = f"HTTP {response.status_code}"
                raise MissingError("the repository does not give it", file=url, found=found, remedy=_REMEDY)
            for chunk in response.iter_content(1 << 16):
                received += len(chunk)
                if received > _LARGEST_BYTES:
                    raise InputError("is too large", file=url, allowed=f"at most {_LARGEST_BYTES} bytes")
                out.write(chunk)
                for each in hashes.values():
                    each.update(chunk)
        return {name: each.hexdigest() for name, each in hashes.items()}

    def _remote_sha1(self, url: str) -> str | None:
        """The checksum the repository publishes beside a file; a repository that has none says 404."""
        import requests

        response = self._session.get(url + ".sha1", timeout=_TIMEOUT_S)
        if response.status_code == requests.codes.not_found:
            return None
        response.raise_for_status()
        words = response.text[:200].split()
        return words[0].lower() if words else None


_REMEDY = "Check the version; behind a mirror, name it in ~/.m2/settings.xml or FROUDE_MAVEN"


def remote_of(environ: Mapping[str, str]) -> str:
    """The repository to fetch from: `FROUDE_MAVEN`, a mirror in the user's settings, or Central."""
    if address := environ.get("FROUDE_MAVEN"):
        return address
    settings = Path(environ.get("HOME", "/")) / ".m2" / "settings.xml"
    return (
        mirror_of_central(read_bounded(settings, limit_bytes=1 << 20)) or CENTRAL
        if settings.is_file()
        else CENTRAL
    )


def mirror_of_central(settings: bytes) -> str | None:
    """The address of the first mirror in a Maven settings.xml that stands in for Central, or None.

    Raises:
        InputError: the settings are no XML, or declare entities.
    """
    from froude.hadoop.site import parse_xml

    root = parse_xml(settings, name="settings.xml")
    for mirror in root.iter("{*}mirror"):
        of = [part.strip() for part in (mirror.findtext("{*}mirrorOf") or "").split(",")]
        address = (mirror.findtext("{*}url") or "").strip()
        blocked = (mirror.findtext("{*}blocked") or "").strip() == "true"
        stands_in = "!central" not in of and bool({"*", "external:*", "central"} & set(of))
        if address and stands_in and not blocked:
            return address
    return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _trust() -> str | bool:
    """Whom to trust: what the environment names, what this machine trusts, else the wheel's own list.

    A company's network often needs the second, which its administrators keep.
    """
    named = (os.environ.get(name) for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"))
    places = (place for place in (*named, *_SYSTEM_TRUST) if place)
    return next((place for place in places if Path(place).exists()), True)


def _user_repository(environ: Mapping[str, str]) -> Path | None:
    place = environ.get("M2_REPO") or (
        Path(environ["HOME"]) / ".m2" / "repository" if "HOME" in environ else None
    )
    return Path(place) if place and Path(place).is_dir() else None


def _sound(path: Path, sha256: str | None) -> bool:
    """Whether another repository's file can be used: by its pin, its own checksum file, its form."""
    if sha256 is not None:
        return sha256_of(path) == sha256
    beside = path.with_name(path.name + ".sha1")
    if beside.is_file():
        words = beside.read_text(errors="replace").split()
        with path.open("rb") as data:
            return bool(words) and hashlib.file_digest(data, "sha1").hexdigest() == words[0].lower()
    return path.suffix != ".jar" or zipfile.is_zipfile(path)


@contextmanager
def _stated_network_errors(url: str) -> Iterator[None]:
    import requests

    try:
        yield
    except requests.RequestException as error:
        message = f"cannot be fetched ({type(error).__name__})"
        raise MissingError(
            message, file=url, remedy="Check the network; " + _REMEDY[0].lower() + _REMEDY[1:]
        ) from error
    except OSError as error:
        raise MissingError(
            f"cannot be kept ({error.strerror})", file=url, remedy="Free some space"
        ) from error


def _resolver(repository: Repository) -> Any:
    """The resolver of jgo with our way of getting a file: checked, whole, local if it is there."""
    from jgo.maven import PythonResolver

    class Resolver(PythonResolver):
        def download(self, artifact: Any) -> Path:
            return repository.fetch(
                Coordinate(
                    artifact.groupId,
                    artifact.artifactId,
                    artifact.version,
                    artifact.classifier or "",
                    artifact.packaging,
                )
            )

    return Resolver()
