"""Block locations of a running NameNode, as `hdfs fsck` gets them: from its web server, line by line.

urllib, since `rest.calls` reads an answer whole, and this one is as long as the namespace.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from froude.base.errors import TargetError

_TIMEOUT_S = 600.0
_LONGEST = 1 << 20
"""Characters of a line: a block with hundreds of replicas has some forty thousand."""


@contextmanager
def fsck_lines(
    host: str, port: int, *, path: str = "/", user: str = "", replicate: bool = False
) -> Iterator[Iterator[str]]:
    """The lines of `fsck PATH -files -blocks -locations -replicaDetails` while the block runs.

    Args:
        user: who asks; must be an administrator.
        replicate: whether blocks that break the NameNode's own policy are put in order (`-replicate`).

    Raises:
        TargetError: it does not answer, or refuses.
    """
    asked = {"ugi": user, "path": path, "files": 1, "blocks": 1, "locations": 1, "replicadetails": 1}
    asked |= {"replicate": 1} if replicate else {}
    url = f"http://{host}:{port}/fsck?{urlencode(asked)}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_TIMEOUT_S) as answer:
            yield (line.decode("utf-8", "replace") for line in iter(lambda: answer.readline(_LONGEST), b""))
    except urllib.error.HTTPError as error:
        raise TargetError(f"refuses fsck ({error.code} {error.reason})", file=f"{host}:{port}") from error
    except OSError as error:
        raise TargetError(f"does not answer ({error})", file=f"{host}:{port}") from error
