"""Parts against each other: names lead somewhere, and what is said in two places can both be true."""

from __future__ import annotations

import pytest

from tests.support.provision.inputs.additions import BATCH, TEXT, flaws_of, read
from tests.support.provision.inputs.figure2 import APPLICATION, RESOURCES

_RACK = ("  energy: {pue", "  rack: {servers: 4, uplink: 10Gbps}\n  energy: {pue")
_LOST = ("survive_hosts: 2", "survive_hosts: 2, survive_rack: data")


def _flaws(text: str) -> list[str]:
    return read(text)[1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('task="queryprocessor" num', 'task="queryproccesor" num', "did you mean queryprocessor?"),
        ('dataset="hot_ratingsdata"', 'dataset="hot_rating"', "did you mean hot_ratingsdata?"),
        (
            'record_size="800MB"',
            'record_size="800GB"',
            "record_size: is larger than dataset tables_repository",
        ),
        ('<compute time="0.65s"', '<dependency task="worker"/><compute time="0.65s"', "a loop of calls"),
        (
            'remote="0"> </dataset>\n...',
            'remote="1" local_to="worker"> </dataset>\n...',
            "local_to: is given for",
        ),
        (
            'remote="0"> </dataset>\n...',
            'remote="0" local_to="workr"> </dataset>\n...',
            "did you mean worker?",
        ),
        (
            'remote="0"> </dataset>\n...',
            'remote="0" profile="hdfs"> </dataset>\n...',
            "profile of no storage_unit",
        ),
        (
            'bus="DDR3-1333"',
            'bus="DDR3"',
            "is on no server, did you mean DDR3-1333?; found 'DDR3'; allowed: SAS,",
        ),
        (
            'volatile="0"',
            'volatile="1"',
            "tables_repository: persistent: is persistent and every storage_unit is",
        ),
        ('volatile="1"', 'volatile="0"', "resources: has no volatile storage_unit to buy memory as"),
        (
            "<resources>",
            '<options memory_unit="DRM"/><resources>',
            "memory_unit: leads nowhere, did you mean DRAM?",
        ),
        (
            "<resources>",
            '<sla task="x" rate="1"/><resources>',
            "sla: task: leads nowhere; found 'x'; allowed: worker",
        ),
    ],
)
def test_mistakes_in_the_papers_files(old: str, new: str, message: str) -> None:
    """Each is stated with file and line; without it there is none."""
    text = RESOURCES + APPLICATION
    assert _flaws(text) == []
    assert old in text
    flaws = _flaws(text.replace(old, new))
    assert any(message in flaw for flaw in flaws), flaws
    assert all(flaw.startswith("f:") for flaw in flaws)


def test_a_part_alone_is_checked_alone() -> None:
    """Names of what stands in another file are not missed."""
    assert _flaws(APPLICATION) == _flaws(RESOURCES) == _flaws('<sla task="anything" rate="1"/>') == []


@pytest.mark.parametrize(("calls", "endless"), [("0.9", False), ("1", True), ("2", True)])
def test_a_loop_of_calls_ends_when_each_round_is_smaller(calls: str, endless: bool) -> None:
    """Where a round causes as many calls, or more, it never does."""
    text = APPLICATION.replace(
        '<compute time="0.65s"', f'<dependency task="worker" num_invocations="{calls}"/><compute time="0.65s"'
    )
    flaws = _flaws(text)
    assert bool(flaws) == endless
    assert all("loop of calls without end" in flaw and "allowed: less than 1" in flaw for flaw in flaws)


def test_a_shared_local_dataset_needs_an_owner() -> None:
    """When two tasks use it, or none, local_to must say beside which it stands."""
    text = APPLICATION.replace('dataset="tables_repository"', 'dataset="hot_ratingsdata"').replace(
        "800MB", "8KB"
    )
    (flaw,) = _flaws(text)
    assert "dataset hot_ratingsdata: remote: is local and 2 tasks use it" in flaw
    given = text.replace('hot_ratingsdata" size="1.6GB"', 'hot_ratingsdata" local_to="worker" size="1.6GB"')
    assert _flaws(given) == []
    unused = APPLICATION.replace('dataset="hot_ratingsdata"', 'dataset="cold_ratingsdata"')
    assert "is local and no tasks use it" in _flaws(unused)[0]


def test_a_batch_job_needs_its_split() -> None:
    """None between two phases, or a share for each phase with work; three cannot do without."""
    assert _flaws(BATCH) == []
    split = "  split: [{phase: map, share: 0.7}]\napplication:"
    (flaw,) = _flaws(BATCH.replace("application:", split))
    assert flaw.startswith("f:2: batch: gives phase reduce no share of the time")
    three = BATCH.replace("executions: 10}]", "executions: 10}, {task: s, executions: 1}]")
    flaws = _flaws(three + "    - {name: s, phase: sort, memory: 1GB}\n")
    assert len(flaws) == 3
    split = "  split: [{phase: mpa, share: 0.7}, {phase: reduce, share: 0.1}]\napplication:"
    flaws = _flaws(BATCH.replace("application:", split))
    assert any("split: phase: leads nowhere, did you mean map?" in flaw for flaw in flaws)


