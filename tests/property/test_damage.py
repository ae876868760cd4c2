"""Whatever happens to a file of an artifact: a stated error, or the same content; of a workload, or a remark.

A disk that loses the end of a file, a bit that turns, an editor that was careless: none of it may pass for what was
recorded, planned or played.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.documents.artifact import Origin, hash_parts
from froude.emulation.run.files import read_run, write_run
from froude.provision.inputs.plan_file import plan_json, read_cluster
from froude.trace.files import read_trace, write_trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import read_plan, write_plan
from froude.workload.yaml_file import open_workload, write_workload
from tests.support import old_forms
from tests.support.provision.clusters import paper_plan, photoshare

ORIGIN = Origin("froude test 'a b'", ("ab" * 32,), 7)
_TRIALS = 250
"""For each file, of each kind of damage together."""


def make_run(place: Path) -> None:
    """A run with its trace."""
    run = old_forms.run()
    run.trace = place.with_name("played")
    write_trace(run.trace, old_forms.trace(), ORIGIN)
    write_run(place, run, ORIGIN)


def run_content(place: Path) -> object:
    """Every figure of a run, and its trace."""
    run = read_run(place)
    parts: list[object] = [
        getattr(run, name) for name in ("target", "elapsed_s", "scale", "nodes", "failure")
    ]
    parts += [
        run.load,
        run.metrics,
        run.remarks,
        run.differences,
        run.tally.rows,
        run.tally.notes,
        run.counts,
    ]
    parts += [run.interrupted, run.seed, run.speed, run.cores, run.begun_at_s, run.record, run.target_id]
    parts += [(s.from_actual.counts, s.from_intended.counts, s.errors) for s in run.tally.series.values()]
    assert run.trace is not None
    return [*parts, trace_content(run.trace)]


def trace_content(place: Path) -> object:
    """Calls and facts."""
    trace = read_trace(place)
    return [trace.meta, list(trace.calls), trace.schema]


def workload_content(place: Path) -> object:
    """A workload; an edited one is as good as any that is told to be edited."""
    opened = open_workload(place)
    return None if opened.edited else opened.workload


@dataclass(frozen=True)
class Form:
    """A kind of artifact."""

    make: Callable[[Path], Any]
    read: Callable[[Path], object]
    files: tuple[str, ...] = ("",)
    """The files of it; an empty name is the artifact itself."""


FORMS = {
    "trace": Form(
        lambda p: write_trace(p, old_forms.trace(), ORIGIN),
        trace_content,
        ("meta.yaml", "calls.parquet", "schema.fds"),
    ),
    "run": Form(
        make_run,
        run_content,
        (
            "meta.yaml", "run.json", "histograms.hlog", "trace/meta.yaml", "trace/calls.parquet", "trace/schema.fds",
        ),
    ),
    "plan": Form(
        lambda p: write_plan(p, extrapolate(old_forms.workload(), old_forms.SCALE), ORIGIN),
        read_plan,
        ("plan.yaml", "workload.yaml"),
    ),
    "workload": Form(lambda p: write_workload(p, old_forms.workload(), ORIGIN), workload_content),
    "cluster": Form(
        lambda p: p.write_text(plan_json(paper_plan(), ORIGIN)), lambda p: read_cluster(p, photoshare())
    ),
}  # fmt: skip


def damaged(good: bytes, chance: random.Random) -> Iterator[bytes]:
    """Cut short, bits turned, bytes replaced, pieces doubled or lost; always the same for a seed."""
    for _ in range(_TRIALS // 5):
        at, many = chance.randrange(len(good)), chance.randrange(1, 40)
        yield good[:at]
        turned = bytearray(good)
        turned[at] ^= 1 << chance.randrange(8)
        yield bytes(turned)
        turned = bytearray(good)
        turned[at] = chance.choice(b"0123456789 \n:#-{}[]'\"aeinf\x00\xff")
        yield bytes(turned)
        yield good[:at] + good[at : at + many] + good[at:]
        yield good[:at] + good[at + many :]


@pytest.mark.parametrize("kind", FORMS)
def test_damage_is_seen(kind: str, tmp_path: Path) -> None:
    """Or it changed nothing that is read."""
    form, place = FORMS[kind], tmp_path / "artifact"
    form.make(place)
    content = form.read(place)
    for number, name in enumerate(form.files):
        file = place / name if name else place
        good = file.read_bytes()
        for data in damaged(good, random.Random(number)):
            file.write_bytes(data)
            try:
                value = form.read(place)
            except InputError as error:
                assert error.file is not None, error
            else:
                assert value == content or (kind == "workload" and value is None), data
        file.write_bytes(good)
    assert form.read(place) == content


@pytest.mark.parametrize("kind", ["trace", "run", "plan"])
def test_a_file_that_is_gone_or_of_another_is_seen(kind: str, tmp_path: Path) -> None:
    """Each file is of this artifact, and of no other of its kind."""
    form, place = FORMS[kind], tmp_path / "artifact"
    form.make(place)
    for name in form.files:
        kept = (place / name).read_bytes()
        (place / name).unlink()
        with pytest.raises(InputError, match=Path(name).name):
            form.read(place)
        (place / name).write_bytes(kept)
    if kind == "run":
        shutil.rmtree(place / "trace")
        write_trace(place / "trace", old_forms.trace(), ORIGIN)
        assert form.read(place)
        shutil.rmtree(place / "trace")
        write_trace(place / "trace", read_trace(old_forms.OLD / "run" / "trace"), ORIGIN)
        with pytest.raises(InputError, match="trace: "):
            form.read(place)


COUNTS = (
    '"sent":3',
    '"answered":2',
    '"max_us":2000',
    '"cores":2',
    "[1000,1]",
    'client.c1":2',
)
WRONG = ("1e999", "NaN", "Infinity", "-1", '"3"', "true", "null", "9" * 30, "9" * 5000, "1.5", "[]", "{}")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("wrong", WRONG)
def test_counts_that_are_none(count: str, wrong: str, tmp_path: Path) -> None:
    """Whoever writes a run by hand, hashes and all, is told what a count may be; also in version 1."""
    shutil.copytree(old_forms.OLD / "run", tmp_path / "run")
    file = tmp_path / "run" / "run.json"
    text = file.read_text()
    assert count in text
    head, _, _ = count.rpartition(":") if ":" in count else count.rpartition(",")
    separator = ":" if ":" in count else ","
    file.write_text(text.replace(count, f"{head}{separator}{wrong}" + ("]" if separator == "," else ""), 1))
    meta = tmp_path / "run" / "meta.yaml"
    facts = {"target_id": "CID-1", "begun_at_s": 1e9}
    old = next(line for line in meta.read_text().splitlines() if "content:" in line)
    meta.write_text(meta.read_text().replace(old, f"  content: {hash_parts([file], facts)}"))
    with pytest.raises(InputError, match=r"run\.json"):
        read_run(tmp_path / "run")
