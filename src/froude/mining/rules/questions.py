"""What a person is asked: where no rule was found, where a few calls differ from it, where several fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from froude.mining.counts import Fit
from froude.mining.rules.arguments import is_open
from froude.mining.rules.doubtful_rules import Doubt
from froude.workload.scale import Count
from froude.workload.types import (
    NODES,
    START,
    STEPS,
    Absent,
    Constant,
    Counter,
    NodeType,
    Question,
    Rule,
    Scalar,
    Scaled,
    StartRule,
    Step,
    Template,
    Unknown,
)
from froude.workload.walk import fold, within

_MANY = 0.05
"""Share of a type's calls that may fit no common pattern before its steps are asked about."""

_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
"""A date as one number."""
_BEFORE = re.compile(
    r"(?:19|20)[0-9]{2}([-_/]?)(?:m(?:onth|m)?=)?(?:0?[1-9]|1[0-2])\1(?:d(?:ay|d)?=)?"
    r"(?:(?:0?[1-9]|[12][0-9]|3[01])[-_/T ]?(?:h(?:our|h)?=)?)?$"
)
"""A year and a month at the end of a text, before the day; or a date, before the hour."""


class Questions:
    """The questions of a workload, in the order in which they come up."""

    def __init__(self) -> None:
        """None yet."""
        self.asked: list[Question] = []

    def number(self, node_type: str, what: str, fit: Fit, rivals: Sequence[Count] = ()) -> None:
        """Ask which formula a number of nodes or iterations follows, where that is not sure.

        Args:
            node_type: name of the type that it is of.
            what: what is counted, in words.
            fit: what was found, with a count.
            rivals: further formulas that fit as well.
        """
        if fit.count is None or (fit.sure and not fit.others and not rivals):
            return
        by_text = {str(count): count for count in (fit.count, *fit.others, *rivals)}
        candidates = tuple(map(Scaled, by_text.values()))
        text = f"{what}: is it {' or '.join(str(c.count) for c in candidates)}?"
        self.asked.append(Question(f"{node_type}:{what}", text, node_type, candidates=candidates))

    def start(self, node_type: str, rule: StartRule, other: StartRule) -> None:
        """Ask what nodes wait for, where each may wait for one or all for all nodes of another type.

        Args:
            node_type: name of the type whose nodes wait.
            rule: the rule that is written.
            other: the one that explains the starts as well.
        """
        text = (
            f"{node_type}: do all wait for all of {rule.after}, or each for the one of its own number? "
            f"A small run in which one of {rule.after} has much more to do than the others shows it"
        )
        candidates = tuple(
            Constant("each for its own" if each.follows else "all for all") for each in (rule, other)
        )
        self.asked.append(Question(f"{node_type}:start", text, node_type, path=START, candidates=candidates))

    def drawn(self, node_type: str, what: str, seen: str, rule: Rule) -> None:
        """Ask how often a loop runs where no formula says so.

        Args:
            node_type: name of the type that has the loop.
            what: is counted, in words.
            seen: what was seen, in words.
            rule: draws a number from the range seen.
        """
        text = f"{what}: {seen}; which formula, or is it drawn from that range?"
        self.asked.append(Question(f"{node_type}:{what}", text, node_type, candidates=(rule,)))

    def deviating(self, node_type: str, calls: int, total: int) -> None:
        """Ask for the steps of a type of whose calls many fit no common pattern.

        Args:
            calls: how many.
            total: of how many.
        """
        if calls > _MANY * total:
            text = f"{node_type}: {calls} of {total} calls fit no common pattern; are its steps right as they are?"
            self.asked.append(about_steps(node_type, text))

    def steps(self, node_type: NodeType) -> NodeType:
        """Ask for the steps of a type that was at work when recordings ended, where some loop has no sure number.

        Returns:
            The type; where its steps are asked about, their numbers are that question, and no rivals stand beside them.
        """
        name = node_type.name
        loops = [each for each in self.asked if each.node_type == name and each.number not in {None, NODES}]
        if not loops:
            return node_type
        known = [each for each in self.asked if each.node_type == name and each.path == STEPS]
        self.asked = [each for each in self.asked if each not in (*loops, *known)]
        text = f"{name}: was at work when recordings ended, and would have gone on; are its steps right as they are?"
        self.asked.append(about_steps(name, text))
        steps: list[Step] = fold(
            node_type.steps, lambda call: call, lambda loop, body: replace(loop, steps=tuple(body), rivals=())
        )
        return replace(node_type, steps=tuple(steps))

    def user(self, node_type: str, rule: Rule) -> None:
        """Ask whose calls a type's are, where the rule is open.

        Args:
            rule: of the users' names.
        """
        if is_open(rule):
            text = f"{node_type}: whose calls are they?"
            asked = f"{node_type}:user"
            self.asked.append(
                Question(asked, text, node_type, path="user", examples=_examples(rule), candidates=(rule,))
            )

    def unknown(self, node_type: str, template: str, method: str, rules: Mapping[str, Rule]) -> None:
        """Ask what gives arguments their values, where a rule is open.

        Args:
            node_type: name of the type that makes the call.
            rules: of its arguments, and of whom it calls.
        """
        for path, rule in rules.items():
            if is_open(rule):
                text = f"{node_type}: what gives {path} of {method} its value?"
                self.asked.append(
                    Question(f"{template}:{path}", text, node_type, template, path, _examples(rule), (rule,))
                )

    def doubtful(
        self, node_type: str, template: str, method: str, rules: Mapping[str, Rule], doubts: Iterable[Doubt]
    ) -> None:
        """Ask about arguments whose rule is in doubt, once of each; what is open is asked otherwise.

        Args:
            node_type: name of the type that makes the call.
            doubts: of any call; those of this one count, about rules that still stand.
        """
        asked = {path for path, rule in rules.items() if is_open(rule)}
        for path, dated in rules.items():
            if path not in asked and any(map(counts_days, within(dated))):
                asked.add(path)
                text = f"{node_type}: {path} of {method} counts on within a date; what comes after the last day or hour?"
                name = f"{template}:{path}"
                self.asked.append(Question(name, text, node_type, template, path, (), (dated,)))
        for doubt in doubts:
            rule = rules.get(doubt.path) if doubt.template == template else None
            # A doubt about the rule of all iterations but the first is one about the whole.
            if rule is None or doubt.path in asked or doubt.rule not in within(rule):
                continue
            asked.add(doubt.path)
            text = f"{node_type}: {doubt.path} of {method} {_unsure(doubt)}?"
            always_set = (
                doubt.others or doubt.equals or doubt.thin or doubt.below_ten or doubt.longer or doubt.clock
            )
            candidates = (rule, *doubt.equals) if always_set else (rule, Absent())
            name = f"{template}:{doubt.path}"
            self.asked.append(Question(name, text, node_type, template, doubt.path, doubt.others, candidates))


