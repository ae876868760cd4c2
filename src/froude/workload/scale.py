"""The Scale a cluster runs at, and counts that depend on it.

A count is what the paper fits by linear regression (PatternMiner, III.B.2 "Compute number of repetition"),
extended by a ceiling: replication is `min(3, datanodes)`, a step that a straight line misses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from froude.base.errors import InputError
from froude.base.units import Quantity, parse_quantity

NODE = "node"
"""Index name: the node's number within its type, from 0. A formula of a loop may hold it beside Scale variables."""

_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_.-]*$")
_FLOAT = r"-?[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?"
_VARIABLE = r"[A-Za-z_][\w.]*(?:-(?=[A-Za-z_]|[0-9]+\.[A-Za-z_])[\w.]+)*"
"""A name within a sum. Its hyphens stand before letters, or before a number that a name goes on from
(`container-launcher`, `appmaster-2.p1`), so that `files-1` is a difference."""
_SHIFTED = rf"(?:[0-9]{{1,9}}\*{_VARIABLE}(?:\+[0-9]{{1,9}})?|{_VARIABLE}\+[0-9]{{1,9}})"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?:(?P<factor>{_FLOAT})\s*\*\s*)?"
    rf"(?P<name>(?:{_VARIABLE}(?:[*/]{_VARIABLE})?|\({_SHIFTED}\)(?=/|%))(?:(?://|%)(?:[0-9]{{1,18}}|{_VARIABLE}))?)|(?P<number>{_FLOAT}))\s*"
)
_FOLD = re.compile(r"//|%")
_MULTIPLE = re.compile(r"^\((?:(?P<factor>[0-9]+)\*)?(?P<name>[^+]+)(?:\+(?P<plus>[0-9]+))?\)$")
_PIECES = re.compile(
    rf"^(?:(?P<times>{_VARIABLE})\s*\*\s*)?(?P<what>ceil|rest)\(\s*\((?P<sum>.+)\)\s*/\s*"
    rf"(?P<per>[0-9]{{1,18}}|{_VARIABLE})\s*\)(?:\s*(?P<sign>[+-])\s*(?P<offset>[0-9]{{1,18}}))?$"
)
_MINIMUM = re.compile(r"^min\(\s*(?P<cap>[0-9]+(?:\.[0-9]*)?)\s*,\s*(?P<sum>.+)\)$")


@dataclass(frozen=True, slots=True)
class Scale(Mapping[str, Quantity]):
    """Named, unit-typed variables of one experiment: `datanodes=6, input=10 GB`."""

    values_: Mapping[str, Quantity] = field(default_factory=dict)
    """Each variable's quantity."""

    @classmethod
    def of(cls, **variables: str | float | Quantity) -> Scale:
        """Build from keywords: `Scale.of(datanodes=6, input="10 GB")`."""
        return cls.from_mapping(variables)

    @classmethod
    def from_mapping(cls, variables: Mapping[str, str | float | Quantity]) -> Scale:
        """Build from names and quantities, or texts of quantities."""
        quantities = {
            n: v if isinstance(v, Quantity) else parse_quantity(v, place=n) for n, v in variables.items()
        }
        return cls(quantities)

    @classmethod
    def parse(cls, texts: list[str] | tuple[str, ...]) -> Scale:
        """Read `["datanodes=6", "input=10 GB"]`, as `--scale` and `--at` give them.

        Raises:
            InputError: a text without `=`, a bad name, a bad quantity, or a name twice.
        """
        quantities: dict[str, Quantity] = {}
        for text in (part for whole in texts for part in whole.split(",")):
            name, equals, value = text.partition("=")
            name = name.strip()
            if not equals or not _NAME.match(name):
                raise InputError(
                    "is not a scale variable", place="scale", found=text, allowed="NAME=QUANTITY"
                )
            if name in quantities:
                raise InputError("is given twice", place="scale", found=name)
            quantities[name] = parse_quantity(value, place=name)
        return cls(quantities)

    def __getitem__(self, name: str) -> Quantity:
        return self.values_[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_)

    def __len__(self) -> int:
        return len(self.values_)

    def __str__(self) -> str:
        return ", ".join(f"{name}={quantity}" for name, quantity in self.values_.items())


def size_of(scale: Mapping[str, Quantity]) -> str:
    """A Scale as a key: the same of two that name their variables in another order."""
    return ", ".join(sorted(f"{name}={quantity}" for name, quantity in scale.items()))


