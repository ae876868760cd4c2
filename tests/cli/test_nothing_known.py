"""What is not known agrees with nothing: every command, its judgements, and an input of which nothing can be told.

A judgement is a share, an agreement, a comparison, a winner, a verdict. Each is stated with its base, and not at all
where the base is empty. A command that is in none of the three tables below fails the first test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.cli.app import run
from froude.cli.page_text import page_text
from froude.cli.run_text import run_text
from froude.cli.sweep import sweep_table
from froude.documents.artifact import Origin
from froude.emulation.limits import parse_limit
from froude.emulation.run.files import write_run
from froude.emulation.run.run import Run
from froude.emulation.run.summary import summarise, summary_text
from froude.emulation.run.tally import Tally
from froude.experiment.figures.image import image_report
from froude.experiment.figures.page import page
from froude.experiment.knee.answer import Knee, Play, Status
from froude.experiment.knee.file import knee_text
from froude.experiment.knee.knee import outcome_of
from froude.experiment.sweep.file import swept_text
from froude.hadoop.fsimage.summary import Bin, ImageSummary
from froude.harvest.telemetry.datacenter import Reimages
from froude.harvest.telemetry.files import write_datacenter
from froude.trace.files import write_trace
from froude.workload.yaml_file import write_workload
from tests.support.cli.command_lines import SCALES, commands, recorded
from tests.support.experiment import comparisons
from tests.support.experiment.sweeps import swept
from tests.support.harvest.datacenters import made
from tests.support.trace.making import small_trace

Out = pytest.CaptureFixture[str]
HERE = Path()
ONCE_A_DAY = np.tile(np.append(0.3, np.full(23, np.nan)), (3, 8))
"""Utilisation of three tenants, of which one hour a day was measured."""
FSCK = "0. BP-1:blk_1_1 len=5 Live_repl=2  [10.0.0.1:9866, 10.0.0.2:9866]\n"
RUMEN = {
    "jobID": "job_1",
    "submitTime": 1000,
    "finishTime": 21000,
    "mapTasks": [{"startTime": 2000, "finishTime": 4000}],
    "reduceTasks": [],
}
STATE = """froude: cache-state/1
hypervisors: [{name: h1, space: 1 GB}]
vms: [{name: a, hypervisor: h1}, {name: b, hypervisor: h1}]
"""
SCENARIO = """froude: cache-scenario/1
hypervisors: [{name: h1, vms: [a, b]}]
clusters: [{name: c1, master: a, vms: [a, b]}]
groups: [{c1: scan}]
space: 2 MB
data: 2 MB
chunk: 16 KiB
passes: 1
window: 1 s
"""


def unmeasured() -> None:
    """A datacenter of whose tenants no pattern is known, with a job."""
    write_datacenter(HERE / "dc", made(ONCE_A_DAY))
    Path("jobs.json").write_text(json.dumps(RUMEN))


def idle() -> None:
    """A datacenter in which nothing ever happened."""
    write_datacenter(HERE / "dc", made(np.zeros((3, 8 * 24))))


def crowded() -> None:
    """One environment, in which a policy that wants three places no block; and two wipes."""
    wiped = Reimages(np.zeros(2, np.int32), np.array([5 * 86400.0, 7 * 86400.0]))
    write_datacenter(HERE / "dc", replace(made(np.full((1, 8 * 24), 0.5), servers=5), reimages=wiped))


def strange_blocks() -> None:
    """Blocks on DataNodes that no inventory has."""
    unmeasured()
    Path("fsck.txt").write_text(FSCK)


def empty_traces() -> None:
    """Traces without a call, and the audit log of such a run."""
    trace = small_trace()
    for name in ("t1", "t2"):
        write_trace(HERE / name, replace(trace, calls=[], meta=replace(trace.meta, scale=SCALES[0])))
    write_workload(HERE / "w.yaml", recorded())
    Path("audit.log").touch()


def nothing_sent(number: int = 1) -> Run:
    """A play in which no call was sent, and which nobody watched."""
    tally = Tally()
    tally.close_interval(1.0)
    played = Run(tally, "127.0.0.1:1", f"CID-{number}", 3600.0 * number, 10.0, nodes={"client": 2})
    return replace(played, scale={"files": "9"}, inputs=("ab" * 32,))


def two_runs() -> None:
    """One run of each arm: the spread between runs is not known."""
    for number in (1, 2):
        write_run(HERE / f"r{number}", comparisons.run(number))


def silent_runs() -> None:
    """Three runs of each arm without a call."""
    for number in range(1, 7):
        write_run(HERE / f"r{number}", nothing_sent(number))


def no_load() -> None:
    """An SLA that asks for nothing."""
    from froude.provision.inputs.read import EXAMPLES

    text = (EXAMPLES / "photoshare-calibrated.yaml").read_text()
    Path("app.yaml").write_text(re.sub(r"rate: [13]00}", "rate: 0}", text))


def text(name: str, content: str) -> Callable[[], object]:
    """A file of that text."""
    return lambda: Path(name).write_text(content)


Shown = tuple[str, Any]
"""Text and document."""


def shown_play() -> Shown:
    """What `froude play` shows of a play in which nothing was sent."""
    played = nothing_sent()
    return run_text(played), json.loads(summary_text(summarise(played)))


def shown_knee() -> Shown:
    """A search of whose plays no latency is known."""
    played = nothing_sent()
    played.limits = [parse_limit("p99 < 1 s").check(played)]
    play = Play(1.0, outcome_of(played), summarise(played))
    knee = Knee(("clients",), ("p99 < 1 s",), (play,), Status.UNSETTLED, None, 1.0)
    return page_text(page([knee]).report), json.loads(knee_text(knee, Origin()))


def shown_sweep() -> Shown:
    """A sweep of two runs an arm: the spread is not known."""
    found = swept(1.0, 2.0, runs=2)
    return sweep_table(found), json.loads(swept_text(found, Origin()))


def shown_image() -> Shown:
    """A namespace without a file."""
    names = (
        "files directories blocks bytes space_bytes empty_files open_files erasure_coded_files symlinks with_acl "
        "with_xattrs with_quota snapshottable_directories snapshots only_in_snapshots"
    )
    bins = (Bin(0, 0, 0, 0), Bin(0, -1, 0, 0))
    counts = dict.fromkeys(names.split(), 0)
    page = image_report(ImageSummary("i", -67, "", 1, counts, bins, bins, bins, bins, (), (), ()), {})
    return page_text(page), {"small": [row[2] for row in _table(page, "Small files").rows]}


def _table(page: Any, caption: str) -> Any:
    blocks = (block for section in page.sections for block in section.blocks)
    return next(block for block in blocks if getattr(block, "caption", "") == caption)


@dataclass(frozen=True)
class Row:
    """An input of which nothing can be told, and what a command makes of it."""

    judgements: str
    states: str
    """A regular expression of what is stated instead: the base, or what is missing."""
    words: str = ""
    """The command line."""
    make: Callable[[], object] = lambda: None
    code: int = 0
    unknown: tuple[str, ...] = ()
    """Places in the JSON document whose values are null, or that are not there; `*` for every element."""
    silent: str = "(?!)"
    """A regular expression of judgements that must not be stated."""
    shown: Callable[[], Shown] | None = None
    """Of a command that needs a running cluster: what it shows of a value."""


_SHARES = (
    "backtest.*.pattern_kept",
    "backtest.*.forecasts.*.rmse",
    "stability.pattern_kept",
    "stability.rand",
)
JUDGING: dict[str, tuple[Row, ...]] = {
    "harvest generate": (
        Row(
            "share of failures that come together",
            "holds no two failures of one rack and day",
            "harvest generate -o g --correlation f.csv",
            text("f.csv", "server,rack,time\na,r,0\n"),
            code=1,
        ),
    ),
    "harvest import": (
        Row(
            "percent or share; how far samples are apart",
            "holds no value of utilisation",
            "harvest import u.csv -o d",
            text("u.csv", "time,server,cpu\n0,a,\n600,a,\n"),
            code=1,
            silent="shares, not percent|apart",
        ),
    ),
    "harvest characterise": (
        Row(
            "shares of the patterns, of those with few reimages and moves",
            r"Of 0 of 3 servers a pattern is known",
            "harvest characterise dc",
            unmeasured,
            unknown=("tenant_shares", "server_shares", "reimages_a_server_month"),
            silent=r"\d+ ?% of the servers",
        ),
    ),
    "harvest classify": (
        Row(
            "pattern kept, Rand index, better or worse than the mean, off by, above the peak",
            r"is not known: .*no server has a class(.|\n)*No class: 3 of 3 tenants",
            "harvest classify dc",
            unmeasured,
            unknown=_SHARES,
            silent="better|100 %.*0 of 3",
        ),
        Row(
            "the same where nothing varies",
            "Utilisation did not vary(.|\n)*3 of 3",
            "harvest classify dc",
            idle,
            unknown=("stability.rand",),
            silent="better",
        ),
    ),
    "harvest schedule": (
        Row(
            "jobs that fit in a class",
            "No class is known: nothing says where 1 job would fit",
            "harvest schedule dc --jobs jobs.json",
            unmeasured,
            silent="0 of 1 jobs fit",
        ),
    ),
    "harvest simulate scheduling": (
        Row(
            "the scheduler with the shortest jobs, shorter than pt, killed, jobs without label",
            "No job ended under every scheduler",
            "harvest simulate scheduling dc --days 4 --runs 1 --gap 1000000s",
            idle,
            unknown=("outcomes.*.job_s", "outcomes.*.killed_share", "outcomes.*.wasted_share"),
            silent="shorter than YARN|shortest|Not all jobs ended",
        ),
    ),
    "harvest simulate durability": (
        Row(
            "the policy that loses fewest",
            "No policy could place any of 100 blocks",
            "harvest simulate durability dc --blocks 100 --runs 1 --days 30 --distinct environment",
            crowded,
            silent="loses|lost any",
        ),
    ),
    "harvest simulate availability": (
        Row(
            "the policy whose accesses fail least, shares of failed accesses",
            "no access has servers that were all measured",
            "harvest simulate availability dc --blocks 100 --runs 1 --distinct environment",
            crowded,
            unknown=("policies.*.failed.*",),
            silent=r"\d%? of the accesses fail",
        ),
    ),
    "harvest inspect": (
        Row(
            "shares of blocks that break each constraint",
            "no constraint can be judged|Only 0%",
            "harvest inspect dc fsck.txt --days 0",
            strange_blocks,
            unknown=tuple(
                f"broken.{name}.{what}"
                for name in ("environment", "rack", "peak_row", "reimage_column")
                for what in ("blocks", "replicas")
            ),
            silent="% of 1 blocks",
        ),
    ),
    "cache solve": (
        Row(
            "mean read and misses, now and expected; miss ratios",
            "Nothing is known of what a cache will bring: 0 of 2 VMs",
            "cache solve s.yaml",
            text("s.yaml", STATE),
            unknown=("expected.latency_s", "expected.misses_per_s", "now.latency_s", "grants.*.miss_ratio"),
            silent="reads will take|will miss",
        ),
    ),
    "cache simulate": (
        Row(
            "the policy that misses least, miss ratios",
            "Nothing was read: no policy has a miss ratio",
            "cache simulate w.trace --policy shared --policy exact --windows 2",
            text("w.trace", "1000000 0 16 8 0\n2000000 0 16 8 0\n"),
            unknown=("policies.*.miss_ratio",),
            silent="miss least|% of",
        ),
        Row(
            "the policy whose jobs end soonest, with its interval",
            "1 run of this scenario: no interval",
            "cache simulate c.yaml --runs 1 --policy shared --policy equal",
            text("c.yaml", SCENARIO),
            silent=r"\d% to -?\d",
        ),
    ),
    "trace show": (
        Row("calls, latencies", "0 calls", "trace show t1", empty_traces, unknown=("methods.*.p50_ms",)),
    ),
    "trace validate": (
        Row(
            "whether it is good: the files are, of no message",
            "good, 0 calls",
            "trace validate t1",
            empty_traces,
        ),
    ),
    "trace diff": (
        Row(
            "whether two runs behave the same, intervals that agree",
            "neither Trace has a call to compare(.|\n)*0 of 0 call sites",
            "trace diff t1 t2",
            empty_traces,
            unknown=("same", "same_sequences"),
            silent="the same behaviour",
        ),
        Row(
            "shares of arguments predicted, silently wrong, how many times as long steps took",
            "of 0 arguments",
            "trace diff w.yaml t1 --at-least 0",
            empty_traces,
            code=3,
            unknown=("arguments.*.share", "silent_share"),
            silent="100.00%|times as long",
        ),
    ),
    "trace closure": (
        Row(
            "whether calls and lines are the same",
            "0 audited calls, 0 lines, 0 matched: nothing is compared",
            "trace closure t1 audit.log",
            empty_traces,
            code=3,
            unknown=("closed",),
        ),
    ),
    "mine": (Row("counts, rules, findings", "has no calls", "mine t1", empty_traces, code=1),),
    "play": (
        Row(
            "verdict, limits, percentiles, who was the limit",
            "AMBER: no call was sent",
            shown=shown_play,
            unknown=(
                "p50_ms",
                "p99_ms",
                "lateness_p99_ms",
                "player_cpu_share",
                "target_cpu_share",
                "gc_pauses",
            ),
            silent="GREEN|every call was sent",
        ),
    ),
    "knee": (
        Row(
            "up to where limits are kept, what broke",
            r"Not settled after 1 play: no load was kept; .* nothing was measured for p99 < 1 s in 1 of 1 play",
            shown=shown_knee,
            unknown=("low", "plays.*.run.p99_ms"),
            silent="keeps its limits|At least|broke",
        ),
    ),
    "sweep": (
        Row(
            "whether an arm is slower than the first",
            "Not enough runs to say: 2 runs and 2 can be compared",
            shown=shown_sweep,
            unknown=("arms.*.comparison.rows.*",),
            silent="is slower|No difference larger",
        ),
    ),
    "compare": (
        Row(
            "slower, faster, no difference",
            "Not enough runs to say: 1 run and 1 can be compared",
            "compare --baseline r1 --candidate r2",
            two_runs,
            unknown=("rows.*",),
            silent="is slower|No difference larger",
        ),
        Row(
            "the same without a call",
            "cannot be the primary measure.*6 runs without a value",
            "compare --baseline r1 r2 r3 --candidate r4 r5 r6",
            silent_runs,
            code=1,
        ),
    ),
    "report": (
        Row(
            "as of what is shown: latency of a run",
            "Report written",
            "report r1 -o p.html --static",
            silent_runs,
        ),
    ),
    "image show": (
        Row(
            "share of small files",
            r"0 files in 0 folders, 0 B in 0 blocks\.",
            shown=shown_image,
            unknown=("small.*",),
        ),
    ),
    "provision evaluate": (
        Row(
            "share of the SLA, growth, bottleneck",
            "asks for no load that a resource limits",
            "provision evaluate app.yaml",
            no_load,
            unknown=("fraction",),
            silent="% of the SLA",
        ),
    ),
}
LIKE = {
    "demo": ("play", "trace diff", "knee"),
    "run": ("play", "knee", "sweep"),
    "record": ("trace closure", "trace show"),
    "cache serve": ("cache solve",),
    "harvest serve": ("harvest classify", "harvest schedule"),
    "harvest submit": ("harvest schedule",),
}
"""Commands whose judgements are those of others, made by the same functions."""
NO_JUDGEMENT = {
    **dict.fromkeys(
        (
            "hadoop fetch",
            "hadoop up",
            "hadoop down",
            "hadoop shell",
            "hadoop run",
            "cache disk",
            "cache agent",
        ),
        "starts, stops or serves something",
    ),
    **dict.fromkeys(("doctor", "hadoop show", "scenario list"), "lists what is there"),
    **dict.fromkeys(
        ("capture proxy", "capture pcap", "trace import audit", "trace import calls", "trace import tap"),
        "counts what was read",
    ),
    **dict.fromkeys(("harvest collect", "harvest reimages"), "adds samples to a table"),
    **dict.fromkeys(("harvest apply", "harvest place", "harvest rollback"), "lists changes, and makes them"),
    **dict.fromkeys(
        ("mix", "scenario new", "image blocks", "image synth", "image scale", "image log"), "makes a file"
    ),
    **dict.fromkeys(
        ("provision convert", "provision import", "provision draft"), "makes a file, with blanks"
    ),
    "provision check": "errors of the inputs; a plan breaks a constraint or not",
    "clean": "sizes of folders",
    "image heap": "a law with its interval; refused where it was not measured",
    "ls": "the first figures of what others judged, with what is not known left out",
    "review": "asks about a workload, which always has calls",
    "extrapolate": "a plan of a workload, which always has calls, or refusals",
    **dict.fromkeys(("provision compile", "provision hdfs"), "a proof about inputs that are complete"),
    "provision sweep": "proofs about inputs that are complete",
    "provision vary": "proofs about inputs that are complete; two samples at least",
    "provision why-not": "proofs about inputs that are complete",
    "provision measure": "every figure is of records that were written and read; one that is not steady is named",
}
"""Commands that make no judgement, and why."""
ROWS = [(name, row) for name, rows in JUDGING.items() for row in rows]


def test_every_command_has_its_judgements() -> None:
    """In one table, and in one alone."""
    tables = (JUDGING.keys(), LIKE.keys(), NO_JUDGEMENT.keys())
    assert {name for name, _ in commands()} == set().union(*tables)
    assert sum(map(len, tables)) == len(set().union(*tables))
    assert {other for others in LIKE.values() for other in others} <= JUDGING.keys()
    assert all(row.judgements and (row.words.startswith(name) or row.shown) for name, row in ROWS)


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name}: {row.judgements[:30]}" for name, row in ROWS])
def test_nothing_is_judged(
    name: str, row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """Neither in words nor in figures: the base is stated, or what is missing."""
    monkeypatch.chdir(tmp_path)
    row.make()
    if row.shown is not None:
        words, document = row.shown()
    else:
        assert run(row.words.split()) == row.code, name
        words = "".join(capsys.readouterr())
        assert run(["--json", *row.words.split(), "--force"][:-1]) == row.code, name
        out = capsys.readouterr().out
        document = json.loads(out) if out.strip() else {}
    assert re.search(row.states, words), words
    assert not re.search(row.silent, words), words
    for place in row.unknown:
        assert set(_values(document, place.split("."))) <= {None}, place


def _values(document: Any, path: list[str]) -> list[Any]:
    """The values at a place; none where a list on the way is empty."""
    if not path:
        return [json.dumps(document) if isinstance(document, (dict, list)) else document]
    if path[0] == "*":
        return [value for each in document for value in _values(each, path[1:])]
    return [] if document is None else _values(document[path[0]], path[1:])


def test_a_page_of_a_silent_run_judges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """Its figure of latency is a dash, its tone a warning."""
    monkeypatch.chdir(tmp_path)
    silent_runs()
    assert run(["report", "r1", "-o", "p.html", "--static"]) == 0
    capsys.readouterr()
    page = json.loads(Path("p.json").read_text())
    assert page["tone"] == "warning"
    assert {figure["label"]: figure["value"] for figure in page["figures"]}["p99 latency"] is None
    assert "no call was sent" in page["lede"]
