"""Logs grown to more clients."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.documents.forms import FieldError
from froude.experiment.replay.growth import independent_ms, middle, plan_growth
from froude.experiment.scenario.options import Running, Target
from froude.experiment.scenario.replay_options import (
    LogGrowth,
    MadeLog,
    MadeNamespace,
    ReplayedDatanodes,
    ReplayLoad,
    ReplayNodes,
)
from froude.experiment.scenario.scenario import DynoScenario
from testbed.growing_log import lines, log_of


def test_every_copy_does_what_its_original_does(tmp_path: Path) -> None:
    """The same commands in the same order, by the same user, below a folder of its own; in the order of time."""
    growth = plan_growth(log_of(lines(8, 1), tmp_path), 3, None, 1)
    grown = list(growth.lines())
    times = [line.time_s or 0 for line in grown]
    assert times == sorted(times)
    for client in range(8):
        own = [line for line in grown if line.user == f"u{client}"]
        original = [line for line in own if "~" not in (line.ip or "")]
        for copy in ("~2", "~3"):
            again = [line for line in own if (line.ip or "").endswith(copy)]
            place = f"/user/u{client}"
            assert [(line.command, line.allowed, line.src) for line in again] == [
                (line.command, line.allowed, (line.src or "").replace(place, place + copy))
                for line in original
            ]
    assert growth.remarks()[0].startswith("Grown by 3: 8 clients became 24")


def test_a_share_of_a_copy(tmp_path: Path) -> None:
    """Half as many again: of each sort of clients half; the same seed chooses the same ones."""
    log = log_of(lines(8, 1), tmp_path)
    growth = plan_growth(log, 1.5, None, 4)
    assert Counter(growth.copies.tolist()) == {0: 4, 1: 4}
    assert growth.copies.tolist() == plan_growth(log, 1.5, None, 4).copies.tolist()


def test_what_is_moved_into_a_folder_has_its_copy_there(tmp_path: Path) -> None:
    """The folder is in common: clients that move files of their own there are copied apart from each other."""
    line = lines(1, 1)[0]
    calls: list[tuple[str, str, str, str | None]] = [("a", "mkdirs", "/done", None)]
    for user in ("a", "bb"):
        calls += [
            (user, "create", f"/in/{user}/x-{user}", None),
            (user, "rename", f"/in/{user}/x-{user}", "/done"),
            (user, "open", f"/done/x-{user}", None),
        ]
    made = [
        replace(line, user=user, ip=f"10.0.0.{len(user)}", command=command, src=src, dst=dst)
        for user, command, src, dst in calls
    ]
    growth = plan_growth(log_of(made, tmp_path), 2, None, 1)
    assert growth.bundles.count == 2
    assert set(growth.bundles.own) == {"/in/a", "/in/bb", "/done/x-a", "/done/x-bb"}
    copies = [each for each in growth.lines() if (each.ip or "").endswith("~2")]
    assert {each.dst for each in copies if each.command == "rename"} == {"/done/x-a~2", "/done/x-bb~2"}
    assert {each.src for each in copies if each.command == "open"} == {"/done/x-a~2", "/done/x-bb~2"}


def test_what_an_administrator_does_is_done_once(tmp_path: Path) -> None:
    """And what changes something at no path; it is counted."""
    line = replace(lines(1, 1)[0], command="saveNamespace", src=None, dst=None)
    growth = plan_growth(log_of([line, replace(line, command="open", src="/a")], tmp_path), 2, None, 1)
    assert [each.command for each in growth.lines()] == ["saveNamespace", "open", "open"]
    assert "1 line of copies left out" in " ".join(growth.remarks())


def test_names_that_are_taken(tmp_path: Path) -> None:
    """A name that looks like a copy's makes copies' names longer."""
    line = replace(lines(1, 1)[0], command="create", src="/user/a/x~2", dst=None)
    growth = plan_growth(log_of([line], tmp_path), 2, None, 1)
    assert [each.src for each in growth.lines()] == ["/user/a/x~2", "/user/a~~2/x~2"]


def test_what_cannot_grow_is_refused() -> None:
    """A NameNode that runs already, and lists of blocks that were made before."""
    load = ReplayLoad(audit_log=(Path("log"),), growth=LogGrowth(clients=2))
    with pytest.raises(FieldError, match="namespace that grows"):
        DynoScenario(load=load, target=Target(running={"any": Running(address="hdfs://127.0.0.1:1")}))
    nodes = ReplayNodes(datanodes=ReplayedDatanodes(blocks=Path("blocks")))
    with pytest.raises(FieldError, match=r"load\.growth\.clients: "):
        DynoScenario(load=load, nodes=nodes)
    load = ReplayLoad(audit_log=(Path("log"),), growth=LogGrowth(namespace=2))
    with pytest.raises(FieldError, match=r"load\.growth\.namespace: needs an image"):
        DynoScenario(load=load)
    with pytest.raises(FieldError, match=r"load\.growth\.namespace: makes more blocks"):
        DynoScenario(load=load, nodes=nodes, target=Target(image=Path("image")))


def test_what_is_made_up_needs_its_place() -> None:
    """A log an image, and a profile none beside it."""
    with pytest.raises(FieldError, match=r"load\.made\.rate: "):
        DynoScenario(load=ReplayLoad(made=MadeLog(rate=2)))
    with pytest.raises(FieldError, match=r"namespace\.profile: stands beside"):
        DynoScenario(
            load=ReplayLoad(trace=Path("t")),
            namespace=MadeNamespace(profile=Path("analytics")),
            target=Target(image=Path("image")),
        )


def test_clients_that_act_together_and_by_themselves() -> None:
    """Ten begin each minute, all within a second; ten call whenever they like."""
    rng = np.random.default_rng(1)
    minutes = 60_000 * np.arange(60)
    parts = [np.repeat(minutes, 5) + rng.integers(1000, size=300) for _ in range(10)]
    parts += [rng.integers(3_600_000, size=300) for _ in range(10)]
    times, groups = np.concatenate(parts), np.repeat(np.arange(20), 300)
    found = independent_ms(times, groups, rng)
    assert (found[:10] <= 1000).all()
    assert (found[10:] >= 10_000).sum() >= 8


def test_one_group_alone() -> None:
    """Nothing says that it may be moved."""
    assert independent_ms(np.arange(1000), np.zeros(1000, np.int64), np.random.default_rng(1)).tolist() == [0]


def test_the_middle_one() -> None:
    """By weight."""
    assert middle(np.array([5, 1, 9]), np.array([1, 1, 9])) == 9
