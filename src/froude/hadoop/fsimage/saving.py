"""An image on disk with what a NameNode wants beside it: its MD5, and VERSION, which says whose it is.

Source: org.apache.hadoop.hdfs.util.MD5FileUtils; org.apache.hadoop.hdfs.server.namenode.NNStorage.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

from froude.base.files import create_file, folder_beside, refuse_special, stated_os_errors
from froude.hadoop.fsimage.container import Fields, kind, write_image
from froude.messages.schema import Schema

VERSION = "VERSION"
LAYOUT = -67
"""Of Hadoop 3.4 and 3.5 (NameNodeLayoutVersion)."""
_NAME = re.compile(r"fsimage_([0-9]{19})")


def beside(path: Path) -> tuple[Path, Path]:
    """The files that belong to an image: with its MD5, and VERSION."""
    return path.with_name(f"{path.name}.md5"), path.with_name(VERSION)


def transaction_of(path: Path) -> int:
    """The last transaction of an image by its name; 0 of one that is not named as a NameNode names it."""
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else 0


def save_image(
    path: Path,
    sections: Mapping[str, Iterable[bytes]],
    schema: Schema,
    *,
    namespace_id: int,
    layout: int = LAYOUT,
    codec: str = "",
) -> None:
    """Write an image, its MD5 and VERSION, all or none.

    Args:
        path: of the image; what stands there, and beside it, is replaced.
        schema: of the release that shall read it.
        namespace_id: in the image as well; the ids of cluster and block pool follow from it.
        layout: layout version of the release, negative.
        codec: Hadoop's class that compresses the sections; empty for none.

    Raises:
        InputError: what stands at a place is no file.
        MissingError: no space, or no right to write there.
    """
    places = (path, *beside(path))
    for place in places:
        refuse_special(place)
    summary: Fields = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=layout & 0xFFFFFFFF)
    if codec:
        summary.codec = codec
    with folder_beside(path) as folder, stated_os_errors(path):
        made = [folder / place.name for place in places]
        with create_file(made[0]) as file:
            digest = write_image(file, summary, sections)
            file.flush()
            os.fsync(file.fileno())
        made[1].write_bytes(f"{digest} *".encode() + os.fsencode(path.name) + b"\n")
        made[2].write_text(_version(namespace_id, layout))
        for each, place in zip(made, places, strict=True):
            each.chmod(0o600)
            each.replace(place)


def _version(namespace_id: int, layout: int) -> str:
    fields = {
        "namespaceID": namespace_id,
        "clusterID": f"CID-{uuid.UUID(int=namespace_id)}",
        "cTime": 0,
        "storageType": "NAME_NODE",
        "blockpoolID": f"BP-{namespace_id}-127.0.0.1-0",
        "layoutVersion": layout,
    }
    return "".join(f"{name}={value}\n" for name, value in fields.items())
