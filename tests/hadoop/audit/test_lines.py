"""The audit line grammar."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.audit.lines import named_address, own_context, parse_hive, parse_line, process, unescape

TAIL = "ip=/10.0.0.1\tcmd=mkdirs\tsrc=/a\tdst=null\tperm=alice:hadoop:rwxr-xr-x\tproto=rpc"
PREFIX = "2026-11-20 09:43:54,218 INFO FSNamesystem.audit: "


def test_the_default_line() -> None:
    """Every key of a 3.x line."""
    line = parse_line(f"{PREFIX}allowed=true\tugi=alice (auth:SIMPLE)\t{TAIL}\tcallerContext=CLI:sig\n")
    assert (line.allowed, line.user, line.auth, line.real_user) == (True, "alice", "SIMPLE", None)
    assert (line.ip, line.command, line.src, line.dst, line.proto) == (
        "10.0.0.1",
        "mkdirs",
        "/a",
        None,
        "rpc",
    )
    assert line.time_s == pytest.approx(1795167834.218)
    assert line.caller_context == "CLI:sig"


def test_proxy_users_and_realms() -> None:
    """Names may hold a realm and a host; `via` names who impersonates."""
    line = parse_line(f"{PREFIX}allowed=true\tugi=al/h@R (auth:PROXY) via hive/x@R (auth:KERBEROS)\t{TAIL}")
    assert (line.user, line.auth, line.real_user) == ("al/h@R", "PROXY", "hive/x@R")


def test_options_with_spaces_and_equals() -> None:
    """`rename (options=[OVERWRITE, TO_TRASH])` is one command."""
    text = TAIL.replace("cmd=mkdirs", "cmd=rename (options=[OVERWRITE, TO_TRASH])")
    line = parse_line(f"allowed=true\tugi=a\t{text}")
    assert (line.command, line.options) == ("rename", "options=[OVERWRITE, TO_TRASH]")


def test_old_lines_and_other_prefixes() -> None:
    """Hadoop 1 has no `allowed`; sites put anything before the message."""
    line = parse_line(f'<13>host {{"m": "ugi=bob\t{TAIL}')
    assert (line.allowed, line.user, line.auth, line.time_s) == (True, "bob", None, None)


def test_digits_that_are_no_date() -> None:
    """A line without a usable date is still a line."""
    assert parse_line(f"2026-99-20 09:43:54 allowed=true\tugi=a\t{TAIL}").time_s is None


def test_denied_and_equals_in_paths() -> None:
    """Partition by `=` goes by the first one only."""
    line = parse_line(f"allowed=false\tugi=a (auth:TOKEN)\t{TAIL}".replace("src=/a", "src=/t/ds=1/x=y"))
    assert (line.allowed, line.src) == (False, "/t/ds=1/x=y")


@pytest.mark.parametrize(
    ("escaped", "plain"), [("a\\tb", "a\tb"), ("\\u00e9", "é"), ("\\ud83d\\ude00", "😀"), ("\\\\", "\\")]
)
def test_java_escapes(escaped: str, plain: str) -> None:
    """As StringEscapeUtils wrote them, surrogate pairs too."""
    assert unescape(escaped) == plain


def test_a_path_that_was_not_escaped_keeps_its_backslashes() -> None:
    """As far as no escape is made so: a log of a release before 2.8 that is read without `--raw`."""
    assert unescape(r"/data\year\part") == "/data\\year\\part"


@pytest.mark.parametrize("line", ["", "hello", "allowed=true\tip=/1", "allowed=true\tugi=a\tip=/1"])
def test_lines_that_are_none(line: str) -> None:
    """One clear error each."""
    with pytest.raises(InputError, match="audit line"):
        parse_line(line)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes anything but a line or an InputError."""
    try:
        parse_line(f"allowed=true\tugi={text}\tcmd=x")
    except InputError:
        return


def test_tabs_of_old_paths_stay_in_them() -> None:
    """Logs of before 2.8 do not escape them; what stands behind one may look like a key."""
    text = TAIL.replace("src=/a", "src=/a\tb=c\tsrc=d")
    assert parse_line(f"{PREFIX}allowed=true\tugi=a\t{text}").src == "/a\tb=c\tsrc=d"


@pytest.mark.parametrize(("zone", "hours"), [("Z", 0), ("+01:00", -1), (" -0230", 2.5), ("", 0)])
def test_a_date_with_a_zone_of_its_own(zone: str, hours: float) -> None:
    """Has that one."""
    text = f"2026-11-20T09:43:54.218{zone} INFO audit: allowed=true\tugi=a\t{TAIL}"
    assert parse_line(text).time_s == pytest.approx(1795167834.218 + hours * 3600)


def test_lines_in_json() -> None:
    """The message is one of its texts, with its date or beside it; other JSON is no audit line."""
    message = f"allowed=true\tugi=a\t{TAIL}"
    inside = {"host": "nn1", "message": PREFIX + message}
    beside = {"@timestamp": "2026-11-20T09:43:54.218Z", "message": message}
    for wrapper in (inside, beside):
        line = parse_line(json.dumps(wrapper))
        assert (line.command, line.time_s) == ("mkdirs", pytest.approx(1795167834.218))
    for text in ('{"a": 1}', "{", "[1]"):
        with pytest.raises(InputError, match="is not an audit line"):
            parse_line(text)


