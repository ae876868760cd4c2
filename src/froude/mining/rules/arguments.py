"""Rules for arguments: regular patterns first, then information flow (PatternMiner III.B.3).

A rule counts only if it gives the recorded value at every call of its template: in all iterations, on all
nodes, at all scales. What no rule explains is looked at again with its first or last iteration apart, then
handed to a named generator if it is random by nature and of known form, and else becomes a question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress

from froude.base.units import Quantity
from froude.mining.effects.rare_values import is_distinctive
from froude.mining.fit import patterns
from froude.mining.fit.patterns import same
from froude.mining.fit.random_values import by_name, gauge
from froude.mining.history.timeline import Timeline, columns, type_of
from froude.mining.history.value_uses import Takers
from froude.mining.read.ask_names import is_asked
from froude.mining.read.canonical import Token
from froude.mining.read.elements import with_numbers
from froude.mining.read.knowledge import GAUGES, NAMING, REPORTS, SIZES, THINGS, fact_of
from froude.mining.rules import sampling
from froude.mining.rules.candidates import alike, flows_from, leaf_name
from froude.mining.rules.doubtful_rules import SHORT_TEXT, Doubt, below_ten, growing, replaced, short_texts
from froude.mining.rules.evidence import (
    SOURCES_TRIED,
    SPREAD,
    Column,
    Varying,
    changing_facts,
    is_telling,
    spread,
)
from froude.mining.rules.sampling import searched
from froude.mining.rules.sources import Sources, derived, of_this_run
from froude.mining.rules.texts import FEWEST_LISTED, TextMiner, is_padded
from froude.mining.shape.structure import Occurrence
from froude.mining.yarn import container_requests as outstanding
from froude.mining.yarn.inputs import Told
from froude.workload.generators import choice, recognise
from froude.workload.rules import Special, Value
from froude.workload.types import (
    NODE,
    Cases,
    Constant,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scalar,
    Scaled,
    Side,
    Template,
    Unknown,
    Which,
)
from froude.workload.types import Counter as CounterRule
from froude.workload.walk import flows, within

_EXAMPLES = 5
_OTHER_NODES = 2
"""Nodes beside the first of which some run must have had so many before the first is told apart from them."""
_MANY = 10
"""Calls with one value before a few others count as exceptions."""
_NEARLY_ALL = 0.9
"""Share of calls that must have it."""
_FIRSTS = 3
"""First iterations that must agree before they are told apart from random others."""


class ArgumentMiner:
    """Finds the rules of templates.

    Args:
        timeline: every placed call of all runs.
        pieces: sizes of pieces that files are cut into.
        one_cluster: whether all runs are of one cluster.
        inputs: where the input of application masters' applications lies, by identity of their senders.
    """

    def __init__(
        self,
        timeline: Timeline,
        scales: Sequence[Mapping[str, Quantity]],
        pieces: Sequence[int] = (),
        *,
        one_cluster: bool = False,
        inputs: Mapping[int, Told] | None = None,
    ) -> None:
        self._one_cluster = one_cluster
        self._inputs = inputs or {}
        self._pieces = pieces
        self._timeline = timeline
        self._scales = scales
        self._sources = Sources(timeline, scales)
        self._texts = TextMiner(timeline, self._sources.holds, self._slot, self._scaled)
        self._varying = Varying()
        self._changing: frozenset[tuple[Token, str]] = frozenset()
        """Kinds of calls, and facts of machines that change from one to the next."""
        self._machines: set[str] = set()
        """Addresses of the daemons that there are several of."""
        self._equals: dict[str, tuple[Scaled, ...]] = {}
        """By a count of the Scale that some rule is made of: others that fit as well."""
        self._rivals: list[tuple[Rule, Rule]] = []
        """Rules that some rule is made of, each with another that holds as well."""
        self._cycles: list[Cycle] = []
        """Values that were seen to take turns."""
        self._thin: list[Rule] = []
        """Lines over two nodes or rounds."""
        self._doubtful: dict[Value, list[tuple[str, str]]] = defaultdict(list)
        """By value: templates and leaf paths of requests where it is in doubt, in order."""
        self.doubts: list[Doubt] = []
        """Constants that stand although a few calls differ."""

    def learn(self, occurrences: Sequence[Occurrence]) -> None:
        """Take note of which answers differ between calls: only those tell flow from accident.

        And of which facts of machines change, as a block's length does when it is appended to: what they are at a call
        is a matter of its time.
        """
        self._varying.learn(occurrences)
        self._changing = changing_facts(occurrences)
        by_run: dict[int, set[str]] = defaultdict(set)
        for each in occurrences:
            if each.sender.role.endless:
                by_run[each.run].add(each.call.event.peer)
        # Where there was a choice.
        self._machines = {peer for peers in by_run.values() if len(peers) > 1 for peer in peers}

    def rules(self, occurrences: Sequence[Occurrence], *, own_facts: bool = False) -> dict[str, Rule]:
        """The rule of every argument of a template.

        Args:
            occurrences: all calls of the template, in order of run and place.
            own_facts: whether a program plays the node that knows facts of its own machine.
        """
        occurrences = Takers.of(occurrences)
        template = occurrences[0].template
        asked = {
            path: Column(occurrences, values, path)
            for path, values in columns(occurrences).items()
            if not is_asked(occurrences[0].call.token[1], path)
        }
        rules = {
            path: self.rule(occurrences, column.values, path=path, own_facts=own_facts)
            for path, column in asked.items()
        }
        few = not own_facts and below_ten(occurrences, self._scales)
        for path in short_texts(occurrences) if few else ():
            if not any(flows(rules[path])):
                self.doubts.append(Doubt(template, path, (), rules[path], below_ten=True))
        doubted = {each.path for each in self.doubts if each.template == template}
        for path, rule in rules.items():
            unsure = path in doubted or is_open(rule)
            rules[path] = self._of_doubtful(asked[path], rule, unsure=unsure) or rule
            if unsure and rules[path] is rule:
                for value in dict.fromkeys(asked[path].values):
                    self._doubtful[value].append((template, path))
        for path in growing(occurrences, self._scales):
            if path in rules:
                self.doubts.append(Doubt(template, path, (), rules[path], longer=True))
        return rules | outstanding.rules(occurrences, self._scales, self._inputs)

    def _of_doubtful(self, column: Column, rule: Rule, *, unsure: bool) -> Rule | None:
        """The flow of a value that stands in an earlier call and is in doubt here or there: one question is about both.

        Args:
            rule: found for the column.
            unsure: whether it is in doubt itself.
        """
        at = column.shows
        copied = any(flow.element is None or not unsure for flow in flows(rule))
        if at is None or copied or isinstance(rule, NodeFact):
            return None
        value, own = column.values[at], type_of(column.template)
        # What always was the same, as the address of a daemon, is not a copy of what may change.
        telling = not isinstance(value, Special) and not isinstance(rule, Constant) and is_distinctive(value)
        length = leaf_name(column.path) in SIZES
        tried = [
            flow
            for template, path in self._doubtful.get(value, ())
            if template != column.template and (telling or (length and leaf_name(path) in SIZES))
            for flow in flows_from(
                (template, None if type_of(template) == own else type_of(template), Side.REQUEST, path),
                column.template,
            )
        ]
        found = next((flow for flow in tried if self._sources.holds(flow, column)), None)
        if found is None and unsure:
            flow = self._sources.flow(column)
            found = flow if isinstance(flow, Flow) and flow.node_type is None else None
        return found

    def reported(self, occurrences: Sequence[Occurrence]) -> dict[str, Rule]:
        """The rule of every leaf of reports (`reported`): what names the thing comes from what caused them.

        Args:
            occurrences: reports of one kind, without loops.
        """
        report = REPORTS[occurrences[0].call.token[1]]
        named = {}
        for path, values in columns(occurrences).items():
            if path.startswith(f"{report.element}.{report.thing}."):
                flows = self._sources.flows(Column(occurrences, values, path))
                named[path] = next((flow for flow in flows if flow.which is Which.CAUSE), None)
        rules = self.rules(occurrences)
        return rules | {path: flow for path, flow in named.items() if flow is not None}

    def rule(
        self,
        occurrences: Sequence[Occurrence],
        values: Sequence[Value],
        *,
        path: str = "",
        own_facts: bool = False,
    ) -> Rule:
        """The rule of one argument.

        Args:
            values: the argument's value in each.
            path: its leaf path, which breaks ties between sources and names facts and gauges.
            own_facts: as in `rules`.
        """
        column = Column(occurrences, values, path)
        doubts = len(self.doubts)
        rule = self._searched(column, own_facts)
        if len(self.doubts) > doubts and self._sources.holds(rule, column):
            self.doubts[doubts:] = [
                each for each in self.doubts[doubts:] if each.clock
            ]  # others were tried on the way
        others = [
            other
            for part in within(rule)
            if isinstance(part, Scaled)
            for equal in self._equals.get(str(part.count), ())
            if self._sources.holds(other := replaced(rule, part, replace(equal, width=part.width)), column)
        ]
        others += [
            other
            for chosen, rival in self._rivals
            if chosen in within(rule) and self._sources.holds(other := replaced(rule, chosen, rival), column)
        ]
        self._cycles += [p for p in within(rule) if isinstance(p, Cycle) and p not in self._cycles]
        if others:
            self.doubts.append(Doubt(column.template, path, (), rule, tuple(others)))
        elif any(self._is_thin(part, occurrences) for part in within(rule)) or self._by_chance(rule, column):
            self.doubts.append(Doubt(column.template, path, (), rule, thin=True))
        return rule

    def _searched(self, column: Column, own_facts: bool) -> Rule:
        """The rule of a column."""
        found = self._over_all(lambda some: self._found(some, own_facts), column, own_facts)
        return self._judged(found, column, own_facts)

    def _over_all(
        self, search: Callable[[Column], Rule | None], column: Column, own_facts: bool = False
    ) -> Rule | None:
        if len(column.values) <= sampling.FEW:
            return search(column)
        return searched(
            search, column, self._sources, self.doubts, lambda part: self._by_nature(part, own_facts)
        )

    def _found(self, column: Column, own_facts: bool) -> Rule | None:
        """What gives the values of a column, wherever it comes from; None where nothing does."""
        best = self._whole(column)
        # Two loops that ran alike: what another one sent says less than what this one was answered.
        echoed = isinstance(best, Flow) and best.which is Which.NTH and best.side is Side.REQUEST
        repeated = isinstance(best, Flow) and best.node_type is None
        if not (own_facts or repeated) and _is_own_address(column):
            return NodeFact("address")
        # The target gave each of these values; that they also count up is because each run began afresh.
        given = isinstance(best, Constant | CounterRule | Scaled) and self._given(column)
        if best is None or echoed or given:
            nearer = self._cases(column)
            if not echoed or (nearer is not None and not is_open(nearer)):
                best = nearer
        best = best or self._first_only(column, own_facts)
        # Two gauges that are read one after the other agree nearly always.
        return None if isinstance(best, Flow) and leaf_name(column.path) in GAUGES else best

    def _judged(self, best: Rule | None, column: Column, own_facts: bool) -> Rule:
        """The rule of a column where this gives its values: what a machine knows of itself it has from itself."""
        fact = fact_of(column.path) if own_facts else None
        changing = (column.occurrences[0].call.token, fact) in self._changing
        if best is not None and self._is_own_time(best, column):
            best = self._until_read_again(best, column)
        if best is not None and fact in THINGS:
            short = all(isinstance(value, int) and value < SHORT_TEXT for value in column.values)
            own = NodeFact(str(fact))
            if changing or short or not self._is_of_cause(best, column) or self._sources.holds(own, column):
                return own
        shown = next((value for value in column.values if not isinstance(value, Special)), None)
        if (
            isinstance(best, Constant | Template | CounterRule | Generated)
            and fact in NAMING
            and (self._one_cluster or (isinstance(shown, str) and is_distinctive(shown)))
        ):
            # Runs of one cluster, or few calls, show a machine's own facts as if all machines had them.
            return NodeFact(str(fact))
        return best or self._by_nature(column, own_facts)

    def _is_own_time(self, rule: Rule, column: Column) -> bool:
        """Whether a real-time call repeats a time that its node read of its own clock: no answer ever held it."""
        occurrence = column.occurrences[0]
        if not isinstance(rule, Flow) or rule.side is not Side.REQUEST or rule.node_type is not None:
            return False
        times = recognise([value for value in column.values if not isinstance(value, Special)])
        return (
            occurrence.template in occurrence.indices and times is not None and times.generator == "epoch-ms"
        )

    def _until_read_again(self, rule: Rule, column: Column) -> Rule:
        """What was read stands until it is read again: then the last value is repeated, not the first."""
        template = column.template
        repeated = Flow(template, Side.REQUEST, column.path, Which.PREVIOUS)
        again = Cases(template, rule, None, repeated)
        if not self._sources.holds(again, column):
            return rule
        self.doubts.append(Doubt(template, column.path, (), again, clock=True))
        return again

    def _is_of_cause(self, rule: Rule, column: Column) -> bool:
        """Whether a rule says what a thing is by what caused the call, not by who makes it or what it sent before."""
        own = type_of(column.template)
        return not any(
            self._is_thin(part, column.occurrences)
            or (isinstance(part, Flow) and (type_of(part.call) == own or part.which is Which.FIRST))
            or (isinstance(part, Cases) and part.index == NODE)
            for part in within(rule)
        )

    def _by_chance(self, rule: Rule, column: Column) -> bool:
        """Whether it is chance which machine a rule names: always one, by the Scale, or where others' blocks lay."""
        if not all(isinstance(value, str) and patterns.ADDRESS.fullmatch(value) for value in column.values):
            return False
        if any(isinstance(part, Scaled) for part in within(rule)):
            return True
        own = type_of(column.template)
        elsewhere = isinstance(rule, Flow) and rule.which is Which.NTH and rule.node_type not in {None, own}
        chosen = isinstance(rule, Constant) and str(rule.value).partition(":")[0] in self._machines
        return (elsewhere or chosen) and len(column.occurrences) < _MANY

    def _is_thin(self, part: Rule, occurrences: Sequence[Occurrence]) -> bool:
        """Whether too few nodes or rounds were seen to know that a part of a rule holds at others."""
        return part in self._thin or (isinstance(part, Cases) and patterns.is_seen_once(part, occurrences))

    # --- one rule for all -------------------------------------------------------------------------------

    def _whole(self, column: Column) -> Rule | None:
        rule = patterns.constant(column.values)
        if rule is not None:
            return self._assigned(column) or self._of_one_run(column) or rule
        regular = patterns.counter(column.occurrences, column.values) or patterns.text(
            column.occurrences, column.values, self._slot, known=self._cycles
        )
        if regular is not None and not self._sources.holds(regular, column):
            regular = None
        thin = isinstance(regular, CounterRule) and patterns.is_thin(regular, column.occurrences)
        listed = self._texts.listed(column)
        if regular is not None and not thin:
            return self._assigned(column) or self._or_listed(regular, listed, column)
        other = (
            listed
            or self._sources.flow(column)
            or self._scaled(column.occurrences, column.values, self._pieces)
            or self._sources.shifted(column)
        )
        if thin and other is None and regular is not None:
            self._thin.append(regular)
            return regular
        return (
            other
            or self._texts.within(column)
            or derived(column, self._timeline, self._sources.holds)
            or self._in_turn(column)
        )

    def _of_one_run(self, column: Column) -> Rule | None:
        """What only looks constant because a single run is mined."""
        if len(self._scales) > 1:
            return None
        rule = of_this_run(column, lambda asked: next(self._sources.flows(asked), None))
        drawn = rule is not None and any(isinstance(part, Generated) for part in within(rule))
        return rule if drawn or (rule is not None and self._sources.holds(rule, column)) else None

    def _or_listed(self, regular: Rule, listed: Rule | None, column: Column) -> Rule:
        """What counts, or what was listed: which of them is right shows at another size, and is asked."""
        if listed is None or is_padded(regular):
            return regular
        if len(set(column.values)) < FEWEST_LISTED:
            listed, regular = regular, listed
        self._rivals.append((listed, regular))
        return listed

    def _in_turn(self, column: Column) -> Rule | None:
        """Values that take turns; none that the target assigns: those are others in every run."""
        one_run = len({occurrence.run for occurrence in column.occurrences}) < 2
        if one_run and self._given(column):
            return None
        return patterns.cycle(column.occurrences, column.values, self._cycles)

    def _assigned(self, column: Column) -> Rule | None:
        """A flow for a value that only seems regular: the target assigns it, and each run began alike.

        Where all runs are of one cluster even what it assigned once and for all (its ids) looks constant.
        """
        value = column.values[0]
        if isinstance(value, Special) or _wordy(value):
            return None
        if not is_telling(value):
            return None
        each = column.occurrences[0].each
        for flow in self._sources.flows(column, [Side.RESPONSE]):
            varies = self._one_cluster or self._varying.varies(flow.call, with_numbers(flow.path, each))
            caused = flow.which is Which.CAUSE and is_distinctive(value)
            if varies and (caused or alike(flow.path, column.path)):
                return flow
        return None

    def _given(self, column: Column) -> bool:
        """Whether every value, as far as some calls tell, had been answered before under such a name."""
        for at in spread(len(column.values))[:SPREAD]:
            occurrence, value = column.occurrences[at], column.values[at]
            if isinstance(value, Special) or _wordy(value) or not is_telling(value):
                return False
            sources = self._timeline.sources(occurrence, value)[-SOURCES_TRIED:]
            if not any(
                side is Side.RESPONSE and alike(path, column.path) and self._varying.varies(call, path)
                for call, _, side, path in sources
            ):
                return False
        return True

    def _slot(self, occurrences: Sequence[Occurrence], numbers: Sequence[int]) -> Rule | None:
        large = all(is_distinctive(number) for number in numbers)
        # Any two numbers lie on a line over the Scale: small ones count something, large ones are times and ids.
        sizes = {str(sorted(self._scales[occurrence.run].items())) for occurrence in occurrences}
        scaled = None if large and len(sizes) == 2 else self._scaled(occurrences, numbers)
        flow = (
            self._sources.flow(Column(occurrences, list(numbers), ""))
            if large and len(set(numbers)) <= 2
            else None
        )
        rule = flow or scaled or patterns.counter(occurrences, numbers, self._scales)
        if rule is not None or not large:
            return rule
        return self._sources.flow(Column(occurrences, list(numbers), ""))

    def _scaled(
        self, occurrences: Sequence[Occurrence], values: Sequence[Value], pieces: Sequence[int] = ()
    ) -> Scaled | None:
        fits = patterns.scaled(occurrences, values, self._scales, pieces)
        if not fits:
            return None
        best, *others = fits
        self._equals[str(best.count)] = tuple(others)
        return best

    # --- exceptions -------------------------------------------------------------------------------------

    def _cases(self, column: Column) -> Rule | None:
        """Another rule at the first or the last iteration of a loop, or at the first node."""
        for index in reversed(list(column.occurrences[0].indices)):
            first, others = _parted(column, [each.indices[index] == 0 for each in column.occurrences])
            if first and others:
                special, otherwise = self._part(column, first), self._whole(column.only(others))
                if otherwise is not None and special is not None:
                    return Cases(index, special, None, otherwise)
            last, others = _parted(column, [each.last.get(index, False) for each in column.occurrences])
            if last and others:
                special, otherwise = self._whole(column.only(last)), self._whole(column.only(others))
                if otherwise is not None and special is not None:
                    return Cases(index, None, special, otherwise)
        return self._first_node(column)

    def _first_node(self, column: Column) -> Rule | None:
        """Another rule at the first node than at the others, of which there are several."""
        first = [at for at, occurrence in enumerate(column.occurrences) if occurrence.node == 0]
        rest = [at for at, occurrence in enumerate(column.occurrences) if occurrence.node > 0]
        if not first or max((column.occurrences[at].node for at in rest), default=0) < _OTHER_NODES:
            return None
        special, otherwise = self._whole(column.only(first)), self._whole(column.only(rest))
        return None if special is None or otherwise is None else Cases(NODE, special, None, otherwise)

    def _first_only(self, column: Column, own_facts: bool) -> Rule | None:
        """A rule for first iterations where the others are random: a gauge that starts from nothing."""
        for index in reversed(list(column.occurrences[0].indices)):
            first = [at for at, occurrence in enumerate(column.occurrences) if occurrence.indices[index] == 0]
            rest = [at for at, occurrence in enumerate(column.occurrences) if occurrence.indices[index] != 0]
            special = self._whole(column.only(first)) if rest and len(first) >= _FIRSTS else None
            if special is not None:
                return Cases(index, special, None, self._by_nature(column.only(rest), own_facts))
        return None

    def _part(self, column: Column, chosen: Sequence[int]) -> Rule | None:
        """A rule for the first iterations: a random value may stand there that the others repeat."""
        part = column.only(chosen)
        names_machine = fact_of(column.path) in NAMING
        return self._whole(part) or self._cases(part) or self._by_nature(part, names_machine)

    def _by_nature(self, column: Column, own_facts: bool) -> Rule:
        present = [value for value in column.values if not isinstance(value, Special)]
        fact = fact_of(column.path) if own_facts else None
        if fact in NAMING:
            return NodeFact(str(fact))
        sometimes = self._sometimes(column) if len(present) < len(column.values) else None
        if sometimes is not None:
            return sometimes
        read = gauge(column.path, present)
        if read is not None:
            return read
        rule = self._usual(column, asked=fact is None) or (NodeFact(fact) if fact is not None else None)
        rule = rule or (recognise(present) if present else None) or by_name(column.path, present)
        if rule is None and own_facts and column.occurrences[0].cause is not None:
            # Ids are of one cluster and one run: none that was recorded is a choice elsewhere.
            rule = None if any(is_telling(value) for value in present) else choice(present)
        if rule is None and len(present) == len(column.values):
            rule = patterns.text(column.occurrences, column.values, self._slot, random=True)
        return rule or Unknown(_examples(present))

    def _sometimes(self, column: Column) -> Rule | None:
        """The rule of a leaf where it is set: it stands, and when the leaf is set becomes a question."""
        there = [at for at, value in enumerate(column.values) if not isinstance(value, Special)]
        rule = self._over_all(self._whole, column.only(there)) if there else None
        if rule is not None:
            self.doubts.append(Doubt(column.template, column.path, (), rule))
        return rule

    def _usual(self, column: Column, *, asked: bool) -> Rule | None:
        """The value of nearly all calls: it stands, and the others become a question if `asked`."""
        counts = Counter((type(value), value) for value in column.values)
        (_, value), times = max(counts.items(), key=lambda each: each[1])
        if times < max(_MANY, _NEARLY_ALL * len(column.values)) or isinstance(value, Special):
            return None
        rule = Constant(value)
        others = [v for v in column.values if not isinstance(v, Special) and not same(v, value)]
        if asked:
            self.doubts.append(Doubt(column.template, column.path, _examples(others), rule))
        return rule


def _parted(column: Column, chosen: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Places of the calls that are chosen, and of the others."""
    places = range(len(column.values))
    return list(compress(places, chosen)), [at for at in places if not chosen[at]]


def _examples(values: Sequence[Scalar]) -> tuple[Scalar, ...]:
    distinct: dict[tuple[type, Scalar], Scalar] = {}
    for value in values:
        distinct.setdefault((type(value), value), value)
    return tuple(distinct.values())[:_EXAMPLES]


def _wordy(value: Scalar) -> bool:
    """Text that a person wrote: a path or a name, never assigned by a target."""
    return isinstance(value, str) and not any(c.isdigit() for c in value)


def _is_own_address(column: Column) -> bool:
    """Whether each of several machines with a daemon gives the address that its connection comes from."""
    peers = [occurrence.call.event.peer for occurrence in column.occurrences]
    daemon = column.occurrences[0].sender.role.endless
    return daemon and len(set(peers)) > 1 and list(column.values) == peers


def is_open(rule: Rule) -> bool:
    """Whether some part of a rule is unknown."""
    return any(isinstance(part, Unknown) for part in within(rule))
