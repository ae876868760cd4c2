"""Lines of audit logs, made: as Hadoop 3 and 2 write them, as Dynamometer's Hive query does; and any such lines."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from froude.hadoop.audit.lines import AuditLine
from froude.hadoop.audit.text import line_text

written = line_text
START_S = 1_795_167_834.218
"""2026-11-20 09:43:54.218 UTC."""
LINE = AuditLine(
    START_S,
    True,
    "alice@EXAMPLE.COM",
    "PROXY",
    "oozie/host@EXAMPLE.COM",
    "10.0.0.7",
    "rename",
    "options=[OVERWRITE]",
    "/a b/x=1",
    "/c",
    "alice:staff:rw-r--r--",
    "rpc",
    "mr_1",
)


def calls(count: int, *, step_s: float = 0.25, first_s: float = START_S) -> list[AuditLine]:
    """Lines one after another: three users, five hosts, some denied."""
    return [
        replace(
            LINE,
            time_s=first_s + number * step_s,
            allowed=number % 10 != 9,
            user=f"user{number % 3}",
            ip=f"10.0.0.{number % 5}",
            command=("open", "create", "getfileinfo", "delete")[number % 4],
            options=None,
            src=f"/user/user{number % 3}/d{number % 7}/f{number}.csv",
            dst=None,
        )
        for number in range(count)
    ]


_WORD = st.text("abcXYZ019-_.", min_size=1, max_size=8)
_USER = _WORD | st.sampled_from([r"CORP\tom", "ann lee", "zo\u00eb"])
_ANY = st.text(max_size=20).filter(lambda text: text not in {"", "null"})


def any_line() -> st.SearchStrategy[AuditLine]:
    """A line that can be written and read again."""
    return st.builds(
        AuditLine,
        st.integers(0, 4_000_000_000_000).map(lambda milli: milli / 1000),
        st.booleans(),
        _USER,
        st.sampled_from([None, "SIMPLE", "KERBEROS", "TOKEN"]),
        st.none() | _USER,
        st.none() | st.sampled_from(["10.0.0.1", "fe80:0:0:0:0:0:0:1"]),
        st.sampled_from(["open", "rename", "concat", "safemode_enter"]),
        st.none() | st.sampled_from(["options=[OVERWRITE, TO_TRASH]", "options=[]"]),
        st.none() | _ANY.map(lambda text: "/" + text) | st.just("[/a, /b c]"),
        st.none() | _ANY.map(lambda text: "/" + text),
        st.none() | st.sampled_from(["al:st:rwxr-xr-t", r"CORP\tom:domain users:rwx------"]),
        st.none() | st.sampled_from(["rpc", "webhdfs"]),
        st.none() | _ANY,
    )
