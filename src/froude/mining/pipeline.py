"""Mining decoded runs of a job at several scales: its scale-free Workload, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from froude.base.memory import collected_later
from froude.base.progress import Progress, Silent
from froude.base.units import Quantity
from froude.messages.rows import EMPTY, Shape
from froude.mining.counts import fit_count
from froude.mining.effects.aftereffects import find_following
from froude.mining.effects.causes import is_report
from froude.mining.effects.relocation import relocate
from froude.mining.fit.rival_formulas import rivals
from froude.mining.fit.starts import rival_starts, start_rules, undecided_starts
from froude.mining.fit.timing import timings
from froude.mining.history.placement import MinedEffect, Placement, beat_names, placement_of
from froude.mining.history.waits import find_waits
from froude.mining.read.ends import SETTLED_S, at_work
from froude.mining.read.events import Recording
from froude.mining.read.knowledge import CONFIRMATION, PIECES
from froude.mining.read.lanes import find_lanes, put_in_order
from froude.mining.read.senders import Conventions, senders_of
from froude.mining.rules.arguments import ArgumentMiner, is_open
from froude.mining.rules.candidates import of_cause
from froude.mining.rules.findings import found, lost
from froude.mining.rules.loop_counts import LoopCounts
from froude.mining.rules.numbering import renumber
from froude.mining.rules.questions import Questions
from froude.mining.shape.lifetimes import never_due, opened_and_closed
from froude.mining.shape.segments import Item, Loop
from froude.mining.shape.structure import MinedType, Occurrence, find_types
from froude.mining.yarn.containers import find_containers
from froude.mining.yarn.inputs import find_inputs
from froude.workload.scale import Scale
from froude.workload.types import (
    CALLEE,
    Actor,
    CallTemplate,
    Effect,
    Finding,
    Flow,
    Generated,
    NodeType,
    Periodic,
    Poll,
    Recorded,
    Rule,
    Step,
    Timing,
    Unknown,
    Wait,
    Workload,
)
from froude.workload.walk import within

_MOST_PIECES = 4
"""Sizes of pieces that are tried."""
_CERTAIN = 0.95
"""An effect seen for this share of its causes is always there: a capture's end cuts the last ones off."""


def mine_recordings(recordings: Sequence[Recording], *, progress: Progress | None = None) -> Workload:
    """Mine the scale-free pattern of a job.

    Args:
        recordings: the runs, of one job at any Scales; at least one.
        progress: shows the six steps.

    Returns:
        The pattern, with its open questions and its findings.
    """
    with collected_later(), (progress or Silent()).task("mining", total=6) as task:
        task.say("senders")
        senders, conventions = senders_of(recordings)
        task.advance()
        task.say("effects")
        relocations = find_following(senders, relocate(senders))
        lanes = find_lanes(senders)
        put_in_order(senders, lanes)
        task.advance()
        task.say("node types")
        going_on = {id(sender) for sender, silent_s in at_work(recordings, senders) if silent_s >= SETTLED_S}
        types, findings = find_types([s for s in senders if s.calls], len(recordings))
        for mined in types:
            renumber(mined, [recording.scale for recording in recordings])
        task.advance()
        task.say("places")
        placement = placement_of(types, relocations)
        task.advance()
        task.say("arguments")
        builder = _Builder(recordings, conventions, types, placement)
        node_types = tuple(
            replace(builder.node_type(mined), in_any_order=tuple(sorted(lanes.get(mined.role.name, ()))))
            for mined in types
        )
        node_types = tuple(
            builder.questions.steps(node) if any(id(sender) in going_on for sender in mined.senders) else node
            for mined, node in zip(types, node_types, strict=True)
        )
        task.advance()
        task.say("findings")
        findings = [
            *found(recordings, types),
            *findings,
            *builder.findings,
            *lost(placement),
        ]
        task.advance()
    recorded = Recorded(
        tuple(Scale(dict(recording.scale)) for recording in recordings),
        _source_ids(recordings),
        next((r.release for r in recordings if r.release), ""),
    )
    return Workload(node_types, recorded, tuple(builder.questions.asked), tuple(findings))


