"""A knee's file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.documents.migrate import Migrations, same
from froude.experiment.knee.file import MIGRATIONS, knee_text, read_knee, write_knee
from tests.support.experiment.knees import two_plays


def test_its_file(tmp_path: Path) -> None:
    """The answer first; read back as it was; an edit is seen, and another document refused."""
    result = two_plays()
    write_knee(tmp_path / "knee.json", result)
    assert read_knee(tmp_path / "knee.json") == result
    text = knee_text(result)
    (tmp_path / "edited.json").write_text(text.replace("At", "Ab").replace("keeps", "holds"))
    with pytest.raises(ChangedError):
        read_knee(tmp_path / "edited.json")
    (tmp_path / "other.json").write_text('{"froude": "report/2"}')
    with pytest.raises(InputError, match=r"other\.json: froude: "):
        read_knee(tmp_path / "other.json")


def test_remarks_and_an_interrupt_stand_in_it(tmp_path: Path) -> None:
    """For scripts, which find no other sign of either."""
    flags = {"JVM flags": "-XX:TieredStopAtLevel=1"}
    result = replace(two_plays(), environment=flags, interrupted=True, plan_remarks=("in turn",))
    document = json.loads(knee_text(result))
    assert document["remarks"] == list(result.remarks) != []
    assert document["plan_remarks"] == ["in turn"]
    assert document["interrupted"] is True
    assert document["bounds"] == {"1 s": {"calls_per_s": 1.5, "containers_per_s": None, "load": "clients=2"}}
    assert document["lineage"]["state"] == "interrupted"
    write_knee(tmp_path / "knee.json", result)
    assert read_knee(tmp_path / "knee.json") == result
    assert json.loads(knee_text(two_plays()))["lineage"]["state"] == "complete"


def test_what_ended_it_and_why_clients_were_played_once_are_kept(tmp_path: Path) -> None:
    """The latter is among its remarks, too."""
    result = replace(two_plays(), time_limit_s=40.0, once="b waits for the end of a")
    write_knee(tmp_path / "knee.json", result)
    assert read_knee(tmp_path / "knee.json") == result
    remarks = json.loads(knee_text(result))["remarks"]
    assert any("b waits for the end of a" in text for text in remarks)


def test_curve_computed_limit_and_fit_are_in_it(tmp_path: Path) -> None:
    """For scripts: a row for each load; null where there is no base, or too few loads; cores of another machine stay."""
    plays = tuple(
        replace(
            two_plays().plays[0],
            level=float(clients),
            run=two_plays()
            .plays[0]
            .run.model_copy(
                update={
                    "scale": {"clients": str(clients)},
                    "calls_per_s": 100.0 * clients,
                    "call_queue_ms": 0.5,
                    "mode": "population",
                    "ramp_s": 5.0,
                    "compiler_share": 0.01,
                    "target_cpu_share": 0.5,
                    "target_cores": 2,
                    "target_cpu_us": 100.0,
                    "computed_limit": 20_000.0,
                }
            ),
        )
        for clients in (1, 2, 3, 4, 5)
    )
    result = replace(two_plays(), plays=plays, low=5.0, cores=32)
    write_knee(tmp_path / "knee.json", result)
    assert read_knee(tmp_path / "knee.json") == result
    document = json.loads(knee_text(result))
    assert [row["calls_per_s"] for row in document["curve"]] == [100, 200, 300, 400, 500]
    assert document["curve"][0]["call_queue_ms"] == 0.5
    assert document["computed_limit"]["reached"] == pytest.approx(500 / 20_000)
    assert document["scalability"]["rate"] == pytest.approx(100)
    assert any("Upper bound on 32 cores: 320,000 calls/s" in text for text in document["remarks"])
    short = json.loads(knee_text(two_plays()))
    assert (short["computed_limit"], short["scalability"]) == (None, None)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("raised",), [], r"raised: has too few items"),
        (("raised", 0), "", r"raised\[0\]: .* at least 1 character"),
        (("cores",), -5, r"cores: .* found -5; allowed: greater than or equal to 1"),
        (("time_limit_s",), 0, r"time_limit_s: .* found 0; allowed: greater than 0"),
        (
            ("plays", 0, "run", "bottleneck"),
            "x",
            r"plays\[0\]\.run\.bottleneck: not one of player, target, machine, neither, unknown; found 'x'",
        ),
        (
            ("plays", 0, "run", "begun_at"),
            "x",
            r"plays\[0\]\.run\.begun_at: not a time by ISO 8601 in UTC, .*; found 'x'",
        ),
        (("plays", 0, "run", "begun_at"), "2026-01-31T12:00:00", r"begun_at: not a time"),
    ],
)
def test_an_edit_that_was_sealed_again_is_refused(
    path: tuple[str | int, ...], value: object, message: str, tmp_path: Path
) -> None:
    """With the field, what was found, and what is allowed: no report could be drawn of it."""
    document = json.loads(knee_text(two_plays()))
    fields = {name: value for name, value in document.items() if name not in {"froude", "lineage"}}
    around: Any = fields
    for name in path[:-1]:
        around = around[name]
    around[path[-1]] = value
    file = tmp_path / "knee.json"
    file.write_text(dump_sealed_figures(MIGRATIONS, fields, Origin()))
    with pytest.raises(InputError, match=message):
        read_knee(file)


def test_files_of_older_versions(tmp_path: Path) -> None:
    """They have no bounds, and the first none of remarks and interrupts; they are read all the same."""
    document = json.loads(knee_text(two_plays()))
    fields = {name: value for name, value in document.items() if name not in {"froude", "lineage"}}
    del fields["bounds"], fields["time_limit_s"], fields["once"]
    for play in fields["plays"]:
        del play["others"]
    second = tmp_path / "second.json"
    second.write_text(dump_sealed_figures(Migrations("knee", 2, {1: same}), fields, Origin()))
    assert read_knee(second) == two_plays()
    del fields["remarks"], fields["plan_remarks"], fields["interrupted"]
    old = tmp_path / "knee.json"
    old.write_text(dump_sealed_figures(Migrations("knee", 1), fields, Origin()))
    assert read_knee(old) == two_plays()
