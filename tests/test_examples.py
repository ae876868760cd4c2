"""The examples of documentation, docstrings and help that need no daemon; the others are run in `integration`."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from _pytest.mark.structures import ParameterSet
from lxml import etree

from froude.base.errors import InputError
from froude.cli.app import app, hoist, run, spread
from froude.documents.store import Workspace
from froude.emulation.run.files import write_run
from froude.hadoop.cluster.loopback import NAMENODE, check_free
from froude.provision.inputs.read import EXAMPLES as SHIPPED
from froude.trace.files import write_trace
from testbed.packet_bytes import file_of
from testbed.pages import page_blocks, run_shell
from testbed.recorded import recorded
from tests.support.cli.command_lines import FILES, ORIGIN
from tests.support.documented import LANGUAGES, Block, blocks, help_examples
from tests.support.experiment import comparisons
from tests.support.integration.examples import BY_HAND, IN_HELP, PAGES
from tests.support.old_forms import OLD
from tests.support.trace.capture.pcap import talk_of
from tests.support.trace.importers.tap import tap_bytes

_NEEDS_HADOOP = "Hadoop.find()"
_PYTHON = blocks("python")
_SHELL = {block.text: block for block in blocks("sh")}
HELP = help_examples()
_SMALLER = "takes a minute; tests of its own run it smaller"
NOT_RUN = {
    "make": "is make's own; CI runs it",
    "pip install": "installs; CI runs it",
    "froude cache disk": "serves until it is told to stop, beside programs of others; tests of its own run it",
    "froude cache serve": "serves until it is told to stop; tests of its own run it",
    "froude cache agent": "serves until it is told to stop; tests of its own run it",
    "froude provision measure": "needs a disk to measure",
    "NAMENODE": "needs a cluster of the reader's own",
    "tcpdump": "needs a cluster of the reader's own",
    "trace-3\n": "is of that cluster",
    "froude knee": "takes minutes; tests of its own run it smaller",
    "froude sweep": "takes minutes; tests of its own run it smaller",
    "froude sweep fine-grained-lock.yaml": "takes minutes; `integration` runs a smaller one",
    "benchmarks.results_": "takes minutes",
    "froude compare --duet": "takes minutes; tests of its own run it smaller",
    "froude compare --baseline sweep/": "reads what a sweep made",
    "jq -r": "reads what another example wrote, with a program of the reader's",
    "--nodemanagers": "takes a minute; `integration` runs a smaller one",
    "froude hadoop run": "takes minutes; `integration` runs a smaller job",
    "froude run mapreduce.yaml": "takes minutes; `integration` records a smaller job",
    "froude run datanodes.yaml": "takes minutes; `integration` has fewer DataNodes",
    "froude run giants": "takes minutes; tests of its own measure smaller NameNodes",
    "froude run containers.yaml": "takes minutes; `integration` searches with fewer applications",
    "--points 25": "takes minutes; README's sweep has fewer points",
    "provision sweep one.yaml": "needs two designs of the reader's own; tests of the command compare two",
    "froude provision import": "needs a price list, which is not ours to ship",
    "provision draft monday": "needs a recorded day",
    "provision draft trace-1": "needs a recorded day",
    "--cluster cluster.yaml": "needs a cluster of the reader's own; another page evaluates a plan",
    "cache simulate figure-5": _SMALLER,
    "harvest simulate durability dc9 --report": "takes ten minutes; help's example simulates fewer blocks",
    "froude review": "needs the reader's own questions",
    "audit audit.csv -o": "needs a log of another layout; tests of the command run it",
    "--image fsimage_": "needs an image and its edits; `integration` cuts a log at real ones",
    "--anonymise secret.key": "is of the log of the page's first example; tests of the command run it",
    "harvest import load.csv": "needs samples of the reader's own, and a cluster",
    "harvest schedule dc9 --jobs": "needs a record of the reader's own",
    "cache simulate table-2": _SMALLER,
    "cache simulate monday": "needs traces of the reader's own",
    "harvest apply": "needs a cluster of the reader's own; `integration` has one",
    "harvest place": "needs a cluster of the reader's own; `integration` has one",
    "harvest reimages": "needs a cluster of the reader's own; tests of the command have one",
    "harvest inspect dc fsck.txt": "needs a listing of the reader's own; tests of the command have one",
    "harvest serve": "needs a cluster of the reader's own; `integration` has one",
    "harvest submit": "needs a daemon; `integration` has one",
    "froude report workload.yaml run": "is run in integration, by README's chain",
}
"""Blocks that no test runs as they stand, by what is in them; their flags are checked."""
_LONG = {
    "provision compile hdfs-petabyte": "what it finds is in `data/plans`",
    "froude run replay.yaml": "`integration` replays logs",
    "harvest simulate": "help's examples simulate",
    "provision sweep": "tests of the command sweep fewer points",
    "provision vary": "tests of the command move fewer inputs",
    "image blocks fsimage_0000000000000000001 --datanodes 300": "tests of the command inspect lists of an image",
}
"""Parts of blocks that take long, and what runs besides; `make test` has their flags checked."""
_LONG_IN_HELP = ("provision sweep", "provision vary")
"""Commands whose examples in help have their flags checked alone."""
_PLACEHOLDER = re.compile(r"\b[A-Z]{4,}\b")
"""What a reader puts in words of their own for."""


def test_every_block_says_what_it_is() -> None:
    """So that no command can hide among what is printed."""
    unnamed = [block.id for block in blocks() if block.language not in LANGUAGES]
    assert unnamed == []
    printed = (block for block in blocks("text") if block.text.startswith(("froude ", "make ", "pip ")))
    assert [block.id for block in printed] == []


def test_the_examples_are_seen() -> None:
    """At least those of README and of the reports, on which the tests below would otherwise say nothing."""
    assert {"README.md", "src/froude/render/__init__.py"} <= {block.page for block in _PYTHON}
    assert len(HELP) > 25


@pytest.mark.parametrize(
    "block", [b for b in _PYTHON if _NEEDS_HADOOP not in b.text], ids=lambda block: block.id
)
def test_a_python_example_that_needs_no_daemon_runs(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, "example", "exec"), {"__name__": "example"})


def test_one_python_example_starts_daemons() -> None:
    """README's, which `integration` runs; the package's docstring has the same."""
    assert [block.id for block in _PYTHON if _NEEDS_HADOOP in block.text] == ["README.md-0"]


def _why_not(text: str) -> str | None:
    """Why a block is not run as it stands; None for one that is."""
    return next((why for part, why in NOT_RUN.items() if part in text), None)


def _is_long(text: str) -> bool:
    """Whether only `make test-all` runs a block."""
    return any(part in text for part in _LONG)


def _in_integration() -> set[str]:
    return {text for page in PAGES for text in page_blocks(page)}


def _alone() -> Iterator[ParameterSet]:
    """Blocks that need neither daemons nor anything of the reader's own."""
    daemons = _in_integration()
    for block in _SHELL.values():
        if block.text not in daemons and _why_not(block.text) is None:
            yield pytest.param(block, id=block.id, marks=[pytest.mark.long] if _is_long(block.text) else [])


