"""When nodes start: forks, joins, after some, in turn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.mining.check.matching import match
from froude.mining.fit.starts import rival_starts, start_delays, start_rules, undecided_starts
from froude.mining.read.events import Recording
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import MinedType
from froude.workload.types import Moment, StartRule, Workload
from tests.support.mining.events import calls, event


def test_nodes_wait_for_the_latest_that_was_over() -> None:
    """The second stage joins on the first, with its delay and the spacing between its nodes."""

    def stage(name: str, begin: float) -> MinedType:
        senders = []
        for n in range(2):
            logical = calls(
                event(0, "a", start_s=begin + n * 0.1, end_s=begin + n * 0.1 + 1.0, client=f"{name}{n}")
            )
            senders.append(Sender(0, f"{name}{n}", Role("client"), logical, own=logical))
        return MinedType(name, Role("client"), senders, ())

    rules = start_rules([stage("one", 0.5), stage("two", 2.0), stage("three", 4.0)], 1)
    assert rules["one"].after is None
    assert rules["one"].delay_s == pytest.approx(0.5)
    assert (rules["three"].after, rules["three"].moment, rules["three"].every) == (
        "two",
        Moment.FINISHED,
        True,
    )
    assert rules["three"].delay_s == pytest.approx(0.9)
    assert rules["three"].spacing_s == pytest.approx(0.1)


def _rule(*runs: list[tuple[float, float]], role: str = "client") -> StartRule:
    """The start rule of a type whose nodes began and ended then, run by run."""
    kind = Role(role, endless=role == "datanode")
    senders = []
    for run, spans in enumerate(runs):
        for number, (begin_s, end_s) in enumerate(spans):
            made = calls(event(0, "a", start_s=begin_s, end_s=end_s, client=f"{number}"))
            senders.append(Sender(run, f"{number}", kind, made, own=made))
    return start_rules([MinedType(role, kind, senders, ())], len(runs))[role]


def test_nodes_beside_each_other() -> None:
    """All at work at one moment in every run: what was between their starts is their processes' start, no load."""
    rule = _rule([(1.0, 2.0)], [(1.0, 3.0), (1.06, 2.5)], [(1.2, 3.0), (1.0, 3.0), (1.05, 1.3)])
    assert rule == StartRule(delay_s=1.0, spacing_s=0.06, within_s=0.2)


def test_nodes_one_after_another() -> None:
    """None begins before the one before has ended: each waits for it, however long it takes."""
    rule = _rule([(1.0, 2.0), (3.5, 9.0)], [(1.0, 1.5), (2.5, 2.6), (4.6, 7.0)])
    assert rule == StartRule(delay_s=1.0, pause_s=1.5)


def test_a_constant_spacing_is_no_pause_after_the_one_before() -> None:
    """Loaders begin every 0.2 s in every run, however long they work: more of them do not wait for each other."""
    runs = [
        [(1.0 + 0.2 * loader, 1.0 + 0.2 * loader + work_s) for loader in range(loaders)]
        for loaders, work_s in ((2, 0.09), (4, 0.07), (3, 0.15))
    ]
    assert _rule(*runs) == StartRule(delay_s=1.0, spacing_s=0.2)


@pytest.mark.parametrize(
    ("works_s", "decided"), [([0.1, 0.1, 0.1, 0.1], False), ([0.1, 2.0], False), ([0.1, 2.0, 0.7, 1.2], True)]
)
def test_a_pause_that_a_constant_spacing_explains_as_well_is_marked(
    works_s: list[float], decided: bool
) -> None:
    """All worked as long, or too few were seen."""
    spans, now_s = [], 1.0
    for number, work_s in enumerate(works_s):
        spans.append((now_s, now_s + work_s))
        now_s += work_s + 0.1 + 0.01 * (number % 2)
    senders = []
    for number, (begin_s, end_s) in enumerate(spans):
        own = calls(event(0, "a", start_s=begin_s, end_s=end_s, client=f"{number}"))
        senders.append(Sender(0, f"{number}", Role("client"), own, own=own))
    types = [MinedType("client", Role("client"), senders, ())]
    rules = start_rules(types, 1)
    assert rules["client"].in_turn
    findings = undecided_starts(types, rules, 1)
    assert [finding.fatal for finding in findings] == ([] if decided else [False])


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param(
            [[(1.0, 8.0), (6.0, 13.0), (11.0, 18.0)]], id="the third began when the first had ended"
        ),
        pytest.param(
            [[(1.0, 8.0), (6.0, 13.0)], [(1.0, 5.5), (6.0, 13.0)]], id="in one run only beside each other"
        ),
    ],
)
def test_nodes_of_which_neither_holds_keep_their_spacing(runs: list[list[tuple[float, float]]]) -> None:
    """As tasks that wait for a free place, or requests that come when they come."""
    assert _rule(*runs) == StartRule(delay_s=1.0, spacing_s=5.0)


