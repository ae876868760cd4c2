"""Where an audit log is cut for an image: by the edits around its last transaction, or by the newest time in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from froude.base.files import check_regular
from froude.base.parallel import Workers
from froude.base.scratch import Scratch
from froude.hadoop.cluster.edits import Operation, around
from froude.hadoop.fsimage.container import ImageFile, open_image
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.sections import Reader
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema
from froude.trace.audit.cut import Cut
from froude.trace.audit.files import moment


def cut_by_edits(image: Path, edits: Path, schema: Schema, hadoop: Hadoop) -> Cut:
    """Cut behind an image's last transaction.

    Args:
        edits: the folder of edits of the same NameNode.
        schema: of a release that knows the image.
        hadoop: whose offline edits viewer reads the edits.

    Raises:
        InputError: no image, no edits that cover its last transaction, or unreadable ones.
        MissingError: no space for what the viewer writes.
    """
    check_regular(image)
    transaction = int(Reader(open_image(image, schema), schema).head("NS_INFO").transactionId)
    near = around(edits, transaction, hadoop)
    last_us = _micros(near.last)
    words = (
        f"behind transaction {transaction} of {image.name}: by {near.file}, transaction "
        f"{near.last.transaction} ({near.last.code}) was at {_time_text(last_us)}"
    )
    next_us = None
    if near.next is not None:
        next_us = _micros(near.next)
        words += (
            f", transaction {near.next.transaction} ({near.next.code}) behind it at {_time_text(next_us)}"
        )
    else:
        words += (
            ", and none behind it has a time: late lines of the image's last transactions may stand behind it"
        )
    paths = frozenset(path for operation in near.behind for path in operation.paths)
    return Cut(last_us, words, next_us, paths)


def cut_by_image(image: Path, schema: Schema, *, workers: Workers = 1) -> Cut:
    """Cut behind the newest time in an image: of a change or an access, no later than the file itself.

    Args:
        schema: of a release that knows it.
        workers: see `froude.base.parallel.Workers`.

    Raises:
        InputError: no image, or a damaged one.
    """
    check_regular(image)
    opened = open_image(image, schema)
    with Scratch("image") as scratch:
        return cut_by_namespace(opened, schema, read_namespace(opened, schema, scratch, workers=workers))


def cut_by_namespace(image: ImageFile, schema: Schema, namespace: Namespace) -> Cut:
    """As `cut_by_image`, of an image that was read.

    Args:
        schema: of a release that knows it.

    Raises:
        InputError: a damaged image.
    """
    transaction = int(Reader(image, schema).head("NS_INFO").transactionId)
    saved_ms = int(image.path.stat().st_mtime * 1000) + 999
    times = np.concatenate([namespace.column("modified_ms"), namespace.column("accessed_ms")])
    newest_us = int(times[times <= saved_ms].max(initial=0)) * 1000
    words = (
        f"behind the newest time in {image.path.name} (transaction {transaction}), {_time_text(newest_us)}, for want of "
        "edits: operations that leave no time in the image may stand behind it"
    )
    return Cut(newest_us, words)


def _micros(operation: Operation) -> int:
    return (operation.time_ms or 0) * 1000


def _time_text(micros: int) -> str:
    return moment(micros).isoformat(" ", "milliseconds")