@pytest.mark.parametrize("block", list(_alone()))
def test_commands_that_need_nothing_run(block: Block, tmp_path: Path) -> None:
    """As they stand, in an empty folder."""
    done = run_shell(block.text, tmp_path)
    assert done.returncode == 0, done.stderr


def test_readme_runs_as_it_is_written_or_says_what_to_put_in() -> None:
    """What is not run there takes minutes, is make's or pip's own, or has words in capitals to be replaced."""
    taken = [
        text
        for text in page_blocks("README.md")
        if (why := _why_not(text)) and "needs" in why and not _PLACEHOLDER.search(text)
    ]
    assert taken == []


def test_commands_that_are_not_run_are_taken_by_their_parsers() -> None:
    """Every `froude` command in them exists and has the flags that are used: its parser takes the line."""
    for text in (text for text in _SHELL if _why_not(text) or _is_long(text)):
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["froude"]:
                _takes(words[1:])


def _takes(words: list[str]) -> None:
    """The parser takes these words."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("froude", spread(hoist(words)), obj="froude")
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with every file that an example in help names."""
    folder = tmp_path_factory.mktemp("examples")
    workspace = Workspace(folder)
    for number, name in enumerate(("k2c", "k3", "k4"), 1):
        write_trace(workspace.new("trace"), recorded(name), ORIGIN)
        assert workspace.find(f"trace-{number}")
    copies = {
        "workload.yaml": "w.yaml",
        "a.yaml": "w.yaml",
        "b.yaml": "w.yaml",
        "plan": "p",
        "run": "r",
        "hdfs-audit.log": "audit.log",
        "calls.csv": "calls.csv",
        "plan.json": "c.json",
        "fsimage_0000000000000061740": "img",
        "load.csv": "load.csv",
        "servers.csv": "servers.csv",
        "wipes.csv": "wipes.csv",
        "dc9": "dc",
        "fsck.txt": "fsck.txt",
        "application_1.zstd": "jobs.log",
    }
    for name, maker in copies.items():
        FILES[maker](folder / name)
    for runs, name in zip(comparisons.arms(3).values(), ("old", "new"), strict=True):
        for number, each in enumerate(runs, 1):
            write_run(folder / f"{name}-{number}", each, ORIGIN)
    FILES["ec2_2026-07.csv"](folder / "ec2_2026-07.csv")
    (folder / "namenode.pcap").write_bytes(file_of(talk_of().segments))
    (folder / "nodes.tap.gz").write_bytes(gzip.compress(tap_bytes()))
    shutil.copy(SHIPPED / "productsearch.yaml", folder / "your-design.yaml")
    parts = etree.parse(OLD / "provision" / "inputs.xml").getroot()
    for name, tags in (
        ("hardware", ["resources"]),
        ("application", ["application"]),
        ("sla", ["sla", "batch", "options"]),
    ):
        part = etree.Element("provision")
        part.extend(child for child in list(parts) if child.tag in tags)
        (folder / f"{name}.xml").write_bytes(etree.tostring(part))
    assert not [child.tag for child in parts]
    (folder / "job.sh").write_text("#!/bin/sh\n")
    (folder / "job.sh").chmod(0o755)
    return folder