class Term(NamedTuple):
    """What one slope of a sum multiplies: a name, perhaps with another, perhaps in whole groups or their remainder."""

    names: tuple[str, ...]
    """One, or two of which it is the product or the quotient."""
    quotient: bool
    """Whether the first of two is divided by the second."""
    fold: str
    """`//` for the number of whole groups, `%` for what is left over, as Python has them; empty for neither."""
    by: str
    """Size of a group: a whole number, or a name; empty where there is no fold."""
    factor: int = 1
    """What a name that is folded is multiplied by before: 3 in `(3*L1)%folders`."""
    plus: int = 0
    """What is added before it is folded: 3 in `(L1+3)%4`."""

    def group_size(self, scale: Mapping[str, Quantity]) -> float:
        """Things in a group at a Scale.

        Raises:
            InputError: the Scale lacks the variable that says it, or groups would have no size.
        """
        size = float(self.by) if self.by.isdecimal() else variable_at(self.by, scale)
        if size < 1:
            raise InputError(
                "groups of no size", place=f"{self.fold}{self.by}", found=size, allowed="1 or more"
            )
        return size

    def folded(self, value: float, scale: Mapping[str, Quantity]) -> float:
        """The term, from the value of its names.

        Args:
            value: of the name, the product or the quotient.
            scale: which may say how large a group is.

        Raises:
            InputError: as `group_size`.
        """
        if not self.fold:
            return value
        size = self.group_size(scale)
        moved = self.factor * value + self.plus
        return moved // size if self.fold == "//" else moved % size


@cache
def term_of(text: str) -> Term:
    """A term from the name of a slope.

    Such as `files`, `clients*files`, `files/clients`, `L1%3`, `(2*L1)//folders`,
    `(L1+3)%4`.
    """
    fold = _FOLD.search(text)
    product, by = (text, "") if fold is None else (text[: fold.start()], text[fold.end() :])
    multiple = _MULTIPLE.match(product)
    factor, plus = (int(multiple["factor"] or 1), int(multiple["plus"] or 0)) if multiple else (1, 0)
    product = multiple["name"] if multiple else product
    names = tuple(re.split(r"[*/]", product))
    return Term(names, "/" in product, fold[0] if fold else "", by, factor, plus)


def renamed_term(text: str, names: Mapping[str, str]) -> str:
    """A term with other names: `2*files` with new ones by old ones.

    Args:
        text: as `term_of` reads it.
        names: the new name by the old one; others stay.
    """
    return re.sub(_VARIABLE, lambda found: names.get(found[0], found[0]), text)


