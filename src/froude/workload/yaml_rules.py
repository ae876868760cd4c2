"""An argument rule as a YAML value, and back.

Arguments are plain values where they are constant; every other rule is a small mapping with one telling key:
`counter`, `template`, `scaled`, `cycle`, `from`, `fact`, `generated`, `index` (cases), `absent`, `unknown`.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from typing import Any

from froude.base.errors import InputError, nearest
from froude.documents.plain import Fields, Items
from froude.documents.reading import Section
from froude.workload.generators import GENERATORS, generate
from froude.workload.scale import Count
from froude.workload.types import (
    LETTERS,
    Absent,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scalar,
    Scaled,
    Side,
    Template,
    TextPart,
    Unknown,
    Which,
)


def rule_field(rule: Rule) -> Any:
    """A rule as a YAML value."""
    match rule:
        case Constant(value):
            return value
        case Absent():
            return {"absent": True}
        case Counter() | Scaled():
            return lean(_number_field(rule) | {"width": rule.width or None})
        case Cycle(values, counter):
            return {"cycle": list(values), "by": _counter_text(counter)}
        case Template(parts):
            return {"template": _template_text(parts)}
        case Flow():
            return lean(
                {
                    "from": rule.call,
                    rule.side.value: rule.path,
                    "which": None if rule.which is Which.SAME else rule.which.value,
                    "node_type": rule.node_type,
                    "plus": rule.plus or None,
                    "part": None if rule.part is None else _part_field(rule.part),
                    "element": None if rule.element is None else rule_field(rule.element),
                }
            )
        case NodeFact(fact):
            return {"fact": fact}
        case Generated():
            return lean({"generated": rule.generator, "parameters": dict(rule.parameters) or None})
        case Cases():
            cases = {"first": rule.first, "last": rule.last, "otherwise": rule.otherwise}
            return {"index": rule.index} | {k: rule_field(r) for k, r in cases.items() if r is not None}
        case Unknown(examples):
            return {"unknown": list(examples)}


def _number_field(rule: Counter | Scaled) -> dict[str, Any]:
    if isinstance(rule, Scaled):
        return {"scaled": count_field(rule.count)}
    kinds = {"hex": rule.radix == 16 or None, "letters": rule.radix == LETTERS or None}
    return {"counter": _counter_text(rule)} | kinds


def _template_text(parts: tuple[str | Rule, ...]) -> Any:
    if all(isinstance(part, (str, Counter)) for part in parts):
        return "".join(_part_text(part) for part in parts)
    return [
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else rule_field(part)
        for part in parts
    ]


def _part_text(part: str | Rule) -> str:
    if isinstance(part, str):
        return part.replace("{", "{{").replace("}", "}}")
    assert isinstance(part, Counter)
    form = (f"0{part.width}" if part.width else "") + _FORMS[part.radix]
    return "{" + _counter_text(part) + (f":{form}" if form else "") + "}"


def _counter_text(counter: Counter) -> str:
    terms = [name if step == 1 else f"{step}*{name}" for name, step in counter.steps.items()]
    text = " + ".join(terms + ([str(counter.base)] if counter.base or not terms else []))
    return text.replace("+ -", "- ")


def count_field(count: Count) -> Any:
    """A count as a number where it is constant, else as a formula."""
    text = str(count)
    plain = not count.slopes and count.cap is None and count.per is None
    return whole(count.intercept) if plain else text


def whole(value: float) -> float:
    """The number as an integer where it is whole."""
    return int(value) if value == int(value) else value


def lean(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields without those that are None or an empty list."""
    return {name: value for name, value in fields.items() if value is not None and value != []}


_FORMS = {10: "", 16: "x", LETTERS: "a"}
"""How a counter's base is written behind its width in a template."""
_RADICES = {form: radix for radix, form in _FORMS.items()}
_WIDEST = 999
"""Digits that a number may be padded to, as many as a template can say."""
_KEYS = ("absent", "counter", "scaled", "cycle", "template", "from", "fact", "generated", "index", "unknown")


def read_rule(value: Any, parent: Section, name: str) -> Rule:
    """A rule from its YAML value.

    Args:
        value: as YAML gives it: a scalar for a constant, or a mapping with the one key that names the rule.
        parent: the section that it stands in, for errors.

    Raises:
        InputError: a list, or a mapping that no rule is written as.
    """
    if not isinstance(value, Fields):
        if isinstance(value, Items):
            raise parent.error(name, "a list is not a rule", allowed="a value or a mapping")
        return Constant(_scalar_at(value, parent, name))
    section = parent.wrap(value, name)
    kinds = [key for key in _KEYS if key in section]
    if len(kinds) != 1:
        raise parent.error(
            name, "not a rule", found=", ".join(section.names()), allowed="one of " + ", ".join(_KEYS)
        )
    rule = _READERS[kinds[0]](section)
    section.finish()
    return rule


def _read_counter(section: Section) -> Rule:
    radices = [
        radix
        for name, radix in (("hex", 16), ("letters", LETTERS))
        if name in section and section.value(name, bool)
    ]
    if len(radices) > 1:
        raise section.error("letters", "digits are either", allowed="hex or letters")
    return _counter(section, "counter", str(section.raw("counter")), _width(section), (radices or [10])[0])


def _width(section: Section) -> int:
    return section.value("width", int, 0, within=(0, _WIDEST))


def _read_cycle(section: Section) -> Rule:
    values = section.converted("cycle", scalar)
    if not values:
        raise section.error("cycle", "has no values", allowed="a list of plain values")
    return Cycle(values, _counter(section, "by", section.value("by", str)))


