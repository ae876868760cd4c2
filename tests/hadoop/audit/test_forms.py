"""Forms of audit lines as they reach a user: what a NameNode wrote comes out, whatever shipped it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from froude.base.dropped import Dropped
from froude.hadoop.audit.lines import audit_lines, parse_line, records_of
from froude.trace.audit.parse import Form, parse_bytes
from froude.trace.importers.audit_log import import_audit
from tests.support.reported import REPORTED, needs_reported

DATE = "2026-11-20 09:43:54,218"
MESSAGE = (
    "allowed=true\tugi=CORP\\tom (auth:SIMPLE)\tip=/10.0.0.7\tcmd=rename (options=[OVERWRITE])"
    "\tsrc=/a b/c{1}\tdst=/x\tperm=CORP\\tom:domain users:rw-r--r--\tproto=rpc\tcallerContext=CLI"
)
LINE = f"{DATE} INFO FSNamesystem.audit: {MESSAGE}"
SHIPPED_AT = "2026-11-20T09:43:55.100200300Z"
FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda line: line,
    "CRLF": lambda line: f"{line}\r",
    "byte order mark": lambda line: f"\ufeff{line}",
    "rsyslog": lambda line: f"Nov 20 09:43:55 nn1 hdfs-audit {line}".replace("\t", "#011"),
    "rsyslog, with its line feed": lambda line: f"<13>Nov 20 nn1 hdfs: {line}#012".replace("\t", "#011"),
    "rsyslog, ISO date": lambda line: f"2026-11-20T10:43:55+01:00 nn1 hdfs: {line}".replace("\t", "#011"),
    "backslash t": lambda line: line.replace("\t", "\\t"),
    "backslash t and backslash n": lambda line: line.replace("\t", "\\t") + "\\n",
    "cat -A": lambda line: line.replace("\t", "^I") + "$",
    "a key of the site's own": lambda line: line.replace("\tcmd", "\tuid=7\tcmd").replace(
        "rpc\t", "rpc\tq=x y\t"
    ),
    "a key of its own, and blanks": lambda line: line.replace("rpc", "rpc q=x y").replace("\t", " "),
    "one blank": lambda line: line.replace("\t", " "),
    "commas": lambda line: line.replace("\t", ","),
    "commas and blanks": lambda line: line.replace("\t", ", "),
    "bars": lambda line: line.replace("\t", " | "),
    "a cell of CSV": lambda line: '"' + line.replace('"', '""') + '"',
    "a cell of several": lambda line: f'"nn1","{line}","hdfs, audit"',
    "a field of JSON on a line of its own": lambda line: f'  "message": {json.dumps(line)},',
    "JSON in a cell": lambda line: '"' + json.dumps({"log": line}).replace('"', '""') + '"',
    "blanks to the next stop": lambda line: line.expandtabs(8),
    "journald": lambda line: f"Nov 20 09:43:55 nn1 java[712]: {line}",
    "journald, ISO date": lambda line: f"2026-11-20T10:43:55+0100 nn1 java[712]: {line}",
    "journald, JSON": lambda line: json.dumps({"__REALTIME_TIMESTAMP": "1795167835100200", "MESSAGE": line}),
    "Docker": lambda line: json.dumps({"log": f"{line}\n", "stream": "stdout", "time": SHIPPED_AT}),
    "Docker, time first": lambda line: json.dumps({"time": SHIPPED_AT, "log": f"{line}\n"}),
    "Kubernetes": lambda line: f"{SHIPPED_AT} stdout F {line}",
    "Fluent Bit": lambda line: json.dumps({"log": line, "kubernetes": {"pod_name": "nn-0"}}),
    "Elasticsearch": lambda line: json.dumps({"_source": {"@timestamp": SHIPPED_AT, "message": line}}),
    "escaped by Gson": lambda line: json.dumps({"message": line}).replace("=", "\\u003d"),
    "JSON behind a prefix": lambda line: f"Nov 20 09:43:55 nn1 docker: {json.dumps({'log': line})}",
    "NameNode's log": lambda line: line.replace(
        "FSNamesystem.audit", "org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_what_the_namenode_wrote(form: str) -> None:
    """Field by field, with the time of the NameNode's own clock, by both ways of reading."""
    expected = parse_line(LINE)
    text = FORMS[form](LINE)
    assert parse_line(text) == expected
    parsed = parse_bytes(f"{text}\n{text}\n".encode(), Form())
    assert parsed.bad == []
    assert parsed.times.tolist() == [1795167834218000] * 2
    assert not parsed.known.any()
    row = parsed.texts.to_pylist()[1]
    assert (row["user"], row["src"], row["dst"], row["perm"], row["caller_context"]) == (
        "CORP\\tom",
        "/a b/c{1}",
        "/x",
        "CORP\\tom:domain users:rw-r--r--",
        "CLI",
    )


