"""Other names for what a namespace and its users are called, with all that a NameNode's work depends on kept.

The names follow from a key alone, not from the order in which they are met: a log and an image that are anonymised
with the same key still fit each other, home folders and their users too. What stays: the depth of paths and which of
them share folders, which names are equal, common extensions of files, a leading dot or underscore, and the names that
HDFS and its jobs treat on their own. Nothing here reads a file.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

_KEPT = frozenset(
    """
    .snapshot .Trash Current .reserved .inodes raw .staging .hive-staging _temporary _SUCCESS _logs _COPYING_
    user tmp . .. hdfs root supergroup dr.who
    """.split()  # noqa: SIM905 - a list of so many lines hides what is in it
)
"""Names of HDFS and of its jobs, of the folders that every HDFS has, and of the common superusers."""
_EXTENSIONS = frozenset(
    """
    avro bz2 class conf crc csv dat data db deflate gz gzip har html index inprogress jar jhist json log lz4
    lzo meta orc parq parquet pb pig png properties py rc sc seq sh snappy sql summary tar tgz tmp tsv txt xml
    yaml yml zip zst zstd _COPYING_
    """.split()  # noqa: SIM905 - a list of so many lines hides what is in it
)
_PARTITION = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,40})=(.*)", re.DOTALL)
_COUNTED = re.compile(
    r"(?:part|task|job|attempt|application|container|bucket)[-_](?:[mr][-_])?[0-9]{1,6}", re.ASCII
)
"""Names that a job counts, and that tell nothing else."""
_IPV4, _IPV6 = (
    re.compile(r"[0-9]+(?:\.[0-9]+){3}", re.ASCII),
    re.compile(r"[0-9A-Fa-f]*(?::[0-9A-Fa-f]*){2,}"),
)
_OWNED = re.compile(r"([^:]*):([^:]*):(.*)", re.DOTALL)
_CONTEXT_WORD = re.compile(r"[^,:_]+")
_CONTEXT_WORDS = frozenset(
    """
    CLI HIVE SPARK TEZ Query Id JobId application appattempt attempt clientCallId clientId clientIp clientPort
    container distcp job m mr proxyUserPort r realUser s spark task tez
    """.split()  # noqa: SIM905 - a list of so many lines hides what is in it
)
_LONGEST_NAME = 255
"""Bytes of a component (`dfs.namenode.fs-limits.max-component-length`)."""
_DIGITS = 12
_SHORTEST_KEY, _LONGEST_KEY = 16, 64


class Names:
    """The names under one key.

    Args:
        key: 16 to 64 bytes that stay secret: who has them can try names out.
    """

    __slots__ = ("_components", "_key")

    def __init__(self, key: bytes) -> None:
        if not _SHORTEST_KEY <= len(key) <= _LONGEST_KEY:
            raise ValueError(f"the key must have {_SHORTEST_KEY} to {_LONGEST_KEY} bytes, got {len(key)}")
        self._key = key
        self._components = lru_cache(1 << 18)(self._component)

    def path(self, path: str) -> str:
        """Another path: as deep, with the same special names, of equal components where this has equal ones.

        A list (`[/a, /b]`, as concat is logged) is taken apart; a text that is no path becomes one name.
        """
        if path.startswith("[/"):
            return f"[{', '.join(map(self.path, path[1:].removesuffix(']').split(', ')))}]"
        if not path.startswith("/"):
            return self._hashed(path)
        parts = path.split("/")
        if parts[1:3] == [".reserved", ".inodes"] and parts[3:4] and parts[3].isdecimal():
            return "/".join([*parts[:4], *map(self._components, parts[4:])])
        return "/".join(map(self._components, parts))

    def user(self, name: str) -> str:
        """Another user, called as its home folder is; a host and a realm behind the name are renamed apart."""
        short, at, realm = name.partition("@")
        first, slash, host = short.partition("/")
        return f"{self._components(first)}{slash}{self.host(host)}{at}{self._hashed(realm)}"

    def group(self, name: str) -> str:
        """Another group; one that is called as a user still is."""
        return self._components(name)

    def host(self, host: str) -> str:
        """Another host; an address stays one, of 10.0.0.0/8 or fd00::/8."""
        digest = self._digest(host)
        if _IPV4.fullmatch(host):
            return f"10.{digest[0]}.{digest[1]}.{digest[2]}"
        if _IPV6.fullmatch(host):
            return "fd00::" + ":".join(digest.hex()[at : at + 4] for at in (0, 4, 8, 12))
        return self._hashed(host)

    def permission(self, text: str) -> str:
        """`owner:group:rwxr-xr-x` of others."""
        owned = _OWNED.fullmatch(text)
        if owned is None:
            return self._hashed(text)
        return f"{self.user(owned[1])}:{self.group(owned[2])}:{owned[3]}"

    def context(self, text: str) -> str:
        """Another caller context: of as many words, equal where they were; those that jobs have in common stay."""
        return _CONTEXT_WORD.sub(
            lambda word: word[0] if word[0] in _CONTEXT_WORDS else self._hashed(word[0]), text
        )

    def _component(self, name: str) -> str:
        if not name or name in _KEPT or _COUNTED.fullmatch(name):
            return name
        partition = _PARTITION.fullmatch(name)
        if partition:
            return f"{self._hashed(partition[1])}={self._hashed(partition[2])}"
        mark = name[0] if name[0] in "._" and len(name) > 1 else ""  # hidden from jobs
        stem, *others = name[len(mark) :].split(".")
        first = stem if _COUNTED.fullmatch(stem) else self._hashed(stem)
        whole = mark + ".".join(
            [first, *(each if each in _EXTENSIONS else self._hashed(each) for each in others)]
        )
        return whole if len(whole) <= _LONGEST_NAME else mark + self._hashed(name)

    def _hashed(self, text: str) -> str:
        return self._digest(text).hex()[:_DIGITS] if text else ""

    def _digest(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()

    def __reduce__(self) -> tuple[type[Names], tuple[bytes]]:
        return Names, (self._key,)