def test_daemons_and_single_nodes_say_nothing_of_each_other() -> None:
    """Daemons are at work together since they never end; of one node a run nobody knows."""
    assert _rule([(1.0, 9.0), (1.5, 9.0)], role="datanode") == StartRule(delay_s=1.0, spacing_s=0.5)
    assert _rule([(1.0, 2.0)], [(1.0, 2.0)]) == StartRule(delay_s=1.0)


@given(
    st.lists(st.tuples(st.floats(0.01, 5), st.floats(0, 0.2)), min_size=2, max_size=3),
    st.booleans(),
)
def test_a_script_is_told_from_clients_that_were_started_together(
    nodes: list[tuple[float, float]], script: bool
) -> None:
    """Whatever each of them takes to start and to work, where all take longer to work than to start.

    Of more than three, works and starts could together make a constant spacing.
    """
    spans, at_s = [], 1.0
    for work_s, start_s in nodes:
        spans.append((at_s, at_s + work_s + (0.0 if script else 2.0)))
        at_s += start_s + (work_s + 0.01 if script else 0.0)
    rule = _rule(spans)
    assert rule.in_turn is script
    assert (rule.within_s is not None) is not script


def _types(*runs: dict[str, list[tuple[float, float]]]) -> list[MinedType]:
    """Types whose nodes began and ended then, run by run."""
    types = []
    for name in runs[0]:
        senders = []
        for run, spans in enumerate(runs):
            for number, (begin_s, end_s) in enumerate(spans[name]):
                own = calls(event(0, "a", start_s=begin_s, end_s=end_s, client=f"{name}{number}"))
                senders.append(Sender(run, f"{name}{number}", Role("client"), own, own=own))
        types.append(MinedType(name, Role("client"), senders, ()))
    return types


def _rules(*runs: dict[str, list[tuple[float, float]]]) -> dict[str, StartRule]:
    """The start rules of types whose nodes began and ended then, run by run."""
    return start_rules(_types(*runs), len(runs))


def _put_and_move(
    runs: Sequence[Sequence[float]], pause_s: float, *, barrier: bool
) -> list[dict[str, list[tuple[float, float]]]]:
    """Clients that put for so long in each run, and one second later move, each its own or all when all have put."""
    made = []
    for lasts_s in runs:
        puts = [(1.0 + number / 100, 1.0 + number / 100 + last_s) for number, last_s in enumerate(lasts_s)]
        begins = [(max(end for _, end in puts) if barrier else end) + pause_s for _, end in puts]
        moves = [(begin + number % 3 / 100, begin + 0.1) for number, begin in enumerate(begins)]
        made.append({"put": puts, "mv": moves})
    return made


LASTED_S = [[2.0, 2.3], [2.0, 2.9, 2.4, 2.1], [2.5, 2.0, 2.7]]


@pytest.mark.parametrize("barrier", [True, False])
def test_each_of_its_own_or_all_for_all(barrier: bool) -> None:
    """Where every start takes longer than works differ, no start lies before an end: how they scatter shows it."""
    runs = _put_and_move(LASTED_S, 1.0, barrier=barrier)
    types = _types(*runs)
    rules = start_rules(types, 3)
    assert (rules["mv"].follows, rules["mv"].after) == (None if barrier else "put", "put")
    assert rules["mv"].every is barrier
    if not barrier:
        assert (rules["mv"].pause_s, rules["mv"].delay_s) == (pytest.approx(1.0, abs=0.02),) * 2
    assert rival_starts(types, rules, 3) == {}


@pytest.mark.parametrize("sizes", [(2, 3, 4), (3, 3, 3)])
def test_what_scatters_as_much_is_asked(sizes: tuple[int, ...]) -> None:
    """All at one time: each for its own where both types grow together, else as was seen; the other is kept."""
    types = _types(*({"put": [(1.0, 3.0)] * size, "mv": [(4.0, 4.1)] * size} for size in sizes))
    rules = start_rules(types, 3)
    (other,) = rival_starts(types, rules, 3).values()
    grows = len(set(sizes)) > 1
    assert (rules["mv"].follows, other.follows) == (("put", None) if grows else (None, "put"))
    assert {rules["mv"].every, other.every} == {True, False}


