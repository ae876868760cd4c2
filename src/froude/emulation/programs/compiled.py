"""Call templates compiled to Python: what a request is made of, as a function; and what is read of an answer.

**Three functions a template.** Interpreted, a call costs a walk over its rules, a tree of its leaves, a protobuf
message and its serialisation. Of all of that only few values differ from call to call, and which do follows from the
types of the rules. So each template becomes, when its first call is due:

1. `make(node, loops, context, own, shared)`: the varying values, in the order of the leaves (`workload.rule_code`). A
   counter is arithmetic on the node's number and the loops' iterations; a text an f-string; the flows from one
   occurrence of a call share one look-up; a case is a conditional expression. What follows from the Scale alone is a
   number in the source.
2. `encode(v0, v1, ...)`: their bytes, between constant ones (`messages.encoder`), for each set of leaves that are
   there: a file's first addBlock has no `previous`, the next one has. There are at most `MOST_SHAPES` of these.
3. `read(message)`: of a request or an answer the leaves that some flow takes later, as `paths.value_at` finds them.
   What a request holds is at hand already: `pick(v0, v1, ...)` keeps it without reading.

**Same bytes.** The rules' evaluator (`workload.rules`), `leaves.build` and `paths.value_at` define what is right, and
remain for all that is rare: a rule that has no form here is evaluated within the generated function, through the same
context; an encoder gives None for a value that is not of its field's own type, and `build` then encodes it or states
what is wrong with it. Values are made once on either way, so that generators draw the same numbers. An unknown's
example, the stand-in for a rule that is missing, is a constant of the source.

**Why source text.** Closures cost a Python call a rule, and cannot be read; source is checked by eye: `listing` gives
all of it for a play. It is made of field names, numbers and quoted texts only. An encoder is bounded by
`MOST_LEAVES` of a message, `make` by `MOST_CHARACTERS`, beyond which a template is interpreted; `read` and `pick` have
a line or an item for each leaf that is taken.

Answers are decoded by protobuf's own C code, which a walk over their bytes in Python does not reach. An answer of which
nothing is taken is not decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.emulation.programs.context import NodeContext
from froude.emulation.programs.memory import Memory, Wanted
from froude.emulation.programs.population import Population, service_named
from froude.messages.encoder import Encode, Slot, compiled, encoder
from froude.messages.leaves import build
from froude.workload.occurrences import Loops, key_of
from froude.workload.paths import Values, reader, value_at
from froude.workload.rule_code import make_source
from froude.workload.rules import Special, Value, stand_in
from froude.workload.types import (
    Absent,
    Actor,
    CallTemplate,
    Constant,
    Flow,
    Generated,
    Side,
)
from froude.workload.walk import templates, within

MOST_SHAPES = 8
"""Sets of leaves for which a template has an encoder."""
Make = Callable[[int, Loops, NodeContext, Memory, Memory], tuple[Value, ...]]


class Kept(NamedTuple):
    """What is kept of one side of a call, and for whom."""

    key: str
    """Under which memories have it (`memory.key_of`)."""
    own: Wanted | None
    shared: Wanted | None
    read: Callable[[Message], Values]
    nothing: Values
    """Of an error: every leaf is absent."""
    addressed: bool
    """Whether it is kept whom a request is addressed to."""


class Compiled:
    """A template in a play; see the module."""

    __slots__ = (
        "_response", "_shapes", "constants", "delicate", "effects", "encode", "kept", "kinds",
        "listens", "made", "make", "paths", "pick", "served", "service", "sources", "template",
        "watchers",
    )  # fmt: skip

    def __init__(self, template: CallTemplate, node_type: str, population: Population) -> None:
        """Compile a template.

        Args:
            template: of a node type of the play.

        Raises:
            InputError: the release under test has no such method.
        """
        self.template = template
        self.sources: list[str] = []
        self.kinds = population.schema.method(template.protocol, template.method)
        rules = template.arguments
        self.constants = {path: rule.value for path, rule in rules.items() if isinstance(rule, Constant)}
        self.paths = tuple(path for path, rule in rules.items() if not isinstance(rule, Constant | Absent))
        self.delicate = _delicate(template)
        """Leaves whose values cannot be replaced once they are made: a rule draws numbers for one, or takes it."""
        source = make_source(template, node_type, population.plan.scale)
        if source is None:
            head = "def make(node, loops, context, own, shared):\n    return interpreted(template, context)"
            source = head, {"interpreted": interpreted, "template": template}
        self.make: Make = self._compiled(*source)
        self._shapes: dict[tuple[bool, ...], Encode | None] = {}
        self.encode = self.shape((True,) * len(self.paths))
        """Of a message with all leaves; None where `leaves.build` is to make it."""
        self.kept: dict[Side, Kept] = {}
        """Only sides of which something is kept."""
        for side, kind in ((Side.REQUEST, self.kinds.request), (Side.RESPONSE, self.kinds.response)):
            own, shared = (
                needs.get(template.id, {}).get(side)
                for needs in (population.needs.own, population.needs.shared)
            )
            paths = sorted(set().union(*(each.paths for each in (own, shared) if each is not None)))
            if paths:
                addressed = side is Side.REQUEST and template.id in population.needs.addressed
                read = self._compiled(*reader(kind.DESCRIPTOR, paths))  # type: ignore[arg-type]
                nothing = dict.fromkeys(paths, Special.ABSENT)
                self.kept[side] = Kept(key_of(template.id, side), own, shared, read, nothing, addressed)
        effects = population.effects_of(node_type, template.id)
        self.effects = {
            answered: [effect for effect in effects if (effect[2].actor is not Actor.CALLEE) is answered]
            for answered in (False, True)
        }
        """Those of its request, which wait for no answer, and those of its answer."""
        self.watchers = population.watchers(template.method)
        self.listens = bool(
            template.poll
            or template.confirmed_by
            or self.effects[True]
            or self.watchers
            or Side.RESPONSE in self.kept
        )
        """Whether something follows from what an answer says."""
        self.made = population.made.leaf(node_type, template.method)
        """The leaf of the request that says what the call makes, where others wait for such."""
        self.service = service_named(template)
        self.served = population.target(self.service) is not None
        """Whether the play has a target for it."""
        self._response: Callable[[bytes], Message] = self.kinds.response.FromString
        self.pick = self._picker()
        """What is kept of a request that has all leaves, from its values; None where it is to be read."""

    def response(self, body: bytes | memoryview) -> Message:
        """An answer's message.

        Raises:
            InputError: it does not decode.
        """
        try:
            return self._response(bytes(body))
        except DecodeError as error:
            raise InputError("an answer does not decode", place=self.template.id, found=str(error)) from error

    def shape(self, given: tuple[bool, ...]) -> Encode | None:
        """The encoder for messages in which some varying leaves are not there; None where there is none."""
        if given not in self._shapes:
            if len(self._shapes) >= MOST_SHAPES:
                return None
            there = {path: Slot(number) for number, path in enumerate(self.paths) if given[number]}
            filled = there | self.constants
            leaves = {path: filled[path] for path in self.template.arguments if path in filled}
            made = encoder(self.kinds.request, leaves, len(self.paths))
            self._shapes[given] = None if made is None else made.encode
            if made is not None:
                self.sources.append(made.source)
        return self._shapes[given]

    def binds(self, promised: Mapping[str, Value]) -> bool:
        """Whether arguments that are promised can be put in place of values that `make` gave.

        Args:
            promised: by leaf path.
        """
        return all(
            self.constants[path] == value if path in self.constants else path not in self.delicate
            for path, value in promised.items()
        )

    def named(self, values: Sequence[Value]) -> dict[str, Value]:
        """The values of all leaves, in the order of the template."""
        known = {**self.constants, **dict(zip(self.paths, values, strict=True))}
        return {path: known.get(path, Special.ABSENT) for path in self.template.arguments}

    def _picker(self) -> Callable[..., Values] | None:
        kept = self.kept.get(Side.REQUEST)
        slots = {path: f"v{number}" for number, path in enumerate(self.paths)}
        if (
            kept is None
            or self.encode is None
            or not kept.nothing.keys() <= slots.keys() | self.constants.keys()
        ):
            return None
        try:
            constant = build(self.kinds.request, self.constants)
        except InputError:  # a list of which some elements vary has a gap without them
            return None
        items = ", ".join(
            f"{path!r}: {slots.get(path) or _quoted(value_at(constant, path))}" for path in kept.nothing
        )
        return self._compiled(f"def pick({', '.join(slots.values())}):\n    return {{{items}}}", {})  # type: ignore[no-any-return]

    def _compiled(self, source: str, names: Mapping[str, object]) -> Any:
        self.sources.append(source)
        return compiled(source, names)


class Calls:
    """The compiled templates of a play, each made when it is first asked for."""

    def __init__(self, population: Population) -> None:
        """None is compiled yet; see `Population.common`."""
        self._population = population
        self._compiled: dict[str, Compiled] = {}

    def of(self, template: CallTemplate, node_type: str) -> Compiled:
        """A template, compiled.

        Args:
            template: of a node type of the play.

        Raises:
            InputError: the release under test has no such method.
        """
        known = self._compiled.get(template.id)
        if known is None or known.template is not template:
            known = self._compiled[template.id] = Compiled(template, node_type, self._population)
        return known


def interpreted(template: CallTemplate, context: NodeContext) -> tuple[Value, ...]:
    """The varying values of a template by the evaluator: what every `make` is to give."""
    values: dict[str, Any] = {}
    context.making = (template.id, values)
    out = []
    for path, rule in template.arguments.items():
        value = stand_in(rule, context)
        if not isinstance(value, Special):
            values[path] = value
        if not isinstance(rule, Constant | Absent):
            out.append(value)
    return tuple(out)


def listing(population: Population) -> str:
    """All code that is generated for a play, as text: what a debugger of a template wants to read."""
    parts = []
    for node_type in population.types.values():
        for template in templates(node_type):
            parts += [
                f"# {template.id} {template.method}",
                *population.common(Calls).of(template, node_type.name).sources,
                "",
            ]
    return "\n".join(parts)


def _delicate(template: CallTemplate) -> frozenset[str]:
    rules = template.arguments
    own = {
        rule.path
        for each in rules.values()
        for rule in within(each)
        if isinstance(rule, Flow) and rule.call == template.id
    }
    drawn = {
        path for path, rule in rules.items() if any(isinstance(each, Generated) for each in within(rule))
    }
    return frozenset(own | drawn)


def _quoted(value: Value) -> str:
    if isinstance(value, Special):
        return value.name
    return f"float('{value!r}')" if isinstance(value, float) else repr(value)
