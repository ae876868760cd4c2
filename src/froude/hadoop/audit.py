"""The line grammar of the HDFS audit log, tolerant of every variant since Hadoop 0.23.

A line is a prefix of the site's own (a date, a level, a logger), then TAB-separated `key=value` pieces;
each is split at its first `=`, never at spaces. Nothing here reads a file.

Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem (DefaultAuditLogger).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from froude.base.errors import InputError

_BEGIN = re.compile(r"(?:^|[\s:\"])((?:allowed|ugi)=)")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[,.](\d{1,6}))?")
_UGI = re.compile(r"^(?P<user>.*?)(?: \(auth:(?P<auth>[A-Z_]+)\))?$", re.DOTALL)
_COMMAND = re.compile(r"^(?P<name>\S+?)(?: \((?P<options>.*)\))?$", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
_SHORT = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One audited call."""

    time_s: float | None
    """Seconds since the epoch, to the millisecond; None when the prefix has no date."""
    allowed: bool
    """False only for a denied call; lines without the key (Hadoop 1) count as allowed."""
    user: str
    """Effective user, with realm or host where it has them."""
    auth: str | None
    """`SIMPLE`, `KERBEROS`, `TOKEN`, `PROXY`."""
    real_user: str | None
    """Who impersonates the user."""
    ip: str | None
    """The client's address."""
    command: str
    """One word, such as `rename`."""
    options: str | None
    """What stands in parentheses behind it, such as `options=[OVERWRITE]`."""
    src: str | None
    dst: str | None
    perm: str | None
    """`owner:group:rwxr-xr-x` of the result."""
    proto: str | None
    """`rpc` or `webhdfs`."""
    caller_context: str | None
    """As logged: cut at 128 characters, with its signature."""


def parse_line(line: str, *, zone: tzinfo = UTC, escaped: bool = True) -> AuditLine:
    """Read one line.

    Args:
        line: with or without its end.
        zone: of the prefix's date, which the log writes in the NameNode's local time.
        escaped: whether src, dst and the context are Java-escaped, as they are since 3.0.

    Raises:
        InputError: no audit message in it, or one without user or command.
    """
    begin = _BEGIN.search(line)
    if begin is None:
        raise InputError(
            "is not an audit line", found=line.strip(), allowed="... allowed=... ugi=... cmd=..."
        )
    message = line[begin.start(1) :].rstrip("\r\n")
    parts: dict[str, str] = {}
    for piece in message.split("\t"):
        key, equals, value = piece.partition("=")
        if equals:
            parts.setdefault(key.strip(), value)
    if "ugi" not in parts or "cmd" not in parts:
        raise InputError("is an audit line without user or command", found=message)
    user, auth, real = _users(parts["ugi"])
    command = _COMMAND.match(parts["cmd"].strip())
    if command is None:
        raise InputError("is an audit line without a command", found=message)

    def text(key: str) -> str | None:
        value = parts.get(key)
        return None if value in {None, "null"} else unescape(value or "") if escaped else value

    return AuditLine(
        _time(line[: begin.start(1)], zone),
        parts.get("allowed", "true").strip() == "true",
        user,
        auth,
        real,
        (text("ip") or "").lstrip("/") or None,
        command["name"],
        command["options"],
        text("src"),
        text("dst"),
        text("perm"),
        text("proto"),
        text("callerContext"),
    )


def unescape(value: str) -> str:
    """A Java-escaped text as it was: a backslash and `t`, `n`, `uXXXX`, or the character itself."""
    if "\\" not in value:
        return value
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _SHORT.get(m[2], m[2]), value)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _users(ugi: str) -> tuple[str, str | None, str | None]:
    """Effective user, its authentication, and the outermost real user of a chain of `via`."""
    first, *others = ugi.split(" via ")
    effective = _UGI.match(first.strip())
    assert effective is not None  # the pattern takes any text
    real = _UGI.match(others[0].strip()) if others else None
    return effective["user"], effective["auth"], real["user"] if real else None


def _time(prefix: str, zone: tzinfo) -> float | None:
    match = _DATE.search(prefix)
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=zone)
    except ValueError:  # digits that look like a date
        return None
    return moment.timestamp() + float(f"0.{match[3] or 0}")
