"""Texts that are made of parts: of another call's text, or of a name that stands in a listing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.history.timeline import OccurrenceContext, Timeline
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.arguments import ArgumentMiner
from froude.mining.rules.doubtful_rules import Doubt
from froude.mining.rules.evidence import Column
from froude.mining.rules.texts import TextMiner, is_padded
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import evaluate
from froude.workload.scale import Count, Scale
from froude.workload.types import Constant, Counter, Flow, Rule, Scaled, Side, Template, Which
from tests.support.mining.events import calls, event

FILES = "dirList.partialListing"
ELEMENT = f"{FILES}[{{each}}].path"


class Runs:
    """Calls of one node in each of some runs."""

    def __init__(self, *scales: Scale) -> None:
        self.scales = scales or (Scale.of(files=3),)
        self.occurrences: list[Occurrence] = []
        self._senders = [Sender(run, str(run), Role("client"), []) for run in range(len(self.scales))]

    def call(
        self, template: str, request: dict, answer: dict, run: int = 0, loops: Mapping[str, int] | None = None
    ) -> None:
        """The next call of a run."""
        at = len(self.occurrences)
        call = calls(event(at, "m", request, answer))[0]
        self.occurrences.append(Occurrence(run, 0, self._senders[run], template, call, dict(loops or {})))

    def list(self, names: Sequence[str], run: int = 0, template: str = "list") -> None:
        """A listing is answered with these names."""
        answer = {f"{FILES}[{at}].path": name.encode() for at, name in enumerate(names)}
        self.call(template, {"src": "/in"}, answer, run)

    def open(self, paths: Sequence[str], run: int = 0) -> None:
        """A loop over paths."""
        for n, path in enumerate(paths):
            self.call("open", {"src": path}, {}, run, {"L1": n})

    def mined(self) -> tuple[Rule, list[Doubt]]:
        """The rule of what is opened, and what is in doubt of it."""
        timeline = Timeline(self.occurrences)
        miner = ArgumentMiner(timeline, self.scales)
        miner.learn(self.occurrences)
        opened = [occurrence for occurrence in self.occurrences if occurrence.template == "open"]
        rule = miner.rules(opened)["src"]
        for occurrence in opened:
            context = OccurrenceContext(timeline, self.scales[occurrence.run], occurrence)
            assert evaluate(rule, context) == occurrence.call.request["src"]
        return rule, miner.doubts


def element(by: Counter | Scaled, call: str = "list", which: Which = Which.SAME) -> Flow:
    """A name of the listing."""
    return Flow(call, Side.RESPONSE, ELEMENT, which, element=by)


EACH_IN_TURN = element(Counter(0, {"L1": 1}))


def test_text_within_text() -> None:
    """A path below a folder that was answered, whatever stands around it."""
    runs = Runs()
    for n, name in enumerate(("alpha", "kappa", "omega")):
        runs.call("ask", {}, {"dir": f"/tmp/{name}"}, loops={"L1": n})
        runs.call("open", {"src": f"/tmp/{name}/part-{n}.gz"}, {}, loops={"L1": n})
    rule, doubts = runs.mined()
    assert rule == Template((Flow("ask", Side.RESPONSE, "dir"), "/part-", Counter(0, {"L1": 1}), ".gz"))
    assert not doubts


# --- names from a listing ------------------------------------------------------------------------------------


def test_files_are_taken_in_the_order_of_the_listing() -> None:
    """In which `part-10` comes before `part-2`: no counter says so, and nothing is asked."""
    names = sorted(f"part-{n}" for n in range(12))
    assert names[2] == "part-10"
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    assert runs.mined() == (Template(("/in/", EACH_IN_TURN)), [])


def test_names_may_be_folders_and_follow_nothing() -> None:
    """What stands around a name is fixed, or counts."""
    names = ["wood", "lake", "hill", "isle"]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}/part-{n}" for n, name in enumerate(names)])
    rule, doubts = runs.mined()
    assert rule == Template(("/in/", EACH_IN_TURN, "/part-", Counter(0, {"L1": 1})))
    assert not doubts


def test_every_second_file_backwards() -> None:
    """Which element it is, is a counter as any other."""
    names = ["wood", "lake", "hill", "isle", "moor", "reef"]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names[::-2]])
    assert runs.mined()[0] == Template(("/in/", element(Counter(5, {"L1": -2}))))


def test_the_element_may_follow_from_the_scale() -> None:
    """A reader of the last file alone: how many there are is said by the Scale."""
    words = ["wood", "lake", "hill", "isle", "moor", "reef", "dale", "cliff"]
    sizes = (3, 4, 6, 8)
    runs = Runs(*(Scale.of(files=size) for size in sizes))
    for run, size in enumerate(sizes):
        runs.list(words[:size], run)
        runs.call("open", {"src": f"/in/{words[size - 1]}"}, {}, run)
    rule, doubts = runs.mined()
    assert rule == Template(("/in/", element(Scaled(Count(-1, {"files": 1})))))
    assert not doubts


def test_of_several_listings_the_last_one_is_meant() -> None:
    """What was looked at just before, though the same names stood in another listing."""
    names = ["wood", "lake", "hill", "isle"]
    runs = Runs()
    runs.list(names, template="first")
    runs.list(names, template="second")
    runs.open([f"/in/{name}" for name in names])
    assert runs.mined()[0] == Template(("/in/", element(Counter(0, {"L1": 1}), "second")))


def test_a_counter_that_fits_as_well_is_asked() -> None:
    """Up to ten files the listing's order is that of their numbers: which is right shows only beyond."""
    names = [f"part-{n}" for n in range(9)]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    rule, doubts = runs.mined()
    assert rule == Template(("/in/", EACH_IN_TURN))
    counted = Template(("/in/part-", Counter(0, {"L1": 1})))
    assert doubts == [Doubt("open", "src", (), rule, (counted,))]


