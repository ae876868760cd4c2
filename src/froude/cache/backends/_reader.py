"""A load of one process: joins a control group, reads a device at random places past the page cache, and counts.

Started as `python -I _reader.py GROUP PATH BLOCK SECONDS`; or `… GROUP PATH BLOCK SECONDS buffered`, which writes a
file through the page cache instead and does not wait for the disk. Imports nothing of Froude. Prints one JSON object.
"""

import contextlib
import json
import mmap
import os
import random
import sys
import time

_MOST_WRITTEN = 64 << 20
"""Bytes of a buffered write: few enough to stay in the cache until the kernel writes them back."""


def main(group: str, path: str, block: int, seconds: float, *, buffered: bool = False) -> dict[str, float]:
    """Run the load.

    Args:
        group: folder of the control group to join; empty for none.
        path: a block device or a file; a file is written to when `buffered`.
        block: bytes of each request.
        buffered: whether it writes through the page cache.

    Returns:
        Requests and bytes done, and the seconds that they took.
    """
    if group:
        with open(os.path.join(group, "cgroup.procs"), "w") as procs:  # noqa: PTH118,PTH123 - a quick start
            procs.write(str(os.getpid()))
    return _written(path, block) if buffered else _read(path, block, seconds)


def _read(path: str, block: int, seconds: float) -> dict[str, float]:
    page = mmap.mmap(-1, block)
    place = random.Random(os.getpid())
    handle = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        blocks = max(1, os.lseek(handle, 0, os.SEEK_END) // block)
        begun = now = time.monotonic()
        count = 0
        while now - begun < seconds:
            os.preadv(handle, [page], place.randrange(blocks) * block)
            count += 1
            now = time.monotonic()
        return {"requests": count, "bytes": count * block, "seconds": now - begun}
    finally:
        os.close(handle)


def _written(path: str, block: int) -> dict[str, float]:
    begun, data = time.monotonic(), os.urandom(block)
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        count = 0
        while count * block < _MOST_WRITTEN:
            os.write(handle, data)
            count += 1
        seconds = max(1e-6, time.monotonic() - begun)
        return {"requests": count, "bytes": count * block, "seconds": seconds}
    finally:
        os.close(handle)


if __name__ == "__main__":
    words = sys.argv[1:]
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(main(words[0], words[1], int(words[2]), float(words[3]), buffered=len(words) > 4)))  # noqa: T201