_IN_HELP = sorted(HELP.keys() - IN_HELP - BY_HAND.keys())


@pytest.mark.parametrize("command", _IN_HELP)
def test_an_example_in_help_runs(
    command: str, prepared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it stands, where the files that it names are; its end may be that a limit was missed."""
    monkeypatch.chdir(prepared)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    words = shlex.split(HELP[command])[1:]
    if command in _LONG_IN_HELP:
        _takes(words)
        return
    assert run(words) in {0, 3}, capsys.readouterr().err


def test_every_command_has_an_example() -> None:
    """In its help."""
    from tests.support.cli.command_lines import commands

    assert {name for name, _ in commands()} - HELP.keys() == set()


def test_the_example_of_a_capture(tmp_path: Path, hadoop: object) -> None:
    """It records what listens at a NameNode's usual address, until Ctrl-C."""
    try:
        check_free(NAMENODE)
        check_free(("127.0.0.1", 9020))
    except InputError as error:
        pytest.skip(str(error))
    with socket.create_server(NAMENODE):
        words = shlex.split(HELP["capture proxy"])
        assert words[0] == "froude"
        command = [sys.executable, "-c", "from froude.cli.app import main; main()", *words[1:]]
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        assert "recording on 127.0.0.1:9020" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "trace-3" / "calls.parquet").is_file()
