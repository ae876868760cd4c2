"""The Workload's values: node types made of steps, steps made of call templates, templates made of rules.

The terms are those of PatternMiner (III.B): a *segment* is static (a run of calls) or repeated (`Repeat`),
a *periodic* call belongs to real time rather than to the logical sequence, a *relocated* call is one whose
place follows from another node's call (`Effect`), and an argument follows a regular pattern (constant,
counter, template), an information flow (`Flow`), a named generator, or is unknown and becomes a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from froude.base.summary import Summarised, counted
from froude.base.units import Quantity
from froude.workload.container import Awaited as Awaited  # noqa: PLC0414 - a value of a call template
from froude.workload.container import Container as Container  # noqa: PLC0414 - a value of a node type
from froude.workload.scale import NODE as NODE  # noqa: PLC0414 - an index of these rules, too
from froude.workload.scale import Count
from froude.workload.start import Moment as Moment  # noqa: PLC0414 - values of a node type, too
from froude.workload.start import StartRule as StartRule  # noqa: PLC0414
from froude.workload.timing import Timing as Timing  # noqa: PLC0414 - a value of a call template, too

Scalar = bool | int | float | str | bytes | None
"""A leaf's value; None stands for a message that is present and empty (leaf path `name{}`)."""

LETTERS = 26
"""Base of counters whose digits are letters: `aa`, `ab`, ... `ba`, as `split` names its parts."""

NODES = "nodes"
"""In place of a loop's id: a question about how many nodes of a type there are."""
_NUMBERED = re.compile(r"(?:the )?(?:iterations of (?P<loop>\S+)|number of )")

START = "(start)"
"""Likewise, of a question: about what nodes wait for."""

STEPS = "(steps)"
"""Likewise: about the order and the number of all calls that a type makes, effects apart."""

EACH = "{each}"
"""In a leaf path: the number of an element of a list."""

CALLEE = "(callee)"
"""In place of a leaf path: a question about whom a call is addressed to, not about an argument."""

CALLEE_HOST, CALLEE_PORT = f"{CALLEE}.host", f"{CALLEE}.port"
"""Likewise, of a flow: where the source call was addressed to, not what stands in it."""

SCRIPTED = "scripted"
"""The program of a node that follows the steps of its node type; every other program has a module of its own."""
LAUNCHER = "container-launcher"
"""The program of the ResourceManager's own calls to NodeManagers."""
MAKES = {"create": "src", "complete": "src", "mkdirs": "src", "rename": "dst", "rename2": "dst"}
"""Methods after which a path is there, or is whole, and the leaf of the request that names it."""


# --- argument rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value in every call."""

    value: Scalar


@dataclass(frozen=True, slots=True)
class Absent:
    """The field is not set."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A whole number linear in indices: `base + Σ step·index`."""

    base: int
    steps: Mapping[str, int]
    """Step by index: `node`, or the id of an enclosing `Repeat`; `files*node` is the index times a Scale variable,
    as in numbers that go on from node to node; `L1%3` and `L1//folders` are its place in a group and the group's
    number. A variable alone, or its groups, is where numbers begin: from `files` down."""
    width: int = 0
    """Digits it is padded to with zeros inside a template; 0 for none."""
    radix: int = 10
    """Base of its digits inside a template: 10, 16, or `LETTERS`."""

    def digits(self, number: int) -> str:
        """A value of it as it stands inside a template."""
        if self.radix == LETTERS:
            return _letters(number).rjust(self.width, "a")
        return (format(number, "x") if self.radix == 16 else str(number)).zfill(self.width)


def _letters(number: int) -> str:
    """A whole number to base 26, a for 0; what is below zero has its minus."""
    rest, digits = abs(number), ""
    while rest or not digits:
        rest, digit = divmod(rest, LETTERS)
        digits = chr(ord("a") + digit) + digits
    return f"-{digits}" if number < 0 else digits


@dataclass(frozen=True, slots=True)
class Scaled:
    """A whole number that follows from the Scale."""

    count: Count
    width: int = 0
    """Digits it is padded to with zeros inside a template; 0 for none."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Values that take turns: `day`, `night`, `day`; the teams that users are dealt out to."""

    values: tuple[Scalar, ...]
    """At least one."""
    counter: Counter
    """What it gives, modulo their number, is the place of the one whose turn it is."""


