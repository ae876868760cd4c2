"""Compiled plans that were changed by hand: `evaluate` and `check` judge the servers that stand there, or refuse."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from froude.base.locks import in_turn
from froude.cli.app import run
from froude.provision.inputs.plan_file import plan_json
from froude.provision.inputs.read import EXAMPLES, read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits

CORES = "cores of server"
MEMORY = "memory in"
PLANS = Path(__file__).parent.parent / "data" / "plans"


pytest.importorskip("scipy")

Document = dict[str, Any]
REFUSED, MISSED = 1, 3


Compiled = Callable[[str], str]


@pytest.fixture(scope="module")
def compiled(shared: Path) -> Compiled:
    """The plan of an example as JSON: out of a file where the search takes long, else compiled once in a run."""

    @cache
    def plan_of(example: str) -> str:
        if (made := PLANS / f"{example}.json").exists():
            return json.dumps({k: v for k, v in json.loads(made.read_text()).items() if k != "lineage"})
        place = shared / f"plan-{example}.json"
        with in_turn(shared / f"plan-{example}.lock"):
            if not place.exists():
                plan = compile_plan(read_problem([example]), SolveLimits(0.05, 3600))
                assert plan.found
                place.write_text(plan_json(plan))
        return place.read_text()

    return plan_of


def _at(document: Document, kind: str, **wanted: object) -> tuple[Document, Document]:
    """(group, entry) of the first entry of a kind with these fields."""
    return next(
        (group, entry)
        for group in document["groups"]
        for entry in group[kind]
        if all(entry[name] == value for name, value in wanted.items())
    )


def _entry(kind: str, values: Document, **wanted: object) -> Callable[[Document], object]:
    return lambda document: _at(document, kind, **wanted)[1].update(values)


def _group(values: Document, kind: str = "held", **wanted: object) -> Callable[[Document], object]:
    return lambda document: _at(document, kind, **wanted)[0].update(values)


def _root(**values: object) -> Callable[[Document], object]:
    return lambda document: document.update(values)


_PHOTOS, _THUMBS, _WEB = {"dataset": "photos"}, {"dataset": "thumbs"}, {"task": "upload"}


def _on(unit: str, units: int = 1) -> Callable[[Document], object]:
    return _entry("held", {"unit": unit, "units": units}, **_THUMBS)


def _without_cache(document: Document) -> None:
    """The DRAM that caches the tags is taken out, and `choices` still has it."""
    group, cached = _at(document, "held", dataset="tags", cache=True)
    group["held"].remove(cached)


def _twice(document: Document) -> None:
    """Four disks are written as one and three."""
    group, photos = _at(document, "held", **_PHOTOS)
    photos.update(units=1, share=0.25)
    group["held"].append({**photos, "units": 3, "share": 0.75})


def _without_shares(document: Document) -> None:
    for group in document["groups"]:
        for entry in [*group["held"], *group["running"]]:
            del entry["share"]


# name: (change, share of the SLA or None where it is refused, word of the error, what else `check` says)
TAMPERED: dict[str, tuple[Callable[[Document], object], float | None, str, str | None]] = {
    "nothing": (_root(), 1 / 0.95, "", None),
    "stale choices": (_on("7.2KDisk"), 0.1184, "instances of", "units"),
    "choices of another type": (_root(choices={"photos": ["SSD"]}), 1 / 0.95, "", None),
    "choices of no unit": (_root(choices={"photos": ["Tape"]}), None, "Tape", None),
    "three choices": (_root(choices={"tags": ["SSD", "DRAM", "15KDisk"]}), 1 / 0.95, "", None),
    "persistent data in memory only": (_on("DRAM"), 0, "persistent data on a volatile unit", ""),
    "nine cores in a box for four": (_group({"cores": 9}, "running", **_WEB), 0, "cores of server", ""),
    "no core for the storage system": (_group({"cores": 0}, **_PHOTOS), 0, "cores of the storage system", ""),
    "one core too few": (_group({"cores": 3}, "running", **_WEB), 3 / 3.8, "", "cores in"),
    "no core for the tasks": (_group({"cores": 0}, "running", **_WEB), 0, "cores of group 3", "cores in"),
    "no memory of the tasks": (_group({"dimms": 0}, "running", **_WEB), 0, "memory in", ""),
    "no memory of the storage system": (_group({"dimms": 0}, **_PHOTOS), 0, "memory in", ""),
    "more memory than slots": (_group({"dimms": 13}, "running", **_WEB), 0, "slots of DDR3-1333", ""),
    "six disks in four slots": (_entry("held", {"units": 6}, **_PHOTOS), 0, "slots of SAS", ""),
    "three disks": (_entry("held", {"units": 3}, **_PHOTOS), 3 / 3.0333, "", "units"),
    "no disks": (_entry("held", {"units": 0}, **_PHOTOS), 0, "no units of 15KDisk for dataset photos", "units"),
    "disks on two lines": (_twice, 1 / 0.95, "", None),
    "the cache taken out": (_without_cache, 0.0517, "", "units"),
    "tasks beside storage that is isolated": (
        lambda d: _at(d, "held", **_PHOTOS)[0].update(running=_at(d, "running", **_WEB)[0]["running"]),
        0, "isolation", "",
    ),
    "no instances": (_entry("running", {"instances": 0}, **_WEB), 0, "no instances of task upload", "instances"),
    "half a share": (_entry("held", {"share": 0.5}, **_PHOTOS), 1 / 0.95, "", "share"),
    "no shares": (_without_shares, 1 / 0.95, "", None),
    "a share above one": (_entry("held", {"share": 1.5}, **_PHOTOS), None, "share: is out of range", None),
    "a share that is no number": (_entry("held", {"share": math.nan}, **_PHOTOS), None, "share", None),
    "minus one disk": (_entry("held", {"units": -1}, **_PHOTOS), None, "units: is out of range", None),
    "half a disk": (_entry("held", {"units": 2.5}, **_PHOTOS), None, "units: has the wrong type", None),
    "a text for a count": (_group({"count": "1"}, **_PHOTOS), None, "count: has the wrong type", None),
    "a truth for a count": (_group({"count": True}, **_PHOTOS), None, "count: has the wrong type", None),
    "no servers in a group": (_group({"count": 0}, **_PHOTOS), None, "count: is out of range", None),
    "half a core": (_group({"cores": 1.5}, **_PHOTOS), None, "cores: has the wrong type", None),
    "two web servers": (_group({"count": 2}, "running", **_WEB), 3 / 3.0333 * 4 / 3, "", "share"),
    "an unknown server": (_group({"server": "Server9"}, **_PHOTOS), None, "Server9", None),
    "an unknown unit": (_on("Tape"), None, "Tape", None),
    "an unknown dataset": (_entry("held", {"dataset": "phots"}, **_PHOTOS), None, "did you mean photos", None),
    "an unknown task": (_entry("running", {"task": "uploat"}, **_WEB), None, "did you mean upload", None),
    "an unknown core type": (_root(cpus={"upload": "quick"}), None, "quick", None),
    "an unknown field": (_group({"disks": 3}, **_PHOTOS), None, "disks: is not a field", None),
    "unknown spares": (_root(spares={"Tape": 1}), None, "Tape", None),
    "minus one spare": (_root(spares={"SSD": -1}), None, "SSD: is out of range", None),
    "one spare more": (_root(spares={"SSD": 1}), 1 / 0.95, "", "cost"),
    "another cost": (_root(upper=7000), 1 / 0.95, "", "cost"),
    "a negative cost": (_root(upper=-1), None, "upper: is out of range", None),
    "a cost that is no number": (_root(upper=math.inf), None, "upper", None),
    "a bound above the cost": (_root(lower=9000), 1 / 0.95, "", "lower bound"),
    "a split without a job": (_root(split={"map": 0.5}), None, "split.map", None),
    "no status that there is": (_root(status="perfect"), None, "status", None),
    "a status without servers": (_root(status="infeasible"), None, "says that there is no cluster", None),
    "no groups": (_root(groups=[]), None, "groups", None),
    "groups of another type": (_root(groups={"server": "Server1"}), None, "groups: has the wrong type", None),
    "other sums": (_root(servers=77, gap=0.9), 1 / 0.95, "", None),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_what_stands_there_is_judged(
    name: str, compiled: Compiled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refused with the place, or the fraction of the SLA that the servers reach and the constraint that fails."""
    change, fraction, said, _ = TAMPERED[name]
    document = json.loads(compiled("photoshare-calibrated"))
    change(document)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    code = run(["provision", "evaluate", "photoshare-calibrated", "--cluster", str(path), "--json"])
    output = capsys.readouterr()
    if fraction is None:
        assert code == REFUSED
        assert said in output.err
        return
    evaluation = json.loads(output.out)
    assert evaluation["fraction"] == pytest.approx(fraction, abs=0.001)
    assert said in " ".join(limit["constraint"] for limit in evaluation["limits"])
    assert code == (0 if fraction >= 1 else MISSED)


