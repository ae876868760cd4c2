"""A workload written and read again is the same workload."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from froude.base.errors import InputError
from froude.documents.artifact import Origin
from froude.documents.reading import parse_document
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Constant,
    Counter,
    LeftOut,
    NodeType,
    Recorded,
    Repeat,
    StartRule,
    Wait,
    Workload,
)
from froude.workload.walk import templates
from froude.workload.yaml_file import (
    dump_workload,
    open_workload,
    read_workload,
    workload_from,
    workload_hash,
    write_workload,
)
from tests.support.seeds import examples
from tests.support.workload.strategies import workloads

SMALL = """\
froude: workload/1
nodes:
  client:
    count: clients
    steps:
      - call: create
        id: c1
        protocol: p
        arguments: {src: {template: '/in/f-{L1:05}'}}
"""


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workloads())
def test_round_trip(workload: Workload) -> None:
    """Every kind of rule, step and question survives the file."""
    root = parse_document(dump_workload(workload).encode(), "w.yaml")
    root.value("froude", str)
    assert workload_from(root) == workload


def test_reads_what_a_person_writes(tmp_path: Path) -> None:
    """The short forms are enough."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL)
    workload = read_workload(file)
    assert str(workload.node_type("client").count) == "clients"
    write_workload(file, workload)
    assert read_workload(file) == workload


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count: clients", "count: clients^2", r"w\.yaml:4: nodes\.client\.count: not a count"),
        ("id: c1", "id: 7", r"w\.yaml:7: .*id: .*found 7; allowed: a text"),
        ("arguments:", "argumnets:", "argumnets: "),
        (
            "{template: '/in/f-{L1:05}'}",
            "{from: c9, response: x}",
            "flows from a call that is not there; found c9",
        ),
        ("workload/1", "trace/1", "found trace/1"),
        ("nodes:", "recorded: {traces: [zzz]}\nnodes:", r"w\.yaml:2: recorded.traces: .*found zzz"),
    ],
)
def test_errors_name_line_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A slip in an edited file is found where it stands."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_workload(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: c1", "id: client", "stands more than once, or is the name of a node type; found client"),
        (
            "    steps:",
            "    effects: [{cause: c1, cause_type: nobody, call: x, id: c2, protocol: p}]\n    steps:",
            "effect c2 has a cause of a node type that is not there; found nobody; allowed: client",
        ),
        (
            "    steps:",
            "    periodic: [{call: x, id: c1, protocol: p, every_s: 1}]\n    steps:",
            r"w\.yaml:2: nodes: ",
        ),
        ("{L1:05}", "{L1 ; 5}", r"w\.yaml:9: .*src\.template: "),
        (
            "id: c1",
            "id: c1\n        after: {argument: src, up: 1, method: rename, made: dst, node_type: producer}",
            "c1 waits for a node type that is not there; found producer; allowed: client",
        ),
        (
            "id: c1",
            "id: c1\n        after: {argument: dst, up: 1, method: rename, made: dst, node_type: client}",
            "c1 waits for what it does not name; found dst; allowed: src",
        ),
    ],
)
def test_references_that_do_not_hold(tmp_path: Path, old: str, new: str, message: str) -> None:
    """What a report or a play would stumble over is an error when the file is read."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_workload(file)


def test_the_lineage_tells_an_edit(tmp_path: Path) -> None:
    """A comment is none; a value is, and is accepted; what was written by hand has no lineage to differ from."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL)
    written = open_workload(file)
    assert (written.lineage, written.edited) == (None, False)
    lineage = write_workload(file, written.workload, Origin("froude mine t", ("ab",)))
    assert lineage.content_hash == workload_hash(written.workload)
    file.write_text(file.read_text().replace("nodes:", "# a comment\nnodes:"))
    assert not open_workload(file).edited
    file.write_text(file.read_text().replace("protocol: p", "protocol: q"))
    edited = open_workload(file)
    assert edited.edited
    assert edited.lineage == lineage
    assert edited.content == workload_hash(edited.workload)


def test_how_well_each_size_follows_is_kept(tmp_path: Path) -> None:
    """As shares, which no edit makes larger than all."""
    figures = (
        LeftOut(Scale.of(files=5, input="2 MB"), 0.9, 1.0, "client"),
        LeftOut(Scale.of(files=7), 1.0, 0.25),
    )
    recorded = Recorded((Scale.of(files=5, input="2 MB"),), (), left_out=figures)
    path = tmp_path / "w.yaml"
    write_workload(path, Workload((NodeType("client", Count(1.0), ()),), recorded))
    assert read_workload(path).recorded == recorded
    text = path.read_text()
    for name, old in (("precision", "0.25"), ("fitness", "0.9")):
        path.write_text(text.replace(old, "1.25"))
        with pytest.raises(InputError, match=rf"{name}: .*found 1.25"):
            read_workload(path)


def test_another_start_waits_for_what_is_there(tmp_path: Path) -> None:
    """As the start that is written does."""
    path = tmp_path / "w.yaml"
    start = StartRule("put", every=False, pause_s=1.0, follows="put")
    nodes = (NodeType("put", Count(1.0), ()), NodeType("mv", Count(1.0), (), or_start=start))
    write_workload(path, Workload(nodes, Recorded((), ())))
    assert read_workload(path).node_types == nodes
    path.write_text(path.read_text().replace("after: put", "after: nobody"))
    with pytest.raises(InputError, match="found nobody"):
        read_workload(path)


