"""The rules of a call template as the source of one Python function, which makes the values that vary from call to call.

The compiled twin of `rules.evaluate`: `emulation.programs.compiled` says why, and what becomes of the values.
"""

from __future__ import annotations

from collections.abc import Mapping

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.workload.occurrences import key_of, of_own_node, qualified
from froude.workload.rules import Special, as_text, derived, evaluate, picked, stand_in
from froude.workload.scale import term_of, variable_at
from froude.workload.types import (
    NODE,
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scaled,
    Side,
    Template,
    Unknown,
    Which,
)
from froude.workload.walk import flows, within

MOST_CHARACTERS = 40_000


def make_source(
    template: CallTemplate, node_type: str, scale: Mapping[str, Quantity]
) -> tuple[str, Mapping[str, object]] | None:
    """The source of `make(node, loops, context, own, shared)`, and the names that it uses.

    The function gives the values of the leaves whose rules are neither constant nor absent, in the template's order:
    those that `stand_in` gives one after another. `own` and `shared` find what was kept of calls, by `key_of`.

    Returns:
        None where the evaluator is to do it: of a template beyond `MOST_CHARACTERS`, and of one with a rule that is
        evaluated within the function and takes of the request itself.
    """
    return _Maker(template, node_type, scale).function()


_NAMES: Mapping[str, object] = {
    **{which.name: which for which in Which},
    **{special.name: special for special in Special},
    "as_text": as_text, "derived": derived, "evaluate": evaluate, "picked": picked,
    "qualified": qualified, "stand_in": stand_in,
}  # fmt: skip


