r"""The line grammar of the HDFS audit log, tolerant of every variant since Hadoop 0.23.

A line is a prefix of the site's own (a date, a level, a logger; what rsyslog, journald, Docker or Kubernetes add, also
as JSON), then TAB-separated `key=value` pieces; each is split at its first `=`. Shippers write a TAB as `#011` or `\t`.
Where TABs became blanks, or commas, the pieces are split before the keys, and a line whose keys are not in their order
is refused. A line may be a cell of CSV.
Nothing here reads a file.

Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem (DefaultAuditLogger);
org.apache.hadoop.tools.dynamometer.workloadgenerator.audit (AuditLogHiveTableParser).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path

from froude.base.dropped import OF_ANOTHER_KIND, Dropped
from froude.base.errors import InputError

_ORDER = ("allowed", "ugi", "ip", "cmd", "src", "dst", "perm", "trackingId", "proto", "callerContext")
KEYS = frozenset(_ORDER)
"""What a piece of a line may begin with; any other is of the site, or behind a TAB within the path before it."""
_FREE = ("ugi", "src", "dst", "callerContext")
"""Keys whose values may have blanks and more in them."""
_OWN = re.compile(r"[A-Za-z]\w*=")
"""A key of the site's own."""
_BEHIND = re.compile(rf"[\s,;|]+{_OWN.pattern}.*", re.DOTALL)
_GAP = re.compile(rf"(?<!\s)(?=[\s,;|])(\s*+[,;|]?\s*+)(?=(?:{'|'.join(_ORDER)})=)")
_CELL = re.compile(r'(?:^|[,;\t])\s*"((?:[^"]|"")*)"\s*(?=[,;\t]|$)')
"""A quoted cell of CSV."""
_TAB = r"#011|\\t|\\x09|\\u0009|\\011|\^I"
"""How shippers write a TAB: rsyslog, JSON within a text, `cat -A`."""
_WRITTEN_TAB = re.compile(rf"({_TAB})(?:{'|'.join(_ORDER)})=")
_WRITTEN_END = re.compile(r"(?:#01[25]|\\[nr]|\s)+$")
_CLIENT_IP = re.compile(r"\bclientIp:(\d+(?:\.\d+){3}|(?:[0-9A-Fa-f]*:){2,}[0-9A-Fa-f.]*)")
_PROCESS = re.compile(r"\b(?:clientPort|realUser):([^,;|&\s]+)")
"""Fields that decide who the client is, next to its address; separated by `hadoop.caller.context.separator`."""
_OF_PROXY = re.compile(r"(?:^|[,;|&\s])(?:client(?:Ip|Port|Id|CallId)|realUser|proxyUserPort):[^,;|&\s]*")
_MOST_CONTEXT = 128
"""Characters of a context that a NameNode logs (`hadoop.caller.context.max.size`)."""
_USUAL = re.compile(r"(?:^|[\s:\"])(allowed=\w+\s+ugi=)")
_BEGIN = re.compile(rf"(?:^|[\s:\"]|{_TAB})((?:allowed|ugi)=)")
_OTHER = re.compile(
    r"[\s/*#]|Caused by|\[?\d{4}-\d\d-\d\d.*\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b|[\w.$]+(?:Exception|Error)\b"
)
"""Lines of other loggers, and of stack traces."""
_OFFSET = r"\s?(Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d(?!\d))?"
_ZONE = re.compile(r"\s?(?:(?:CE|EE|WE|AE)S?T|(?:AE|NZ|A|E|C|M|P)[SD]T|[BIJK]ST|MSK|SGT|HKT)\b")
"""A name of a zone behind a date, such as CET: of several it is not known which offset it has."""
_LOG4J = re.compile(rf"(\d{{4}}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{{3}})(?!\d){_OFFSET}", re.ASCII)
"""The NameNode's own date, which is chosen before those of shippers."""
_DATE = re.compile(rf"(\d{{4}}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[,.](\d{{1,6}})\d*)?{_OFFSET}", re.ASCII)
_SHORT_DATE = re.compile(r"^\ufeff?(\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d)(?= [A-Z])", re.ASCII)
"""Hadoop's own of a console, with the year first, before a level."""
_UGI = re.compile(r"^(?P<user>.*?)(?: \(auth:(?P<auth>[A-Z_]+)\))?$", re.DOTALL)
_COMMAND = re.compile(r"^(?P<name>\S+?)(?: \((?P<options>.*)\))?$", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([tnrbf\\\"'/]))")
"""What StringEscapeUtils writes; a backslash before anything else is one of a path that was not escaped."""
_SHORT = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_HIVE_FIELDS = 6
_DECODER = json.JSONDecoder(strict=False)  # a TAB may be in a text as it is
_MICROS = {"__REALTIME_TIMESTAMP": 1, "timeMillis": 1000, "epochSecond": 1_000_000}
"""Fields of `journalctl -o json` and of log4j's JSON with a time since 1970, and the microseconds that each counts."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One audited call."""

    time_s: float | None
    """Seconds since the epoch, to the microsecond; None when the prefix has no date."""
    allowed: bool
    """False only for a denied call; lines without the key (Hadoop 1) count as allowed."""
    user: str
    """Effective user, with realm or host where it has them."""
    auth: str | None
    """`SIMPLE`, `KERBEROS`, `TOKEN`, `PROXY`."""
    real_user: str | None
    """Who impersonates the user."""
    ip: str | None
    """The client's address: `clientIp` of the caller context, where a proxy such as a Router names it, else the
    connection's."""
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
        zone: of the prefix's date, which the log writes in the NameNode's local time; a date that names its own
            offset from UTC has that.
        escaped: whether src, dst and the context are Java-escaped: paths are since 2.8, the context since 3.3; a user
            and its groups never are.

    Raises:
        InputError: no audit message in it, or one without user or command.
    """
    prefix, message = split_line(line)
    return parse_message(message, dated(prefix, zone)[0], escaped=escaped)


def audit_lines(
    lines: Iterable[str], name: str, dropped: Dropped, *, zone: tzinfo = UTC
) -> Iterator[AuditLine]:
    """Read the lines of a log, without those that are no audit lines.

    Args:
        lines: with or without their ends; empty ones are passed over.
        name: of the log, for the places of lines that are left out.
    """
    for number, text in enumerate(lines, 1):
        for each in records_of(text) if text.strip() else ():
            try:
                line = parse_line(each, zone=zone)
            except InputError as error:
                dropped.add(reason(error), f"{name}:{number}", text)
            else:
                yield line


def without_lines(path: Path, dropped: Dropped) -> InputError:
    """The error about a log without an audit line, with what was left out of it."""
    return InputError(
        "holds no line of an audit log",
        file=path,
        found="; ".join(dropped.notes()) or "nothing",
        allowed="allowed=… ugi=… cmd=…",
    )


def reason(error: InputError) -> str:
    """Why a line is left out, for `Dropped`."""
    return error.message.removeprefix("is ")


def records_of(line: str) -> list[str]:
    """The objects of a line that is a JSON array of audit lines, or has one, such as hits of a search; else the line."""
    if line.lstrip("\ufeff ")[:1] not in {"[", "{"} or line.count("cmd=") < 2:
        return [line]
    try:
        return [json.dumps(each) for each in _records(json.loads(line.lstrip("\ufeff ")))] or [line]
    except (ValueError, RecursionError):
        return [line]


def _records(value: object) -> Iterator[object]:
    own = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if any(isinstance(each, str) and "cmd=" in each for each in own) and isinstance(value, dict):
        yield value
    else:
        yield from (each for inner in own for each in _records(inner))


def split_line(line: str) -> tuple[str, str]:
    """The prefix of a line, which may have a date, and its message, from `allowed=` or `ugi=` on.

    Args:
        line: with or without its end.

    Raises:
        InputError: no audit message in it, or several.
    """
    cell = next((each for each in _CELL.finditer(line) if "cmd=" in each[1]), None)
    if cell is not None:
        line = f"{line[: cell.start()]} {cell[1].replace(chr(34) * 2, chr(34))}"
    if "{" in line and "ugi=" not in line.partition("{")[0]:
        line = _unwrapped(line)
    elif (start := line.find("ugi=")) > 0 and line.count('"', 0, start) % 2:
        line = _text_around(line, line.rfind('"', 0, start))
    begin = _USUAL.search(line) or _BEGIN.search(line)
    if begin is None and '"reqUser"' in line and '"evtTime"' in line:
        message = (
            "is of Ranger's audit, which has accesses, not the calls: take the NameNode's hdfs-audit.log"
        )
        raise InputError(message, found=line.strip())
    if begin is None:
        message = f"is {OF_ANOTHER_KIND}" if _OTHER.match(line) else "is not an audit line"
        raise InputError(message, found=line.strip(), allowed="... allowed=... ugi=... cmd=...")
    return line[: begin.start(1)], line[begin.start(1) :].rstrip("\r\n")


def parse_message(message: str, when_s: float | None, *, escaped: bool = True) -> AuditLine:
    """Read what the NameNode has handed to its logger: the line without prefix and end.

    Args:
        message: from `allowed=` or `ugi=` on.
        when_s: seconds since the epoch.

    Raises:
        InputError: it has no user or no command, or `allowed` is neither true nor false.
    """
    parts = _parts(message)
    if "ugi" not in parts or "cmd" not in parts:
        raise InputError("is an audit line without user or command", found=message)
    allowed = parts.get("allowed", "true").strip()
    if allowed not in {"true", "false"}:
        raise InputError("is an audit line whose allowed is neither true nor false", found=message)
    user, auth, real = split_users(parts["ugi"])
    command, options = split_command(parts["cmd"])

    def text(key: str, *, escaped: bool = False) -> str | None:
        value = parts.get(key)
        return None if value in {None, "null"} else unescape(value or "") if escaped else value

    context = text("callerContext", escaped=escaped)
    return AuditLine(
        when_s,
        allowed == "true",
        user,
        auth,
        real,
        named_address(context) or address(parts.get("ip")),
        command,
        options,
        text("src", escaped=escaped),
        text("dst", escaped=escaped),
        text("perm"),
        text("proto"),
        context,
    )


def _parts(message: str) -> dict[str, str]:
    """The values of a message by key.

    Raises:
        InputError: its TABs are blanks, and what looks like keys is not in their order.
    """
    written = None if "\t" in message else _WRITTEN_TAB.search(message)
    tab = written[1] if written else "\t"
    if written:
        message = _WRITTEN_END.sub("", message)
    elif "\t" not in message:
        pieces = _pieces(message.rstrip())
        keys = [piece.partition("=")[0] for piece in pieces]
        if keys != [key for key in _ORDER if key in keys]:
            raise InputError("has blanks for TABs, and cannot be divided into its fields", found=message)
        message = "\t".join(
            piece if key in _FREE else _BEHIND.sub("", piece) for key, piece in zip(keys, pieces, strict=True)
        )
    parts: dict[str, str] = {}
    last = ""
    for piece in message.removesuffix("$" * (tab == "^I")).split(tab):
        key, equals, value = piece.partition("=")
        name = key.strip()
        if equals and name in KEYS and name not in parts:
            parts[name], last = value, name
        elif last in _FREE or (
            last and not _OWN.match(piece)
        ):  # logs of before 2.8 wrote TABs of paths as they are
            parts[last] += tab + piece
    return parts


def _pieces(message: str) -> list[str]:
    """The pieces of a message without TABs: between blanks, or between commas if one is before each key."""
    gaps = list(_GAP.finditer(message))
    blank = not all(gap[1].strip() for gap in gaps)
    if blank:
        gaps = [gap for gap in gaps if gap[1] != gap[1].rstrip()]
    starts = [0, *(gap.end() for gap in gaps)]
    # Where only some gaps have a comma, it is the end of a value.
    ends = [gap.start() + (len(gap[1].rstrip()) if blank else 0) for gap in gaps]
    return [message[start:end] for start, end in zip(starts, [*ends, len(message)], strict=True)]


def address(ip: str | None) -> str | None:
    """The address of a connection as it is logged, `/10.0.0.7` or `host/10.0.0.7`; None for `null`."""
    found = (ip or "null").strip().rpartition("/")[2]
    return None if found in {"", "null"} else found


def named_address(context: str | None) -> str | None:
    """The address of the client that a proxy names in the caller context; None where it names none.

    Source: RouterRpcClient.addClientInfoToCallerContext; `dfs.namenode.ip-proxy-users`.
    """
    found = _CLIENT_IP.search(context) if context else None
    return found[1] if found and context and not _cut(context, found) else None


def process(context: str | None) -> str | None:
    """What distinguishes the client from others of the same user and address: port and real user that a proxy names.

    Returns:
        Such as `40001 oozie`; None where the context names neither.
    """
    fields = [each[1] for each in _PROCESS.finditer(context or "") if not _cut(context or "", each)]
    return " ".join(fields) or None


def own_context(context: str) -> str:
    """A caller context without the fields that a proxy adds to it."""
    return _OF_PROXY.sub("", context).lstrip(",;|& ")


def _cut(context: str, field: re.Match[str]) -> bool:
    """Whether a field may have lost its end with the rest of a long context."""
    return field.end() == len(context) >= _MOST_CONTEXT


def parse_hive(line: str, *, start_s: float = 0.0) -> AuditLine:
    r"""Read one line of Dynamometer's Hive form: `relativeMs, ugi, command, src, dst, ip`, with `\\x01` between.

    Args:
        line: with or without its end.
        start_s: seconds since the epoch that its times count from.

    Raises:
        InputError: it has other fields, or no time.
    """
    fields = line.rstrip("\r\n").split("\x01")
    if len(fields) < _HIVE_FIELDS or not fields[2].strip():
        allowed = "relativeMs, ugi, command, src, dst, ip, with \\x01 between"
        raise InputError("is not a line of Dynamometer's Hive form", found=line.strip(), allowed=allowed)
    if not fields[0].strip().isdecimal() or not fields[0].isascii():
        raise InputError("has no time", found=fields[0], allowed="milliseconds")
    user, auth, real = split_users(fields[1])
    command, options = split_command(fields[2])
    src, dst, ip = (None if value.strip() in {"", "null"} else value for value in fields[3:6])
    when_s = start_s + int(fields[0]) / 1e3
    return AuditLine(
        when_s, True, user, auth, real, address(ip), command, options, src, dst, None, None, None
    )


def unescape(value: str) -> str:
    """A Java-escaped text as it was: a backslash and `t`, `n`, `uXXXX`, a quote, or a backslash."""
    if "\\" not in value:
        return value
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _SHORT.get(m[2], m[2]), value)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(1 << 14)
def split_users(ugi: str) -> tuple[str, str | None, str | None]:
    """Effective user, its authentication, and the first real user of a chain of `via`."""
    first, *others = ugi.split(" via ")
    effective = _UGI.match(first.strip())
    assert effective is not None  # the pattern takes any text
    real = _UGI.match(others[0].strip()) if others else None
    return effective["user"], effective["auth"], real["user"] if real else None


@lru_cache(1 << 10)
def split_command(cmd: str) -> tuple[str, str | None]:
    """The command's word, and what stands in parentheses behind it.

    Raises:
        InputError: there is no word.
    """
    command = _COMMAND.match(cmd.strip())
    if command is None:
        raise InputError("is an audit line without a command", found=cmd)
    return command["name"], command["options"]


def dated(prefix: str, zone: tzinfo) -> tuple[float | None, bool]:
    """The time that a prefix has: that of log4j's own date, else of the last date, which is the nearest to the message.

    Args:
        zone: of a date that names no offset from UTC.

    Returns:
        Seconds since the epoch, None where there is no date; and whether the date names its offset.
    """
    prefix = _SHORT_DATE.sub(r"20\1-\2-\3 \4", prefix)
    match = _LOG4J.search(prefix)
    if match is None:
        for match in _DATE.finditer(prefix):  # noqa: B007 - the last one
            pass
    if match is None:
        return None, False
    if match[4] is None and _ZONE.match(prefix, match.end()):
        raise InputError("has a date with the name of a zone, not its offset from UTC", found=prefix)
    offset = "Z" if match[4] in {"UTC", "GMT"} else match[4] or ""
    try:
        moment = datetime.fromisoformat(f"{match[1]}T{match[2]}{offset}")
        stamped = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return stamped.timestamp() + int((match[3] or "0").ljust(6, "0")) / 1e6, match[4] is not None
    except (ValueError, OverflowError):  # digits that look like a date
        return None, False


def _unwrapped(line: str) -> str:
    """The audit line that JSON in a line has as one of its texts, behind a time of it; the line itself without one.

    Raises:
        InputError: several of its texts are audit lines, or a time of it cannot be one.
    """
    before, brace, json_ = line.partition("{")
    try:
        value, end = _DECODER.raw_decode(brace + json_)
        texts = list(_texts(value))
    except (ValueError, RecursionError):
        return line
    messages = list(dict.fromkeys(text for text in texts if "cmd=" in text))
    if not messages:
        return line
    if len(messages) > 1 or "cmd=" in json_[end - 1 :]:
        raise InputError("is several audit lines in one", found=line)
    time = next((text for text in texts if text not in messages and _DATE.search(text)), "")
    return f"{before} {time} {messages[0]}"


def _text_around(line: str, quote: int) -> str:
    """The JSON text that begins at a quote, behind what is before it; the line itself where it is not one."""
    try:
        return f"{line[:quote]} {_DECODER.raw_decode(line[quote:])[0]}"
    except ValueError:
        return line


def _texts(value: object) -> Iterator[str]:
    """The texts of a JSON value, those within it as well; behind them a time of journald or log4j as a date.

    Raises:
        InputError: that time cannot be one.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for each in value.values() for text in _texts(each))
        for field, micros in _MICROS.items():
            count, nanos = str(value.get(field, "")), value.get("nanoOfSecond", 0)
            if count.isdecimal():
                try:
                    time_s = int(count) * micros / 1e6 + nanos / 1e9
                    moment = datetime.fromtimestamp(time_s, UTC)
                except (ArithmeticError, OSError, TypeError, ValueError) as error:
                    raise InputError("has a time that cannot be one", found=f"{field} {count}") from error
                yield moment.isoformat()
    elif isinstance(value, list):
        yield from (text for each in value for text in _texts(each))
