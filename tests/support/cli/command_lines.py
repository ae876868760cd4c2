"""One command line of every command that reads or writes files, and the files that it names; run in their folder.

The tree of commands is walked, so that a command, or a flag that takes a path, cannot be forgotten.
"""

from __future__ import annotations

import atexit
import importlib
import inspect
import shutil
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import typer

from froude.cache.solve.files import shipped
from froude.cli.app import COMMANDS
from froude.documents.artifact import Origin
from froude.emulation.run.files import write_run
from froude.experiment.replay.namespace_profile import profile_path
from froude.experiment.session import Hadoop
from froude.harvest.live.prior_file import prior_json
from froude.harvest.live.types import Prior
from froude.harvest.telemetry.files import write_datacenter
from froude.provision.inputs.plan_file import plan_json
from froude.trace.files import write_trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from froude.workload.scale import Scale
from froude.workload.types import Recorded, Workload
from froude.workload.yaml_file import write_workload
from testbed.packet_bytes import file_of
from testbed.plans import workload
from tests.support.experiment import comparisons
from tests.support.hadoop.class_writer import ping_jar
from tests.support.hadoop.fsimage import images
from tests.support.harvest.datacenters import drawn
from tests.support.harvest.schedule.dags.read import RUMEN, lines
from tests.support.old_forms import OLD
from tests.support.old_forms import run as a_run
from tests.support.provision.clusters import paper_plan
from tests.support.provision.draft.counters import history
from tests.support.provision.draft.making import audit_line
from tests.support.provision.prices.tables import EC2, RATES
from tests.support.trace.capture.pcap import talk_of
from tests.support.trace.importers.tap import tap_bytes
from tests.support.trace.making import small_trace

ORIGIN = Origin("froude test")
STATES = shipped()
SCALES = (Scale.of(datanodes=3, clients=2, files=2), Scale.of(datanodes=4, clients=3, files=5))


def recorded() -> Workload:
    """A workload that was recorded at two scales."""
    return replace(workload(), recorded=Recorded(SCALES, ("CID-source",)))


@cache
def _image() -> bytes:
    with TemporaryDirectory() as folder:
        schema = Hadoop.find().schema()
        return images.write(Path(folder) / "i", schema, images.sections(schema)).read_bytes()


def _release(place: Path) -> None:
    """The jars of a release that say what an image holds."""
    place.mkdir()
    for jar in Hadoop.find().jars:
        if jar.name.startswith(("hadoop-common-", "hadoop-hdfs-")):
            (place / jar.name).symlink_to(jar)


def _jars(place: Path) -> None:
    place.mkdir()
    ping_jar(place / "a.jar")