def test_records_of_one_line() -> None:
    """An array, and the hits of a search; by both ways of reading."""
    records = [
        {"_source": {"message": LINE.replace("/x", f"/{n}"), "host": {"name": "nn"}}} for n in range(3)
    ]
    for value in (records, {"took": 1, "hits": {"total": {"value": 3}, "hits": records}}):
        text = json.dumps(value)
        assert [line.dst for line in audit_lines([text], "a", Dropped())] == ["/0", "/1", "/2"]
        parsed = parse_bytes(f"{LINE}\n{text}\n{LINE}\n".encode(), Form())
        assert parsed.texts.column("dst").to_pylist() == ["/x", "/0", "/1", "/2", "/x"]


@pytest.mark.parametrize("text", ["[nn1] cmd=a cmd=b", '{"a": ["cmd=a", "cmd=b"]}', "[" * 9999 + "cmd=cmd="])
def test_a_line_that_has_no_records(text: str) -> None:
    """It is one line."""
    assert records_of(text) == [text]


@pytest.mark.parametrize(
    ("date", "time_s"),
    [
        ("26/11/20 09:43:54", 1795167834),
        ("\ufeff26/11/20 09:43:54", 1795167834),
        ("on 26/11/20 09:43:54", None),
    ],
)
def test_the_date_of_a_console(date: str, time_s: float | None) -> None:
    """Of Hadoop's own logging to one."""
    assert parse_line(LINE.replace(DATE, date)).time_s == time_s


def test_a_key_behind_a_comma_alone_is_a_part_of_a_path() -> None:
    """Where blanks are between the others."""
    odd = LINE.replace("src=/a b/c{1}", "src=/a,perm=b")
    assert parse_line(odd.replace("\t", " ")) == parse_line(odd)


def test_a_log_of_utf_16(tmp_path: Path) -> None:
    """As a shell of Windows redirects it."""
    (tmp_path / "a.log").write_text(f"{LINE}\n" * 9, "utf-16")
    assert import_audit([tmp_path / "a.log"], tmp_path / "a").meta.lines == 9


@pytest.mark.parametrize("between", [" ", ", ", ","])
def test_a_comma_at_the_end_of_a_value_is_not_a_separator(between: str) -> None:
    """Unless one is before each key."""
    odd = LINE.replace("src=/a b/c{1}", "src=/a, b,c,")
    assert parse_line(odd.replace("\t", between)) == parse_line(odd)


@pytest.mark.parametrize(
    ("wrapper", "known"),
    [
        ({"@timestamp": "2026-11-20T09:43:54.218Z", "message": MESSAGE}, True),
        ({"__REALTIME_TIMESTAMP": "1795167834218000", "MESSAGE": MESSAGE}, True),
        ({"instant": {"epochSecond": 1795167834, "nanoOfSecond": 218000000}, "message": MESSAGE}, True),
        ({"timeMillis": 1795167834218, "message": MESSAGE}, True),
        ({"timeMillis": 1, "@timestamp": "2026-11-20T09:43:54.218Z", "message": MESSAGE}, True),
        ({"log": MESSAGE, "time": "2026-11-20T10:43:54.218+01:00"}, True),
        ({"log": MESSAGE, "time": "2026-11-20 09:43:54,218"}, False),
    ],
)
def test_a_message_without_a_date_has_that_of_its_shipper(wrapper: dict[str, str], known: bool) -> None:
    """As where the NameNode logs to a console without dates."""
    parsed = parse_bytes(json.dumps(wrapper).encode(), Form())
    assert (parsed.times.tolist(), parsed.known.tolist()) == ([1795167834218000], [known])