def about_steps(node_type: str, text: str) -> Question:
    """A question about all steps of a node type."""
    return Question(f"{node_type}:steps", text, node_type, path=STEPS, candidates=(Constant("as mined"),))


def counts_days(rule: Rule) -> bool:
    """Whether a text has a number that counts on beyond a date: days (`dt=2026-01-` and 31, 32; 20260131) or hours."""
    parts = rule.parts if isinstance(rule, Template) else ()
    return any(
        isinstance(number, Counter | Scaled)
        and ((isinstance(text, str) and _BEFORE.search(text) is not None) or _is_date(number))
        for text, number in pairwise(("", *parts))
    )


def _is_date(number: Counter | Scaled) -> bool:
    """Whether a counter begins with a date as one number, as `20260128`."""
    return isinstance(number, Counter) and _DATE.fullmatch(str(number.base)) is not None


def _unsure(doubt: Doubt) -> str:
    """What is in doubt, in words."""
    if doubt.equals:
        return "follows from the Scale, or from an answer, in more than one way; which is it"
    if doubt.thin:
        return "was seen at two nodes or rounds alone; what is it at others"
    if doubt.below_ten:
        return "may be the length of a text with a number in it that had one digit; how long is it with more digits"
    if doubt.clock:
        return "is a time of the node's own clock; how often is that read again"
    if doubt.longer:
        return "stands in a list that is longer at some sizes; what have further elements"
    if doubt.others:
        return "is nearly always the same; what else may it be"
    return "is not always set; when"


def _examples(rule: Rule) -> tuple[Scalar, ...]:
    return next((part.examples for part in within(rule) if isinstance(part, Unknown)), ())
