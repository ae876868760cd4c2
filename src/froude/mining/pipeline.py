"""Mining from end to end: Traces of a job at several scales in, its scale-free Workload out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from froude.base import parallel
from froude.base.errors import InputError
from froude.base.progress import Progress, Silent
from froude.base.units import Quantity
from froude.mining.arguments import ArgumentMiner, is_open
from froude.mining.assembly import Assembly, EffectFound, assemble
from froude.mining.counts import Fit, collinear, fit_count
from froude.mining.events import Recording, recording_of
from froude.mining.knowledge import BATCHES, OPENS, PIECES
from froude.mining.numbering import renumber
from froude.mining.relocation import relocate
from froude.mining.segments import Item, Loop
from froude.mining.senders import Conventions, senders_of
from froude.mining.structure import Occurrence, TypeFound, find_types
from froude.mining.timing import intervals, start_rules
from froude.trace.types import Trace
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    CallTemplate,
    Effect,
    Finding,
    Interval,
    NodeType,
    Periodic,
    Poll,
    Question,
    Recorded,
    Repeat,
    Rule,
    Scaled,
    Step,
    Unknown,
    Workload,
)

_MOST_PIECES = 4
"""Sizes of pieces that are tried."""
_CERTAIN = 0.95
"""An effect seen for this share of its causes is always there: a capture's end cuts the last ones off."""


def mine(
    traces: Sequence[Trace], *, progress: Progress | None = None, workers: parallel.Workers = 1
) -> Workload:
    """Mine the scale-free pattern of a job.

    Args:
        traces: one a run, at scales as different as possible; several runs at one scale are welcome.
        progress: where to show what is going on.
        workers: decode the traces side by side; see `froude.base.parallel`.

    Returns:
        The workload. What no rule was found for is in its questions; what limits extrapolation in its
        findings.

    Raises:
        InputError: no trace, a trace without payloads, or one whose payloads do not decode.
    """
    if not traces:
        raise InputError(
            "there is nothing to mine", allowed="one trace or more, better three at different scales"
        )
    for number, trace in enumerate(traces, 1):
        if not (trace.meta.fidelity.payload and trace.meta.fidelity.response):
            remedy = "Record with `froude capture proxy`, which sees payloads; an audit log has none"
            raise InputError("has no payloads to mine", place=f"trace {number}", remedy=remedy)
    return mine_recordings(parallel.map(recording_of, traces, workers), progress=progress)


def mine_recordings(recordings: Sequence[Recording], *, progress: Progress | None = None) -> Workload:
    """The same for decoded runs."""
    with (progress or Silent()).task("mining", total=6) as task:
        task.say("senders")
        senders, conventions = senders_of(recordings)
        task.advance()
        task.say("effects")
        relocations = relocate(senders)
        task.advance()
        task.say("node types")
        types, findings = find_types([s for s in senders if s.calls], len(recordings))
        for found in types:
            renumber(found, [recording.scale for recording in recordings])
        task.advance()
        task.say("places")
        assembly = assemble(types, relocations)
        task.advance()
        task.say("arguments")
        builder = _Builder(recordings, conventions, types, assembly)
        node_types = tuple(builder.node_type(found) for found in types)
        task.advance()
        task.say("findings")
        findings = [
            *_scale_findings(recordings),
            *_unknown(recordings),
            *findings,
            *builder.findings,
            *_lost(assembly),
        ]
        task.advance()
    recorded = Recorded(
        tuple(Scale(dict(recording.scale)) for recording in recordings),
        tuple(dict.fromkeys(r.source_id for r in recordings if r.source_id)),
        next((r.release for r in recordings if r.release), ""),
    )
    return Workload(node_types, recorded, tuple(builder.questions), tuple(findings))