@pytest.mark.parametrize("index", ["no index", "a+b"])
def test_what_would_not_read_back_is_not_written(tmp_path: Path, index: str) -> None:
    """A counter over an index that no sum can name would stop the next command, or mean something else there."""
    call = CallTemplate("c1", "p", "create", {"n": Counter(0, {index: 1})})
    workload = Workload((NodeType("client", Count(1.0), (call,)),), Recorded((), ()))
    with pytest.raises(AssertionError, match=r"read as"):
        write_workload(tmp_path / "w.yaml", workload)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count: clients", "count: -1", "count: .*found -1"),
        ("    steps:", "    start: {spacing_s: -1}\n    steps:", "spacing_s: .*found -1"),
        ("    steps:", "    start: {within_s: -1}\n    steps:", "within_s: .*found -1"),
        ("    steps:", "    start: {pause_s: soon}\n    steps:", "pause_s: .*found 'soon'"),
        (
            "    steps:",
            "    start: {within_s: 1, pause_s: 1}\n    steps:",
            "pause_s: ",
        ),
        ("    steps:", "    start: {delay_s: 1e18}\n    steps:", r"delay_s: .*found 1e\+18"),
        ("    steps:", "    start: {moment: 0.5}\n    steps:", "moment: .*found 0.5"),
        ("    steps:", "    start: {moment: soon}\n    steps:", "found 'soon'; allowed: started, finished"),
        (
            "    steps:",
            "    periodic: [{call: x, id: p1, protocol: p, every_s: -5}]\n    steps:",
            r"every_s: .*found -5; allowed: 0.001 to 1,000,000,000",
        ),
        ("id: c1", "id: c1\n        think_s: 1e19", "think_s: is out of range"),
        ("id: c1", "id: c1\n        service_s: -1", "service_s: is out of range; found -1"),
        ("id: c1", "id: c1\n        poll: {path: a, until: []}", "until: .*found Items"),
        (
            "id: c1",
            "id: c1\n        after: {argument: src, up: -1, method: m, made: dst, node_type: client}",
            r"after\.up: .*found -1; allowed: 0 to 100",
        ),
        ("id: c1", "id: c1\n        after: {argument: src, up: 1}", "after: method "),
        ("id: c1", "id: c1\n        confirmed_by: 3", "confirmed_by: .*found 3"),
    ],
)
def test_numbers_that_cannot_be_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A play would end at once, or never, without a word."""
    file = tmp_path / "w.yaml"
    assert old in SMALL
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_workload(file)


def test_the_example_of_the_reference_is_read_and_written_as_it_says(tmp_path: Path) -> None:
    """docs/reference/workload-file.md shows every field that it explains, in a file that holds."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "workload-file.md").read_text()
    text = page.partition("```yaml\n")[2].partition("```")[0]
    file = tmp_path / "w.yaml"
    file.write_text(text)
    workload = read_workload(file)
    write_workload(tmp_path / "again.yaml", workload)
    assert read_workload(tmp_path / "again.yaml") == workload
    assert all(
        f"{field}:" in text for field in ("after", "confirmed_by", "element", "width", "opened_by", "poll")
    )
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    assert calls["consumer.c1"].after == Wait("src", 0, "rename", "dst", "producer")


def test_what_a_call_waits_for_and_what_confirms_it(tmp_path: Path) -> None:
    """Both stand with the call, as a person reads them; a call without them says nothing of them."""
    wait = Wait("src", 1, "rename", "dst", "client")
    call = CallTemplate("c1", "p", "open", {"src": Constant("/in/a")}, after=wait, confirmed_by="result")
    plain = CallTemplate("c2", "p", "open", {"src": Constant("/in/a")})
    workload = Workload((NodeType("client", Count(1.0), (call, plain)),), Recorded((), ()))
    file = tmp_path / "w.yaml"
    write_workload(file, workload)
    assert read_workload(file).node_types == workload.node_types
    text = file.read_text()
    assert text.count("confirmed_by: result") == text.count("after:") == 1
    words = " ".join(text.split())
    assert "after: {argument: src, up: 1, method: rename, made: dst, node_type: client}" in words


@pytest.mark.parametrize(
    ("each", "problem"),
    [
        ("{from: c.c2, response: 'l[{each}].path'}", "goes through no list"),
        ("{from: c.c1, request: 'l[{each}].path'}", "goes through no list"),
        ("{from: c.c1, response: 'l[{each}].path', node_type: c}", "goes through no list"),
        ("{from: c.c1, response: 'l[{each}].path', element: {counter: '0'}}", "goes through a whole list"),
        ("{from: c.c1, response: path}", "is not a list of an earlier answer"),
        ("5", "is not a list of an earlier answer"),
        ("{from: c.c1, response: 'l[{each}].path'}", ""),
    ],
)
def test_a_loop_goes_through_a_list_that_is_there(each: str, problem: str, tmp_path: Path) -> None:
    """In an answer of its own node, before it; else it would run as often as is assumed, and nothing would say so."""
    loop = (
        f"repeat: L1, times: 2, each: {each}, steps: [{{call: look, id: c.c2, protocol: p, arguments: {{}}}}]"
    )
    steps = f"[{{call: list, id: c.c1, protocol: p, arguments: {{}}}}, {{{loop}}}]"
    text = (
        f"froude: workload/3\nrecorded: {{scales: [{{n: 1}}]}}\nnodes: {{c: {{count: 1, steps: {steps}}}}}\n"
    )
    (tmp_path / "w.yaml").write_text(text)
    if problem:
        with pytest.raises(InputError, match=problem):
            read_workload(tmp_path / "w.yaml")
    else:
        (node,) = read_workload(tmp_path / "w.yaml").node_types
        assert isinstance(node.steps[1], Repeat)
        assert node.steps[1].each is not None