class _Maker:
    """Writes the function that makes a template's varying values."""

    def __init__(self, template: CallTemplate, node_type: str, scale: Mapping[str, Quantity]) -> None:
        self._template = template
        self._node_type = node_type
        self._scale = scale
        self._lines: list[str] = []
        self._names: dict[str, object] = dict(_NAMES)
        self._indices: dict[str, str] = {}
        self._found: dict[tuple[str, Which, bool], str] = {}
        """Variables that hold what a look-up found, by call and side, occurrence, and whether all nodes share it."""
        self._done: dict[str, str] = {}
        """Expressions of the leaves so far, by path."""
        self._temporary = 0
        self._rare = False
        """Whether a rule that is evaluated takes of the request being made."""

    def function(self) -> tuple[str, Mapping[str, object]] | None:
        """Its source, and the names that the source has."""
        head = "def make(node, loops, context, own, shared):"
        results = list[str]()
        for path, rule in self._template.arguments.items():
            if isinstance(rule, Constant | Absent):
                self._done[path] = self._expression(rule)
                continue
            comment = (
                f"  # {path}" if path.isprintable() else ""
            )  # a path comes from a file: no line of its own
            self._lines.append(f"v{len(results)} = {self._expression(rule)}{comment}")
            self._done[path] = f"v{len(results)}"
            results.append(f"v{len(results)}")
        indices = [f"{name} = loops.get({loop!r}, 0)" for loop, name in self._indices.items() if loop != NODE]
        result = f"return ({''.join(f'{name}, ' for name in results)})"
        source = "\n    ".join([head, *indices, *self._lines, result])
        return None if self._rare or len(source) > MOST_CHARACTERS else (source, self._names)

    def _bound(self, value: object) -> str:
        """A name for a value that has no source of its own, such as a rule."""
        name = f"r{len(self._names) - len(_NAMES)}"
        self._names[name] = value
        return name

    def _expression(self, rule: Rule, *, whole: bool = True) -> str:
        """An expression of a rule's value.

        Args:
            rule: which; one without a form here is evaluated through the context.
            whole: it is a leaf, for which an example stands in; not a part of a text.
        """
        match rule:
            case Constant(value):
                return self._constant(value)
            case Absent():
                return "ABSENT"
            case Counter() | Scaled():
                return self._number(rule) or self._evaluated(rule, whole=whole)
            case Template():
                return self._text(rule)
            case Flow():
                return self._flow(rule)
            case NodeFact(fact):
                return f"context.fact({fact!r})"
            case Generated():
                return f"context.generated({self._bound(rule)})"
            case Cases():
                return self._case(rule, whole=whole)
            case Cycle(values, counter):
                place = self._number(counter)
                return (
                    self._evaluated(rule, whole=whole)
                    if place is None
                    else f"{self._bound(values)}[({place}) % {len(values)}]"
                )
            case Unknown(examples):
                return self._constant(examples[0]) if whole and examples else "UNRESOLVED"

    def _evaluated(self, rule: Rule, *, whole: bool) -> str:
        self._rare |= any(
            flow.call == self._template.id and flow.side is Side.REQUEST for flow in flows(rule)
        )
        return f"{'stand_in' if whole else 'evaluate'}({self._bound(rule)}, context)"

    def _constant(self, value: object) -> str:
        return repr(value) if type(value) in {bool, int, str, bytes, type(None)} else self._bound(value)

    def _index(self, name: str) -> str:
        return "node" if name == NODE else self._indices.setdefault(name, f"i{len(self._indices)}")

    def _case(self, rule: Cases, *, whole: bool) -> str:
        text = self._expression(rule.otherwise, whole=whole)
        if rule.last is not None:
            text = (
                f"({self._expression(rule.last, whole=whole)} if context.is_last({rule.index!r}) else {text})"
            )
        if rule.first is not None:
            text = (
                f"({self._expression(rule.first, whole=whole)} if {self._index(rule.index)} == 0 else {text})"
            )
        return text

    def _number(self, rule: Counter | Scaled) -> str | None:
        """A number in terms of indices; None where the Scale lacks what it needs, which `evaluate` states."""
        try:
            if isinstance(rule, Scaled):
                return str(rule.count.whole_at(self._scale))
            constant, terms = rule.base, []
            for name, step in rule.steps.items():
                term = term_of(name)
                each = round(variable_at(term.names[0], self._scale)) if len(term.names) > 1 else 1
                last = term.names[-1]
                if last in self._scale:
                    number = round(variable_at(last, self._scale))
                    constant += step * int(term.folded(each * number, self._scale))
                    continue
                value = f"{each} * {self._index(last)}" if each != 1 else self._index(last)
                if term.fold:
                    size = term.group_size(self._scale)
                    value = f"int(({term.factor} * {value} + {term.plus}) {term.fold} {size!r})"
                terms.append(f"{step} * {value}" if step != 1 else value)
        except InputError:
            return None
        return " + ".join([*terms, *([str(constant)] if constant or not terms else [])])

    def _text(self, rule: Template) -> str:
        """A text of parts, unresolved where one is; parts that draw numbers are evaluated one and all, as ever."""
        if any(isinstance(each, Generated) for each in within(rule)):
            return self._evaluated(rule, whole=True)
        pieces, unknown = [], []
        for part in rule.parts:
            if isinstance(part, str):
                pieces.append(_in_text(part))
            elif isinstance(part, Counter) and (number := self._number(part)) is not None:
                pieces.append(self._digits(part, number))
            else:
                name = f"t{self._temporary}"
                self._temporary += 1
                unknown.append(
                    f"({name} := as_text({self._bound(part)}, {self._expression(part, whole=False)})) is None"
                )
                pieces.append(f"{{{name}}}")
        text = f"f'{''.join(pieces)}'"
        return f"(UNRESOLVED if {' or '.join(unknown)} else {text})" if unknown else text

    def _digits(self, part: Counter, number: str) -> str:
        if part.radix == 10:
            return f"{{{number}:0{part.width}d}}" if part.width else f"{{{number}}}"
        return f"{{{self._bound(part)}.digits({number})}}"

    def _flow(self, rule: Flow) -> str:
        if rule.which is Which.CAUSE:
            return f"context.flow({self._bound(rule)})"
        if rule.call == self._template.id and rule.side is Side.REQUEST and rule.which is Which.SAME:
            value = self._done.get(rule.path, "UNRESOLVED")
            return self._derived(
                f"(UNRESOLVED if {value} is ABSENT else {value})"
                if value[0] == "v"
                else "UNRESOLVED"
                if value == "ABSENT"
                else value,
                rule,
            )
        found = self._found_by(rule)
        if "[{each}]" not in rule.path:
            return self._derived(f"(UNRESOLVED if {found} is None else {found}[{rule.path!r}])", rule)
        element = "None" if rule.element is None else self._number(rule.element)
        if element is None:
            return f"context.flow({self._bound(rule)})"
        return self._derived(f"picked({found}, {rule.path!r}, {element})", rule)

    def _derived(self, value: str, rule: Flow) -> str:
        return value if rule.part is None and not rule.plus else f"derived({value}, {self._bound(rule)})"

    def _found_by(self, rule: Flow) -> str:
        """A variable with what is kept of the occurrence that a flow means; looked up once, before the leaf."""
        own = of_own_node(rule, self._node_type)
        key = key_of(rule.call, rule.side), rule.which, own
        if key not in self._found:
            name = self._found[key] = f"k{len(self._found)}"
            place = (
                "loops"
                if own
                else f"qualified({self._node_type!r}, node, loops, effect=context.cause is not None)"
            )
            memory = "own" if own else "shared"
            self._lines.append(f"{name} = {memory}.find({key[0]!r}, {rule.which.name}, {place})")
        return self._found[key]


def _in_text(text: str) -> str:
    """A text as it stands within an f-string of single quotes."""
    escaped = text.encode("unicode_escape").decode()
    return escaped.replace("'", "\\'").replace("{", "{{").replace("}", "}}")