class _Builder:
    """Turns what was found into the Workload's values, and collects questions on the way."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        conventions: Conventions,
        types: Sequence[TypeFound],
        assembly: Assembly,
    ) -> None:
        self._scales: list[Mapping[str, Quantity]] = [recording.scale for recording in recordings]
        self._conventions = conventions
        self._assembly = assembly
        self._pieces = _pieces(recordings)
        clusters = {recording.source_id for recording in recordings}
        self._miner = ArgumentMiner(
            assembly.timeline, self._scales, self._pieces, one_cluster=len(clusters) == 1
        )
        self._miner.learn(assembly.all())
        self._intervals = intervals(
            [one for listed in assembly.steps.values() for one in listed], self._scales
        )
        self._starts = start_rules(types, len(recordings))
        self.questions: list[Question] = []
        self.findings: list[Finding] = []

    def node_type(self, found: TypeFound) -> NodeType:
        """A node type with all its templates."""
        sizes = [sum(sender.run == run for sender in found.senders) for run in range(len(self._scales))]
        points = [(scale, float(size)) for scale, size in zip(self._scales, sizes, strict=True)]
        count = self._count(
            found, fit_count(points, name=found.role.name), f"number of {found.name} nodes", sizes
        )
        return NodeType(
            name=found.name,
            count=count,
            steps=self._steps(found, found.pattern),
            periodic=self._periodic(found),
            effects=tuple(
                self._effect(found, effect) for effect in self._assembly.effects.get(found.name, ())
            ),
            start=self._starts[found.name],
            program=found.role.program,
            user=self._user(found),
            caller_context=self._context(found),
        )

    def _steps(self, found: TypeFound, items: Sequence[Item]) -> tuple[Step, ...]:
        calls, loops = iter(range(1, 1 << 30)), iter(range(1, 1 << 30))

        def build(level: Sequence[Item]) -> tuple[Step, ...]:
            made: list[Step] = []
            for item in level:
                if isinstance(item, Loop):
                    name = f"L{next(loops)}"
                    seen = found.times[name]
                    points = [(self._scales[run], float(times)) for run, times in seen]
                    counts = sorted({times for _, times in seen})
                    fit = fit_count(points, pieces=self._pieces)
                    what = f"iterations of {name} in {found.name}"
                    made.append(Repeat(name, self._count(found, fit, what, counts), build(item.body)))
                else:
                    template = f"{found.name}.c{next(calls)}"
                    made.append(self._template(found, template, self._assembly.steps.get(template, []), item))
            return tuple(made)

        return build(items)

    def _template(
        self, found: TypeFound, template: str, occurrences: Sequence[Occurrence], token: object
    ) -> CallTemplate:
        protocol, method, _ = token if isinstance(token, tuple) else ("", str(token), "")
        rules = self._miner.rules(occurrences, found.role.program) if occurrences else {}
        self._ask(found, template, method, rules)
        self._doubt(found, template, method, rules)
        errors = {one.call.event.error for one in occurrences}
        poll: Poll | None = self._conventions.polls.get((protocol, method, ""))
        return CallTemplate(
            id=template,
            protocol=protocol,
            method=method,
            arguments=rules,
            interval=self._intervals.get(template, Interval()),
            poll=poll,
            fails=errors.pop() if len(errors) == 1 else None,
        )

    def _periodic(self, found: TypeFound) -> tuple[Periodic, ...]:
        periods = self._conventions.periods.get(found.role.name, {})
        made = []
        for template, occurrences in sorted(self._assembly.periodic.items()):
            if template.rpartition(".")[0] != found.name:
                continue
            token = occurrences[0].call.token
            call = self._template(found, template, occurrences, token)
            period = periods[token]
            made.append(Periodic(call, period.every_s, period.jitter_s, self._opened_by(found, token[1])))
        return tuple(made)

    def _opened_by(self, found: TypeFound, method: str) -> str | None:
        openers = OPENS.get(method, ())
        for number, token in enumerate(found.automaton.tokens, 1):
            if isinstance(token, tuple) and token[1] in openers:
                return f"{found.name}.c{number}"
        return None

    def _effect(self, found: TypeFound, effect: EffectFound) -> Effect:
        batch = BATCHES.get(effect.token[1])
        return Effect(
            call=self._template(found, effect.template, effect.occurrences, effect.token),
            cause=effect.cause,
            cause_type=effect.cause_type,
            each=effect.channel.each or None,
            owner=effect.channel.owner if not effect.channel.own else None,
            owner_fact=effect.channel.fact or None,
            batch=f"{batch.outer}[0].{batch.inner}" if batch else None,
            share=1.0 if effect.share >= _CERTAIN else effect.share,
        )

    def _user(self, found: TypeFound) -> str | Rule | None:
        """Whose calls they are: one name, or a rule by which nodes have names; a question where none is known."""
        users = {sender.first.user for sender in found.senders}
        if len(users) == 1:
            return users.pop()
        occurrences = _firsts(found)
        values = [one.call.event.user for one in occurrences]
        if not all(values):
            return None
        rule = self._miner.rule(occurrences, values, path="user")
        if is_open(rule):
            text = f"{found.name}: whose calls are they?"
            examples = _examples(rule)
            self.questions.append(
                Question(
                    f"{found.name}:user", text, found.name, path="user", examples=examples, candidates=(rule,)
                )
            )
        return rule

    def _context(self, found: TypeFound) -> Rule | None:
        occurrences = _firsts(found)
        values = [one.call.event.caller_context for one in occurrences]
        if not values or not all(values):
            return None
        rule = self._miner.rule(occurrences, values, path="caller_context")
        return None if isinstance(rule, Unknown) else rule

    def _count(self, found: TypeFound, fit: Fit, what: str, seen: Sequence[int]) -> Count:
        if fit.count is None:
            text = f"{what}: {', '.join(map(str, seen))} fit no count"
            self.findings.append(Finding(text, fatal=True, node_type=found.name))
            return Count(float(median(seen)) if seen else 0.0)
        if fit.others:
            candidates = tuple(Scaled(count) for count in (fit.count, *fit.others))
            text = f"{what}: is it {' or '.join(str(c.count) for c in candidates)}?"
            self.questions.append(Question(f"{found.name}:{what}", text, found.name, candidates=candidates))
        return fit.count

    def _ask(self, found: TypeFound, template: str, method: str, rules: Mapping[str, Rule]) -> None:
        for path, rule in rules.items():
            if is_open(rule):
                examples = _examples(rule)
                text = f"{found.name}: what gives {path} of {method} its value?"
                self.questions.append(
                    Question(f"{template}:{path}", text, found.name, template, path, examples, (rule,))
                )

    def _doubt(self, found: TypeFound, template: str, method: str, rules: Mapping[str, Rule]) -> None:
        for doubt in self._miner.doubts:
            if doubt.template == template and rules.get(doubt.path) == doubt.rule:
                unsure = (
                    "is nearly always the same; what else may it be"
                    if doubt.others
                    else "is not always set; when"
                )
                text = f"{found.name}: {doubt.path} of {method} {unsure}?"
                self.questions.append(
                    Question(
                        f"{template}:{doubt.path}",
                        text,
                        found.name,
                        template,
                        doubt.path,
                        doubt.others,
                        (doubt.rule,),
                    )
                )


def _examples(rule: Rule) -> tuple[bool | int | float | str | bytes | None, ...]:
    if isinstance(rule, Unknown):
        return rule.examples
    parts = [getattr(rule, name, None) for name in ("first", "last", "otherwise")]
    return next((part.examples for part in parts if isinstance(part, Unknown)), ())


def _firsts(found: TypeFound) -> list[Occurrence]:
    """The first call of each sender."""
    firsts: dict[int, Occurrence] = {}
    for one in found.occurrences:
        firsts.setdefault(id(one.sender), one)
    return list(firsts.values())


def _pieces(recordings: Sequence[Recording]) -> tuple[int, ...]:
    """The sizes of pieces that requests asked for, smallest first."""
    found = {
        value
        for recording in recordings
        for event in recording.events
        for path, value in event.request.items()
        if path.rpartition(".")[2] in PIECES and type(value) is int and value > 0
    }
    return tuple(sorted(found)[:_MOST_PIECES])


def _scale_findings(recordings: Sequence[Recording]) -> list[Finding]:
    scales = [recording.scale for recording in recordings]
    made = []
    for name in sorted({name for scale in scales for name in scale}):
        seen = {scale[name] for scale in scales if name in scale}
        if len(seen) == 1:
            what = f"{name} was {next(iter(seen))} in every run: nothing can be said of it at another value"
            made.append(Finding(what, fatal=True, variable=name))
        elif len(seen) == 2:
            what = f"{name} took only two values: any count is a straight line through them"
            made.append(Finding(what, fatal=False, variable=name))
    for one, other in collinear(scales):
        what = f"{one} and {other} rose together: what depends on one cannot be told from the other"
        made.append(Finding(what, fatal=False, variable=other))
    return made


def _unknown(recordings: Sequence[Recording]) -> list[Finding]:
    names = sorted({name for recording in recordings for name in recording.unknown})
    total = sum(sum(recording.unknown.values()) for recording in recordings)
    what = f"{total} calls left out, whose methods the schema does not know: {', '.join(names)}"
    return [Finding(what, fatal=False)] if total else []


def _lost(assembly: Assembly) -> list[Finding]:
    return [
        Finding(
            f"node type {name!r}: the causes of {number} effects follow no pattern",
            fatal=False,
            node_type=name,
        )
        for name, number in sorted(assembly.lost.items())
    ]
