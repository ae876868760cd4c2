"""A name directory for a NameNode of ours: a copy of another one's, or made around a single FsImage.

It gets ids of its own, so that whatever refuses the source does not refuse this one, nor takes it for the other. Images
are linked, not copied, where both lie on one file system: a NameNode never writes into one.

Source: org.apache.hadoop.hdfs.server.namenode.{NNStorage, NNUpgradeUtil}, org.apache.hadoop.hdfs.util.MD5FileUtils.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import read_bounded, stated_os_errors
from froude.hadoop.fsimage.container import first_of, kind, open_image
from froude.messages.schema import Schema

_VERSION = "current/VERSION"


def take_name_directory(source: Path, target: Path, schema: Callable[[], Schema], *, host: str) -> None:
    """Lay down a name directory.

    Args:
        source: a name directory, its folder `current`, or an FsImage.
        target: the new one; it must not exist.
        schema: gives that of the release that will load it; asked for an image alone.
        host: what its block pool is called by.

    Raises:
        InputError: it is neither, or a damaged image.
        MissingError: it cannot be written.
    """
    if source.is_file():
        with stated_os_errors(target):
            (target / "current").mkdir(parents=True)
        _around(source, target / "current", schema(), host)
        return
    folder = source if (source / "current").is_dir() else source.parent
    if not (folder / _VERSION).is_file():
        allowed = "an FsImage, or a folder with current/VERSION in it"
        raise InputError("is no name directory", file=source, allowed=allowed)
    with stated_os_errors(target):
        shutil.copytree(folder / "current", target / "current", copy_function=_link_image)
    _write_version(target, version_of(folder), host)


def newest_image(place: Path) -> Path:
    """The image of a name directory, the newest of several; an image itself as it is.

    Args:
        place: a name directory, its folder `current`, or an FsImage.

    Raises:
        InputError: there is none.
    """
    if not place.is_dir():
        return place
    folder = place / "current" if (place / "current").is_dir() else place
    images = [path for path in folder.glob("fsimage_*") if path.suffix != ".md5"]
    if not images:
        raise InputError("holds no image", file=folder, allowed="fsimage_… beside VERSION")
    return max(images, key=lambda path: path.name)


def version_of(name_dir: Path) -> dict[str, str]:
    """What a name directory's VERSION says, such as its `clusterID`."""
    text = read_bounded(name_dir / _VERSION, limit_bytes=1 << 20).decode(errors="replace")
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {key: value for key, _, value in pairs}


def _around(path: Path, current: Path, schema: Schema, host: str) -> None:
    """What a NameNode looks for beside an image."""
    image = open_image(path, schema)
    section = b"".join(image.pieces("NS_INFO"))
    names = first_of(section, kind(schema, "NameSystemSection"), name=str(image.path))[0]
    own = current / f"fsimage_{names.transactionId:019d}"
    with stated_os_errors(own):
        _link_image(str(image.path.resolve()), str(own), image=True)
        digest = _md5(own)
        _check_md5(image.path, digest)
        Path(f"{own}.md5").write_text(f"{digest} *{own.name}\n")
        (current / "seen_txid").write_text(f"{names.transactionId}\n")
    version = {
        "namespaceID": str(names.namespaceId or random.SystemRandom().getrandbits(31)),
        "cTime": "0",
        "storageType": "NAME_NODE",
        "layoutVersion": str(image.layout_version),
    }
    _write_version(current.parent, version, host)


def _write_version(name_dir: Path, version: dict[str, str], host: str) -> None:
    own = {"clusterID": f"CID-{uuid.uuid4()}", "blockpoolID": f"BP-{uuid.uuid4().int >> 96}-{host}-0"}
    with stated_os_errors(name_dir):
        lines = (f"{key}={value}\n" for key, value in {**version, **own}.items())
        (name_dir / _VERSION).unlink(missing_ok=True)
        (name_dir / _VERSION).write_text("".join(lines))


def _link_image(source: str, target: str, *, image: bool = False) -> None:
    """Copy a file; link it where it is an image, which nobody writes into."""
    name = Path(source).name
    if image or (name.startswith("fsimage_") and not name.endswith(".md5")):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)
    else:
        shutil.copy2(source, target)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _check_md5(image: Path, digest: str) -> None:
    """An image that lies beside its checksum must have it."""
    beside = Path(f"{image}.md5")
    if not beside.is_file():
        return
    noted = read_bounded(beside, limit_bytes=4096).decode(errors="replace").split(" ")[0]
    if noted != digest:
        raise InputError("is not the image of its .md5", file=image, found=digest, allowed=noted)