def test_dynamometers_hive_form() -> None:
    """Other fields, or no time, are refused."""
    line = parse_hive(
        "1500\x01alice (auth:PROXY) via bob (auth:KERBEROS)\x01open\x01/a\x01null\x01/10.0.0.1\n"
    )
    assert (line.time_s, line.user, line.real_user, line.dst, line.ip) == (
        1.5,
        "alice",
        "bob",
        None,
        "10.0.0.1",
    )
    for text in ("1\x01a\x01\x01/\x01\x01x", "1\x01a", "\u0663\x01a\x01open\x01/\x01\x01x"):
        with pytest.raises(InputError):
            parse_hive(text)


@pytest.mark.parametrize("tab", [" ", "      ", "#011"])
def test_tabs_that_were_lost_on_the_way(tab: str) -> None:
    """An editor made them blanks, rsyslog made them `#011`; the keys divide the line."""
    message = f"allowed=true\tugi=al (auth:PROXY) via x (auth:SIMPLE)\t{TAIL}\tcallerContext=a b"
    message = message.replace("cmd=mkdirs", "cmd=rename (options=[OVERWRITE])").replace("src=/a", "src=/a b")
    assert parse_line(PREFIX + message.replace("\t", tab)) == parse_line(PREFIX + message)


@pytest.mark.parametrize("src", ["/a dst=b", "/a proto=b", "/a src=/b", "/a ugi=b"])
def test_blanks_that_cannot_be_told_from_tabs(src: str) -> None:
    """A path that looks like another field is refused, not divided."""
    message = f"allowed=true\tugi=a\t{TAIL}".replace("src=/a", f"src={src}")
    assert parse_line(message).src == src
    with pytest.raises(InputError, match="cannot be divided into its fields"):
        parse_line(message.replace("\t", " "))


def test_only_paths_and_the_context_are_escaped() -> None:
    """A user of a Windows domain is logged as it is, and so is the owner."""
    line = parse_line(
        r"allowed=true|ugi=CORP\tom (auth:SIMPLE)|ip=/10.0.0.1|cmd=setOwner|src=/a\tb|dst=/c\\d"
        r"|perm=CORP\tom:domain users:rwxr-xr-x|proto=rpc|callerContext=e\tf".replace("|", "\t")
    )
    assert (line.user, line.perm) == (r"CORP\tom", r"CORP\tom:domain users:rwxr-xr-x")
    assert (line.src, line.dst, line.caller_context) == ("/a\tb", r"/c\d", "e\tf")


@pytest.mark.parametrize(
    ("ip", "context", "address", "who"),
    [
        ("/10.0.0.1", "CLI", "10.0.0.1", None),
        ("nn1.example.com/10.0.0.1", "CLI", "10.0.0.1", None),
        ("null", "CLI", None, None),
        ("/10.0.0.1", "CLI,clientIp:10.0.0.7,clientPort:40001,realUser:oozie", "10.0.0.7", "40001 oozie"),
        ("/10.0.0.1", "clientIp:10.0.0.7,clientPort:1,clientId:ab,clientCallId:9,CLI", "10.0.0.7", "1"),
        ("/10.0.0.1", "CLI;clientIp:10.0.0.7;clientPort:1;realUser:a;b", "10.0.0.7", "1 a"),
        ("null", "clientIp:0:0:0:0:0:0:0:1,clientPort:1:signature", "0:0:0:0:0:0:0:1", "1:signature"),
        ("/10.0.0.1", "CLI,clientPort:40001", "10.0.0.1", "40001"),
        ("/10.0.0.1", f"{'x' * 110},clientIp:10.0.0", "10.0.0.1", None),
        ("/10.0.0.1", f"{'x' * 108},clientIp:10.0.0.1", "10.0.0.1", None),
        ("/10.0.0.1", "CLI,myclientIp:10.0.0.7,proxyUserPort:7", "10.0.0.1", None),
    ],
)
def test_a_proxy_names_the_client(ip: str, context: str, address: str | None, who: str | None) -> None:
    """By address, port and real user in the caller context, wherever they are, unless they were cut."""
    line = parse_line(
        f"allowed=true\tugi=a\t{TAIL}\tcallerContext={context}".replace("ip=/10.0.0.1", f"ip={ip}")
    )
    assert (line.ip, process(line.caller_context)) == (address, who)


def test_what_a_proxy_adds_is_not_the_clients_own_context() -> None:
    """Before it or behind it, by whatever separator."""
    for context in (
        "mr_1,clientIp:10.0.0.7,clientPort:40001",
        "clientIp:10.0.0.7,clientPort:40001,clientId:ab,clientCallId:9,realUser:oozie,mr_1",
        "clientIp:10.0.0.7;clientPort:40001;mr_1",
    ):
        assert own_context(context) == "mr_1"
    assert own_context("CLI") == "CLI"


@pytest.mark.parametrize(("length", "found"), [(127, "10.0.0.9"), (128, None)])
def test_the_address_at_the_end_of_a_long_context_may_be_cut(length: int, found: str | None) -> None:
    """A NameNode keeps 128 characters."""
    field = ",clientIp:10.0.0.9"
    assert named_address("x" * (length - len(field)) + field) == found


def test_lines_of_ranger_are_named() -> None:
    """They have accesses, from which calls cannot be made."""
    line = '{"reqUser":"hive","evtTime":"2026-03-01 00:00:00.123","access":"READ","resource":"/t"}'
    with pytest.raises(InputError, match=r"Ranger's audit, .*: take the NameNode's hdfs-audit\.log"):
        parse_line(line)
