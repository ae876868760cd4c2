"""Node types: senders of one behaviour, the pattern they follow, and each call's place in it.

Senders with one role and one set of calls are tried as one type. Where their sequences follow no one pattern,
the nth of each run may be a type of its own (three jobs one after another have three application masters);
where that fails too, the commonest sequence stands for all and the others are matched as far as they agree,
with a finding.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from froude.mining.read.canonical import Logical, Token
from froude.mining.read.elements import ONLY, Numbers
from froude.mining.read.jobs import jobs_of
from froude.mining.read.knowledge import CLIENT, ROLES, SHELL, SHELL_COMMANDS, Role
from froude.mining.read.senders import Sender
from froude.mining.shape.alignment import Pattern, Sequence_, unify
from froude.mining.shape.induction import DRAWN, description_length, induce
from froude.mining.shape.labels import Labels, Reading, labels_of, spelled
from froude.mining.shape.once import find_without, without
from froude.mining.shape.parse import Automaton, Parse
from froude.mining.shape.rounds import unify_decided
from froude.mining.shape.segments import Item, Loop, fold, size_of
from froude.workload.types import Finding

_PROGRAM = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_NUMBER = re.compile(r"-?\d+")
_MOST_FAMILIES = 8
"""Types that senders of one role may be sorted into by their sequences."""
_MOST_APART = 8
"""Senders of one role and run that may each be a type of its own."""
_TOLERATED = 0.05
"""Share of the calls that may deviate from a common pattern before senders are told apart by their sequences."""
_SHORT = 12
"""Items of a common pattern up to which no shorter one is looked for."""
_UNROLLED = 12
"""A loop of constant number is written out up to this many calls: each then has rules of its own."""


@dataclass(slots=True)
class Occurrence:
    """One logical call at its place in the pattern."""

    run: int
    node: int
    """Number of its sender within the type."""
    sender: Sender
    template: str
    """Id of the call template."""
    call: Logical
    indices: Mapping[str, int] = field(default_factory=dict)
    """Iteration by loop id; for a periodic call its own number by its template's id."""
    last: Mapping[str, bool] = field(default_factory=dict)
    """Whether the iteration is its loop's last."""
    cause: Occurrence | None = None
    """The call that caused it, for an effect."""
    each: Numbers = ONLY
    """Element of the cause's repeated field."""
    listed: str = ""
    number: int = -1
    """Of all placed calls in order (`chronology`); -1 before they are put into it."""


class LoopRun(NamedTuple):
    """One time that a loop was come to."""

    run: int
    node: int
    rounds: Mapping[str, int]
    """Iterations of the loops around it, by id, outermost first."""
    times: int
    """Its own iterations; 0 where it was passed by."""


@dataclass(frozen=True, slots=True)
class Names:
    """Ids of a pattern's templates and loops, in order."""

    templates: tuple[str, ...]
    loops: tuple[str, ...]

    @classmethod
    def of(cls, name: str, automaton: Automaton) -> Names:
        """The ids that mining gives: `client.c1`, `L1`."""
        templates = (f"{name}.c{number + 1}" for number in range(len(automaton.tokens)))
        return cls(tuple(templates), tuple(f"L{number + 1}" for number in range(automaton.loops)))


@dataclass(slots=True)
class MinedType:
    """A node type in the making."""

    name: str
    role: Role
    senders: list[Sender]
    """Of all runs, in order of run and number."""
    pattern: Pattern
    occurrences: list[Occurrence] = field(default_factory=list)
    """Of its steps, in order of run, node and place."""
    loop_runs: dict[str, list[LoopRun]] = field(default_factory=lambda: defaultdict(list))
    """By loop id, each time that a node came to the loop."""
    names: Names | None = None
    """Ids, where the type is of a workload that is already mined."""
    position: tuple[int, int] = (0, 1)
    """Which of how many nodes these are, where every run had so many that differ: what is dealt out to them in turn."""
    deviations: int = 0
    """Calls that were extra or missing against the pattern."""

    def numbered(self) -> Iterable[tuple[int, Sender]]:
        """Each sender with its number within its run."""
        seen: Counter[int] = Counter()
        for sender in self.senders:
            yield seen[sender.run], sender
            seen[sender.run] += 1

    @property
    def automaton(self) -> Automaton:
        """The compiled pattern; template `n` is `NAME.c{n+1}`, loop `n` is `L{n+1}`."""
        return Automaton(self.pattern)


