"""The first line of every import states what its input was taken for: form, entities, interval, span."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from froude.cli.app import run
from tests.support.cli.command_lines import FILES, LINES

EVERY, OVER = r", one every [\d.e-]+ m?s", r", over [\d.,e-]+ m?s"
RECOGNISED = {
    "harvest import": r"csv \(time in 'time', server in 'server', cpu in 'cpu'; comma\), in percent: 1 server, 2 samples"
    r", one every 199,999 s, over 2\.3 days",
    "harvest schedule": r"Rumen trace: 2 jobs, \d+ tasks",
    "harvest simulate scheduling": r"Rumen trace: 2 jobs, \d+ tasks",
    "trace import tap": rf"tap of connections: 1 sender, \d+ calls?{EVERY}{OVER}",
    "trace import calls": r"table of calls: 1 sender, 1 call, over 0 ms",
    "trace import audit": r"audit log \(direct lines\): 1 line, over 0 ms",
    "provision import": r"table of prices: \d+ server types",
    "cache simulate": rf"block traces of mqsim: 2 volumes, 3 requests{EVERY}{OVER}",
}
"""By command: what it recognises of the file that the table of command lines has."""


@pytest.mark.parametrize("command", RECOGNISED)
def test_what_was_recognised(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before any other remark."""
    monkeypatch.chdir(tmp_path)
    line = LINES[command]
    for name in line.inputs.values():
        FILES[name](tmp_path / name)
    place = line.outputs[0]
    assert run([*line.arguments, place.flag, f"out{place.suffix}"]) == 0
    first = next(text for text in capsys.readouterr().err.splitlines() if not text.endswith("..."))
    assert re.search(f"recognised {RECOGNISED[command]}$", first), first
