"""One client of the archive job, as a process of its own: logs are written, added to, closed off and moved.

It differs from the demo's client on purpose, and was unseen by the miner when it was written: the published results
show how the miner does on a job that it was not made for.
"""

from __future__ import annotations

from hdfs_native import Client, WriteOptions

BLOCK_BYTES = 1 << 20
HOURS = (0, 8, 16)


def archive(number: int, *, uri: str, days: int) -> None:
    """Write three logs a day, add to the first of each day, close all off, and move the folder away.

    Args:
        number: this client's number, from 0.
        uri: `hdfs://HOST:PORT` of the NameNode or of the proxy before it.
        days: how many days of logs.
    """
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    home = f"/logs/host-{number:03d}"
    for day in range(days):
        client.mkdirs(f"{home}/day-{day + 1}", 0o750, create_parent=True)
        for hour in HOURS:
            options = WriteOptions(block_size=BLOCK_BYTES, replication=1)
            with client.create(f"{home}/day-{day + 1}/{hour:02d}.log", options) as out:
                out.write(b"line\n" * 20_000)
    for day in range(days):
        with client.append(f"{home}/day-{day + 1}/00.log") as out:
            out.write(b"late line\n" * 1_000)
    for day in range(days):
        for hour in HOURS:
            client.set_permission(f"{home}/day-{day + 1}/{hour:02d}.log", 0o440)
    client.get_content_summary(home)
    client.rename(home, f"/logs/closed-{number:03d}", overwrite=False)
    list(client.list_status(f"/logs/closed-{number:03d}", recursive=True))
