"""Inputs: the paper's own files, one or three; every error at once with its line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.provision.inputs.read import examples, find_input, read_parts, read_problem
from froude.provision.inputs.tree import FlawedInputError
from froude.provision.types import Dependency, Growth, Io, Op, Persistence, RateTarget, Sla
from tests.support.provision.inputs.additions import BATCH, TEXT, flaws_of, read
from tests.support.provision.inputs.figure2 import APPLICATION, PHOTO_SLA, RESOURCES, SLA


def _write(folder: Path, **texts: str) -> list[Path]:
    paths = []
    for name, text in texts.items():
        path = folder / name.replace("_", ".")
        path.write_text(text)
        paths.append(path)
    return paths


def _flaws(*paths: Path) -> list[str]:
    with pytest.raises(FlawedInputError) as caught:
        read_parts(paths)
    return [str(flaw).replace(f"{paths[0].parent}/", "") for flaw in caught.value.flaws]


def test_figure_2_in_three_files(tmp_path: Path) -> None:
    """Hardware, application and SLA as the paper prints them."""
    problem = read_problem(_write(tmp_path, hw_xml=RESOURCES, app_xml=APPLICATION, sla_xml=SLA))
    disk = problem.catalog.unit("7.2KDisk")
    assert (disk.capacity, disk.rate_r, disk.gap_r, disk.power) == (500e9, 90e6, 0.008, 5)
    server = problem.catalog.servers[0]
    assert (server.name, server.bandwidth, server.buses[1].slots) == ("HP DL380 G6", 125e6, 12)
    worker, processor = problem.application.tasks
    first = worker.operations[0]
    assert isinstance(first, Io)
    assert (first.op, first.record_size, first.blocking) == (Op.READ, 800e6, False)
    assert worker.operations[2] == Dependency("queryprocessor", 1, parallel=True)
    assert [getattr(op, "num_records", None) for op in processor.operations] == [40e3, 40e3, None]
    assert problem.application.dataset("hot_ratingsdata").persistent is Persistence.ANY


def test_figure_2_in_one_file(tmp_path: Path) -> None:
    """Side by side, with a declaration, or inside a root: all the same."""
    apart = read_problem(_write(tmp_path, hw_xml=RESOURCES, app_xml=APPLICATION, sla_xml=SLA))
    beside = '<?xml version="1.0"?>\n' + SLA + RESOURCES + APPLICATION
    rooted = f"<provision>\n{SLA}{RESOURCES}{APPLICATION}</provision>\n"
    for text in (beside, rooted):
        assert read_problem(_write(tmp_path, all_xml=text)) == apart


def test_one_part_is_validated_alone(tmp_path: Path) -> None:
    """A hardware file needs no application; an SLA's tasks are checked when there is one."""
    parts = read_parts(_write(tmp_path, sla_xml=PHOTO_SLA))
    assert parts.sla is not None
    assert [target.rate for target in parts.sla.targets] == [300, 100, 100]
    with pytest.raises(InputError, match="resources is missing"):
        read_problem([tmp_path / "sla.xml"])
    flaws = _flaws(*_write(tmp_path, sla_xml=PHOTO_SLA, app_xml=APPLICATION))
    assert len(flaws) == 3
    assert flaws[0].startswith("sla.xml:1: sla: task: leads nowhere; found 'photoview'")


