"""Plans that this machine cannot hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.facts import facts_of
from froude.emulation.run.files import write_run
from froude.emulation.settings import Mode, Pacing, Turnover
from froude.experiment.play.play import play
from froude.experiment.play.playable import check_plan, check_size, replayed_nonce
from froude.experiment.scenario.options import PlayOptions
from testbed.plans import plan
from tests.support.old_forms import run as a_run


def test_more_nodes_than_the_machine_holds_are_refused_at_once() -> None:
    """By memory, and where each has a connection of its own by descriptors."""
    with pytest.raises(
        InputError, match=r"more nodes than there is memory for; found 1,000,000,0\d\d; allowed: about"
    ):
        play(replace(plan(), counts={"datanode": 10**9, "client": 4}), "hdfs://127.0.0.1:1")
    with pytest.raises(InputError, match=r"more nodes than connections can be open; found 5 connections"):
        check_size(5, 0, descriptors=64)
    check_size(5, 4, descriptors=64)


def test_a_plan_of_nodes_that_never_end_needs_a_duration() -> None:
    """Or it would be played for good."""
    with pytest.raises(InputError, match=r"never end.*--duration"):
        check_plan(plan(clients=0), None, None)
    assert check_plan(plan(clients=0), 5.0, None).endless
    with pytest.raises(InputError, match="plan: cannot be kept up"):
        check_plan(plan(clients=0), 5.0, None, Turnover(Mode.ARRIVALS, 1.0))
    assert not check_plan(plan(), 5.0, None, Turnover(Mode.POPULATION)).endless
    assert check_plan(plan(), None, Pacing.CLOSED) == facts_of(plan())


def test_ids_are_repeated_of_a_run_of_one_seed(tmp_path: Path) -> None:
    """Of another seed they would be others; a run from before there were any had none."""
    assert replayed_nonce(PlayOptions()) is None
    for name, nonce in (("new", "00c0ffee"), ("old", "")):
        run = a_run()
        run.nonce = nonce
        write_run(tmp_path / name, run)
        assert replayed_nonce(PlayOptions(seed=7, replay_ids=tmp_path / name)) == nonce
    with pytest.raises(InputError, match=r"had another seed; found 7; allowed: 8\. Use its seed too: 7"):
        replayed_nonce(PlayOptions(seed=8, replay_ids=tmp_path / "new"))
    with pytest.raises(InputError, match="nothing"):
        replayed_nonce(PlayOptions(replay_ids=tmp_path / "nothing"))