def test_padded_numbers_are_in_the_order_of_the_listing_anyway() -> None:
    """They count, and nothing is asked: at any size both say the same."""
    names = [f"part-{n:03}" for n in range(9)]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    assert runs.mined() == (Template(("/in/part-", Counter(0, {"L1": 1}, 3))), [])


@pytest.mark.parametrize(("number", "listed"), [(2, False), (3, True)])
def test_two_names_of_a_listing_may_be_an_accident(number: int, listed: bool) -> None:
    """Three are none."""
    names = ["part-7", "part-8", "part-9"][:number]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    rule, _ = runs.mined()
    assert (rule == Template(("/in/", EACH_IN_TURN))) is listed


def test_a_name_that_is_no_element_is_taken_from_no_listing() -> None:
    """Nor are names without an order that anything says."""
    runs = Runs()
    runs.list(["wood", "lake", "hill"])
    runs.open(["/in/wood", "/in/lake", "/in/moor"])
    timeline = Timeline(runs.occurrences)
    miner = ArgumentMiner(timeline, runs.scales)
    opened = runs.occurrences[1:]
    assert not isinstance(miner.rules(opened)["src"], Template)


@pytest.mark.parametrize(
    ("rule", "padded"),
    [
        (Template(("/in/part-", Counter(0, {"L1": 1}, 3))), True),
        (Template(("/in/part-", Counter(0, {"L1": 1}))), False),
        (Template(("/in/", Counter(0, {"L2": 1}), "/part-", Counter(0, {"L1": 1}, 3))), False),
        (Counter(0, {"L1": 1}), False),
        (Constant("/in"), True),
    ],
)
def test_text_whose_numbers_are_all_padded(rule: Rule, padded: bool) -> None:
    """One that is not is enough for another order."""
    assert is_padded(rule) is padded


def miner(runs: Runs, *, right: bool = True) -> TextMiner:
    """A miner for which every rule holds, or none, and which knows nothing of numbers but counters."""
    return TextMiner(
        Timeline(runs.occurrences),
        holds=lambda rule, column: right,
        slot=lambda occurrences, numbers: None,
        scaled=lambda occurrences, numbers: None,
    )


def test_a_rule_that_does_not_hold_everywhere_is_none() -> None:
    """Whoever asks says which do; numbers in neither order belong to no rule."""
    names = ["wood", "lake", "hill", "isle"]
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    opened = runs.occurrences[1:]
    column = Column(opened, [occurrence.call.request["src"] for occurrence in opened], "src")
    assert miner(runs).listed(column) == Template(("/in/", EACH_IN_TURN))
    assert miner(runs, right=False).listed(column) is None
    assert miner(runs).within(column) is None
    mixed = Runs()
    mixed.list(names)
    mixed.open([f"/in/{names[at]}" for at in (0, 3, 1, 2)])
    opened = mixed.occurrences[1:]
    column = Column(opened, [occurrence.call.request["src"] for occurrence in opened], "src")
    assert miner(mixed).listed(column) is None


@given(st.integers(3, 40))
def test_any_listing_is_followed_in_its_order(number: int) -> None:
    """However the names sort, each path is predicted, and at a larger listing too."""
    names = sorted(f"f{n}" for n in range(number))
    runs = Runs()
    runs.list(names)
    runs.open([f"/in/{name}" for name in names])
    rule, doubts = runs.mined()
    assert rule == Template(("/in/", EACH_IN_TURN))
    assert bool(doubts) is (number <= 10)
    larger = Runs()
    larger.list(sorted(f"f{n}" for n in range(150)))
    larger.call("open", {"src": ""}, {}, loops={"L1": 2})
    context = OccurrenceContext(Timeline(larger.occurrences), larger.scales[0], larger.occurrences[-1])
    assert evaluate(rule, context) == "/in/f10"


def test_a_number_of_the_scale_is_padded_only_with_its_width() -> None:
    """`item-{items - 1}` is not: in a listing 10 comes before 2."""
    folder, last = Counter(0, {"L1": 1}, 4), Scaled(Count(-1, {"items": 1}))
    assert not is_padded(Template(("/in/", folder, "/item-", last)))
    assert is_padded(Template(("/in/", folder, "/item-", replace(last, width=3))))
