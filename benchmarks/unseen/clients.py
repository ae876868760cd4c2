"""What the jobs share: a connection as some user, files written in one go, and scripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.experiment.record.jobs import Recorder
from froude.workload.scale import Scale

SCRIPTS = Path(__file__).parent / "scripts"
"""Shell scripts, as users have them."""
BLOCK_BYTES = 1 << 20
OPEN = 0o777
"""Permission of folders that several users write to."""
_USER = "HADOOP_USER_NAME"


@contextmanager
def client_of(user: str, uri: str) -> Iterator[Client]:
    """A client of the cluster that works as a user.

    Args:
        user: the name that it gives the NameNode.
        uri: `hdfs://HOST:PORT`.
    """
    before = os.environ.get(_USER)
    os.environ[_USER] = user
    try:
        yield Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    finally:
        if before is None:
            del os.environ[_USER]
        else:
            os.environ[_USER] = before


def write(
    client: Client, path: str, size_bytes: int, *, replication: int = 2, overwrite: bool = False
) -> None:
    """Write a file of some size."""
    options = WriteOptions(block_size=BLOCK_BYTES, replication=replication, overwrite=overwrite)
    with client.create(path, options) as out:
        out.write(bytes(size_bytes))


def write_text(client: Client, path: str, text: str, *, overwrite: bool = False) -> None:
    """Write a small file of text."""
    options = WriteOptions(block_size=BLOCK_BYTES, replication=2, overwrite=overwrite)
    with client.create(path, options) as out:
        out.write(text.encode())


def read(client: Client, path: str) -> bytes:
    """All of a file."""
    with client.read(path) as source:
        content: bytes = source.read()
    return content


def names(client: Client, folder: str) -> list[str]:
    """The paths of a folder's entries, sorted."""
    return sorted(status.path for status in client.list_status(folder, recursive=False))


def open_folders(uri: str, *folders: str) -> None:
    """Make folders, as the superuser, that every user can write to."""
    client = Client(uri)
    for folder in folders:
        client.mkdirs(folder, OPEN, create_parent=True)


def run_script(script: str, recorder: Recorder, scale: Scale, scratch: Path, *variables: str) -> None:
    """Run a script with some variables of the Scale as its arguments, and the scratch folder as the last."""
    numbers = [str(int(scale[name].value)) for name in variables]
    recorder.run(["bash", str(SCRIPTS / script), *numbers, str(scratch)], output=scratch / "job.out")