class _Builder:
    """Turns what was found into the Workload's values, and collects questions on the way."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        conventions: Conventions,
        types: Sequence[MinedType],
        placement: Placement,
    ) -> None:
        self._scales: list[Mapping[str, Quantity]] = [recording.scale for recording in recordings]
        self._conventions = conventions
        self._placement = placement
        self._pieces = _pieces(recordings)
        clusters = {recording.source_id for recording in recordings}
        self._miner = ArgumentMiner(
            placement.timeline,
            self._scales,
            self._pieces,
            one_cluster=len(clusters) == 1,
            inputs=find_inputs(placement.steps, placement.periodic),
        )
        self._miner.learn(placement.all())
        self._waits = find_waits(placement.steps)
        self._contained = find_containers(recordings, types)
        steps = [occurrence for listed in placement.steps.values() for occurrence in listed]
        self._timings = timings(steps, self._scales)
        until_s = self._waits.until_s
        self._waiting_timings = timings(steps, self._scales, until_s) if until_s else self._timings
        self._starts = start_rules(types, len(recordings))
        self.questions = Questions()
        self.findings: list[Finding] = [*undecided_starts(types, self._starts, len(recordings))]
        self._or_starts = rival_starts(types, self._starts, len(recordings))
        for name, other in self._or_starts.items():
            self.questions.start(name, self._starts[name], other)
        self._loop_counts = LoopCounts(self._scales, self._pieces, types, self.questions, self.findings)

    def node_type(self, mined: MinedType) -> NodeType:
        """A node type with all its templates."""
        sizes = [sum(sender.run == run for sender in mined.senders) for run in range(len(self._scales))]
        points = [(scale, float(size)) for scale, size in zip(self._scales, sizes, strict=True)]
        total = sum(len(sender.own) for sender in mined.senders)
        self.questions.deviating(mined.name, mined.deviations, total)
        what, fit = f"number of {mined.name} nodes", fit_count(points, name=mined.role.name)
        others = rivals(fit, points, name=mined.role.name)
        count = self._loop_counts.count(mined, fit, what, sizes, others)
        return NodeType(
            name=mined.name,
            count=count,
            rivals=others,
            steps=self._steps(mined, mined.pattern),
            periodic=self._periodic(mined),
            effects=tuple(
                self._effect(mined, effect) for effect in self._placement.effects.get(mined.name, ())
            ),
            start=self._starts[mined.name],
            or_start=self._or_starts.get(mined.name),
            program=mined.role.program,
            user=self._user(mined),
            caller_context=self._context(mined),
            container=self._contained.containers.get(mined.name),
        )

    def _steps(self, mined: MinedType, items: Sequence[Item]) -> tuple[Step, ...]:
        calls, loops = iter(range(1, 1 << 30)), iter(range(1, 1 << 30))

        def build(level: Sequence[Item]) -> tuple[Step, ...]:
            steps: list[Step] = []
            for item in level:
                if isinstance(item, Loop):
                    name = f"L{next(loops)}"
                    steps.append(self._loop_counts.repeat(mined, name, item, build(item.body)))
                else:
                    template = f"{mined.name}.c{next(calls)}"
                    steps.append(
                        self._template(mined, template, self._placement.steps.get(template, []), item)
                    )
            return tuple(steps)

        return build(items)

    def _template(
        self, mined: MinedType, template: str, occurrences: Sequence[Occurrence], token: object
    ) -> CallTemplate:
        protocol, method, kind = token if isinstance(token, tuple) else ("", str(token), "")
        if is_report((protocol, method, kind)):
            rules = self._report(mined, template, occurrences)
        else:
            rules = self._miner.rules(occurrences, own_facts=mined.role.emulated) if occurrences else {}
        callee = self._callee(occurrences)
        called = rules if callee is None else rules | {CALLEE: callee}
        self.questions.unknown(mined.name, template, method, called)
        self.questions.doubtful(mined.name, template, method, rules, self._miner.doubts)
        errors = {occurrence.call.event.error for occurrence in occurrences}
        poll: Poll | None = self._conventions.polls.get((protocol, method, ""))
        wait = self._wait(template, rules)
        known_timings = self._timings if wait is None else self._waiting_timings
        return CallTemplate(
            id=template,
            protocol=protocol,
            method=method,
            arguments=rules,
            timing=known_timings.get(template, Timing()),
            poll=poll,
            fails=errors.pop() if len(errors) == 1 else None,
            service=_common([occurrence.call.event.target.service for occurrence in occurrences]),
            callee=callee,
            after=wait,
            awaits=self._contained.awaited.get(template),
            confirmed_by=None if poll is not None else _confirmation(occurrences),
        )

    def _report(self, mined: MinedType, template: str, occurrences: Sequence[Occurrence]) -> dict[str, Rule]:
        """Rules of a report: those of all reports of its kind whose causes are of one role, if they have any.

        Which round of whose loop gave the node its thing to do says nothing of the report.
        """
        token, cause = occurrences[0].call.token, occurrences[0].cause
        assert cause is not None
        effects = self._placement.effects[mined.name]
        reported = next(effect for effect in effects if effect.template == template)
        alike = [
            occurrence
            for effect in effects
            if effect.token == token
            for occurrence in effect.occurrences
            if occurrence.cause is not None and occurrence.cause.sender.role == cause.sender.role
        ]
        own = {id(occurrence) for occurrence in occurrences}
        pooled = [*occurrences, *(each for each in alike if id(each) not in own)]
        placed = [replace(each, template=template, indices={}, last={}) for each in pooled]
        rules = self._miner.reported(placed)
        if any(is_open(rule) for rule in rules.values()):
            rules |= self._miner.reported(placed[: len(occurrences)])
        return {path: of_cause(rule, reported.cause, reported.cause_type) for path, rule in rules.items()}

    def _wait(self, template: str, rules: Mapping[str, Rule]) -> Wait | None:
        """What a call waits for, where its node knows the path that it is about before that is made."""
        wait = self._waits.by_template.get(template)
        unsure = wait is None or any(
            isinstance(part, Unknown | Generated)
            or (isinstance(part, Flow) and part.node_type == wait.node_type)
            for part in within(rules[wait.argument])
        )
        return None if unsure else wait

    def _callee(self, occurrences: Sequence[Occurrence]) -> Rule | None:
        """The rule of the called daemon's address, where calls of one service go to several; None for one."""
        targets = [occurrence.call.event.target for occurrence in occurrences]
        if not any(target.service in self._placement.timeline.plural for target in targets):
            return None
        return self._miner.rule(occurrences, [target.address for target in targets], path=CALLEE)

    def _periodic(self, mined: MinedType) -> tuple[Periodic, ...]:
        periods = self._conventions.periods.get(mined.role.name, {})
        periodic = []
        for template, occurrences in sorted(self._placement.periodic.items()):
            if template.rpartition(".")[0] != mined.name:
                continue
            token = occurrences[0].call.token
            call = self._template(mined, template, occurrences, token)
            period = periods[token]
            opened_by, closed_by = opened_and_closed(mined, token[1])
            periodic.append(
                Periodic(call, period.every_s, period.jitter_s, opened_by, closed_by, period.pause_s)
            )
        return *periodic, *never_due(mined, [each.call.method for each in periodic])

    def _effect(self, mined: MinedType, effect: MinedEffect) -> Effect:
        return Effect(
            call=self._template(mined, effect.template, effect.occurrences or effect.like, effect.token),
            cause=effect.cause,
            cause_type=effect.cause_type,
            each=effect.channel.each or None,
            actor=effect.channel.actor,
            owner=effect.channel.owner if effect.channel.actor is Actor.OWNER else None,
            owner_fact=effect.channel.fact or None,
            share=1.0 if effect.share >= _CERTAIN else effect.share,
            following=effect.channel.following,
            carried_by=self._carrier(mined, effect) if is_report(effect.token) else None,
        )

    def _carrier(self, mined: MinedType, effect: MinedEffect) -> str | None:
        """The periodic call that carries a report."""
        token = (*effect.token[:2], "")
        return beat_names([mined]).get((mined.name, token))

    def _user(self, mined: MinedType) -> str | Rule | None:
        """Whose calls they are: one name, or a rule by which nodes have names; a question where none is known."""
        users = {sender.first.user for sender in mined.senders}
        if len(users) == 1:
            return users.pop()
        occurrences = _firsts(mined)
        values = [occurrence.call.event.user for occurrence in occurrences]
        if not all(values):
            return None
        rule = self._miner.rule(occurrences, values, path="user")
        self.questions.user(mined.name, rule)
        return rule

    def _context(self, mined: MinedType) -> Rule | None:
        occurrences = _firsts(mined)
        values = [occurrence.call.event.caller_context for occurrence in occurrences]
        if not values or not all(values):
            return None
        rule = self._miner.rule(occurrences, values, path="caller_context")
        return None if isinstance(rule, Unknown) else rule


