"""Rules that stand within many others are written once: the id of the job, say, in the paths of all its files.

They stand under `rules` by a name, and in their place `{rule: NAME}`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from froude.documents.plain import Fields, Items
from froude.documents.reading import Section

_FEWEST = 3
"""Places that a rule must stand at to be worth a name."""
_LONG = 60
"""Characters that it must have."""
_WITHIN = ("nodes", "shared", "questions")
_PATHS = ("response", "request", "fact")
"""Of a rule, what names it."""


def name_rules(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a workload with all rules that stand at several places written once.

    Args:
        fields: as they are to be written; they stay as they are.
    """
    seen = Counter(_text(rule) for part in _WITHIN for rule in _rules(fields.get(part)))
    names = _Names(frozenset(text for text, times in seen.items() if times >= _FEWEST))
    written = {name: names.shortened(value) if name in _WITHIN else value for name, value in fields.items()}
    return {**written, "rules": names.written} if names.written else written


def _rules(value: Any) -> Iterator[dict[str, Any]]:
    """Every flow and text that is long."""
    if isinstance(value, list):
        for each in value:
            yield from _rules(each)
    elif isinstance(value, Mapping):
        if _is_rule(value):
            yield dict(value)
        for each in value.values():
            yield from _rules(each)


def _is_rule(value: Mapping[str, Any]) -> bool:
    return ("from" in value or "template" in value) and "call" not in value and len(_text(value)) >= _LONG


def _text(value: Any) -> str:
    return json.dumps(value, default=repr)


class _Names:
    """Names of rules, in the order in which they are come to."""

    def __init__(self, shared: frozenset[str]) -> None:
        self.written: dict[str, Any] = {}
        self._shared = shared
        self._names: dict[str, str] = {}
        self._taken: Counter[str] = Counter()

    def shortened(self, value: Any) -> Any:
        if isinstance(value, list):
            return type(value)(self.shortened(each) for each in value)
        if not isinstance(value, Mapping):
            return value
        if _is_rule(value) and (text := _text(value)) in self._shared:
            return {"rule": self._name(value, text)}
        return self._inside(value)

    def _inside(self, value: Mapping[str, Any]) -> dict[str, Any]:
        kind = type(value) if isinstance(value, dict) else dict
        return kind({name: self.shortened(each) for name, each in value.items()})

    def _name(self, rule: Mapping[str, Any], text: str) -> str:
        if text not in self._names:
            path = next((str(rule[name]) for name in _PATHS if name in rule), "text")
            base = path.rpartition(".")[2].partition("[")[0]
            self._taken[base] += 1
            self._names[text] = base if self._taken[base] == 1 else f"{base}-{self._taken[base]}"
            self.written[self._names[text]] = self._inside(rule)
        return self._names[text]


def with_rules(root: Section) -> Section:
    """A workload's fields with every rule at its places.

    Args:
        root: of the document; it stays as it is.

    Raises:
        InputError: a name that no rule has, or a rule that is within itself.
    """
    if "rules" not in root:
        return root
    rules = root.section("rules")
    fields = root.fields
    full = Fields({name: value for name, value in fields.items() if name != "rules"}, fields.line)
    full.lines = dict(fields.lines)
    for part in _WITHIN:
        if part in full:
            full[part] = _in_full(full[part], rules, ())
    return root.instead(full)


def _in_full(value: Any, rules: Section, within: tuple[str, ...]) -> Any:
    if isinstance(value, Items):
        items = Items([_in_full(each, rules, within) for each in value], value.line)
        items.lines = value.lines
        return items
    if not isinstance(value, Fields):
        return value
    if len(value) == 1 and "rule" in value:
        name = str(value["rule"])
        if name not in rules or name in within:
            allowed = rules.fields
            raise Section(value, rules.file, "rule").error(
                "rule", "no rule has this name", found=name, allowed=allowed
            )
        return _in_full(rules.raw(name), rules, (*within, name))
    full = Fields({name: _in_full(each, rules, within) for name, each in value.items()}, value.line)
    full.lines = dict(value.lines)
    return full
