"""Changes of a NameNode's files and settings, remembered before they are made, and taken back.

A NameNode that Froude started, and one whose configuration folder is on this machine, is told to read its settings anew
and goes on; classes that lie in that folder are found by it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from froude.base.clock import Clock
from froude.base.errors import GuardError, InputError, TargetError
from froude.base.files import atomic_write_bytes, read_bounded, stated_os_errors
from froude.hadoop import site
from froude.harvest.live.hdfs.hosts import with_maintenance
from froude.harvest.live.hdfs.namenode import NameNodeCalls
from froude.harvest.live.hdfs.plugin import PACKAGE, POLICY
from froude.harvest.live.hdfs.prior import HdfsPrior

SITE = "hdfs-site.xml"
_LIMIT_BYTES = 64 << 20
_READABLE = 0o644
"""Files for a NameNode, which runs as somebody else."""


@dataclass(frozen=True, slots=True)
class HdfsChanges:
    """What is to be changed."""

    files: Mapping[Path, bytes] = field(default_factory=dict)
    """Whole files, by absolute path."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Of hdfs-site.xml in the configuration folder."""
    conf: Path | None = None
    """That folder; None where it is not on this machine: properties are then the administrator's to set."""
    reread: bool = True
    """Whether the NameNode can take up the properties while it runs."""
    hosts: Path | None = None
    """The NameNode's file of hosts; None where busy DataNodes are not taken out of service."""
    hosts_text: str = ""
    """What it is to hold."""
    marked: tuple[str, ...] = ()
    """Addresses in maintenance in it."""


def set_up(conf: Path | None, name: str) -> str | None:
    """What a NameNode's configuration on this machine says of a property; None for nothing.

    Args:
        conf: its folder; None where it is not here.

    Raises:
        InputError: the configuration cannot be read.
    """
    return None if conf is None else site.parse_site(_site(conf), name=SITE).get(name)


def remembered(calls: NameNodeCalls, identity: str, changes: HdfsChanges) -> HdfsPrior:
    """What is there now of what is about to be changed.

    Raises:
        InputError: a file cannot be read, or is no text.
    """
    properties: dict[str, str | None] = {}
    if changes.conf is not None:
        there = site.parse_site(_site(changes.conf), name=SITE)
        properties = {name: there.get(name) for name in changes.properties}
    return HdfsPrior(
        address=calls.address,
        id=identity,
        conf="" if changes.conf is None else str(changes.conf),
        properties=properties,
        files={str(path): _text(path) for path in changes.files},
        hosts="" if changes.hosts is None else str(changes.hosts),
        marked=changes.marked,
        written={str(path): hashlib.sha256(data).hexdigest() for path, data in changes.files.items()},
    )


def make(calls: NameNodeCalls, changes: HdfsChanges, clock: Clock) -> None:
    """Write the files, set the properties, and let the NameNode read both.

    Raises:
        TargetError: the NameNode does not take up a property; all is written then.
    """
    for path, data in changes.files.items():
        atomic_write_bytes(path, data, mode=_READABLE)
    if changes.hosts is not None:
        _replace(changes.hosts, changes.hosts_text.encode())
        calls.refresh_hosts()
    if changes.conf is not None:
        _set(calls, changes.conf, changes.properties, clock if changes.reread else None)


def restore(calls: NameNodeCalls, prior: HdfsPrior, clock: Clock, *, reread: bool = True) -> None:
    """Bring back what was there: settings first, so that nothing asks for a file that is gone.

    Args:
        reread: whether the NameNode can take up the properties while it runs.

    Raises:
        TargetError: the NameNode does not take up a property; the files are left then.
    """
    if prior.conf:
        _set(calls, Path(prior.conf), prior.properties, clock if reread else None)
    if prior.hosts:
        hosts = Path(prior.hosts)
        now = read_bounded(hosts, limit_bytes=_LIMIT_BYTES).decode()
        served, _ = with_maintenance(now, calls.datanodes(), (), prior.marked, 0.0)
        _replace(hosts, served.encode())
        calls.refresh_hosts()
    for name, text in prior.files.items():
        if text is None:
            _remove(Path(name))
        else:
            atomic_write_bytes(Path(name), text.encode(), mode=_READABLE)


def _set(calls: NameNodeCalls, conf: Path, properties: Mapping[str, str | None], clock: Clock | None) -> None:
    file = conf / SITE
    before = _site(conf)
    _replace(file, site.edited(before, properties, name=str(file)))
    taken_up = {} if clock is None else calls.read_settings(clock)
    changed = before.strip() == b"" or site.parse_site(before, name=SITE).get(POLICY) != properties.get(
        POLICY
    )
    if clock is not None and changed and POLICY in properties and POLICY not in taken_up:
        _replace(file, before)
        raise GuardError(
            "is not what the NameNode reads: it found nothing changed",
            file=file,
            found=calls.address,
            remedy="It is as it was. Name the folder that the NameNode reads with --conf",
        )
    for name in filter(taken_up.get, properties):
        remedy = "Does its class path hold the plug-in, and may it read the files?"
        raise TargetError(
            "does not take up a setting", file=calls.address, place=name, found=taken_up[name], remedy=remedy
        )


def _remove(path: Path) -> None:
    """A file, and of a class the folders of its package that are empty then."""
    path.unlink(missing_ok=True)
    folders = path.parents[: len(PACKAGE)] if path.suffix == ".class" else ()
    for folder in folders:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _site(conf: Path) -> bytes:
    return read_bounded(conf / SITE, limit_bytes=_LIMIT_BYTES)


def _text(path: Path) -> str | None:
    """What a file holds; None where there is none, or one of ours that is no text."""
    if not path.exists():
        return None
    try:
        return read_bounded(path, limit_bytes=_LIMIT_BYTES).decode()
    except UnicodeDecodeError as error:
        if path.suffix == ".class":
            return None
        raise InputError("is no text", file=path, found=error) from error


def _replace(path: Path, data: bytes) -> None:
    """A file of the administrator's, whose owner and permissions stay: the NameNode may read it by these alone.

    Raises:
        InputError: it belongs to somebody else, and only root may write it so that it still does.
    """
    was = path.stat() if path.exists() else None
    if was is not None and os.geteuid() not in {0, was.st_uid}:
        raise InputError(
            "belongs to somebody else, and would be yours when it is written",
            file=path,
            remedy="Do this as its owner, or as root",
        )
    atomic_write_bytes(path, data, mode=_READABLE if was is None else was.st_mode & 0o777)
    if was is not None:
        with stated_os_errors(path):
            os.chown(path, was.st_uid, was.st_gid)
