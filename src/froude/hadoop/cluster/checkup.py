"""What Froude needs of a machine, what of it is here, and how to get the rest."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import psutil

from froude.base.errors import FroudeError
from froude.hadoop.cluster import loopback
from froude.hadoop.release import distribution
from froude.hadoop.release.distribution import (
    DEFAULT_RELEASE,
    cache_folder,
    cached_releases,
    jars_in,
    version_of,
)

_MEMORY_BYTES = 3 << 30
_DISK_BYTES = 1 << 30
_LEAST_DISK_BYTES = 200 << 20
"""The jars of a release and the archive of its classes, and little more."""
_DESCRIPTORS = 4096

_OLDER = "3.4"
"""A line of Hadoop that needs a Java below 24, as all before 3.5."""

_COMMANDS = ("bash", "df", "du", "id")
"""What Hadoop's daemons run by themselves (its classes Shell, DF, DU)."""
_OPTIONAL = {
    "chromium": "looks at reports as a browser does, in tests",
    "fio": "measures disks",
    "mvn": "builds the HDFS plug-in",
    "nbdkit": "serves emulated disks",
    "qemu-system-x86_64": "runs emulated virtual machines",
}


class Verdict(Enum):
    """How a check came out."""

    OK = "ok"
    ADVICE = "advice"
    """Froude works without it, or gets it by itself."""
    MISSING = "missing"
    """The demo cannot run without it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    """Such as `Java`."""
    verdict: Verdict
    found: str
    remedy: str | None = None


def check_all(environ: Mapping[str, str] | None = None) -> list[Check]:
    """Look at everything; asks nothing of the network and starts nothing but `java -version`."""
    environ = os.environ if environ is None else environ
    return [
        _system(),
        _python(),
        _processors(),
        _memory(),
        _descriptors(),
        _loopback(),
        _java(environ, "Java", DEFAULT_RELEASE),
        _java(environ, f"Java for {_OLDER}", _OLDER),
        _java(environ, f"One Java for {_OLDER} and {DEFAULT_RELEASE}", _OLDER, DEFAULT_RELEASE),
        _commands(environ),
        *_releases(environ),
        _cache(cache_folder(environ)),
        *(_program(name, purpose) for name, purpose in _OPTIONAL.items()),
    ]


def can_run(checks: list[Check]) -> bool:
    """Whether nothing that the demo needs is missing."""
    return all(check.verdict is not Verdict.MISSING for check in checks)


def _system() -> Check:
    found = f"{platform.system()} {platform.release()} {platform.machine()}"
    if platform.system() == "Linux":
        return Check("System", Verdict.OK, found)
    remedy = "Froude runs on Linux only: use a Linux machine, a virtual machine or a container"
    return Check("System", Verdict.MISSING, found, remedy)


def _python() -> Check:
    fits = sys.version_info >= (3, 11)
    return Check(
        "Python",
        Verdict.OK if fits else Verdict.MISSING,
        f"{platform.python_version()}, {sys.executable}",
        None if fits else "Froude needs Python 3.11 or later",
    )


def _processors() -> Check:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    remedy = None if usable > 1 else "With one processor, player and NameNode slow each other down"
    return Check("Processors", Verdict.OK if usable > 1 else Verdict.ADVICE, f"{usable} usable", remedy)


def _memory() -> Check:
    free = psutil.virtual_memory().available
    enough = free >= _MEMORY_BYTES
    remedy = None if enough else f"The demo needs about {_MEMORY_BYTES / 1e9:.0f} GB free"
    return Check("Memory", Verdict.OK if enough else Verdict.ADVICE, f"{free / 1e9:.1f} GB available", remedy)


def _descriptors() -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = hard == resource.RLIM_INFINITY or hard >= _DESCRIPTORS
    remedy = None if enough else f"Raise the hard limit to {_DESCRIPTORS} or more: `ulimit -Hn`"
    found = f"{soft} soft, {hard} hard (Froude raises itself to the hard limit)"
    return Check("Descriptors", Verdict.OK if enough else Verdict.ADVICE, found, remedy)


def _loopback() -> Check:
    try:
        prefix = loopback.free_network([1, loopback.FIRST_NODE])
    except FroudeError as error:
        return Check("Loopback", Verdict.MISSING, error.message, error.remedy)
    return Check("Loopback", Verdict.OK, f"addresses of its own, such as {prefix}.{loopback.FIRST_NODE}")


def _java(environ: Mapping[str, str], name: str, *releases: str) -> Check:
    """The one Java that runs all of some releases."""
    try:
        java = distribution.java_for(releases, environ)
    except FroudeError as error:
        absent = Verdict.ADVICE if _OLDER in releases else Verdict.MISSING
        return Check(name, absent, error.found or error.message, error.remedy)
    remedy = "The first run that needs it fetches it; or set JAVA_HOME" if java.fetch_bytes else None
    return Check(name, Verdict.ADVICE if remedy else Verdict.OK, str(java), remedy)


def _commands(environ: Mapping[str, str]) -> Check:
    path = environ.get("PATH") or os.defpath
    absent = [name for name in _COMMANDS if shutil.which(name, path=path) is None]
    if not absent:
        return Check("Commands", Verdict.OK, ", ".join(_COMMANDS))
    remedy = "Hadoop's daemons run them: install bash and coreutils, or put them on PATH"
    return Check("Commands", Verdict.MISSING, f"no {', '.join(absent)} on PATH", remedy)


def _releases(environ: Mapping[str, str]) -> list[Check]:
    checks = []
    if home := environ.get("HADOOP_HOME"):
        checks.append(_home(Path(home)))
    cached = cached_releases(cache_folder(environ))
    if DEFAULT_RELEASE in cached:
        checks.append(Check("Hadoop", Verdict.OK, f"{', '.join(cached)} in the cache"))
    else:
        found = f"{', '.join(cached) or 'none'} in the cache"
        remedy = f"`froude hadoop fetch` gets {DEFAULT_RELEASE}, and so does the first run"
        checks.append(Check("Hadoop", Verdict.ADVICE, found, remedy))
    return checks


def _home(folder: Path) -> Check:
    """The Hadoop that every command takes while `HADOOP_HOME` names it."""
    try:
        jars = jars_in(folder)
        return Check("HADOOP_HOME", Verdict.OK, f"{version_of(jars, folder)}, {len(jars)} jars, {folder}")
    except FroudeError as error:
        remedy = "Unset HADOOP_HOME, or point it at an unpacked Hadoop"
        return Check("HADOOP_HOME", Verdict.MISSING, str(error), remedy)


def _cache(folder: Path) -> Check:
    existing = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not os.access(existing, os.W_OK):
        return Check(
            "Cache", Verdict.MISSING, f"{folder} cannot be written", "Set FROUDE_CACHE to a folder that can"
        )
    free = shutil.disk_usage(existing).free
    if free < _DISK_BYTES:
        remedy = "Free some space, or set FROUDE_CACHE to another folder"
        verdict = Verdict.ADVICE if free >= _LEAST_DISK_BYTES else Verdict.MISSING
        return Check("Cache", verdict, f"{folder}, {free / 1e9:.1f} GB free", remedy)
    return Check("Cache", Verdict.OK, f"{folder}, {free / 1e9:.1f} GB free")


def _program(name: str, purpose: str) -> Check:
    path = shutil.which(name)
    if path is not None:
        return Check(name, Verdict.OK, path)
    return Check(
        name, Verdict.ADVICE, f"not here; {purpose}", "`make setup-system` installs it on Debian, as root"
    )