FILES: dict[str, Callable[[Path], object]] = {
    "t": lambda p: write_trace(p, small_trace(), ORIGIN),
    "w.yaml": lambda p: write_workload(p, recorded(), ORIGIN),
    "p": lambda p: write_plan(p, extrapolate(recorded(), SCALES[0]), ORIGIN),
    "r": lambda p: write_run(p, a_run(), ORIGIN),
    "r1": lambda p: write_run(p, comparisons.run(1), ORIGIN),
    "r2": lambda p: write_run(p, comparisons.run(2), ORIGIN),
    "jars": _jars,
    "release": _release,
    "k.tap": lambda p: p.write_bytes(tap_bytes()),
    "k.pcap": lambda p: p.write_bytes(file_of(talk_of().segments)),
    "calls.csv": lambda p: p.write_text("time,sender,method\n1,a,b\n"),
    "ns.yaml": lambda p: p.write_text(profile_path(Path("analytics")).read_text().replace("1000000", "300")),
    "img": lambda p: p.write_bytes(_image()),
    "audit.log": lambda p: p.write_text(f"{audit_line(7, 'open', '/b')}\n"),
    "app.yaml": lambda p: shutil.copy(OLD / "provision" / "inputs.yaml", p),
    "app.xml": lambda p: shutil.copy(OLD / "provision" / "inputs.xml", p),
    "photo.yaml": lambda p: p.write_text(_photoshare()),
    "c.json": lambda p: p.write_text(plan_json(paper_plan(), ORIGIN)),
    "ec2_2026-07.csv": lambda p: p.write_text(EC2),
    "rates.yaml": lambda p: p.write_text(RATES),
    "cpu.csv": lambda p: p.write_text("time,machine,utilisation\n1,a,0.5\n2,a,50\n"),
    "count.txt": lambda p: p.write_text("1 30 2000000000 /logs\n"),
    "totals.txt": lambda p: p.write_text("totalFiles = 30\ntotalDirectories = 1\ntotalBlocks = 40\n"),
    "s.yaml": lambda p: p.write_text(_scenario()),
    "sw.yaml": lambda p: p.write_text(
        "froude: scenario/1\nkind: sweep\nbase: s.yaml\nvary: {seed: [1, 2]}\n"
    ),
    "job.jhist": lambda p: p.write_text(history()),
    "dc": lambda p: write_datacenter(p, drawn(), ORIGIN),
    "load.csv": lambda p: p.write_text("time,server,cpu\n1,a,5\n200000,a,7\n"),
    "servers.csv": lambda p: p.write_text("server,tenant\na,web\n"),
    "jobs.log": lambda p: p.write_bytes(lines(RUMEN)),
    "app.json": lambda p: p.write_text('{"am-container-spec": {}}'),
    "use.csv": lambda p: p.write_text("server,cpu\na,0.5\n"),
    "prior.state": lambda p: p.write_text(prior_json(Prior(address="127.0.0.1:1", id="7"), ORIGIN)),
    "state.yaml": lambda p: shutil.copy(STATES["table-1"], p),
    "agent.yaml": lambda p: p.write_text("froude: cache-agent/1\nkind: vm\nname: vm1\ntoken: token\n"),
    "controller.yaml": lambda p: p.write_text(
        "froude: cache-controller/1\ntoken: token\nstate: state\nhypervisors: {h1: {agent: 'http://127.0.0.1:8078'}}\n"
    ),
    "blocks.trace": lambda p: p.write_text("1000000 0 16 8 1\n2000000 0 16 8 1\n3000000 1 0 1 0\n"),
    "wipes.csv": lambda p: p.write_text("server,time\na,3\n"),
    "fsck.txt": lambda p: p.write_text("0. BP-1:blk_1_1 len=5 Live_repl=2  [10.0.0.1:9866, 10.0.0.2:9866]\n"),
}
"""Every file that a command line below names, and how it is made."""
PARTS = {
    "dc": ("meta.yaml", "tenants.parquet", "servers.parquet", "utilisation.parquet", "reimages.parquet"),
    "t": ("meta.yaml", "calls.parquet", "schema.fds"),
    "p": ("plan.yaml", "workload.yaml"),
    "r": ("meta.yaml", "run.json", "histograms.hlog", "figures.json"),
    "r1": ("meta.yaml", "run.json", "histograms.hlog", "figures.json"),
    "r2": ("meta.yaml", "run.json", "histograms.hlog", "figures.json"),
}
"""The files of those that are folders."""


def _photoshare() -> str:
    from froude.provision.inputs.read import EXAMPLES

    return (EXAMPLES / "photoshare-calibrated.yaml").read_text()


def _scenario() -> str:
    return (
        "froude: scenario/1\nkind: play\nload: {plan: p}\n"
        "target: {running: {any: {address: 'h:1', id: CID-1}}}\n"
    )


@dataclass(frozen=True)
class Place:
    """What a flag writes."""

    flag: str
    kind: str
    folder: bool = False
    suffix: str = ""


@dataclass(frozen=True)
class Line:
    """A command line, without its outputs."""

    words: str
    outputs: tuple[Place, ...] = ()
    inputs: dict[str, str] = field(default_factory=dict)
    """By parameter: the file that stands there; one that is a folder of a Hadoop counts as one."""

    @property
    def arguments(self) -> list[str]:
        """The words."""
        return self.words.split()


REPORT = Place("--report", "page", suffix=".html")
_FILES = {"files": "photo.yaml"}


def _json(kind: str, flag: str = "--output") -> Place:
    return Place(flag, kind, suffix=".json")