class _Group(NamedTuple):
    """Senders of one type."""

    senders: list[Sender]
    pattern: Pattern
    position: tuple[int, int] = (0, 1)


def find_types(senders: Sequence[Sender], runs: int) -> tuple[list[MinedType], list[Finding]]:
    """Sort senders into types.

    Args:
        senders: of all runs, effects taken out.

    Returns:
        Types in order of first appearance, and what went wrong.
    """
    findings: list[Finding] = []
    groups: list[_Group] = []
    for cluster in _clusters(senders, runs):
        groups.extend(_grouped(cluster, runs))
    groups.sort(key=lambda group: min((s.run, s.first.order) for s in group.senders))
    taken: Counter[str] = Counter()
    types = []
    for members, pattern, position in groups:
        role = members[0].role
        named = _name(members)
        taken[named] += 1
        name = named if taken[named] == 1 else f"{named}-{taken[named]}"
        mined = MinedType(name, role, members, pattern, position=position)
        place(mined)
        if _unrolled(mined):
            place(mined)
        if mined.deviations:
            total = sum(len(sender.own) for sender in members)
            what = f"node type {name!r}: {mined.deviations} of {total} calls fit no common pattern"
            findings.append(Finding(what, fatal=False, node_type=name))
        types.append(mined)
    return types, findings


def _name(senders: Sequence[Sender]) -> str:
    """What a type is called: a shell by the command that it was, a client by the program that its calls name."""
    role = senders[0].role
    if role == CLIENT:
        programs = {_PROGRAM.match(sender.first.caller_context or "") for sender in senders}
        names = {program[0] if program else "" for program in programs}
        name = names.pop() if len(names) == 1 else ""
        return role.name if not name or name in {each.name for each in ROLES} else name
    if role != SHELL:
        return role.name
    methods = {call.token[1] for sender in senders for call in sender.own}
    return next((name for name, needed in SHELL_COMMANDS.items() if needed <= methods), role.name)


def _clusters(senders: Sequence[Sender], runs: int) -> list[list[Sender]]:
    """Senders of one role, job and set of calls; sets that some run lacks are pooled by role and job."""
    jobs = jobs_of(senders, runs)
    by_set: dict[tuple[str, str, frozenset[Token]], list[Sender]] = defaultdict(list)
    for sender in senders:
        # Nodes that a program of their own plays are one type, whatever they happened to be asked for.
        kind = frozenset[Token]() if sender.role.emulated else frozenset(sender.tokens)
        by_set[sender.role.name, jobs.get(id(sender), ""), kind].append(sender)
    whole = [group for group in by_set.values() if len({s.run for s in group}) == runs]
    pools: dict[tuple[str, str], list[Sender]] = defaultdict(list)
    for (role, job, kind), group in by_set.items():
        if len({s.run for s in group}) < runs:
            home = _home(whole, group, kind, runs)
            if home is None:
                pools[role, job].extend(group)
            else:
                home.extend(group)
    for (role, job), pool in pools.items():
        # A lone deviant joins the type of its role and job if there is just one.
        homes = [g for g in whole if (g[0].role.name, jobs.get(id(g[0]), "")) == (role, job)]
        joined = unify(s.tokens for s in [*homes[0], *pool]) if len(homes) == 1 else None
        everybody = _ordered(sender for group in (*homes, pool) for sender in group)
        number = _number_of_each_run(everybody, runs)
        if joined is not None or (
            len(homes) == 1 and _lost_a_few([*homes[0], *pool], _commonest(homes[0])[0], more=bool(job))
        ):
            homes[0].extend(pool)
        elif runs > 1 and 1 < number <= _MOST_APART and _told_apart(everybody, number):
            # The nth of every run is about the same as the nth of the others: what some did beside it tells no types.
            whole = [group for group in whole if group not in homes] + _parts(everybody, number)
        else:
            whole.append(pool)
    return [_ordered(group) for group in whole]


