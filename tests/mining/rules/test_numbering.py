"""Numbers of nodes."""

from __future__ import annotations

from froude.mining.effects.relocation import relocate
from froude.mining.read.events import Recording
from froude.mining.read.senders import senders_of
from froude.mining.rules.numbering import renumber
from froude.mining.shape.structure import find_types
from froude.workload.scale import Scale
from testbed.synthetic import record
from tests.support.mining.events import event


def test_nodes_are_numbered_by_what_they_call_themselves() -> None:
    """Writers start in any order; writer-00 is number 0 in every run."""
    runs = [record(seed, datanodes=2, clients=4, dirs=1, files=1, blocks=1) for seed in range(3)]
    senders, _ = senders_of(runs)
    relocate(senders)
    types, _ = find_types(senders, len(runs))
    client_type = next(
        node_type for node_type in types if any(token[1] == "create" for token in node_type.senders[0].tokens)
    )
    renumber(client_type)
    numbers = [(number, sender.own[0].request["src"]) for number, sender in client_type.numbered()]
    assert all(name == f"/out/writer-{number:02d}" for number, name in numbers)
    assert {occurrence.node for occurrence in client_type.occurrences} == {0, 1, 2, 3}


def test_equal_numbers_do_not_count() -> None:
    """Nodes that all say one number are not numbered by it, even where a Scale variable is 0."""
    one = [event(n, "create", {"src": "/f7", "size": 5}, client=f"c{n}") for n in range(3)]
    senders, _ = senders_of([Recording(tuple(one), Scale.of(extra=0))])
    (client_type,) = find_types(senders, 1)[0]
    before = list(client_type.senders)
    renumber(client_type, [Scale.of(extra=0)])
    assert client_type.senders == before
