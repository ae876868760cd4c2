"""What calls of a workload have alike is written once: parts of their arguments, protocols, and questions.

A message that several calls send, such as a DataNode's registration, stands under `shared` by a name, and in its place
`{shared: NAME}`; what stands behind it has another rule there. An effect's flows from its cause say `(cause)`, so that
effects of several causes read alike. A method's protocol and service stand under `methods`. A question that is asked at
several places lists them.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from froude.documents.plain import Fields, Items, OneLine, OneLineItems
from froude.documents.reading import Section
from froude.workload.yaml_named import name_rules, with_rules

_FEWEST = 3
"""Leaves that a part must have to be worth a name."""
_LINE = 330
"""Characters that a mapping may have to be written on one line."""
_WHOLE = "*"
"""In place of a path: all arguments of a call."""
_CAUSE = "(cause)"
_STANDS = {"stands": True}
"""In place of a rule or of examples: those at the place that is asked about."""
_STEP = re.compile(r"\.?[^.\[\]]+|\[[^\]]*\]")
_KINDS = ("steps", "periodic", "effects")
_OF_METHOD = ("protocol", "service", "poll")

Leaves = tuple[tuple[str, Any], ...]
"""Path and rule, in order."""


# --- writing ----------------------------------------------------------------------------------------------


def share(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a workload with all that calls have alike written once.

    Args:
        fields: as a workload is written in full; they stay as they are.
    """
    nodes = fields.get("nodes", {})
    methods = _methods(nodes)
    parts = _Parts()
    for call in calls_of(nodes):
        parts.learn(tuple(_with_cause(call)["arguments"].items()))
    parts.find_likes(nodes)
    written = {name: _node(node, parts, methods) for name, node in nodes.items()}
    shared = parts.written()
    more = {"methods": methods, "shared": shared} if shared else {"methods": methods} if methods else {}
    rules = {call["id"]: call["arguments"] for call in calls_of(nodes)}
    asked = [_standing(question, rules) for question in fields.get("questions", ())]
    questions = {"questions": _grouped(asked)} if asked else {}
    whole: dict[str, Any] = _lined(name_rules({**fields, "nodes": written, **more, **questions}))
    return whole