@pytest.mark.parametrize(("survive", "flaws"), [(0, 0), (1, 1), (2, 2)])
def test_what_may_fail_is_outlived(survive: int, flaws: int) -> None:
    """One copy outlives no server, two outlive one; data that need not persist are nobody's concern."""
    text = TEXT.replace("survive_hosts: 2", f"survive_hosts: {survive}")
    text = text.replace("replication: 3", "replication: 2").replace(", erasure: 6+3", "")
    noted = _flaws(text)
    assert len(noted) == flaws
    assert all("does not outlive survive_hosts" in flaw for flaw in noted)
    assert _flaws(text.replace("persistent: 1", "persistent: 0")) == []


@pytest.mark.parametrize(("parity", "outlives"), [(1, False), (2, True), (3, True)])
def test_fragments_outlive_as_many_servers_as_have_parity(parity: int, outlives: bool) -> None:
    """Two may fail."""
    assert (_flaws(TEXT.replace("6+3", f"6+{parity}")) == []) == outlives


def test_a_local_dataset_needs_a_unit_inside_servers() -> None:
    """A service keeps remote data only."""
    text = TEXT.replace("volatile: 0", "volatile: 1").replace(
        "remote: 1, erasure: 6+3", "remote: 0, local_to: view"
    )
    assert [
        flaw
        for flaw in _flaws(text)
        if "is persistent and every storage_unit is volatile or a service" in flaw
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cpu: arm\n", "cpu: amr\n", "server i9.large: cpu: leads nowhere, did you mean arm?"),
        ("{cpu: arm, time: 4ms}", "{cpu: ar, time: 4ms}", "on: cpu: leads nowhere, did you mean arm?"),
        (
            "{unit: NVMe, count: 2}",
            "{unit: NVM, count: 2}",
            "included: unit: leads nowhere, did you mean NVMe?",
        ),
        (
            "{unit: NVMe, count: 2}",
            "{unit: NVMe, count: 3}",
            "includes 3 units on bus pcie; allowed: at most its 2",
        ),
        ("{unit: DRAM, count: 4}", "{unit: DRAM, count: 5}", "includes 5 units on bus memory"),
        ("{unit: NVMe, count: 2}", "{unit: objects, count: 2}", "is a service, which no server includes"),
        ("options: {", "options: {memory_unit: objects, ", "is a service, and memory stands in servers"),
        (
            "replication: 3",
            "replication: 2",
            "dataset photos: replication: is persistent and does not outlive",
        ),
        ("6+3", "6+1", "dataset tags: erasure: is persistent and does not outlive survive_hosts"),
        (
            "remote: 1, erasure: 6+3",
            "remote: 0, local_to: view, scope: partitioned",
            "dataset tags: scope: is persistent and does not outlive",
        ),
    ],
)
def test_mistakes_beyond_the_paper(old: str, new: str, message: str) -> None:
    """Each is stated with file, line and field."""
    flaws = flaws_of(old, new)
    assert any(message in flaw for flaw in flaws), flaws


def test_several_mistakes_at_once() -> None:
    """Of all parts, in the order of the file."""
    text = TEXT.replace("cpu: arm\n", "cpu: amr\n").replace("6+3", "6-3").replace("unit: DRAM", "unit: DRM")
    lines = [int(flaw.split(":")[1]) for flaw in _flaws(text)]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_a_lost_rack_needs_racks() -> None:
    """And so does the re_replication of one."""
    assert any("survive_rack: asks for racks" in flaw for flaw in flaws_of(*_LOST))
    assert any(
        "of: is of racks" in flaw
        for flaw in flaws_of("growth:", "re_replication: {time: 1h, of: rack}\ngrowth:")
    )


@pytest.mark.parametrize("loss", ["data", "service"])
def test_a_single_replica_does_not_outlive_a_rack(loss: str) -> None:
    """Two do, and so do fragments."""
    text = TEXT.replace(*_RACK).replace(_LOST[0], f"survive_rack: {loss}")
    assert read(text)[1] == []
    flaws = read(text.replace("replication: 3", "replication: 1"))[1]
    assert len(flaws) == 1
    assert "is persistent and does not outlive survive_rack" in flaws[0]


def test_local_data_outlives_a_rack_only_in_service() -> None:
    """Its task then has instances on so many servers that some are left."""
    local = "remote: 0, local_to: view}"
    text = TEXT.replace(*_RACK).replace("remote: 1, replication: 3, host_time: 10us}", local)
    assert read(text.replace(_LOST[0], "survive_rack: service"))[1] == []
    assert any("scope" in flaw for flaw in read(text.replace(_LOST[0], "survive_rack: data"))[1])


def test_without_a_lost_rack_nothing_is_asked() -> None:
    """Racks alone need nothing."""
    assert read(TEXT.replace(*_RACK))[1] == []
