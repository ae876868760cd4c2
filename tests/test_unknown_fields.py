"""No document is read as another: what is misspelled in a file that people write or edit is refused, at every level."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import FroudeError
from froude.cache.agents.config import read_agent
from froude.cache.control.config import read_controller
from froude.cache.control.journal import FileJournal
from froude.cache.simulate.scenario import read_scenario as read_cache_scenario
from froude.cache.simulate.scenario import shipped as cache_scenarios
from froude.cache.solve.files import read_state as read_cache_state
from froude.cache.solve.files import shipped as cache_states
from froude.cli.settings import resolve
from froude.documents.artifact import LINEAGE, hash_fields
from froude.documents.plain import dump_yaml, parse_json, parse_yaml
from froude.experiment.replay.namespace_profile import profile_path, read_profile
from froude.experiment.scenario.scenario import KINDS, read_scenario
from froude.experiment.scenario.text import template
from froude.hadoop.cluster.state import read_state
from froude.harvest.live.choosing import LastRun
from froude.harvest.live.hdfs.prior import HdfsPrior, prior_json
from froude.harvest.live.hdfs.prior import read_prior as read_hdfs_prior
from froude.harvest.live.prior_file import prior_json as yarn_prior_json
from froude.harvest.live.prior_file import read_prior
from froude.harvest.live.service_file import ACCESS, ACCESS_VERSION, Known, known_json, read_known
from froude.harvest.live.submitter import Remote
from froude.harvest.live.types import Prior, Resource
from froude.provision.inputs.plan_file import plan_json, read_cluster
from froude.provision.inputs.read import EXAMPLES, read_parts
from froude.provision.prices.files import load_rates
from froude.workload.yaml_file import dump_workload, read_workload
from tests.support.misspelled import Place, below, misspelled, true_numbers
from tests.support.provision.clusters import paper_plan, photoshare
from tests.support.provision.prices.tables import RATES

OLD = Path(__file__).parent / "data" / "old"


@dataclass(frozen=True)
class Kind:
    """One kind of document."""

    text: str | Callable[[], str]
    read: Callable[[Path], object]
    names: Callable[[Place], bool] = lambda _: False
    """Of the places of mappings whose names the writer chooses."""
    values: Callable[[Place], bool] = lambda _: False
    """Of the places of numbers where a truth may be as well."""
    file: str = "d.yaml"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


_STATE = {
    "supervisor": {"name": "supervisor", "pid": 7, "started_s": 1.5, "address": ""},
    "release": "3.5.0",
    "uri": "hdfs://h:1",
    "http": "http://h:2",
    "cluster_id": "CID",
    "block_pool_id": "BP",
    "daemons": [{"name": "namenode", "pid": 8, "started_s": 1.5, "address": ""}],
}
_CONTROLLER = """
froude: cache-controller/1
token: token
state: state
window: 3 min
granule: 1048576
hypervisors: {h1: {agent: 'http://127.0.0.1:8078', writes_bytes_per_day: 1000}}
vms: {v1: {application: a}}
"""
_SWITCHES = ("volatile", "persistent", "blocking", "parallel", "remote", "service")
DOCUMENTS = {
    "workload": Kind(
        lambda: dump_workload(read_workload(OLD / "workload.yaml")),
        read_workload,
        names=below(("nodes",), ("arguments",), ("scales",), ("start",)),
        values=below(
            ("arguments", "*"), ("arguments", "*", "*"), ("candidates",), ("examples",), ("unknown",)
        ),
    ),
    "provision": Kind(
        lambda: _text(OLD / "provision" / "inputs.yaml"),
        lambda path: read_parts([str(path)]),
        names=below(("operations",)),
        values=below(*((name,) for name in _SWITCHES)),
    ),
    "photoshare": Kind(
        lambda: _text(EXAMPLES / "photoshare-calibrated.yaml"),
        lambda path: read_parts([str(path)]),
        names=below(("operations",)),
        values=below(*((name,) for name in _SWITCHES)),
    ),
    "rates": Kind(RATES, lambda path: load_rates([path])),
    "cluster": Kind(
        lambda: plan_json(paper_plan()),
        lambda path: read_cluster(path, photoshare()),
        names=below(("choices",), ("cpus",), ("spares",)),
        values=below(("gap",), ("servers",)),  # worked out of the groups, which alone count
        file="c.json",
    ),
    **{
        f"scenario {kind}": Kind(
            lambda kind=kind: template(kind),
            read_scenario,
            names=below(("scales",), ("vary",), ("running",), ("properties",), ("users",)),
            values=below(("vary", "*")),
        )
        for kind in KINDS
    },
    "cache scenario": Kind(
        lambda: _text(next(iter(cache_scenarios().values()))), read_cache_scenario, names=below(("groups",))
    ),
    "cache state": Kind(lambda: _text(next(iter(cache_states().values()))), read_cache_state),
    "agent": Kind("froude: cache-agent/1\nkind: vm\nname: vm1\ntoken: token\n", read_agent),
    "controller": Kind(_CONTROLLER, read_controller, names=below(("hypervisors",), ("vms",))),
    "profile": Kind(
        lambda: _text(profile_path(Path("analytics"))),
        read_profile,
        names=lambda at: len(at) == 1,  # each names what has a weight
    ),
    "cluster's state": Kind(json.dumps(_STATE), read_state, file="s.json"),
    "access": Kind(
        json.dumps({"froude": f"{ACCESS}/{ACCESS_VERSION}", "address": "http://127.0.0.1:1", "token": "t"}),
        Remote,
        file="access.json",
    ),
    "what YARN had": Kind(
        yarn_prior_json(
            Prior(address="127.0.0.1:1", id="7", resources={"n": Resource(memory_mb=1, vcores=2)})
        ),
        read_prior,
        names=below(("resources",), ("scheduler",), ("node_labels",), ("node_attributes",)),
        file="p.json",
    ),
    "what HDFS had": Kind(
        prior_json(HdfsPrior(address="h:1", id="CID", files={"/a": "x"}, properties={"a": "b"})),
        read_hdfs_prior,
        names=below(("files",), ("properties",), ("written",)),
        file="p.json",
    ),
    "what a daemon knows": Kind(
        known_json(Known(("a",), frozenset({"n"}), last={"j": LastRun(2.0, 3.0)})),
        read_known,
        names=below(("servers",)),
        file="k.json",
    ),
}


def _written(document: dict[str, Any], file: Path) -> None:
    """The document as a file; a lineage of it says what it now holds, as a person may write it there."""
    if isinstance(document.get(LINEAGE), dict):
        document[LINEAGE]["content"] = hash_fields(document)
    file.write_text(json.dumps(document) if file.suffix == ".json" else dump_yaml(document), encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_misspelled_is_refused(name: str, tmp_path: Path) -> None:
    """A field at any level: the error names it, and the one that is meant."""
    kind, file = DOCUMENTS[name], tmp_path / DOCUMENTS[name].file
    text = kind.text if isinstance(kind.text, str) else kind.text()
    (tmp_path / "token").write_text("0" * 32)
    file.write_text(text, encoding="utf-8")
    kind.read(file)
    parse = parse_json if file.suffix == ".json" else parse_yaml
    document = _plain(parse(text.encode(), name))
    tried = 0
    for wrong, other in misspelled(document, kind.names):
        _written(other, file)
        with pytest.raises(FroudeError) as refused:
            kind.read(file)
        assert wrong in str(refused.value), refused.value
        assert "?" in str(refused.value) or wrong == "operationss", refused.value
        tried += 1
    for at, other in true_numbers(document, kind.values):
        _written(other, file)
        with pytest.raises(FroudeError) as refused:
            kind.read(file)
        assert str(next(part for part in reversed(at) if isinstance(part, str))) in str(refused.value)
        tried += 1
    assert tried


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("formatt = 1", "formatt: "),
        ("format = true", "format"),
        ("[defaults]\nsede = 4", "defaults.sede: "),
        ("[defaults]\nseed = true", "defaults.seed: "),
        ("[defaults]\nseed = 1.5", "defaults.seed: "),
        ("[defaults]\nworkers = true", "workers"),
    ],
)
def test_a_workspaces_settings(text: str, wrong: str, tmp_path: Path) -> None:
    """`froude.toml` has a format, who wrote it, and two defaults."""
    from froude.documents.store import Workspace

    (tmp_path / "froude.toml").write_text(text)
    if text == "format = true":
        with pytest.raises(FroudeError, match=wrong):
            Workspace(tmp_path)
        return
    with pytest.raises(FroudeError) as refused:
        resolve({"workspace": tmp_path}, {})
    assert wrong in str(refused.value)


@pytest.mark.parametrize(
    "line",
    [
        {"given": True},
        {"givenn": 5},
        {"given": 5, "pause": True},
        {"paused": 1},
        {"round": {"number": True}},
        {"round": {"decisionn": 1}},
    ],
)
def test_a_controllers_journal(line: dict[str, Any], tmp_path: Path) -> None:
    """Each line is one thing of known fields; the error names the line."""
    lines = [{"froude": "cache-journal/1"}, {"given": 5}, {"paused": False}, line]
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    with pytest.raises(FroudeError, match=r"journal\.jsonl:4: "):
        FileJournal(tmp_path)