def test_every_error_at_once(tmp_path: Path) -> None:
    """Line and field of each, in the order of the file, the nearest name for a typing error."""
    text = RESOURCES.replace('capacity="500GB"', 'capasity="500GB"')
    text = text.replace('gapR="0.4ms"', 'gapR="0.4"').replace('volatile="1"', 'volatile="maybe"')
    text = text.replace('price="85"', 'price="-85"').replace('slots="4"', 'slots="1.5"')
    text = text.replace('bus="DDR3-1333"', 'bus="DDR4"')
    assert _flaws(*_write(tmp_path, hw_xml=text)) == [
        "hw.xml:2: storage_unit 7.2KDisk: capacity is missing, did you mean capasity?; allowed: a field capacity",
        (
            "hw.xml:2: storage_unit 7.2KDisk: capasity: is not a field here, did you mean capacity?; "
            "found '500GB'; allowed: name, capacity, bus, rateR, gapR, rateW, gapW, "
            "volatile, price, power, idle_power, price_per_GB_month, price_per_read, price_per_write, service, owned"
        ),
        "hw.xml:6: storage_unit SSD: gapR: has no unit; found '0.4'; allowed: a time, such as 8ms, 0.6ns or 2.2s",
        "hw.xml:10: storage_unit DRAM: volatile: is not a switch; found 'maybe'; allowed: 1 or 0",
        "hw.xml:12: cpu: price: is out of range; found '-85'; allowed: 0 or above",
        "hw.xml:14: bus SAS: slots: is not a whole number; found '1.5'; allowed: 0, 1, 2, …",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('probability="0.8"', 'probability="1.8"', "probability: is out of range"),
        ('op="R" dataset="tables', 'op="X" dataset="tables', "is not a value of this field"),
        ('name="cold_ratingsdata"', 'name="hot_ratingsdata"', "name: stands on line"),
        ("</application>", "<tsak/></application>", "did you mean task?"),
        ("... additional datasets ...", "stray words", "holds text"),
        ('remote="0"> </dataset>\n...', 'remote="0" hit_ratio="2"> </dataset>\n...', "hit_ratio: is out of"),
        (
            'remote="0"> </dataset>\n...',
            'remote="0" cache_size="9GB"> </dataset>\n...',
            "cache_size must lie",
        ),
        ('memory="1GB"', 'memory="1Gb"', "did you mean GB?"),
    ],
)
def test_single_errors(tmp_path: Path, old: str, new: str, message: str) -> None:
    """Each is stated with file and line."""
    assert old in APPLICATION
    flaws = _flaws(*_write(tmp_path, app_xml=APPLICATION.replace(old, new, 1)))
    assert any(message in flaw for flaw in flaws), flaws
    assert all(flaw.startswith("app.xml:") for flaw in flaws)


def test_a_part_stands_once(tmp_path: Path) -> None:
    """In one file or in several."""
    (flaw,) = _flaws(*_write(tmp_path, a_xml=RESOURCES, b_xml=RESOURCES))
    assert "resources: stands in" in flaw


def test_all_of_the_demand_arrives() -> None:
    """Targets and growth make one SLA; the options stand beside it."""
    text = TEXT.replace("owned: 0", "")
    parts, flaws = read(text)
    assert flaws == []
    target = RateTarget("view", 10, 0.02, 0.99)
    growth = Growth(0.4, 0.2, 180 * 86400)
    assert parts.sla == Sla((target,), None, growth)
    assert (parts.options.peak_fill, parts.options.survive_hosts) == (0.8, 2)


def test_a_schedule_is_not_supported() -> None:
    """Files that an older Froude read get one error, which names what to write instead."""
    parts, flaws = read(TEXT + "schedule: {period: [{name: day, hours: 24, factor: 1}]}\n")
    (flaw,) = flaws
    assert "schedule: is not supported; allowed: the largest rates of the day" in flaw
    assert parts.sla is not None


def test_growth_is_of_a_demand() -> None:
    """Without one there is nothing that grows."""
    sla = "sla:\n  - {task: view, rate: 10, latency: 20ms, quantile: 0.99}\n"
    assert any("growth: adds to a demand, and there is none" in flaw for flaw in flaws_of(sla, ""))


def test_yaml_errors_have_lines(tmp_path: Path) -> None:
    """Wrong types, empty fields, unknown fields: all at once."""
    text = BATCH.replace("memory: 1GB}\n    - {name: r", "memory: }\n    - {name: r").replace(
        "executions: 10}]", "executions: ten}]"
    )
    text += "    - 7\n  host: {cors: 2}\nextra: 3\n"
    flaws = _flaws(*_write(tmp_path, job_yaml=text))
    assert [flaw.split(":")[1] for flaw in flaws] == sorted((f.split(":")[1] for f in flaws), key=int)
    together = "\n".join(flaws)
    for message in (
        "memory has no value",
        "'ten'",
        "item 2 has the wrong type",
        "did you mean cores",
        "extra",
    ):
        assert message in together


def test_examples_are_sound() -> None:
    """Every shipped input reads without an error, by its name."""
    names = ["hdfs-petabyte", "paper2012", "photoshare-calibrated", "photoshare-replicated", "productsearch"]
    names.append("terasort")
    assert examples() == names
    for name in examples():
        assert read_parts([name]).catalog is not None
    with pytest.raises(InputError, match=r"terasort\?"):
        find_input("terrasort")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """Stated with the others."""
    flaws = _flaws(tmp_path / "a.xml", tmp_path / "b.yaml")
    assert len(flaws) == 2


def test_one_name_may_be_a_text() -> None:
    """As in a notebook; it is not a list of letters."""
    assert read_problem("photoshare-calibrated") == read_problem(["photoshare-calibrated"])
