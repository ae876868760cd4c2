"""Scenarios of kind dyno before anything is started; whole ones are in the how-to and in `integration`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.experiment.play.execution import Execution
from froude.experiment.replay.dyno import DynoRunner
from froude.experiment.scenario.options import NameNodeTarget, Target
from froude.experiment.scenario.replay_options import ReplayedDatanodes, ReplayLoad, ReplayNodes
from froude.experiment.scenario.scenario import DynoScenario, read_scenario
from froude.hadoop.release.distribution import Hadoop
from tests.support.hadoop.fsimage.images import sections, write

_LINE = (
    "2026-12-01 09:00:00,100 INFO FSNamesystem.audit: allowed=true\tugi=alice (auth:SIMPLE)\tip=/10.0.0.1\t"
    "cmd=getfileinfo\tsrc=/a\tdst=null\tperm=null\tproto=rpc\n"
)


def _scenario(folder: Path, **load: object) -> DynoScenario:
    log = folder / "hdfs-audit.log"
    log.write_text(_LINE)
    return DynoScenario(load=ReplayLoad(audit_log=(log,), **load))  # type: ignore[arg-type]


def test_all_that_it_reads_must_be_there(tmp_path: Path) -> None:
    """Logs, edits, the image, lists of blocks: one error that names the file."""
    DynoRunner.of(_scenario(tmp_path)).check()
    missing = tmp_path / "gone"
    for scenario in (
        DynoScenario(load=ReplayLoad(audit_log=(missing,))),
        DynoScenario(load=_scenario(tmp_path).load, target=Target(image=missing)),
        _scenario(tmp_path, edits=missing),
    ):
        with pytest.raises(InputError, match="gone: "):
            DynoRunner.of(scenario).check()


def test_what_it_reads_is_no_device(tmp_path: Path) -> None:
    """Said before anything is started, also by --dry-run."""
    scenario = DynoScenario(load=_scenario(tmp_path).load, target=Target(image=Path("/dev/zero")))
    with pytest.raises(InputError, match="/dev/zero: is neither a file nor a folder"):
        DynoRunner.of(scenario).check()


def test_edits_are_for_an_image(tmp_path: Path) -> None:
    """Without one nothing is cut."""
    with pytest.raises(InputError, match=r"target\.image"):
        DynoRunner.of(_scenario(tmp_path, edits=tmp_path)).check()


def test_an_imported_log_is_whole(tmp_path: Path) -> None:
    """It cannot stand beside others; nothing is left behind."""
    (tmp_path / "audit").mkdir()
    both = (tmp_path / "audit", tmp_path / "hdfs-audit.log")
    scenario = DynoScenario(load=ReplayLoad(audit_log=both))
    (tmp_path / "hdfs-audit.log").write_text(_LINE)
    with pytest.raises(InputError, match="it alone"):
        DynoRunner.of(scenario).run(Execution(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_its_scenario_is_kept_as_it_was_asked_for(tmp_path: Path) -> None:
    """With the paths as they are seen from the run."""
    scenario = _scenario(tmp_path, speed=2.0)
    text = scenario.kept(tmp_path / "run")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "scenario.yaml").write_text(text)
    again = read_scenario(tmp_path / "run" / "scenario.yaml").scenario
    assert isinstance(again, DynoScenario)
    assert again.load.audit_log[0].resolve() == tmp_path / "hdfs-audit.log"
    assert again.load.speed == 2.0
    assert isinstance(again.target, NameNodeTarget)


def test_a_log_that_the_image_holds_already(hadoop: Hadoop, tmp_path: Path) -> None:
    """Names the logs, and what they were cut behind."""
    image = write(tmp_path / "image", hadoop.schema(), sections(hadoop.schema()))
    log = tmp_path / "old.log"
    log.write_text(_LINE.replace("2026", "2016"))
    scenario = DynoScenario(load=ReplayLoad(audit_log=(log,)), target=Target(image=image))
    with pytest.raises(InputError, match=r"old\.log: leaves no line.*behind the newest time in image"):
        DynoRunner.of(scenario).run(Execution(tmp_path / "run"))


@pytest.mark.parametrize(
    ("count", "said"), [(0, "found 0; allowed 2 or more"), (1, "found 1; allowed 2 or more")]
)
def test_datanodes_that_cannot_hold_the_blocks(hadoop: Hadoop, tmp_path: Path, count: int, said: str) -> None:
    """Their NameNode would never leave safe mode: refused, before one is started."""
    image = write(tmp_path / "image", hadoop.schema(), sections(hadoop.schema()))
    scenario = _scenario(tmp_path, cut=False).replaced(
        target=Target(image=image), nodes=ReplayNodes(datanodes=ReplayedDatanodes(count=count))
    )
    with pytest.raises(InputError, match="need more DataNodes") as caught:
        DynoRunner.of(scenario).run(Execution(tmp_path / "run"))
    assert said.replace("allowed ", "allowed: ").replace("found ", "found ") in str(caught.value)
