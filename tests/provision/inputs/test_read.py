"""Inputs: the paper's own files, one or three; every error at once with its line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.provision.inputs.read import examples, find_input, read_parts, read_problem
from froude.provision.inputs.tree import FlawedInputError
from froude.provision.types import Dependency, Io, Op, Persistence
from tests.provision.inputs.figure2 import APPLICATION, PHOTO_SLA, RESOURCES, SLA


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
            "found '500GB'; allowed: name, service, capacity, bus, rateR, gapR, rateW, gapW, "
            "volatile, price, power, idle_power, price_per_GB_month, price_per_read, price_per_write, owned"
        ),
        "hw.xml:6: storage_unit SSD: gapR: has no unit; found '0.4'; allowed: a time, such as 8ms, 0.6ns or 2.2s",
        "hw.xml:10: storage_unit DRAM: volatile: is not a switch; found 'maybe'; allowed: 1 or 0",
        "hw.xml:12: cpu: price: is out of range; found '-85'; allowed: 0 or above",
        "hw.xml:14: bus SAS: slots: is not a whole number; found '1.5'; allowed: 0, 1, 2, …",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('task="queryprocessor" num', 'task="queryproccesor" num', "did you mean queryprocessor?"),
        ('dataset="hot_ratingsdata"', 'dataset="hot_rating"', "did you mean hot_ratingsdata?"),
        ('probability="0.8"', 'probability="1.8"', "probability: is out of range"),
        ('record_size="800MB"', 'record_size="800GB"', "is larger than dataset tables_repository"),
        ('op="R" dataset="tables', 'op="X" dataset="tables', "is not a value of this field"),
        ('<compute time="0.65s"', '<dependency task="worker"/><compute time="0.65s"', "a loop of calls"),
        ('name="cold_ratingsdata"', 'name="hot_ratingsdata"', "name: stands on line"),
        ("</application>", "<tsak/></application>", "did you mean task?"),
        ("... additional datasets ...", "stray words", "holds text"),
        (
            'remote="0"> </dataset>\n...',
            'remote="1" local_to="worker"> </dataset>\n...',
            "is given for a remote",
        ),
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


def test_parts_against_each_other(tmp_path: Path) -> None:
    """A bus that no server has; persistent data without a medium that keeps it; a part given twice."""
    text = RESOURCES.replace('bus="DDR3-1333"', 'bus="DDR3"')
    flaws = _flaws(*_write(tmp_path, hw_xml=text, app_xml=APPLICATION))
    assert "is on no server, did you mean DDR3-1333?" in flaws[0]
    text = RESOURCES.replace('volatile="0"', 'volatile="1"')
    flaws = _flaws(*_write(tmp_path, hw_xml=text, app_xml=APPLICATION))
    assert "tables_repository: persistent: is persistent and every" in flaws[0]
    text = RESOURCES.replace('volatile="1"', 'volatile="0"')
    assert "no volatile storage_unit" in _flaws(*_write(tmp_path, hw_xml=text))[0]
    flaws = _flaws(*_write(tmp_path, a_xml=RESOURCES, b_xml=RESOURCES))
    assert "stands in" in flaws[0]


def test_a_shared_local_dataset_needs_an_owner(tmp_path: Path) -> None:
    """When two tasks use it, local_to must say beside which it stands."""
    text = APPLICATION.replace('dataset="tables_repository"', 'dataset="hot_ratingsdata"')
    text = text.replace("800MB", "8KB")
    assert "2 tasks use it" in _flaws(*_write(tmp_path, app_xml=text))[0]


BATCH = """froude: provision/1
batch:
  time: 10min
  job: [{task: m, executions: 10}, {task: r, executions: 10}]
application:
  task:
    - {name: m, phase: map, memory: 1GB}
    - {name: r, phase: reduce, memory: 1GB}
"""


def test_a_batch_job_needs_its_split(tmp_path: Path) -> None:
    """None, or a share for each phase with work, adding up to one at most."""
    assert read_parts(_write(tmp_path, job_yaml=BATCH)).sla is not None
    split = "  split: [{phase: map, share: 0.7}]\napplication:"
    flaws = _flaws(*_write(tmp_path, job_yaml=BATCH.replace("application:", split)))
    assert flaws[0].startswith("job.yaml:2: batch: gives phase reduce no share of the time")
    split = "  split: [{phase: map, share: 0.7}, {phase: reduce, share: 0.7}]\napplication:"
    flaws = _flaws(*_write(tmp_path, job_yaml=BATCH.replace("application:", split)))
    assert "split must add up to at most 1" in flaws[0]


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
    names = ["paper2012", "photoshare-calibrated", "photoshare-replicated", "productsearch", "terasort"]
    assert examples() == names
    for name in examples():
        assert read_parts([name]).catalog is not None
    with pytest.raises(InputError, match="Did you mean terasort"):
        find_input("terrasort")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    """Stated with the others."""
    flaws = _flaws(tmp_path / "a.xml", tmp_path / "b.yaml")
    assert len(flaws) == 2