def _confirmation(occurrences: Sequence[Occurrence]) -> str | None:
    """The leaf that was true in every answer."""
    answers = [occurrence.call.response or EMPTY for occurrence in occurrences]
    return CONFIRMATION if answers and all(leaves.get(CONFIRMATION) is True for leaves in answers) else None


def _source_ids(recordings: Sequence[Recording]) -> tuple[str, ...]:
    """Everybody who was recorded, none of whom is ever played against."""
    ids = dict.fromkeys(recording.source_id for recording in recordings)
    ids.update(dict.fromkeys(event.target.id for recording in recordings for event in recording.events))
    return tuple(each for each in ids if each)


def _common(values: Sequence[str]) -> str:
    """The value that all have; empty where they differ."""
    return values[0] if len(set(values)) == 1 else ""


def _firsts(mined: MinedType) -> list[Occurrence]:
    """The first call of each sender."""
    firsts: dict[int, Occurrence] = {}
    for occurrence in mined.occurrences:
        firsts.setdefault(id(occurrence.sender), occurrence)
    return list(firsts.values())


def _pieces(recordings: Sequence[Recording]) -> tuple[int, ...]:
    """The sizes of pieces that requests asked for, smallest first."""
    places: dict[Shape, list[int]] = {}
    mined: set[int] = set()
    for request in (event.request for recording in recordings for event in recording.events):
        shape = request.shape
        if shape not in places:
            places[shape] = [at for at, path in enumerate(shape.paths) if path.rpartition(".")[2] in PIECES]
        for at in places[shape]:
            value = request.cells[at]
            if type(value) is int and value > 0:
                mined.add(value)
    return tuple(sorted(mined)[:_MOST_PIECES])