@pytest.mark.parametrize("name", TAMPERED)
def test_every_constraint_is_held_against_it(
    name: str, compiled: Compiled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `evaluate`; shares, costs and bounds are looked at, too."""
    change, fraction, said, broken = TAMPERED[name]
    document = json.loads(compiled("photoshare-calibrated"))
    change(document)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    code = run(["provision", "check", "photoshare-calibrated", str(path)])
    error = capsys.readouterr().err
    if fraction is None:
        assert code == REFUSED
        assert said in error
    else:
        assert code == (0 if broken is None else MISSED)
        assert (broken or said) in error


@pytest.mark.parametrize(
    ("example", "change", "said"),
    [
        ("terasort", lambda g: g.update(cores=99), CORES),
        ("productsearch", lambda g: g.update(cores=99), CORES),
        ("terasort", lambda g: g.update(dimms=0), MEMORY),
        ("productsearch", lambda g: g.update(dimms=0), MEMORY),
        ("terasort", lambda g: g["local"][0].update(units=50), "slots of"),
        ("productsearch", lambda g: g["local"][0].update(units=50), "slots of"),
        ("terasort", lambda g: g["local"][0].update(unit="DRAM"), "persistent data on a volatile unit"),
        ("terasort", lambda g: g.update(local=[]), "local"),
        ("productsearch", lambda g: g.update(local=[]), "local"),
    ],
)
def test_local_data(
    example: str,
    change: Callable[[Document], object],
    said: str,
    *,
    compiled: Compiled,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The other shipped examples, whose data stands beside the tasks."""
    document = json.loads(compiled(example))
    for group in document["groups"]:
        if group["local"] and group["running"]:
            change(group)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document))
    for command in (["evaluate", example, "--json"], ["check", example]):
        assert run(["provision", *command, "--cluster", str(path)]) == MISSED
        output = capsys.readouterr()
        assert said in output.out + output.err