def _home(
    groups: Sequence[list[Sender]], rare: Sequence[Sender], kind: frozenset[Token], runs: int
) -> list[Sender] | None:
    """The only group that makes more kinds of calls, where one pattern describes both shorter than two do.

    Of one program, some came to no other branch.

    Args:
        groups: those of every run.
        rare: senders of a set of calls that some run lacks.
        kind: their calls.
    """
    role = rare[0].role
    larger = [g for g in groups if g[0].role == role and kind < {t for s in g for t in s.tokens}]
    if len(larger) != 1 or role.emulated:
        return None
    apart = [*_grouped(_ordered(larger[0]), runs), *_grouped(_ordered(rare), runs)]
    together = _grouped(_ordered([*larger[0], *rare]), runs)
    return larger[0] if len(together) == 1 and _length(together) < _length(apart) else None


def _lost_a_few(senders: Sequence[Sender], pattern: Pattern, *, more: bool = False) -> bool:
    """Whether senders follow a pattern but for a few calls that a capture may have lost.

    Args:
        more: whether they may have made a few more, too, as processes of one job may; others are of another type.
    """
    reading, lost = Reading(pattern), 0
    for sender in senders:
        parse = reading.parse(sender)
        extra = 0 if parse is None else sum(match.element < 0 for match in parse.matches)
        if parse is None or (extra and not more):
            return False
        lost += len(parse.missing) + extra
    return not senders[0].role.emulated and lost <= _TOLERATED * _calls(senders)


def _ordered(senders: Iterable[Sender]) -> list[Sender]:
    return sorted(senders, key=lambda s: (s.run, s.first.order))


def _number_of_each_run(cluster: Sequence[Sender], runs: int) -> int:
    """How many senders each run has; 0 where they have not equally many."""
    per_run = Counter(sender.run for sender in cluster)
    return per_run[cluster[0].run] if len(per_run) == runs and len(set(per_run.values())) == 1 else 0


def _grouped(cluster: list[Sender], runs: int) -> list[_Group]:
    pattern = _common(cluster)
    number = _number_of_each_run(cluster, runs)
    constant = number > 0
    if pattern is not None:
        if constant and 1 < number <= _MOST_APART and runs > 1 and _told_apart(cluster, number):
            parts = _parts(cluster, number)
            return [
                _Group(part, _common(part) or pattern, (at, number) if len(parts) == number else (0, 1))
                for at, part in enumerate(parts)
            ]
        apart = _by_wording(cluster, runs)
        return [_Group(part, pattern if part is cluster else _common(part) or pattern) for part in apart]
    if constant and number > 1 and not cluster[0].role.emulated:
        return [
            group._replace(position=(at, number))
            for at, part in enumerate(_by_number(cluster, number))
            for group in _grouped(part, runs)
        ]
    if cluster[0].role.emulated:
        return [_Group(cluster, _commonest(cluster)[0])]
    groups = _families_or_one(cluster, runs)
    if len(groups) == 1 and _lost_a_few(cluster, groups[0].pattern):
        return groups
    induced = induce(sender.tokens for sender in cluster)
    return min(groups, [] if induced is None else [_Group(cluster, induced)], key=_length)