LINES = {
    "capture proxy": Line(
        "capture proxy --target 127.0.0.1:1 --listen 127.0.0.1:0 --hadoop jars",
        (Place("--output", "trace", folder=True),),
        {"hadoop": "jars"},
    ),
    "capture pcap": Line(
        "capture pcap k.pcap --hadoop jars",
        (Place("--output", "trace", folder=True),),
        {"path": "k.pcap", "hadoop": "jars"},
    ),
    "cache disk": Line("cache disk vm.raw --cache vm.cache --size 1MB --socket vm.sock --dry-run"),
    "demo": Line("demo"),
    "hadoop fetch": Line("hadoop fetch"),
    "hadoop show": Line("hadoop show --folder jars", inputs={"folder": "jars"}),
    "hadoop up": Line("hadoop up --folder jars", inputs={"folder": "jars"}),
    "hadoop run": Line("hadoop run examples pi 1 1"),
    "trace show": Line("trace show t", inputs={"path": "t"}),
    "trace validate": Line("trace validate t", inputs={"path": "t"}),
    "trace diff": Line("trace diff w.yaml t --pair t", inputs={"left": "w.yaml", "right": "t", "pair": "t"}),
    "trace closure": Line("trace closure t audit.log", inputs={"path": "t", "log": "audit.log"}),
    "trace import tap": Line(
        "trace import tap k.tap --hadoop jars",
        (Place("--output", "trace", folder=True),),
        {"path": "k.tap", "hadoop": "jars"},
    ),
    "trace import calls": Line(
        "trace import calls calls.csv --types-from calls.csv",
        (Place("--output", "trace", folder=True),),
        {"path": "calls.csv", "types_from": "calls.csv"},
    ),
    "trace import audit": Line(
        "trace import audit audit.log", (Place("--output", "audit", folder=True),), {"logs": "audit.log"}
    ),
    "mine": Line("mine t", (Place("--output", "workload", suffix=".yaml"),), {"traces": "t"}),
    "review": Line("review w.yaml --accept", inputs={"workload": "w.yaml"}),
    "mix": Line(
        "mix a=w.yaml b=w.yaml", (Place("--output", "workload", suffix=".yaml"),), {"workloads": "w.yaml"}
    ),
    "extrapolate": Line(
        "extrapolate w.yaml --at datanodes=3 --at clients=2 --at files=2",
        (Place("--output", "plan", folder=True),),
        {"workload": "w.yaml"},
    ),
    "scenario new": Line("scenario new play", (Place("--output", "scenario", suffix=".yaml"),)),
    "run": Line("run s.yaml", (Place("--output", "run", folder=True),), {"scenario": "s.yaml"}),
    "play": Line(
        "play p --target h:1 --replay-ids r",
        (Place("--output", "run", folder=True),),
        {"plan": "p", "replay_ids": "r"},
    ),
    "knee": Line(
        "knee w.yaml --limit p99(nosuch)<1s",
        (Place("--output", "knee", suffix=".json"),),
        {"workload": "w.yaml"},
    ),
    "sweep": Line("sweep sw.yaml", inputs={"scenario": "sw.yaml"}),
    "compare": Line(
        "compare --baseline r1 --candidate r2",
        (_json("comparison"), REPORT, Place("--markdown", "comment", suffix=".md")),
        {"baseline": "r1", "candidate": "r2"},
    ),
    "image show": Line(
        "image show img --hadoop release",
        (_json("image-summary"), REPORT),
        {"path": "img", "hadoop": "release"},
    ),
    "image synth": Line(
        "image synth ns.yaml --hadoop release",
        (Place("--output", "image"),),
        {"profile": "ns.yaml", "hadoop": "release"},
    ),
    "image scale": Line(
        "image scale img --factor 2 --hadoop release",
        (Place("--output", "image"),),
        {"path": "img", "hadoop": "release"},
    ),
    "image log": Line(
        "image log img --duration 1s --hadoop release",
        (Place("--output", "log"),),
        {"path": "img", "hadoop": "release"},
    ),
    "image heap": Line("image heap --objects 800M"),
    "image blocks": Line(
        "image blocks img --datanodes 4 --hadoop release",
        (Place("--output", "block-lists", folder=True),),
        {"path": "img", "hadoop": "release"},
    ),
    "ls": Line("ls dc"),
    "clean": Line("clean"),
    "report": Line(
        "report r t w.yaml --static", (Place("--output", "page", suffix=".html"),), {"artifacts": "r"}
    ),
    "harvest generate": Line(
        "harvest generate --servers 9 --tenants 3 --days 2", (Place("--output", "datacenter", folder=True),)
    ),
    "harvest import": Line(
        "harvest import load.csv --inventory servers.csv --reimages wipes.csv",
        (Place("--output", "datacenter", folder=True),),
        {"tables": "load.csv", "inventory": "servers.csv", "reimages": "wipes.csv"},
    ),
    "harvest characterise": Line(
        "harvest characterise dc", (_json("datacenter-characteristics"), REPORT), {"folder": "dc"}
    ),
    "harvest collect": Line("harvest collect --resourcemanager 127.0.0.1:1 --samples 1"),
    "harvest apply": Line(
        "harvest apply dc --resourcemanager 127.0.0.1:1 --resources --usage use.csv",
        (_json("harvest-prior-state", "--state"),),
        {"folder": "dc", "usage": "use.csv"},
    ),
    "harvest place": Line(
        "harvest place dc --namenode 127.0.0.1:1 --usage use.csv",
        (_json("harvest-placement-state", "--state"),),
        {"folder": "dc", "usage": "use.csv"},
    ),
    "harvest reimages": Line("harvest reimages --namenode 127.0.0.1:1 --samples 1"),
    "harvest inspect": Line(
        "harvest inspect dc fsck.txt --days 0",
        (_json("placement-inspection"), REPORT),
        {"folder": "dc", "blocks": "fsck.txt"},
    ),
    "harvest serve": Line(
        "harvest serve dc --resourcemanager 127.0.0.1:1 --usage use.csv",
        inputs={"folder": "dc", "usage": "use.csv"},
    ),
    "harvest submit": Line(
        "harvest submit --job q --graph jobs.log --datacenter dc --resourcemanager 127.0.0.1:1 --rest app.json",
        (_json("harvest-service", "--runs"),),
        {"graph": "jobs.log", "datacenter": "dc", "application": "app.json"},
    ),
    "harvest schedule": Line(
        "harvest schedule dc --jobs jobs.log",
        (_json("class-selection"), REPORT),
        {"folder": "dc", "jobs": "jobs.log"},
    ),
    "harvest simulate scheduling": Line(
        "harvest simulate scheduling dc --jobs jobs.log --days 2 --runs 1 --gap 2h --only pt",
        (_json("scheduling-simulation"), REPORT),
        {"folder": "dc", "jobs": "jobs.log"},
    ),
    "harvest simulate durability": Line(
        "harvest simulate durability dc --blocks 500 --runs 1 --days 90 --policy stock",
        (_json("durability-simulation"), REPORT),
        {"folder": "dc"},
    ),
    "harvest simulate availability": Line(
        "harvest simulate availability dc --blocks 500 --runs 1 --policy stock",
        (_json("availability-simulation"), REPORT),
        {"folder": "dc"},
    ),
    "cache solve": Line("cache solve state.yaml", (_json("cache-plan"), REPORT), {"state": "state.yaml"}),
    "cache simulate": Line(
        "cache simulate blocks.trace --policy equal --policy exact --windows 2",
        (_json("cache-replay"), REPORT),
        {"inputs": "blocks.trace"},
    ),
    "cache agent": Line("cache agent agent.yaml --dry-run", inputs={"config": "agent.yaml"}),
    "cache serve": Line("cache serve controller.yaml --dry-run", inputs={"config": "controller.yaml"}),
    "harvest rollback": Line("harvest rollback prior.state", inputs={"state": "prior.state"}),
    "harvest classify": Line("harvest classify dc", (_json("utilisation-classes"), REPORT), {"folder": "dc"}),
    "provision check": Line(
        "provision check photo.yaml --cluster c.json", inputs={"files": "photo.yaml", "cluster": "c.json"}
    ),
    "provision draft": Line(
        "provision draft audit.log --telemetry cpu.csv --cores 2 --count count.txt --image totals.txt "
        "--counters job.jhist",
        (Place("--output", "provision", suffix=".yaml"),),
        {
            "traces": "audit.log",
            "telemetry": "cpu.csv",
            "count": "count.txt",
            "image": "totals.txt",
            "counters": "job.jhist",
        },
    ),
    "provision convert": Line(
        "provision convert app.xml", (Place("--output", "provision", suffix=".yaml"),), {"files": "app.xml"}
    ),
    "provision import": Line(
        "provision import ec2_2026-07.csv --rates rates.yaml",
        (Place("--output", "provision", suffix=".yaml"), Place("--template", "rates", suffix=".yaml")),
        {"tables": "ec2_2026-07.csv", "rates": "rates.yaml"},
    ),
    "provision compile": Line(
        "provision compile photo.yaml",
        (_json("cluster"), Place("--bill", "bill", suffix=".csv"), REPORT),
        _FILES,
    ),
    "provision hdfs": Line(
        "provision hdfs photo.yaml --capacity 1TB --survive none",
        (Place("--output", "provision", suffix=".yaml"), _json("cluster", "--plan")),
        {"file": "photo.yaml"},
    ),
    "provision sweep": Line("provision sweep photo.yaml --points 1", (_json("sweep"), REPORT), _FILES),
    "provision vary": Line("provision vary photo.yaml", (_json("robustness"), REPORT), _FILES),
    "provision why-not": Line(
        "provision why-not photo.yaml --dataset photos", (_json("why-not"), REPORT), _FILES
    ),
    "provision evaluate": Line(
        "provision evaluate photo.yaml --cluster c.json",
        (_json("evaluation"), REPORT),
        {"files": "photo.yaml", "cluster": "c.json"},
    ),
    "provision measure": Line(
        "provision measure .",
        (_json("measurement"), Place("--unit-file", "provision", suffix=".yaml"), REPORT),
    ),
}
NO_FILES = {"doctor", "hadoop down", "hadoop shell", "record", "scenario list"}
"""Commands that are given no path at all."""
OTHER_PATHS = {
    ("compare", "duet"): "is a scenario in place of runs; tests of the command spoil it",
    ("trace import audit", "image"): "needs a release that knows images; tests of the command spoil it",
    ("trace import audit", "edits"): "is read by a program of that release; tests of the command spoil it",
    ("trace import audit", "anonymise"): "any bytes are a key",
    ("ls", "folder"): "what is damaged has a line; tests of the command spoil it",
    ("harvest serve", "certificate"): "is read by TLS; tests of that spoil it",
    ("harvest serve", "key"): "is read by TLS; tests of that spoil it",
    ("harvest submit", "authority"): "is read by TLS; tests of that spoil it",
    ("harvest serve", "prior"): "moved into its state; tests of the command spoil it",
    ("harvest serve", "state"): "a folder in which a daemon goes on; tests of the command spoil it",
    ("harvest submit", "service"): "is written by a daemon that runs; tests of the submitter spoil it",
    ("compare", "history"): "a table that is added to; tests of the command spoil it",
    ("harvest collect", "output"): "a table that is added to; tests of the command spoil it",
    **{
        ("cache disk", name): "is served from until the command is told to stop; tests of the disk spoil it"
        for name in ("image", "cache", "socket", "control")
    },
    ("harvest reimages", "output"): "a table that is added to; tests of the command spoil it",
    ("harvest place", "file"): "replaces a map only; tests of the command spoil it",
    ("harvest place", "conf"): "a folder of a NameNode's settings; tests of the command spoil it",
    ("harvest place", "hosts"): "is read once a NameNode has answered; tests of the command spoil it",
    ("demo", "output"): "a workspace: a folder that is added to, and nothing in it replaced",
    ("sweep", "output"): "a folder of runs that is added to, and nothing in it replaced",
}
"""Paths that are neither an input nor an output of the tests below, and why."""


