"""Lines are written as Hadoop writes them; that they are read again, tests of the parser see to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.hadoop.audit.lines import parse_line
from froude.hadoop.audit.text import java_escaped, line_text
from testbed.audit_lines import LINE


def test_a_line() -> None:
    """With its date, its users and what is null."""
    line = replace(LINE, options=None, dst=None, perm=None, caller_context=None)
    assert line_text(line) == (
        "2026-11-20 09:43:54,218 INFO FSNamesystem.audit: allowed=true\tugi=alice@EXAMPLE.COM (auth:PROXY) via "
        "oozie/host@EXAMPLE.COM (auth:KERBEROS)\tip=/10.0.0.7\tcmd=rename\tsrc=/a b/x=1\tdst=null"
        "\tperm=null\tproto=rpc\n"
    )


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("/a b", "/a b"), ("/a\tb", r"/a\tb"), ("/ü", r"/\u00FC"), ('/"\\', r"/\"\\"), ("/\x7f", "/\x7f")],
)
def test_what_java_escapes(text: str, escaped: str) -> None:
    """Nothing else, so that a log of plain paths stays readable; what is read back is the same."""
    assert java_escaped(text) == escaped
    assert parse_line(line_text(replace(LINE, src=text))).src == text
