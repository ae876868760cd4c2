"""Plans that this machine cannot hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.emulation.pacing import Pacing
from froude.experiment.play import play
from froude.experiment.playable import check_plan, check_size
from tests.emulation.plans import plan


def test_more_nodes_than_the_machine_holds_are_refused_at_once() -> None:
    """By memory, and where each has a connection of its own by descriptors."""
    with pytest.raises(
        InputError, match=r"more nodes than there is memory for; found 1,000,000,0\d\d; allowed: about"
    ):
        play(replace(plan(), counts={"datanode": 10**9, "client": 4}), "hdfs://127.0.0.1:1")
    with pytest.raises(InputError, match=r"more nodes than connections can be open; found 5 connections"):
        check_size(replace(plan(), counts={"client": 5}), 0, descriptors=64)
    check_size(replace(plan(), counts={"client": 5}), 4, descriptors=64)


def test_a_plan_of_nodes_that_never_end_needs_a_duration() -> None:
    """Or it would be played for good."""
    with pytest.raises(InputError, match=r"never end.*--duration"):
        check_plan(plan(clients=0), None, None)
    check_plan(plan(clients=0), 5.0, None)
    check_plan(plan(), None, Pacing.CLOSED)