@dataclass(frozen=True, slots=True)
class Count:
    """A number that follows from the Scale: `intercept + Σ slope·variable`, at most `cap`.

    With `per` it is a number of pieces, such as the blocks of a file: that sum over `per`, rounded up; or, with
    `rest`, the size of the last piece. With `times` it is a variable times as many pieces, as of each day's files,
    and with `offset` so many more: all but the first.
    """

    intercept: float = 0.0
    slopes: Mapping[str, float] = field(default_factory=dict)
    """Slope by variable, or by a product or quotient of two (`clients*files`, `files/clients`), in units per base
    unit of it; of any of them the whole groups (`files//3`) or the remainder (`files%3`) may be meant."""
    cap: float | None = None
    """The ceiling of `min(cap, …)`; None for none."""
    per: int | str | None = None
    """Size of a piece, or the variable that says it; None where the sum itself is the number."""
    rest: bool = False
    """Whether it is the size of the last piece instead of the number of pieces."""
    times: str | None = None
    """The variable that the number of pieces is multiplied by; None for none."""
    offset: int = 0
    """What is added to the number of pieces."""

    @classmethod
    def parse(cls, text: str | float) -> Count:
        """Read `7`, `files`, `2*files + 3`, `min(3, datanodes)`, `ceil((input) / 1048576)`, `rest((input) / 1048576)`.

        A piece may be as large as a variable says: `ceil((files - node) / clients)`; the number of pieces may be
        multiplied by a variable: `days*ceil((files - node) / 2) - 1`.

        Raises:
            InputError: any other form.
        """
        if not isinstance(text, (str, int, float)) or isinstance(text, bool):
            raise InputError(
                "not a count", found=repr(text), allowed="a number, or a sum such as 2*files + 3"
            )
        whole = str(text).strip()
        minimum = _MINIMUM.match(whole)
        cap = float(minimum["cap"]) if minimum else None
        inner = minimum["sum"].strip() if minimum else whole
        pieces = _PIECES.match(inner)
        if pieces and pieces["per"].isdecimal() and not int(pieces["per"]):
            raise InputError("pieces of no size", found=whole, allowed="a size above zero")
        total, slopes = 0.0, dict[str, float]()
        for term in _terms(pieces["sum"] if pieces else inner, whole):
            sign = -1.0 if term["sign"] == "-" else 1.0
            if term["name"] is None:
                total += sign * float(term["number"])
            else:
                slopes[term["name"]] = slopes.get(term["name"], 0.0) + sign * float(term["factor"] or 1)
        if not all(map(math.isfinite, (total, *slopes.values(), cap or 0.0))):
            raise InputError("is beyond any size", found=whole[:80], allowed="numbers that a count can have")
        if pieces:
            per = int(pieces["per"]) if pieces["per"].isdecimal() else pieces["per"]
            offset = int(f"{pieces['sign'] or ''}{pieces['offset'] or 0}")
            return cls(total, slopes, cap, per, pieces["what"] == "rest", pieces["times"], offset)
        return cls(total, slopes, cap)

    @property
    def variables(self) -> frozenset[str]:
        """What it depends on beside the node's number: Scale variables, and of a loop's number loops around it."""
        return self.names - {NODE}

    @property
    def of_node(self) -> bool:
        """Whether it depends on the number of the node."""
        return NODE in self.names

    @property
    def names(self) -> frozenset[str]:
        """All that it depends on: Scale variables, `node`, and of a loop's number the loops around it."""
        terms = [term_of(text) for text in self.slopes]
        sizes = {term.by for term in terms if term.by and not term.by.isdecimal()}
        per = {self.per} if isinstance(self.per, str) else set[str]()
        times = set[str]() if self.times is None else {self.times}
        return frozenset(name for term in terms for name in term.names) | sizes | per | times

    @property
    def whole(self) -> bool:
        """Whether its intercept and slopes are whole numbers."""
        return all(number == round(number) for number in (self.intercept, *self.slopes.values()))

    def at(self, scale: Mapping[str, Quantity]) -> float:
        """The count at a Scale, not rounded.

        Args:
            scale: the Scale; of a count that depends on the node's number, with it (`at_node`).

        Raises:
            InputError: the Scale lacks a variable, or the count is beyond any size.
        """
        total = self.intercept
        for product, slope in self.slopes.items():
            total += slope * _term_at(product, scale)
        if not math.isfinite(total):
            raise InputError("is beyond any size", place=str(self), found=total)
        if self.per is not None:
            per = float(self.per) if isinstance(self.per, int) else variable_at(self.per, scale)
            if per <= 0:
                raise InputError("pieces of no size", place=str(self), found=per, allowed="above zero")
            pieces = math.ceil(total / per)
            total = total - (pieces - 1) * per if self.rest else float(pieces)
            if self.times is not None:
                total = max(0.0, total) * variable_at(self.times, scale)
            if self.offset:
                total = max(0.0, total + self.offset)
        return total if self.cap is None else min(self.cap, total)

    def whole_at(self, scale: Mapping[str, Quantity]) -> int:
        """The count at a Scale as a number of things: rounded, never below zero."""
        return max(0, round(self.at(scale)))

    def __str__(self) -> str:
        parts = [_product(slope, name) for name, slope in self.slopes.items()]
        if self.intercept or not parts:
            parts.append(_number(self.intercept))
        text = " + ".join(parts).replace("+ -", "- ")
        if self.per is not None:
            times = "" if self.times is None else f"{self.times}*"
            offset = f" {self.offset:+}".replace("+", "+ ").replace("-", "- ") if self.offset else ""
            text = f"{times}{'rest' if self.rest else 'ceil'}(({text}) / {self.per}){offset}"
        return text if self.cap is None else f"min({_number(self.cap)}, {text})"


def _term_at(text: str, scale: Mapping[str, Quantity]) -> float:
    """A term at a Scale."""
    term = term_of(text)
    first, *others = (variable_at(name, scale) for name in term.names)
    if term.quotient and not others[0]:
        raise InputError("nothing can be shared out among none", place=text, found=str(scale))
    return term.folded(first / others[0] if term.quotient else math.prod([first, *others]), scale)


def at_node(scale: Mapping[str, Quantity], node: int) -> Mapping[str, Quantity]:
    """A Scale as one node of a type sees it, for loops whose number depends on the node's.

    Args:
        node: the node's number, from 0.
    """
    return {**scale, NODE: Quantity(float(node))}


def variable_at(name: str, scale: Mapping[str, Quantity]) -> float:
    """The value of a Scale variable, in its base unit.

    Raises:
        InputError: the Scale lacks it.
    """
    if name not in scale:
        raise InputError("the scale lacks a variable", place=name, found=str(scale), allowed=f"{name}=…")
    return scale[name].value


def _terms(text: str, whole: str) -> Iterator[re.Match[str]]:
    """The terms of a sum; every one but the first must have its sign."""
    position = 0
    while position < len(text) or not text:
        term = _TERM.match(text, position)
        if term is None or (position and not term["sign"]):
            raise InputError(
                "not a count", found=whole, allowed="a sum such as 2*files + 3, or min(NUMBER, sum)"
            )
        yield term
        position = term.end()


def _product(slope: float, name: str) -> str:
    """A term with its slope; a minus before a remainder would read as if it were divided, too."""
    if slope == 1:
        return name
    return f"-{name}" if slope == -1 and not term_of(name).fold else f"{_number(slope)}*{name}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