@dataclass(frozen=True, slots=True)
class Template:
    """Text made of fixed parts and rules, joined."""

    parts: tuple[str | Rule, ...]


class Side(Enum):
    """Which half of a call a value flows from."""

    REQUEST = "request"
    RESPONSE = "response"


class Which(Enum):
    """Which occurrence of the source call, seen from the call that takes the value; see `workload.occurrences`.

    Requests are in the order in which they were sent, responses in the order in which they arrived.
    """

    SAME = "same"
    """The latest in the same iteration of the loops both are in."""
    PREVIOUS = "previous"
    """The latest in the iteration before, of the innermost loop both are in."""
    FIRST = "first"
    """The first; of another type the first that any of its nodes made."""
    LAST = "last"
    """The latest; of another type the latest that any of its nodes made."""
    NTH = "nth"
    """The one at the taking call's own iteration numbers, in other loops; of another type the one that the node of
    the same number made at the same iteration numbers."""
    CAUSE = "cause"
    """The call that caused this effect; `{each}` in the path stands for the element it is for."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """One of the parts that a character divides a text into."""

    separator: str
    number: int
    """Which part, from 0."""

    def __post_init__(self) -> None:
        if len(self.separator) != 1 or self.number < 0:
            raise ValueError("a separator of one character, and a number from 0")


@dataclass(frozen=True, slots=True)
class Flow:
    """A value taken from an earlier call: the paper's information flow."""

    call: str
    """Id of the call template it comes from."""
    side: Side
    path: str
    """Leaf path in that request or response; may hold `{each}` in an effect, of nested lists first for the outer one,
    and where `element` counts."""
    which: Which = Which.SAME
    node_type: str | None = None
    """The type of the node that made the source call; None for the same node."""
    plus: int = 0
    """Added to a whole number; 0 for a plain copy."""
    element: Counter | Scaled | None = None
    """Which element of a list `{each}` stands for, as in a loop over the files of a listing; None in an effect."""
    part: TextPart | None = None
    """Which part of a text is taken; None for all of it."""


@dataclass(frozen=True, slots=True)
class NodeFact:
    """A fact of the emulated node itself that a real one would read from its own machine."""

    fact: str
    """`address`, `hostname`, `uuid`, `port`, `storage`, …; the player supplies it."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A value of a named generator (`froude.workload.generators`): random by nature, of known form."""

    generator: str
    parameters: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cases:
    """Another rule at the first or last iteration: `previous` is absent from a file's first addBlock."""

    index: str
    """Id of the `Repeat` whose iteration decides."""
    first: Rule | None
    """Rule of iteration 0; None for no difference."""
    last: Rule | None
    """Rule of the last iteration; None for no difference."""
    otherwise: Rule


@dataclass(frozen=True, slots=True)
class Unknown:
    """No rule was found; plays use an example, predictions count a miss."""

    examples: tuple[Scalar, ...]
    """Up to five distinct values seen."""


Rule = Constant | Absent | Counter | Scaled | Cycle | Template | Flow | NodeFact | Generated | Cases | Unknown


# --- calls and segments -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Poll:
    """The call is repeated until its answer has a value: `complete` until the file is replicated."""

    path: str
    """Leaf of the response."""
    until: Scalar
    """The value that ends the polling; of a whole number any from it on, as of a state that was passed by."""
    every_s: float = 0.4
    """Mean pause before the next attempt, seconds."""

    def ended_by(self, value: object) -> bool:
        """Whether an answer ends it."""
        if type(value) is int and type(self.until) is int:
            return value >= self.until
        return value == self.until


@dataclass(frozen=True, slots=True)
class Wait:
    """What another node must have made before a call is sent: a consumer's, of what a producer writes."""

    argument: str
    """Leaf of the waiting call's request: a path."""
    up: int
    """How many folders above that path the one stands that is waited for; 0 for the path itself."""
    method: str
    """Method of the call that makes it, which must have been answered."""
    made: str
    """Leaf of that call's request which says what it makes."""
    node_type: str
    """The type of the nodes that make it."""

    def path(self, value: str) -> str:
        """What is waited for, where the argument has this value."""
        return value.rsplit("/", self.up)[0]