def _read_template(section: Section) -> Rule:
    raw = section.raw("template")
    if isinstance(raw, str):
        return Template(_template_parts(raw, section))
    if not isinstance(raw, Items):
        raise section.error("template", "has the wrong type", allowed="text or a list")
    parts = [
        _unbraced(item) if isinstance(item, str) else read_rule(item, section, "template") for item in raw
    ]
    return Template(tuple(parts))


def _read_flow(section: Section) -> Rule:
    sides = [side for side in Side if side.value in section]
    if len(sides) != 1:
        raise section.error(None, "says no side", allowed="request: PATH or response: PATH")
    return Flow(
        call=section.value("from", str),
        side=sides[0],
        path=section.value(sides[0].value, str),
        which=section.value("which", Which, Which.SAME),
        node_type=section.optional("node_type", str),
        plus=section.value("plus", int, 0),
        part=_read_part(section.section("part")) if "part" in section else None,
        element=_read_element(section) if "element" in section else None,
    )


def _part_field(part: TextPart) -> dict[str, Any]:
    return {"separator": part.separator, "number": part.number}


def _read_part(section: Section) -> TextPart:
    try:
        return TextPart(section.value("separator", str), section.value("number", int))
    except ValueError as error:
        raise section.error(None, "is no part of a text", allowed=str(error)) from error


def _read_element(section: Section) -> Counter | Scaled:
    rule = read_rule(section.raw("element"), section, "element")
    if not isinstance(rule, Counter | Scaled):
        raise section.error("element", "is no number", allowed="counter: TEXT or scaled: TEXT")
    return rule


def _read_generated(section: Section) -> Rule:
    below = section.section("parameters")
    parameters = {name: below.convert(name, scalar) for name in below.names()}
    rule = Generated(section.value("generated", str), parameters)
    if rule.generator not in GENERATORS:
        allowed = GENERATORS
        raise section.error("generated", "is no generator", found=rule.generator, allowed=allowed)
    known = GENERATORS[rule.generator].parameters
    for name, value in parameters.items():
        if known is not None and name not in known:
            raise below.error(name, f"is not a field here{nearest(name, known)}", allowed=known)
        if known is not None and isinstance(value, bool):
            raise below.error(name, "has the wrong type", found=value, allowed="a number or a text")
    try:
        generate(rule, random.Random(0), 1.7e9)
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        found = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
        raise section.error("parameters", f"make no {rule.generator}", found=found) from error
    return rule


def _read_cases(section: Section) -> Rule:
    def rule(name: str) -> Rule | None:
        return read_rule(section.raw(name), section, name) if name in section else None

    otherwise = rule("otherwise")
    if otherwise is None:
        raise section.error(None, "otherwise is missing", allowed="a rule")
    return Cases(section.value("index", str), rule("first"), rule("last"), otherwise)


def _read_absent(section: Section) -> Rule:
    section.value("absent", bool)
    return Absent()


_READERS: dict[str, Callable[[Section], Rule]] = {
    "absent": _read_absent,
    "counter": _read_counter,
    "scaled": lambda section: Scaled(section.convert("scaled", Count.parse), _width(section)),
    "cycle": _read_cycle,
    "template": _read_template,
    "from": _read_flow,
    "fact": lambda section: NodeFact(section.value("fact", str)),
    "generated": _read_generated,
    "index": _read_cases,
    "unknown": lambda section: Unknown(section.converted("unknown", scalar)),
}

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}:]*)(?::(?:0?([0-9]{1,3}))?([xa])?)?\}|[{}]")


def _template_parts(text: str, section: Section) -> tuple[str | Rule, ...]:
    parts: list[str | Rule] = []
    literal, position = "", 0
    for match in _PIECE.finditer(text):
        literal += text[position : match.start()]
        position = match.end()
        if match[0] in {"{{", "}}"}:
            literal += match[0][0]
        elif match[1] is None:
            raise section.error(
                "template", "a brace stands alone", found=text, allowed="{index} or {{ and }}"
            )
        else:
            radix = _RADICES[match[3] or ""]
            parts += [literal, _counter(section, "template", match[1], int(match[2] or 0), radix)]
            literal = ""
    parts.append(literal + text[position:])
    return tuple(part for part in parts if part != "")


def _unbraced(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def _counter(section: Section, name: str, text: str, width: int = 0, radix: int = 10) -> Counter:
    count = section.convert(name, lambda _: Count.parse(text))
    if count.cap is not None or count.per is not None or not count.whole:
        raise section.error(None, "not a counter", found=text, allowed="a sum of whole multiples of indices")
    return Counter(
        int(count.intercept), {name: int(step) for name, step in count.slopes.items()}, width, radix
    )


def _scalar_at(value: Any, parent: Section, name: str) -> Scalar:
    try:
        return scalar(value)
    except InputError as error:
        raise parent.error(name, error.message, found=error.found, allowed=error.allowed) from error


def scalar(value: Any) -> Scalar:
    """A YAML scalar as a plain Python value, without the parser's own subclasses.

    Raises:
        InputError: a mapping or a list, NaN or infinite.
    """
    match value:
        case None | bool():
            return value
        case bytes() | bytearray():
            return bytes(value)
        case int():
            return int(value)
        case float() if math.isfinite(value):
            return float(value)
        case float():  # NaN is not even equal to itself, and no field of a call is ever infinite
            raise InputError("is not a finite number", found=value)
        case str():
            return str(value)
    raise InputError(
        "is no plain value", found=type(value).__name__, allowed="a text, a number, true or false"
    )