@pytest.mark.parametrize(
    "instant",
    [
        {"epochSecond": 1795167834, "nanoOfSecond": int("9" * 400)},
        {"epochSecond": 1795167834, "nanoOfSecond": "?"},
        {"epochSecond": int("9" * 17)},
        {"timeMillis": int("9" * 400)},
    ],
)
def test_a_time_that_cannot_be_one_makes_its_line_bad(instant: dict[str, object]) -> None:
    """The other lines are read."""
    texts = [
        json.dumps({"instant": each, "message": MESSAGE}) for each in ({"epochSecond": 1795167834}, instant)
    ]
    parsed = parse_bytes("\n".join(texts).encode(), Form())
    assert (len(parsed.times), len(parsed.bad)) == (1, 1)


@pytest.mark.parametrize(
    ("zone", "read"), [("UTC", 1), ("GMT", 1), ("Z", 1), ("CET", 0), ("EDT", 0), ("INFO", 1)]
)
def test_names_of_zones_are_not_guessed(zone: str, read: int) -> None:
    """Of CET and the like an offset is not known; by both ways of reading."""
    line = LINE.replace(DATE, f"{DATE} {zone}")
    dropped = Dropped()
    assert len(list(audit_lines([line], "nn.log", dropped))) == read
    assert set(dropped.counts()) <= {"has a date with the name of a zone, not its offset from UTC"}
    parsed = parse_bytes(f"{line}\n".encode() * 20, Form())
    assert (len(parsed.times), len(parsed.bad)) == (20 * read, 20 - 20 * read)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{DATE} WARN org.apache.hadoop.ipc.Server: busy", "of another kind"),
        ("java.io.IOException: broken", "of another kind"),
        ("\tat org.apache.hadoop.ipc.Server.run(Server.java:1)", "of another kind"),
        ("nonsense", "not an audit line"),
        (
            json.dumps({"message": LINE, "other": LINE.replace("rename", "open")}),
            "several audit lines in one",
        ),
        (f"{DATE} INFO FSNamesystem.audit: allowed=true\tugi=a", "an audit line without user or command"),
        (LINE.replace("=true", "=true,"), "an audit line whose allowed is neither true nor false"),
        (
            LINE.replace("dst=/x", "dst=/x perm=/y").replace("\t", " "),
            "has blanks for TABs, and cannot be divided into its fields",
        ),
    ],
)
def test_lines_that_are_left_out_have_a_reason(text: str, reason: str) -> None:
    """With the first line of each; the others are read."""
    dropped = Dropped()
    lines = list(audit_lines([LINE, text, "", LINE, text], "nn.log", dropped, zone=UTC))
    assert lines == [parse_line(LINE)] * 2
    assert dropped.counts() == {reason: 2}
    assert f"2 lines left out: {reason}, first at nn.log:2" in dropped.notes()[0]


@needs_reported
@pytest.mark.parametrize(
    ("name", "lines", "users"),
    [
        ("audit-spaces.log", 3, {"alice"}),
        ("audit-rsyslog.log", 1, {"root"}),
        ("audit-domain-user.log", 3, {"CORP\\tom"}),
    ],
)
def test_audit_logs_that_people_had(name: str, lines: int, users: set[str], tmp_path: Path) -> None:
    """Every line is read, and the client is one."""
    log = import_audit([REPORTED / name], tmp_path / "al")
    assert (log.meta.lines, log.meta.bad_places) == (lines, ())
    assert {line.user for line in log.lines()} == users
    assert len({line.ip for line in log.lines()}) == 1
