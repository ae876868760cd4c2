"""Lines of an audit log, as Hadoop 3 writes them.

Source: org.apache.hadoop.hdfs.server.namenode.FSNamesystem (DefaultAuditLogger); log4j's ISO8601 layout.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from froude.hadoop.audit.lines import AuditLine

_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f"}


def java_escaped(text: str) -> str:
    """As StringEscapeUtils.escapeJava writes it.

    Args:
        text: a path, or a caller context.
    """
    if text.isascii() and text.isprintable() and "\\" not in text and '"' not in text:
        return text
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return "".join(
        _SHORT.get(chr(code), chr(code) if 32 <= code <= 127 else f"\\u{code:04X}")
        for code in (int.from_bytes(pair) for pair in pairs)
    )


def date_text(time_s: float, zone: tzinfo = UTC) -> str:
    """As log4j's ISO8601 has it.

    Args:
        time_s: since the epoch.
    """
    milli = round(time_s * 1000)
    return f"{datetime.fromtimestamp(milli // 1000, zone):%Y-%m-%d %H:%M:%S},{milli % 1000:03}"


def line_text(line: AuditLine, zone: tzinfo = UTC) -> str:
    """A line with its date and its line feed."""
    assert line.time_s is not None
    auth = f" (auth:{line.auth})" if line.auth else ""
    via = f" via {line.real_user} (auth:KERBEROS)" if line.real_user else ""
    parts = {
        "allowed": "true" if line.allowed else "false",
        "ugi": f"{line.user}{auth}{via}",
        "ip": f"/{line.ip}" if line.ip else "null",
        "cmd": line.command + (f" ({line.options})" if line.options else ""),
        "src": "null" if line.src is None else java_escaped(line.src),
        "dst": "null" if line.dst is None else java_escaped(line.dst),
        "perm": line.perm or "null",
        **({"proto": line.proto} if line.proto else {}),
        **({} if line.caller_context is None else {"callerContext": java_escaped(line.caller_context)}),
    }
    message = "\t".join(f"{key}={value}" for key, value in parts.items())
    return f"{date_text(line.time_s, zone)} INFO FSNamesystem.audit: {message}\n"