@pytest.mark.parametrize("sizes", [(4, 4, 5), (8, 9, 10), (2, 3, 4)])
def test_a_barrier_between_processes_that_start_one_after_the_other(sizes: tuple[int, ...]) -> None:
    """Both start as far apart, so that each begins as long after its own: but longer in larger runs."""
    runs = []
    for size in sizes:
        puts = [(1.0 + 0.6 * number, 4.0 + 0.6 * number) for number in range(size)]
        begins = [puts[-1][1] + 1.0 + 0.6 * number for number in range(size)]
        runs.append({"put": puts, "mv": [(begin, begin + 2.0) for begin in begins]})
    types = _types(*runs)
    rules = start_rules(types, 3)
    assert (rules["mv"].follows, rules["mv"].every, rules["mv"].delay_s) == (None, True, 1.0)
    assert rival_starts(types, rules, 3) == {}


def test_a_barrier_that_equal_runs_do_not_show_is_asked_about() -> None:
    """What was seen is written, and not a wait of each for its own."""
    puts = [(1.0 + 0.6 * number, 4.0 + 0.6 * number) for number in range(4)]
    run = {"put": puts, "mv": [(end + 2.8, end + 4.8) for _, end in puts]}
    types = _types(run, run, run)
    rules = start_rules(types, 3)
    assert rules["mv"].follows is None
    assert rival_starts(types, rules, 3)["mv"].follows == "put"


def test_phases_of_commands_one_after_another_have_no_pairs() -> None:
    """The first of one phase waited for the last of the other: for its own it would have begun earlier."""
    runs = []
    for size in (4, 5, 6):
        ends = [3.0 * number for number in range(1, 2 * size + 1)]
        spans = [(end - 2.0, end) for end in ends]
        runs.append({"put": spans[:size], "mv": spans[size:]})
    types = _types(*runs)
    assert start_rules(types, 3)["mv"].follows is None
    assert rival_starts(types, start_rules(types, 3), 3) == {}


def test_one_node_of_each_is_no_pair() -> None:
    """It waits for the other: there is nothing to choose."""
    types = _types(*[{"put": [(1.0, 2.0)], "mv": [(3.0, 4.0)]}] * 3)
    rules = start_rules(types, 3)
    assert (rules["mv"].after, rules["mv"].follows, rules["mv"].every) == ("put", None, True)
    assert rival_starts(types, rules, 3) == {}


def test_types_of_other_numbers_of_nodes_have_no_pairs() -> None:
    """Nothing is asked of maps and reducers."""
    runs = _put_and_move(LASTED_S, 1.0, barrier=False)
    runs[0]["mv"].append((9.0, 9.1))
    types = _types(*runs)
    rules = start_rules(types, 3)
    assert rules["mv"].follows is None
    assert rival_starts(types, rules, 3) == {}


@given(
    st.lists(st.lists(st.floats(0.01, 5), min_size=9, max_size=9), min_size=2, max_size=5), st.integers(0, 1)
)
def test_commands_of_a_script_wait_for_each_other(rounds: list[list[float]], fewer: int) -> None:
    """Whatever each takes: put after mkdir, mv after put of its round, mkdir after mv of the round before.

    A command that is left out of the first rounds waits for one of a later number.
    """
    spans: dict[str, list[tuple[float, float]]] = {"mkdir": [], "put": [], "mv": [], "setrep": []}
    now_s = 1.0
    for number, lasts_s in enumerate(rounds):
        for name, last_s in zip(spans, lasts_s, strict=False):
            if name == "setrep" and number < fewer:
                continue
            spans[name].append((now_s, now_s + last_s))
            now_s += last_s + 0.5
    rules = _rules(spans)
    assert rules["put"].follows == "mkdir"
    assert rules["mv"].follows == "put"
    assert rules["mkdir"].offset == -1
    assert rules["mkdir"].follows in {"mv", "setrep"}
    if len(spans["setrep"]) > 1:
        assert (rules["setrep"].follows, rules["setrep"].offset) == ("mv", fewer)
    assert all(rules[name].pause_s == 0.5 for name in ("put", "mv"))


def test_scripts_side_by_side_have_each_its_own_order() -> None:
    """The second script's `mv` begins while the first still uploads: each waits for its own."""
    rules = _rules({"put": [(1.0, 9.0), (1.2, 3.0)], "mv": [(9.5, 10.0), (3.4, 4.0)]})
    assert rules["put"].follows is None
    assert (rules["mv"].follows, rules["mv"].offset, rules["mv"].pause_s) == ("put", 0, 0.45)


