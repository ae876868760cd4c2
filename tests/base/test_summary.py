"""Values in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

import froude
from froude.base.summary import Summarised, base_text, counted, recognised_text
from froude.emulation.run.run import Run
from froude.emulation.run.tally import Tally
from froude.experiment.session import Workload
from froude.workload.plan import Refusal
from testbed.plans import plan
from tests.support.trace.making import small_trace


@dataclass(frozen=True, slots=True, repr=False)
class Boat(Summarised):
    """Something with a name."""

    name: str

    def summary(self) -> Mapping[str, str]:
        """The name, and nothing else that is known."""
        return {"name": self.name, "length": ""}


def test_what_is_not_known_is_not_shown() -> None:
    """In neither form; a name in a table is text, whatever it holds."""
    boat = Boat("<Swan>")
    assert repr(boat) == "<Boat name: <Swan>>"
    assert boat._repr_html_() == (
        "<table><caption>Boat</caption><tr><th>name</th><td>&lt;Swan&gt;</td></tr></table>"
    )


@pytest.mark.parametrize(("number", "text"), [(0, "0 calls"), (1, "1 call"), (2300, "2,300 calls")])
def test_numbers_of_things(number: int, text: str) -> None:
    """One has no s."""
    assert counted(number, "call") == text


def test_a_base() -> None:
    """What a statistic rests on, of what there is."""
    assert base_text(31, 1500, "server") == "31 of 1,500 servers"
    assert base_text(0, 1, "tenant") == "0 of 1 tenant"


@pytest.mark.parametrize(
    ("every_s", "span_s", "text"),
    [
        (300.0, 16 * 86400.0, "recognised csv: 3 servers, one every 300 s, over 16.0 days"),
        (0.25, 7200.0, "recognised csv: 3 servers, one every 250 ms, over 7,200 s"),
        (0.0, None, "recognised csv: 3 servers"),
    ],
)
def test_what_an_import_recognised(every_s: float, span_s: float | None, text: str) -> None:
    """What has no times has neither an interval nor a span."""
    assert recognised_text("csv", "3 servers", every_s, span_s) == text


def test_the_values_of_an_analysis_are_one_line_each() -> None:
    """However large the cluster: who plays, at what Scale, what is wrong with it."""
    planned = plan(datanodes=2000, clients=3)
    assert repr(planned).startswith("<Plan scale: ")
    assert repr(planned).endswith("nodes: 2,000 datanode, 3 client>")
    refused = replace(planned, refusals=(Refusal("a"), Refusal("b", fatal=False)))
    assert repr(refused).endswith("cannot be played: a, remarks: 1 remark>")
    twice = replace(refused, refusals=(*refused.refusals, Refusal("c")))
    assert repr(twice).endswith("cannot be played: a, and 1 more refusal, remarks: 1 remark>")
    workload = Workload.of(planned.workload)
    assert repr(workload).startswith("<Workload node types: datanode, client")
    assert repr(small_trace()).startswith("<Trace calls: ")
    tally = Tally()
    tally.of("create").errors["x.Y"] += 2
    run = Run(tally, "nn:1", "CID", 0.0, 9.6, interrupted=True)
    assert repr(run) == (
        "<Run verdict: amber, calls: 0 in 10 s, failed calls: 2, limited by: unknown, failed: interrupted>"
    )


def test_the_package_lists_its_public_names() -> None:
    """Though it imports them only when they are used."""
    assert dir(froude) == sorted(froude.__all__)
