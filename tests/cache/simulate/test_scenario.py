"""Scenarios as documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cache.simulate.scenario import read_scenario, shipped
from tests.support.cache.simulate.scenario import SMALL


def test_those_that_come_with_froude_are_placed_as_in_figure_5() -> None:
    """Three masters, of which two share a hypervisor; nine groups in Table 2; 640 MB a hypervisor."""
    for name in ("figure-5", "table-2"):
        scenario = read_scenario(shipped()[name]).scenario
        hosts = {vm: host.name for host in scenario.hypervisors for vm in host.vms}
        assert [hosts[cluster.master] for cluster in scenario.clusters] == ["h1", "h2", "h2"]
        assert [len(cluster.vms) for cluster in scenario.clusters] == [5, 10, 5]
        assert scenario.space_bytes == 640_000_000
        assert all(
            {hosts[vm] for vm in cluster.vms} == {"h1", "h2", "h3", "h4"} for cluster in scenario.clusters
        )
    groups = read_scenario(shipped()["table-2"]).scenario.groups
    assert len(groups) == 9
    assert groups[5] == {"cluster1": "scan", "cluster2": "scan", "cluster3": "join"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vms: [c]", "vms: [c, a]", "hypervisors: has a VM twice; found a"),
        ("vms: [a, b, c]", "vms: [a, b]", "clusters: and hypervisors have other VMs; found c"),
        ("master: a", "master: d", "clusters: has a master that is none of its VMs; found d"),
        ("{c1: kmeans}", "{c1: sleep}", r"scenario.yaml:4: groups\[1\].c1: is none of the jobs; found sleep"),
        ("{c1: kmeans}", "{c2: kmeans}", r"groups\[1\].c2: is none of the clusters; allowed: c1"),
        ("groups: [{c1: scan}, {c1: kmeans}]", "groups: []", "groups: "),
        ("window: 1 s", "window: 0 s", "window: "),
    ],
)
def test_what_cannot_be_played_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    """With its field."""
    file = tmp_path / "scenario.yaml"
    file.write_text(SMALL)
    assert read_scenario(file).scenario.groups == ({"c1": "scan"}, {"c1": "kmeans"})
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_scenario(file)