@dataclass(frozen=True, slots=True)
class CallTemplate:
    """One call of the pattern."""

    id: str
    """Unique in the workload, for example `client.c3`."""
    protocol: str
    method: str
    arguments: Mapping[str, Rule]
    """Rule by leaf path of the request, in the message's order."""
    timing: Timing = field(default_factory=Timing)
    poll: Poll | None = None
    fails: str | None = None
    """Exception class that this call got every time it was recorded; None where it succeeds."""
    service: str = ""
    """The service that is called, such as `namenode`; empty where a workload knows only one."""
    callee: Rule | None = None
    """Rule of the called daemon's address, where a service has many (NodeManagers); None for the service's only one."""
    after: Wait | None = None
    """What it waits for, beside the answer to the node's call before; None for nothing."""
    confirmed_by: str | None = None
    """Leaf of the answer, such as `result`, that was true whenever it was recorded: false says that nothing was done."""
    awaits: Awaited | None = None
    """What the step of an application master waits for: it commits its job when its tasks are through. None for
    nothing."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repeated segment."""

    id: str
    """Name of the iteration index within the node type, for example `L1`."""
    times: Count
    """Iterations; may depend on the node's number (`workload.scale.at_node`) and on the rounds of the loops around it
    (`workload.rounds`)."""
    steps: tuple[Step, ...]
    drawn: Generated | None = None
    """What draws the number of iterations where only timing moves it; `times` is then the usual one."""
    rivals: tuple[Count, ...] = ()
    """Further formulas that fit all recordings as well as `times`, the simplest; none that a person has decided on."""
    each: Flow | None = None
    """A leaf, with `{each}`, of the list in an earlier answer that has an element for each iteration; `times` is then
    the number that is assumed as long as that answer is not there."""


Step = CallTemplate | Repeat


@dataclass(frozen=True, slots=True)
class Periodic:
    """A call of real time: made every so often while the node lives."""

    call: CallTemplate
    every_s: float
    """Median period, seconds."""
    jitter_s: float = 0.0
    """Median absolute deviation of the period, seconds."""
    opened_by: tuple[str, ...] = ()
    """Made only while something is open (renewLease while a file is written): ids of the calls that open it; none for
    always."""
    closed_by: tuple[str, ...] = ()
    """Ids of the calls that close what `opened_by` opened."""
    pause_s: float | None = None
    """Median seconds from an answer to the next call, where the sender waits that long after it (a fixed delay); None
    where calls come at a fixed rate, however long answers take."""


class Actor(Enum):
    """Which node makes an effect's call."""

    SELF = "self"
    """The node that made the causing call, once it is answered."""
    OWNER = "owner"
    """The node that the cause's response names, once it comes."""
    CALLEE = "callee"
    """The node that the causing request was addressed to, when the request is made: it waits for no answer."""
    ANSWERER = "answerer"
    """The node that the causing request was addressed to, once it has answered."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A relocated call: a node makes it because of another call, often another node's (Figure 2)."""

    call: CallTemplate
    cause: str
    """Id of the causing call template."""
    cause_type: str
    """Node type that makes the causing call."""
    each: str | None
    """Repeated field of the cause, one effect an element (`block.locs`); None for one effect. It stands in the cause's
    request for a callee, in its response otherwise. In `targets[].nodes` it is that of every element of another."""
    actor: Actor = Actor.SELF
    owner: str | None = None
    """Path below the element whose value names the node that acts (`id.datanodeUuid`); for an owner only."""
    owner_fact: str | None = None
    """Leaf path in the acting node's own requests that holds the same name; for an owner only."""
    share: float = 1.0
    """Share of the cause's elements that had this effect; below 1 where timing decides whether it is sent."""
    following: int = 0
    """Which of the calls of its kind that the node makes right after other effects of the cause, without a value of it;
    0 for an effect that carries one."""
    carried_by: str | None = None
    """Id of the acting node's own periodic call which carries this one as an element of a list, as a heartbeat does the
    state of a container, until another such effect of the same element takes its place; None for a call of its own."""

    @property
    def owner_path(self) -> str:
        """Where the cause names the node that acts: a leaf path with `{each}` for each list gone through."""
        listed = f"{self.each}[]".replace("[]", "[{each}]") if self.each else ""
        return ".".join(filter(None, (listed, self.owner)))