def commands() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command of the tree, by its words."""
    for name, entry in COMMANDS.items():
        command = getattr(importlib.import_module(f"froude.cli.{entry.module}"), entry.attribute)
        if isinstance(command, typer.Typer):
            yield from _of_group(command, name)
        else:
            yield name, command


def _of_group(group: typer.Typer, prefix: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    for info in group.registered_commands:
        assert info.callback is not None
        yield f"{prefix} {info.name or info.callback.__name__.replace('_', '-')}", info.callback
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from _of_group(inner.typer_instance, f"{prefix} {inner.name}")


def paths(command: Callable[..., Any]) -> Iterator[tuple[str, list[str]]]:
    """The parameters of a command that take a path, with their flags; none for an argument."""
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        annotation, *extras = typing.get_args(parameter.annotation) or (parameter.annotation,)
        kinds = {annotation, *typing.get_args(annotation)}
        kinds |= {inner for kind in kinds for inner in typing.get_args(kind)}
        if Path in kinds:
            said = [word for extra in extras for word in (extra.default, *(extra.param_decls or ()))]
            yield name, [word for word in said if isinstance(word, str) and word.startswith("--")]


def make_all(place: Path) -> None:
    """Every file that the lines name: copies of those that the first who asked had made."""
    shutil.copytree(_made(), place, symlinks=True)


@cache
def _made() -> Path:
    folder = Path(mkdtemp(prefix="froude-lines-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, make in FILES.items():
        make(folder / name)
    return folder