def calls_of(nodes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every call of a workload's fields.

    Args:
        nodes: by node type.
    """

    def within(items: object) -> Iterator[dict[str, Any]]:
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict) and "steps" in item:
                yield from within(item["steps"])
            elif isinstance(item, dict):
                yield item

    for node in nodes.values():
        for kind in _KINDS if isinstance(node, dict) else ():
            yield from within(node.get(kind))


def _methods(nodes: Mapping[str, Any]) -> dict[str, Any]:
    """The commonest protocol and service of each method that several calls have."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    values: dict[str, Leaves] = {}
    for call in calls_of(nodes):
        text = _text(_of_method(call))
        seen[call["call"]][text] += 1
        values[text] = _of_method(call)
    return {
        method: dict(values[text])
        for method, counter in sorted(seen.items())
        for text, times in counter.most_common(1)
        if times > 1
    }


def _of_method(call: Mapping[str, Any]) -> Leaves:
    return tuple((name, call[name]) for name in _OF_METHOD if call.get(name) is not None)


def _node(node: Mapping[str, Any], parts: _Parts, methods: Mapping[str, Any]) -> dict[str, Any]:
    def call(fields: Mapping[str, Any]) -> dict[str, Any]:
        short = _with_cause(fields)
        short["arguments"] = parts.shortened(fields["call"], tuple(short["arguments"].items()))
        known = methods.get(fields["call"])
        if known is not None and _text(_of_method(fields)) == _text(_of_method(known)):
            short = {name: value for name, value in short.items() if name not in _OF_METHOD}
        return _headed(short)

    return {name: _each_call(value, call) if name in _KINDS else value for name, value in node.items()}


def _headed(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call whose single values stand on one line, its method first."""
    single = {
        name: OneLineItems(value) if isinstance(value, list) else value
        for name, value in call.items()
        if name != "call" and (not isinstance(value, dict | list) or _are_numbers(value))
    }
    rest = {name: value for name, value in call.items() if name != "call" and name not in single}
    return {"call": OneLine({"method": call["call"], **single}), **rest}


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, int | float) for each in value)


def _each_call(items: Sequence[Any], change: Callable[[Any], Any]) -> list[Any]:
    return [
        {**item, "steps": _each_call(item["steps"], change)} if "steps" in item else change(item)
        for item in items
    ]


def _with_cause(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call whose flows from its own cause do not name it."""
    if "cause" not in call:
        return dict(call)
    own = {"from": call["cause"], "which": "cause", "node_type": _cause_type(call)}

    def shorten(value: Any) -> Any:
        if isinstance(value, dict):
            if all(value.get(name) == expected for name, expected in own.items()):
                kept = {name: each for name, each in value.items() if name not in own}
                return {"from": _CAUSE, **kept}
            return {name: shorten(each) for name, each in value.items()}
        return [shorten(each) for each in value] if isinstance(value, list) else value

    return {**call, "arguments": shorten(call["arguments"])}


def _cause_type(call: Mapping[str, Any]) -> Any:
    """The type of the nodes that make an effect's cause: that of the cause's id, where nothing else is said."""
    return call.get("cause_type") or str(call.get("cause")).rpartition(".")[0]


class _Parts:
    """Parts of arguments that stand in several places, named in the order in which they are come to."""

    def __init__(self) -> None:
        self._places: Counter[str] = Counter()
        """By content, the places that differ in what is around it."""
        self._names: dict[str, str] = {}
        self._contents: dict[str, Any] = {}
        self._taken: Counter[str] = Counter()
        self._like: dict[str, Leaves] = {}
        """By content, the arguments of another call of the method that differ from it in few rules."""

    def learn(self, leaves: Leaves) -> None:
        """Take note of all parts of some arguments."""
        content = _text(leaves)
        self._places[content] += 1
        if self._places[content] == 1 and len(leaves) >= _FEWEST:
            for prefix, inner in _children(leaves):
                if prefix is not None:
                    self.learn(inner)

    def find_likes(self, nodes: Mapping[str, Any]) -> None:
        """Take note of arguments that are those of another call of the method but for a few rules.

        Args:
            nodes: as a workload is written in full.
        """
        alike: dict[tuple[str, ...], list[tuple[Leaves, list[Leaves]]]] = defaultdict(list)
        every = ((call["call"], tuple(_with_cause(call)["arguments"].items())) for call in calls_of(nodes))
        distinct = {(method, _text(leaves)): leaves for method, leaves in every if len(leaves) > _FEWEST}
        for (method, _), leaves in sorted(distinct.items(), key=lambda each: -self._places[each[0][1]]):
            known = alike[method, *(path for path, _ in leaves)]
            nearest = min(known, key=lambda pair: len(_changes(pair[0], leaves)), default=None)
            if nearest is not None and 2 * len(_changes(nearest[0], leaves)) <= len(leaves):
                nearest[1].append(leaves)
            else:
                known.append((leaves, []))
        for first, others in (pair for known in alike.values() for pair in known):
            if sum(len(each) - len(_changes(first, each)) - 1 for each in others) >= _FEWEST:
                self._like |= {_text(each): first for each in (first, *others)}

    def shortened(self, method: str, leaves: Leaves) -> dict[str, Any]:
        """Arguments with names in place of parts that stand elsewhere, too."""
        if self._is_shared(leaves):
            return {_WHOLE: {"shared": self._name(leaves, method)}}
        like = self._like.get(_text(leaves))
        if like is not None:
            return {_WHOLE: {"shared": self._name(like, method)}, **dict(_changes(like, leaves))}
        return self._inside(leaves)

    def written(self) -> dict[str, Any]:
        """Every part that has a name."""
        return {name: self._contents[name] for name in self._names.values()}

    def _is_shared(self, leaves: Leaves) -> bool:
        return len(leaves) >= _FEWEST and self._places[_text(leaves)] > 1

    def _inside(self, leaves: Leaves) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        children = _children(leaves)
        times = Counter(prefix for prefix, _ in children)
        ends = {path for prefix, inner in children if prefix is None for path, _ in inner}
        for prefix, inner in children:
            if prefix is None or len(inner) < _FEWEST or times[prefix] > 1 or prefix in ends:
                fields |= {(prefix or "") + path: rule for path, rule in inner}
            elif self._is_shared(inner):
                fields[prefix] = {"shared": self._name(inner, prefix)}
            else:
                fields |= {prefix + path: rule for path, rule in self._inside(inner).items()}
        return fields

    def _name(self, leaves: Leaves, prefix: str) -> str:
        content = _text(leaves)
        if content not in self._names:
            base = re.sub(r"\[.*?\]", "", prefix).rpartition(".")[2] or "element"
            self._taken[base] += 1
            name = base if self._taken[base] == 1 else f"{base}-{self._taken[base]}"
            self._names[content] = name
            self._contents[name] = self._inside(leaves)
        return self._names[content]


def _changes(first: Leaves, second: Leaves) -> Leaves:
    """The leaves of the second that have other rules than in the first, which has the same paths."""
    return tuple(b for a, b in zip(first, second, strict=True) if _text(a) != _text(b))


def _text(value: Any) -> str:
    """A text that two values share only if they are one: no number is a flag, no bytes are a text."""
    return json.dumps(value, default=lambda each: {"": repr(each)})


def _children(leaves: Leaves) -> list[tuple[str | None, Leaves]]:
    """Runs of leaves that have the next steps of their paths alike, with these; leaves that end here have None."""

    def step(leaf: tuple[str, Any]) -> str | None:
        match = _STEP.match(leaf[0])
        return None if match is None or match.end() == len(leaf[0]) else match[0]

    children: list[tuple[str | None, Leaves]] = []
    for prefix, run in groupby(leaves, key=step):
        listed = tuple(run)
        children.append((prefix, tuple((path[len(prefix or "") :], rule) for path, rule in listed)))
    return children


def _grouped(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Questions that differ by nothing but their place, as one with all places; in the order of the first of each."""
    together: dict[str, list[Mapping[str, Any]]] = {}
    for question in questions:
        together.setdefault(_text(tuple(_pattern(question).items())), []).append(question)
    order = {question["id"]: number for number, question in enumerate(questions)}
    written: list[dict[str, Any]] = []
    for listed in together.values():
        numbers = [order[question["id"]] for question in listed]
        if len(listed) == 1 or any(not _is_placed(question) for question in listed):
            written += [{"number": order[q["id"]], **q} for q in listed]
        else:
            places = [f"{number} {question['id']}" for number, question in zip(numbers, listed, strict=True)]
            written.append({"number": min(numbers), **_pattern(listed[0]), "places": places})
    written.sort(key=lambda question: question["number"])
    return [{name: value for name, value in question.items() if name != "number"} for question in written]


def _standing(question: Mapping[str, Any], rules: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A question that does not repeat the rule which stands where it is asked, nor the examples in it."""
    rule = rules.get(question.get("call", ""), {}).get(question.get("path", ""))
    if rule is None or "candidates" not in question:
        return dict(question)
    candidates = [dict(_STANDS) if _text(each) == _text(rule) else each for each in question["candidates"]]
    same = "examples" in question and _text(question["examples"]) == _text(_unknown(rule))
    examples = {"examples": dict(_STANDS)} if same else {}
    return {**question, **examples, "candidates": candidates}


def _unknown(rule: Any) -> Any:
    """The examples in a rule that is open."""
    if isinstance(rule, dict):
        return (
            rule["unknown"] if "unknown" in rule else next(filter(None, map(_unknown, rule.values())), None)
        )
    return next(filter(None, map(_unknown, rule)), None) if isinstance(rule, list) else None


def _is_placed(question: Mapping[str, Any]) -> bool:
    """Whether a question follows from its pattern and its id."""
    return _text(sorted(_placed(_pattern(question), question["id"]).items())) == _text(
        sorted(question.items())
    )


def _pattern(question: Mapping[str, Any]) -> dict[str, Any]:
    """A question without its place."""
    names = {"{node_type}": question.get("node_type"), "{path}": question.get("path")}
    text = question["text"]
    for mark, name in names.items():
        text = text.replace(str(name), mark) if name else text
    kept = {
        name: value for name, value in question.items() if name not in {"id", "node_type", "call", "path"}
    }
    return {**kept, "text": text}


def _placed(pattern: Mapping[str, Any], place: str) -> dict[str, Any]:
    """A question at a place, as it is written in full.

    Args:
        pattern: what it has without the place.
    """
    call, _, path = place.partition(":")
    node_type = call.rpartition(".")[0]
    text = str(pattern.get("text", "")).replace("{path}", path).replace("{node_type}", node_type)
    named = {"id": place, "text": text, "node_type": node_type, "call": call, "path": path}
    return named | {name: value for name, value in pattern.items() if name not in {*named, "places"}}


def _lined(value: Any) -> Any:
    """Every small mapping on one line."""
    if isinstance(value, OneLine) or not isinstance(value, Mapping | list):
        return value
    if isinstance(value, list):
        items = [_lined(each) for each in value]
        short = not any(isinstance(each, dict | list) for each in items) and _is_short(items)
        return OneLineItems(items) if short else items
    fields = {name: _lined(each) for name, each in value.items()}
    flat = fields and "call" not in fields and all(map(_is_flat, fields.values()))
    return OneLine(fields) if flat and _is_short(fields) else fields


def _is_short(value: Any) -> bool:
    return len(json.dumps(value, default=repr)) <= _LINE


def _is_flat(value: Any) -> bool:
    """Whether a value reads well within braces: no list of calls does."""
    if isinstance(value, list):
        return not any("call" in each for each in value if isinstance(each, dict)) and all(
            map(_is_flat, value)
        )
    return isinstance(value, OneLine) or not isinstance(value, dict) or not value


# --- reading ----------------------------------------------------------------------------------------------


def expand(root: Section) -> Section:
    """A workload's fields in full, whatever was written once.

    Args:
        root: of the document; it stays as it is.

    Raises:
        InputError: a name under which nothing is shared, or a part that is within itself.
    """
    root = with_rules(root)
    fields = root.fields
    reader = _Reader(root)
    full = Fields(
        {name: value for name, value in fields.items() if name not in {"shared", "methods"}}, fields.line
    )
    full.lines = dict(fields.lines)
    if isinstance(fields.get("nodes"), Fields):
        full["nodes"] = reader.nodes(fields["nodes"])
    if isinstance(fields.get("questions"), list):
        full["questions"] = reader.questions(fields["questions"])
    return root.instead(full)


class _Reader:
    def __init__(self, root: Section) -> None:
        self._shared = root.section("shared") if "shared" in root else None
        self._methods = root.section("methods") if "methods" in root else None
        self._rules: dict[str, Any] = {}
        """Arguments by call, once it was read."""

    def nodes(self, nodes: Fields) -> Fields:
        return _changed(nodes, {name: self._node(node) for name, node in nodes.items()})

    def _node(self, node: Any) -> Any:
        if not isinstance(node, Fields):
            return node
        lists = {kind: self._items(node[kind]) for kind in _KINDS if isinstance(node.get(kind), list)}
        return _changed(node, {**node, **lists})

    def _items(self, items: list[Any]) -> list[Any]:
        full = Items([self._call(item) if isinstance(item, Fields) else item for item in items])
        if isinstance(items, Items):
            full.line, full.lines = items.line, items.lines
        return full

    def _call(self, call: Fields) -> Fields:
        if "steps" in call and isinstance(call["steps"], list):
            return _changed(call, {**call, "steps": self._items(call["steps"])})
        head = call.get("call")
        if isinstance(head, Fields):
            given = {name: value for name, value in head.items() if name != "method"}
            rest = {name: value for name, value in call.items() if name != "call"}
            call = _changed(call, {"call": head.get("method"), **given, **rest})
            call.lines |= {name: line for name, line in head.lines.items() if name not in call.lines}
        full = dict(call)
        known = self._methods.raw(str(call.get("call"))) if self._methods is not None else None
        if isinstance(known, Fields) and "protocol" not in call:
            full |= known
        if isinstance(call.get("arguments"), Fields):
            arguments = _changed(call["arguments"], self._arguments(call["arguments"], ()))
            full["arguments"] = _caused(arguments, call)
            self._rules[str(call.get("id"))] = full["arguments"]
        return _changed(call, full)

    def _arguments(self, arguments: Fields, within: tuple[str, ...]) -> dict[str, Any]:
        full: dict[str, Any] = {}
        for path, rule in arguments.items():
            name = rule.get("shared") if isinstance(rule, Fields) and len(rule) == 1 else None
            if name is None:
                full[path] = rule
                continue
            inner = self._shared.raw(str(name)) if self._shared is not None else None
            if self._shared is None or not isinstance(inner, Fields) or name in within:
                place = Section(arguments, self._shared.file if self._shared is not None else "", "arguments")
                allowed = ", ".join(self._shared.fields) if self._shared is not None else "none"
                raise place.error(path, "nothing is shared under this name", found=name, allowed=allowed)
            prefix = "" if path == _WHOLE else path
            full |= {prefix + rest: each for rest, each in self._arguments(inner, (*within, name)).items()}
        return full

    def _question(self, question: Fields) -> Fields:
        rule = self._rules.get(str(question.get("call")), {}).get(str(question.get("path")))
        full = dict(question)
        if rule is not None and isinstance(question.get("candidates"), list):
            full["candidates"] = Items([rule if each == _STANDS else each for each in question["candidates"]])
        if question.get("examples") == _STANDS:
            full["examples"] = Items(_unknown(rule) or ())
        return _changed(question, full)

    def questions(self, questions: list[Any]) -> list[Any]:
        patterns = [each for each in questions if isinstance(each, Fields) and "places" in each]
        placed: dict[int, Any] = {}
        for pattern in patterns:
            for place in pattern["places"] if isinstance(pattern["places"], list) else ():
                number, _, name = str(place).partition(" ")
                if number.isdigit() and name:
                    placed[int(number)] = _changed(pattern, _placed(pattern, name))
        rest = iter([each for each in questions if not any(each is pattern for pattern in patterns)])
        full = Items()
        for at, question in sorted(placed.items()):
            while len(full) < at and (other := next(rest, None)) is not None:
                full.append(other)
            full.append(question)
        full += list(rest)
        full = Items([self._question(each) if isinstance(each, Fields) else each for each in full])
        if isinstance(questions, Items):
            full.line, full.lines = questions.line, [questions.line or 0] * len(full)
        return full


def _changed(old: Fields, fields: Mapping[str, Any]) -> Fields:
    """Other fields at the same place of the file."""
    new = Fields(fields, old.line)
    new.lines = dict(old.lines)
    return new


def _caused(value: Any, call: Mapping[str, Any]) -> Any:
    """Flows from the cause that name it."""
    if isinstance(value, Fields):
        fields = {name: _caused(each, call) for name, each in value.items()}
        if fields.get("from") == _CAUSE:
            fields |= {"from": call.get("cause"), "which": "cause", "node_type": _cause_type(call)}
        return _changed(value, fields)
    if isinstance(value, Items):
        items = Items([_caused(each, call) for each in value], value.line)
        items.lines = value.lines
        return items
    return value
