"""One client of the demo's job, as a process of its own: a real HDFS client at work on a real cluster.

It uploads files in a loop, lists them, renames each, reads each back, and deletes each, with the
`hdfs-native` client, which keeps a connection and a clientId of its own.
"""

from __future__ import annotations

from hdfs_native import Client, WriteOptions

from froude.base.errors import TargetError

BLOCK_BYTES = 1 << 20
"""Block size of the demo's files: the smallest that its cluster allows, so that a file has several blocks."""


def work(number: int, *, uri: str, files: int, file_bytes: int) -> None:
    """Do one client's part of the job.

    Args:
        number: this client's number, from 0; it works in a folder of its own.
        uri: `hdfs://HOST:PORT` of the NameNode or of the proxy before it.
        files: how many files it uploads.

    Raises:
        TargetError: a file read back differs from what was written.
    """
    client = Client(uri, {"dfs.replication": "2", "dfs.blocksize": str(BLOCK_BYTES)})
    folder = f"/demo/client-{number}"
    client.mkdirs(folder, 0o755, create_parent=True)
    payload = bytes(range(256)) * (file_bytes // 256)
    for i in range(files):
        with client.create(
            f"{folder}/part-{i:05d}", WriteOptions(block_size=BLOCK_BYTES, replication=2)
        ) as out:
            out.write(payload)
    names = [status.path for status in client.list_status(folder, recursive=False)]
    if len(names) != files:
        raise TargetError(
            "a folder lists another number of files than was written", found=len(names), allowed=files
        )
    for i in range(files):
        client.rename(f"{folder}/part-{i:05d}", f"{folder}/done-{i:05d}", overwrite=False)
    for i in range(files):
        with client.read(f"{folder}/done-{i:05d}") as source:
            if source.read() != payload:
                raise TargetError("a file reads back differently", file=f"{folder}/done-{i:05d}")
    for i in range(files):
        client.delete(f"{folder}/done-{i:05d}", recursive=False)