def _families_or_one(cluster: list[Sender], runs: int) -> list[_Group]:
    """Senders without a common pattern in families; or by the commonest pattern, from which some deviate."""
    families = _families(cluster)
    everywhere = all(len({s.run for s in family.senders}) == runs for family in families)
    if 1 < len(families) <= _MOST_FAMILIES and everywhere:
        return families
    commonest, deviating = _commonest(cluster)
    rare = any(len(family.senders) < 2 for family in families)
    if 1 < len(families) <= _MOST_FAMILIES and not rare and deviating > _TOLERATED * _calls(cluster):
        return families
    return [_Group(cluster, commonest)]


def _length(groups: Iterable[_Group]) -> float:
    """How long the patterns of groups are, with what they leave open; infinite without groups."""
    lengths = [description_length(group.pattern, _spelled(group)) for group in groups]
    return sum(lengths) if lengths else math.inf


def _spelled(group: _Group) -> set[Sequence_]:
    """The sequences of a group's senders, in the words of its pattern."""
    labels = Reading(group.pattern).labels
    return {spelled(sender.own, labels) for sender in group.senders}


def _common(cluster: Sequence[Sender]) -> Pattern | None:
    """The pattern that all follow; None for none."""
    if cluster[0].role.emulated:
        return unify(sender.tokens for sender in cluster)
    plain = _Search(cluster, {})
    common = plain.unified()
    if common is not None and size_of(common) <= _SHORT:
        return common
    labels = labels_of(cluster)
    found = [*plain.lengths(common), *plain.lengths(plain.unified(once=True))]
    if common is not None or labels:
        found += plain.lengths(plain.induced())
    if labels:
        by_path = _Search(cluster, labels)
        found += by_path.lengths(by_path.unified(once=True) or by_path.unified())
        found += by_path.lengths(by_path.induced())
    best = min(found, default=None)
    return best and best[-1]


class _Search:
    """Looks for the pattern of senders, in the words that some labels give.

    Args:
        cluster: the senders.
        labels: of their calls; none for methods alone.
    """

    def __init__(self, cluster: Sequence[Sender], labels: Labels) -> None:
        self._cluster = cluster
        self._sequences = {spelled(sender.own, labels) for sender in cluster}

    def unified(self, *, once: bool = False) -> Pattern | None:
        """A pattern by alignment and rounds.

        Args:
            once: whether it is looked for without what is made once.
        """
        return find_without(self._sequences, self._unify) if once else self._unify(self._sequences)

    def _unify(self, sequences: Collection[Sequence_]) -> Pattern | None:
        return unify_decided(sequences, lambda pattern: _wordings(pattern, self._cluster))

    def induced(self) -> Pattern | None:
        """A pattern by induction, without what is made once where there is such a call."""
        return find_without(self._sequences, induce) or induce(self._sequences)

    def lengths(self, pattern: Pattern | None) -> list[tuple[float, str, Pattern]]:
        """The pattern with the length of its description, by which the shortest is found; none for none."""
        if pattern is None:
            return []
        words = {*map(without, self._sequences)}
        return [(description_length(without(pattern), words, drawn=DRAWN), repr(pattern), pattern)]


def _wordings(pattern: Pattern, cluster: Sequence[Sender]) -> int:
    """How many wordings the names in the calls at all places of a pattern have: fewest where like is with like."""
    reading, seen = Reading(pattern), set[tuple[int, str, object]]()
    for sender in cluster:
        parse = reading.parse(sender, exact=True)
        for match, call in zip(parse.matches, sender.own, strict=True) if parse is not None else ():
            seen.update((match.element, path, _wording(value)) for path, value in call.request.items())
    return len(seen)


def _calls(cluster: Sequence[Sender]) -> int:
    return sum(len(sender.own) for sender in cluster)


def _by_number(cluster: list[Sender], number: int) -> list[list[Sender]]:
    return [cluster[at::number] for at in range(number)]


