"""What primary tenants use, from a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.harvest.usage import usage_of_servers
from froude.harvest.live.usage import Usage


def test_a_line_a_server(tmp_path: Path) -> None:
    """Memory where it is known; of two lines the later counts, whatever blanks are around the server's name."""
    file = tmp_path / "use.csv"
    file.write_text("server,cpu,memory_mb\na,0.2,\nb,0.5,1024\n a ,0.3,\n")
    assert usage_of_servers(file) == {"a": Usage(0.3), "b": Usage(0.5, 1024)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("server,cpu\n", "has no row"),
        ("server,cpu\na,1.5\n", r"csv:2 \('1.5'\)"),
        ("server,load\na,0.5\n", "has no column cpu"),
        ("server,cpu\n,0.5\n", "csv:2"),
        ("server;cpu\na;0,5 x\n", r"allowed: no such line\. Write numbers as 1234\.5$"),
        ("server;cpu\na;1,234\n", "Write decimal points$"),
    ],
)
def test_what_is_no_usage(tmp_path: Path, text: str, said: str) -> None:
    """Is refused with its line."""
    (tmp_path / "use.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        usage_of_servers(tmp_path / "use.csv")