# --- node types, start rules, questions -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NodeType:
    """Nodes that behave alike, up to their numbers."""

    name: str
    count: Count
    """How many there are at a Scale."""
    steps: tuple[Step, ...]
    periodic: tuple[Periodic, ...] = ()
    effects: tuple[Effect, ...] = ()
    start: StartRule = field(default_factory=StartRule)
    or_start: StartRule | None = None
    """Another rule that explains what was recorded as well; None where there is none, or its question is answered."""
    program: str = SCRIPTED
    """Which emulation program plays it (`emulation.programs.registry`)."""
    user: str | Rule | None = None
    """Whose calls they are: one name for all nodes, or the rule of a node's."""
    caller_context: Rule | None = None
    rivals: tuple[Count, ...] = ()
    """Further formulas that fit all recordings as well as `count`, as those of a `Repeat`."""
    container: Container | None = None
    """The container of YARN that a node is a process in; None for a node that is none."""
    in_any_order: tuple[tuple[str, str], ...] = ()
    """Methods whose calls threads of one process make side by side where they are about different files: neighbours of
    these came in either order, and stand in the steps in this one."""


def number_named(text: str) -> str | None:
    """The number that a text is about at its beginning: a loop's id, or `NODES`; None for none."""
    named = _NUMBERED.match(text)
    return None if named is None else named["loop"] or NODES


@dataclass(frozen=True, slots=True)
class Question:
    """Something only a person can settle, with what was seen and what it might be."""

    id: str
    text: str
    node_type: str
    call: str | None = None
    """Id of the call template, where the question is about one."""
    path: str | None = None
    """Leaf path of the argument, where the question is about one."""
    examples: tuple[Scalar, ...] = ()
    candidates: tuple[Rule, ...] = ()
    """Rules that fit part of what was seen, likeliest first; the first is what stands until answered."""
    answered: bool = False

    @property
    def number(self) -> str | None:
        """What it asks the number of: a loop's id, or `NODES`; None where it is about an argument or a user."""
        if self.call is not None or self.path is not None:
            return None
        return number_named(self.id.removeprefix(f"{self.node_type}:")) or NODES


@dataclass(frozen=True, slots=True)
class Finding:
    """Something mining noticed that limits what may be extrapolated."""

    what: str
    """For example `node type 'client', loop L1: 4, 6, 5 iterations fit no count`."""
    fatal: bool
    """Whether a Plan at another scale must be refused because of it."""
    node_type: str | None = None
    variable: str | None = None
    """The Scale variable concerned, where one is."""

    @property
    def number(self) -> str | None:
        """The number that it is about: a loop's id, or `NODES`; None for no number."""
        return number_named(self.what)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How well the calls at one recorded size follow from the runs at the other sizes."""

    scale: Mapping[str, Quantity]
    fitness: float
    """Calls that were predicted, over all that were made: 0 to 1."""
    precision: float
    """Calls that were made, over all that were predicted: 0 to 1."""
    worst: str | None = None
    """The node type with the smallest share of calls in common; None where all are."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the workload was mined from."""

    scales: tuple[Mapping[str, Quantity], ...]
    """By run; in a mixture the runs of each workload have its variables alone."""
    source_ids: tuple[str, ...]
    """Clusters recorded: the guard refuses to play against them."""
    release: str = ""
    traces: tuple[str, ...] = ()
    """Content hashes of the traces."""
    left_out: tuple[LeftOut, ...] = ()
    """By size, of three and more; none where that was not measured, as in a mixture."""


@dataclass(frozen=True, slots=True, repr=False)
class Workload(Summarised):
    """The scale-free pattern of a job."""

    node_types: tuple[NodeType, ...]
    recorded: Recorded
    questions: tuple[Question, ...] = ()
    findings: tuple[Finding, ...] = ()

    def summary(self) -> Mapping[str, str]:
        """Who plays in it, what it was mined from, and what is open."""
        open_ = sum(not question.answered for question in self.questions)
        return {
            "node types": ", ".join(node_type.name for node_type in self.node_types),
            "mined from": counted(len(self.recorded.scales), "run"),
            "open": f"{open_:,} asked about" if open_ else "",
            "findings": counted(len(self.findings), "finding") if self.findings else "",
        }

    def node_type(self, name: str) -> NodeType:
        """The node type of that name.

        Raises:
            KeyError: there is none.
        """
        for node_type in self.node_types:
            if node_type.name == name:
                return node_type
        raise KeyError(name)