def _parts(cluster: list[Sender], number: int) -> list[list[Sender]]:
    """The nth senders of all runs, those together that say the same: the rounds of one job that is run again."""
    parts = _by_number(cluster, number)
    always, ever = [], []
    for part in parts:
        said = [_all_wordings(sender) for sender in part]
        always.append(frozenset.intersection(*said))
        ever.append(frozenset.union(*said))
    alike: list[list[int]] = []
    for at in range(number):
        home = next(
            (group for group in alike if all(always[at] <= ever[o] and always[o] <= ever[at] for o in group)),
            None,
        )
        if home is None:
            alike.append([at])
        else:
            home.append(at)
    return [_ordered(sender for at in group for sender in parts[at]) for group in alike]


def _families(cluster: list[Sender]) -> list[_Group]:
    """Greedy: each sender joins the first family with whose members it follows one pattern."""
    families: list[_Group] = []
    for sender in cluster:
        for at, (members, pattern, _) in enumerate(families):
            known = any(sender.tokens == other.tokens for other in members)
            joined = pattern if known else unify({s.tokens for s in [*members, sender]})
            if joined is not None:
                families[at] = _Group([*members, sender], joined)
                break
        else:
            families.append(_Group([sender], unify([sender.tokens]) or fold(sender.tokens)))
        if len(families) > _MOST_FAMILIES:
            break
    return families