def test_what_began_after_all_waits_for_all() -> None:
    """Readers side by side that began when every writer had ended wait for every one of them."""
    rules = _rules({"write": [(1.0, 3.0), (1.2, 3.1)], "read": [(4.0, 6.0), (4.1, 6.0)]})
    assert rules["read"].follows is None
    assert (rules["read"].after, rules["read"].every) == ("write", True)


def test_a_command_for_every_second_file_follows_nobody_by_number() -> None:
    """How many more `put` than `mv` there are differs from run to run: number n of one is not number n of the other."""
    runs = []
    for rounds in (4, 8):
        spans: dict[str, list[tuple[float, float]]] = {"put": [], "mv": []}
        now_s = 1.0
        for number in range(rounds):
            for name in ("put", "mv") if number % 2 else ("put",):
                spans[name].append((now_s, now_s + 1.0))
                now_s += 1.5
        runs.append(spans)
    assert _rules(*runs)["mv"].follows is None


def test_delays_of_a_run_stand_beside_the_rules(workload: Workload, held_out: Recording) -> None:
    """Those of a made-up run, whose nodes wait as long at any size."""
    delays = {delay.node_type: delay for delay in start_delays(workload, match(workload, held_out).types)}
    assert set(delays) == {node_type.name for node_type in workload.node_types}
    assert all(delay.predicted_s == workload.node_type(name).start.delay_s for name, delay in delays.items())
    assert delays["client"].after == workload.node_type("client").start.after
    assert delays["client"].seen_s is not None


def _stages(
    maps: int, done: int, *, pace_s: float, delay_s: float = 0.2
) -> dict[str, list[tuple[float, float]]]:
    """Maps that end one after another, and reducers that begin when so many of them have ended."""
    ends = [2.0 + pace_s * (number + 1) for number in range(maps)]
    return {
        "map": [(1.0, end) for end in ends],
        "reduce": [(ends[done - 1] + delay_s, ends[-1] + 5.0)],
    }


def test_reducers_that_begin_when_some_maps_have_ended_wait_for_that_share() -> None:
    """Of four, six and eight maps half had ended in every run, however long that took."""
    rules = _rules(_stages(4, 2, pace_s=1.0), _stages(6, 3, pace_s=3.0), _stages(8, 4, pace_s=0.7))
    reduce = rules["reduce"]
    assert (reduce.after, reduce.moment, reduce.share, reduce.delay_s) == ("map", Moment.FINISHED, 0.5, 0.2)
    assert [reduce.needed(maps) for maps in (1, 4, 100)] == [1, 2, 50]


def test_a_fixed_number_is_no_share() -> None:
    """The third of four, six and nine."""
    rules = _rules(_stages(4, 3, pace_s=1.0), _stages(6, 3, pace_s=3.0), _stages(9, 3, pace_s=0.7))
    assert (rules["reduce"].nth, rules["reduce"].share) == (3, None)
    assert [rules["reduce"].needed(maps) for maps in (2, 100)] == [2, 3]


@pytest.mark.parametrize("done", [(2, 5, 3), (3, 3, 7)])
def test_numbers_that_agree_with_no_share_are_chance(done: tuple[int, int, int]) -> None:
    """Neither a number nor a share of them holds in all three runs."""
    sizes, paces_s = (4, 6, 8), (1.0, 3.0, 0.7)
    runs = [_stages(n, k, pace_s=pace_s) for n, k, pace_s in zip(sizes, done, paces_s, strict=True)]
    assert (_rules(*runs)["reduce"].nth, _rules(*runs)["reduce"].share) == (None, None)


def test_two_runs_do_not_say_how_many_are_waited_for() -> None:
    """They are taken for nodes that begin after the first has ended."""
    rules = _rules(_stages(4, 2, pace_s=1.0), _stages(6, 3, pace_s=3.0))
    assert (rules["reduce"].nth, rules["reduce"].share) == (None, None)


@given(st.lists(st.integers(3, 40), min_size=3, max_size=5), st.integers(0, 9), st.floats(0.05, 3))
def test_what_waits_for_the_first_or_for_all_is_never_after_some(
    sizes: list[int], every: int, delay_s: float
) -> None:
    """Forks and joins stay what they are, whatever the numbers."""
    runs = [_stages(n, n if every % 2 else 1, pace_s=0.5 + n % 3, delay_s=delay_s) for n in sizes]
    rule = _rules(*runs)["reduce"]
    assert rule.nth is None or not every % 2
    assert rule.share is None or not every % 2
