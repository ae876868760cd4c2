"""Flags of tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.simulate.layouts import LAYOUTS as BLOCKS
from froude.cli.app import run
from froude.cli.table_flags import options_of
from froude.harvest.telemetry.layouts import LAYOUTS, OTHERS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tables.md"


def test_flags_become_options() -> None:
    """Separators by their names, too."""
    found = options_of(
        column=["cpu=busy", "time=0"], known=("time", "cpu"), separator="TAB", decimal=",", date_format="ms"
    )
    assert (found.columns, found.separator, found.decimal) == ({"cpu": "busy", "time": "0"}, "\t", ",")
    assert (found.style.dates, found.style.decimal) == ("ms", ",")
    assert options_of() == options_of(zone="UTC")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"column": ["cpu"], "known": ("cpu",)}, "--column: does not name a column, did you mean cpu"),
        ({"column": ["size=3"], "known": ("cpu",)}, "found size=3; allowed: cpu=THEIRS"),
        ({"column": ["cpu=a", "cpu=b"], "known": ("cpu",)}, "is given twice; found cpu"),
        ({"separator": "ab"}, "is not a separator; found ab"),
        ({"separator": '"'}, "is not a separator"),
        ({"decimal": ";"}, "is not a decimal character"),
        ({"date_format": "dd.mm.yyyy"}, "is not a format of dates; found dd.mm.yyyy"),
        ({"zone": "Nowhere"}, "zone"),
    ],
)
def test_what_a_flag_may_not_be(flags: dict[str, object], message: str) -> None:
    """The flag is named, and what is allowed."""
    with pytest.raises(InputError, match=message):
        options_of(**flags)  # type: ignore[arg-type]


def test_every_layout_is_on_the_page_of_tables() -> None:
    """So that the reference is complete."""
    text = PAGE.read_text()
    names = {*LAYOUTS, *OTHERS, *BLOCKS}
    assert {name for name in names if f"`{name}`" not in text} == set()


COMMANDS = (
    "harvest import t.csv -o new",
    "harvest import load.csv --inventory t.csv -o new",
    "harvest import load.csv --reimages t.csv -o new",
    "harvest generate --servers 9 --tenants 3 --days 2 --correlation t.csv -o new",
    "harvest apply dc --resourcemanager 127.0.0.1:1 --resources --usage t.csv",
    "harvest place dc --namenode 127.0.0.1:1 --usage t.csv",
    "harvest serve dc --resourcemanager 127.0.0.1:1 --usage t.csv",
    "provision draft --count count.txt --telemetry t.csv --cores 2",
    "provision import t.csv --date 2026-07 -o catalog.yaml",
    "cache simulate t.csv",
)
"""Each command that reads a table, and each table of it."""
TABLES = (
    "",
    "hello world\n",
    "1,2,3\n4,5,6\n",
    "1,a,3\n4,b,6\n",
    "a;b;c\n1;2;3\n",
    "time,server,rack,tenant\n1,a,r,t\n",
    "time;server;rack;tenant;cpu;memory_mb;instance_type\n1,500;a;r;t;1,500;1,500;x\n",
    "time,time,server,server,rack,tenant,tenant,cpu,cpu\n1,1,a,a,r,t,t,2,2\n",
    "time,server,rack,tenant,cpu\n01.02.2026,a,r,t,5\n",
    "time,server,rack,tenant,cpu\n1,a,r,t,0.5\n2,b,r,t,0.5\n",
    "time,server,rack,tenant,cpu\n1,a,r,t,-5\n2,b,r,t,-5\n",
    "time,server,rack,tenant,cpu\nx,a,r,t,y\n",
    "time,cpu\n1,5\n1,6\n1,7\n",
    "time,volume,offset,size,op\n1,a,8,8,R\n",
    "time,volume,offset,size,op\n1,a,4096,512,0\n",
    "time,volume,offset,op\n1,a,4096,R\n",
    "0 0 16 8 1\n",
    "".join(f"{n}000000000 {n} 16 8 1\n" for n in range(40)),
    "instance_type,od_usd_h,vcpu\nx,1.5,2\n",
    "instance_type,od_usd_h,vcpu,memory\nx,1.5,2,4\n",
)
"""Tables that some command cannot take as they are."""
FLAG = re.compile(r"--[a-z][a-z-]*")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_error_of_a_table_names_flags_of_its_command(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no others, as those of a command that shares the reader."""
    monkeypatch.chdir(tmp_path)
    run(["harvest", "generate", "--servers", "9", "--tenants", "3", "--days", "2", "-o", "dc"])
    (tmp_path / "load.csv").write_text("time,server,cpu\n0,a,5\n600,a,6\n")
    (tmp_path / "count.txt").write_text("1 1 1000 /logs\n")
    named: set[str] = set()
    for text in TABLES:
        (tmp_path / "t.csv").write_text(text)
        assert run(command.split()) in {0, 1}
        named.update(FLAG.findall(capsys.readouterr().err))
    known: set[str] = set()
    for words in (command.split()[:2], []):
        run([*words, "--help"])
        known.update(FLAG.findall(capsys.readouterr().out))
    assert named - known == set()