def _commonest(cluster: list[Sender]) -> tuple[Pattern, float]:
    """The pattern of the sequence by which all parse with the least deviation, and that deviation in calls."""
    distinct = sorted({sender.tokens for sender in cluster}, key=lambda s: (len(s), repr(s)))
    best: tuple[float, str, Pattern] | None = None
    for sequence in distinct[:: max(1, len(distinct) // 12)]:
        pattern = fold(sequence)
        automaton = Automaton(pattern)
        cost = sum(parse.cost for other in cluster if (parse := automaton.parse(other.tokens)) is not None)
        if best is None or (cost, repr(pattern)) < best[:2]:
            best = (cost, repr(pattern), pattern)
    assert best is not None
    return best[2], best[0]


def _told_apart(cluster: list[Sender], number: int) -> bool:
    """Whether the nth sender of every run says the same, and other than the others: they are no equals."""
    parts = _by_number(cluster, number)
    for at in range(min(len(sender.own) for sender in cluster)):
        for path in cluster[0].own[at].request:
            values = [{_wording(s.own[at].request.get(path)) for s in part} for part in parts]
            if all(len(wordings) == 1 for wordings in values) and len(set.union(*values)) > 1:
                return True
    return False


def _by_wording(cluster: list[Sender], runs: int) -> list[list[Sender]]:
    """Senders that are about other things in every run: a script's first `mkdir` and the rest, two jobs' maps."""
    if runs < 2 or cluster[0].role.emulated:
        return [cluster]
    for wording in (_first_wording, _all_wordings):
        groups: dict[object, list[Sender]] = defaultdict(list)
        for sender in cluster:
            groups[wording(sender)].append(sender)
        everywhere = all(len({s.run for s in members}) == runs for members in groups.values())
        if everywhere and 1 < len(groups) <= _MOST_FAMILIES and not _take_turns(list(groups.values())):
            return list(groups.values())
    return [cluster]


def _first_wording(sender: Sender) -> object:
    return tuple(map(_wording, sender.own[0].request.values())) if sender.own else ()


def _all_wordings(sender: Sender) -> frozenset[tuple[Token, str, object]]:
    return frozenset(
        (call.token, path, _wording(value))
        for call in sender.own
        for path, value in call.request.items()
        if isinstance(value, str)
    )


def _take_turns(groups: Sequence[Sequence[Sender]]) -> bool:
    """Whether in every run the nodes of some groups come by turns, as users do that are dealt out to teams."""
    by_run: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for group, senders in enumerate(
        sorted(groups, key=lambda listed: (listed[0].run, listed[0].first.order))
    ):
        for sender in senders:
            by_run[sender.run].append((sender.first.order, group))
    rounds = max(len(listed) for listed in by_run.values()) // len(groups)
    return rounds > 1 and all(
        group == number % len(groups)
        for listed in by_run.values()
        for number, (_, group) in enumerate(sorted(listed))
    )


def _wording(value: object) -> object:
    """Text with its numbers blanked; other values do not tell nodes apart."""
    return _NUMBER.sub("#", value) if isinstance(value, str) else ""


# --- places -----------------------------------------------------------------------------------------------


def place(mined: MinedType) -> None:
    """Give each call of each sender its place: `occurrences`, `loop_runs` and `deviations` are made anew."""
    reading = Reading(mined.pattern)
    automaton = reading.automaton
    mined.occurrences, mined.deviations = [], 0
    mined.loop_runs = defaultdict(list)
    for node, sender in mined.numbered():
        parse = reading.parse(sender)
        if parse is None:
            mined.deviations += len(sender.own)
            continue
        mined.deviations += sum(match.element < 0 for match in parse.matches) + len(parse.missing)
        names = mined.names or Names.of(mined.name, automaton)
        placed, loop_runs = occurrences_of(names, automaton, sender, node, parse)
        mined.occurrences.extend(placed)
        for loop, listed in loop_runs.items():
            mined.loop_runs[loop].extend(listed)


def occurrences_of(
    names: Names, automaton: Automaton, sender: Sender, node: int, parse: Parse
) -> tuple[list[Occurrence], Mapping[str, list[LoopRun]]]:
    """A parse as occurrences, and how often each loop ran whenever it was come to.

    Args:
        names: ids of the pattern's templates and loops.
        sender: who made the calls.
        node: its number within its type, from 0.
        parse: how the sender's own calls follow the pattern, one match a call.

    Returns:
        The occurrences, without calls that match nothing; and by loop id each time that it was come to.
    """
    placed: list[Occurrence] = []
    totals = automaton.every_round(parse)
    around = [tuple(names.loops[loop] for loop in loops) for loops in automaton.loops_of]
    # Calls in one round of the same loops share what says so.
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[dict[str, int], dict[str, bool]]] = {}
    for match, call in zip(parse.matches, sender.own, strict=True):
        if match.element < 0:
            continue
        loops = automaton.loops_of[match.element]
        if (loops, match.indices) not in known:
            indices = dict(zip(around[match.element], match.indices, strict=True))
            last = {
                name: match.indices[depth] == totals[loops[depth], match.indices[:depth]] - 1
                for depth, name in enumerate(indices)
            }
            known[loops, match.indices] = indices, last
        template = names.templates[match.element]
        placed.append(Occurrence(sender.run, node, sender, template, call, *known[loops, match.indices]))
    loop_runs: dict[str, list[LoopRun]] = defaultdict(list)
    for (loop, place), times in totals.items():
        rounds = {names.loops[o]: n for o, n in zip(automaton.around(loop), place, strict=True)}
        loop_runs[names.loops[loop]].append(LoopRun(sender.run, node, rounds, times))
    return placed, loop_runs


def _unrolled(mined: MinedType) -> bool:
    """Write out loops that always run the same small number of times; whether any was."""
    constants = {
        loop: listed[0].times
        for loop, listed in mined.loop_runs.items()
        if len({each.times for each in listed}) == 1
    }
    counter = iter(range(1, 1 << 30))

    def rewrite(items: Sequence[Item]) -> list[Item]:
        rewritten: list[Item] = []
        for item in items:
            if not isinstance(item, Loop):
                rewritten.append(item)
                continue
            times = constants.get(f"L{next(counter)}")
            body = rewrite(item.body)
            if times is not None and times * len(body) <= _UNROLLED:
                # What a process makes once, it makes in the first of them.
                rewritten.extend([*body, *without(body) * (times - 1)] if times else [])
            else:
                rewritten.append(Loop(tuple(body)))
        return rewritten

    changed = tuple(rewrite(mined.pattern))
    if changed == mined.pattern:
        return False
    mined.pattern = changed
    return True