def _racked(**changes: tuple[str, str]) -> str:
    """The shipped cluster in racks, some of its text replaced."""
    text = (EXAMPLES / "hdfs-petabyte.yaml").read_text()
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return text


def _one_server_fewer(document: Document) -> None:
    """A group of disks loses a server, and the others take over its share: a lost rack then leaves too few disks."""
    group = max(document["groups"], key=lambda g: g["count"])
    share = group["held"][0]["share"]
    group["count"] -= 4
    for other in document["groups"]:
        for held in other["held"]:
            held["share"] += 4 * share / sum(g["count"] for g in document["groups"])


def _uneven(document: Document) -> None:
    """One server has a little more than 1 / H of the data, on disks enough; a rack has not too much."""
    group = max(document["groups"], key=lambda group: group["count"])
    held = group["held"][0]
    more = copy.deepcopy(group)
    more["count"], group["count"] = 1, group["count"] - 1
    more["held"][0]["share"] += 1e-3
    held["share"] -= 1e-3 / group["count"]
    document["groups"].append(more)


def _crowded(document: Document) -> None:
    """A few servers hold most of the data, with the disks for it."""
    total = sum(g["count"] for g in document["groups"])
    for number, group in enumerate(document["groups"]):
        for held in group["held"]:
            held["share"] = 0.9 / group["count"] if number == 0 else 0.1 / (total - group["count"])
    document["groups"][0]["held"][0]["units"] = 12


# name: (change of the inputs, change of the plan, what is said)
IN_RACKS: dict[str, tuple[tuple[str, str] | None, Callable[[Document], object], str]] = {
    "nothing": (None, _root(), ""),
    "a narrow uplink": (("uplink: 100Gbps", "uplink: 10Gbps"), _root(), "uplink (both) in serve of the fullest rack"),
    "less time to replicate": (("time: 6h", "time: 10min"), _root(), "seconds to re-replicate"),
    "a lost rack to replicate": (("time: 6h, of: server", "time: 6h, of: rack"), _root(), "seconds to re-replicate"),
    "fewer streams": (("share: 0.3", "share: 0.3, heartbeat: 1h"), _root(), "re-replicate (streams)"),
    "a larger rack": (("servers: 16", "servers: 30"), _root(), "after a lost rack"),
    "service after a lost rack": (("survive_rack: data", "survive_rack: service"), _root(), "in serve of group"),
    "servers taken out": (None, _one_server_fewer, "after a lost rack"),
    "more than 1 / H of the data": (None, _uneven, "largest share"),
    "no number of servers to spread over": (None, _root(spread=None), "spread"),
    "data on few servers": (None, _crowded, "share of a rack"),
    "racks that are not paid": (("price: 9000", "price: 9900"), _root(), "cost"),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_RACKS)
def test_racks(name: str, compiled: Compiled, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Uplinks, a lost rack, the time to re-replicate and the racks' price are computed again from the plan."""
    asked, change, said = IN_RACKS[name]
    inputs, path = tmp_path / "inputs.yaml", tmp_path / "plan.json"
    inputs.write_text(_racked() if asked is None else _racked(asked=asked))
    document = json.loads(compiled("hdfs-petabyte"))
    change(document)
    path.write_text(json.dumps(document))
    code = run(["provision", "check", str(inputs), str(path)])
    error = capsys.readouterr().err
    assert code == (MISSED if said else 0), error
    assert said in error
