"""`froude review`: answer and confirm what mining could not settle."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import read_bounded, refuse_special
from froude.base.summary import counted
from froude.cli import inputs
from froude.cli.outputs import refuse_inside
from froude.cli.settings import Settings
from froude.documents.plain import yaml_comments
from froude.documents.reading import LIMIT_BYTES
from froude.workload.groups import QuestionGroup, answer_group, by_cause, groups, number
from froude.workload.review import accept as accept_likeliest
from froude.workload.review import answer, read_answer
from froude.workload.types import Constant, Question, Rule, Scalar, Unknown, Workload
from froude.workload.yaml_file import write_workload
from froude.workload.yaml_rules import rule_field

_OWN = "in each place a rule of its own"
_LONGEST = 100
"""Characters of a value or a rule that are shown, such as of the command line of a container."""
_RULE = '{"template": "/tmp/c{node}"}'
_BRACES = re.compile(r"\{[^{}]*\}")


def review(
    ctx: typer.Context,
    workload: Annotated[
        Path,
        typer.Argument(
            metavar="WORKLOAD", help="The YAML file, or its name here; answers are written into it."
        ),
    ],
    accept: Annotated[
        bool,
        typer.Option(
            "--accept",
            help="Take each question's likeliest rule, asking nothing; those with no known rule stay open.",
        ),
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="Show the open questions and their candidates, asking nothing.")
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="QUESTION=VALUE",
            help="Answer one: q1=2 takes its second candidate, q1=#VALUE a constant, "
            'q1={"template": "/tmp/c{node}"} a rule as the file has it; repeatable.',
        ),
    ] = None,
) -> None:
    """Answer and confirm a Workload's questions.

    On a terminal it asks one question after another; elsewhere, and with --list, it shows those that are open, the
    one that most calls hang on first. Questions of one cause are one, named by the number shown (q1, q2, ...) and
    answered for all its places; the id of a place (as --json shows) answers it alone.

    Example: froude review workload.yaml --accept
    """
    settings: Settings = ctx.obj
    workload = inputs.place(settings, workload, "workload")
    if not settings.dry_run:
        refuse_special(workload)  # answers are written there: say so before any is given
        if not list_:
            refuse_inside(workload)
    opened = inputs.workload(settings, workload)
    original = opened.workload
    answers = accept or bool(set_) or (not list_ and sys.stdin.isatty() and not settings.json)
    if answers and not settings.force:
        _refuse_comments(workload)
    changed = _set(original, set_ or [], workload)
    for words in set_ or []:
        _warn_of_braces(words, settings)
    if accept:
        changed = accept_likeliest(changed)
    elif answers and not set_:
        changed = _ask(changed, settings)
    if changed != original and not settings.dry_run:
        write_workload(workload, changed, settings.origin([opened.content]))
    left = groups(changed)
    settings.emit([fields(changed, group) for group in left])
    for group in left:
        settings.out(text(changed, group))
    answered = len(by_cause(changed, changed.questions)) - len(left)
    places = sum(len(group.questions) for group in left)
    settings.out(
        f"{answered} answered, {len(left)} open{f' (in {places} places)' if places > len(left) else ''}"
    )
    if any(_cut(repr(example)) != repr(example) for group in left for example in group.examples):
        settings.out("Long values are cut; `froude review --list --json` shows them whole")
    if left and not (answers or settings.json):
        settings.out(
            f"Answer one: froude review {workload} --set q1=1; all by their likeliest rule: --accept"
        )
    if accept and left:
        stay = "question stays open: no rule is" if len(left) == 1 else "questions stay open: no rules are"
        settings.note(f"note: {len(left)} {stay} known; plays use the examples, unless --set gives an answer")


def _refuse_comments(file: Path) -> None:
    """Refuse to write answers into a file with comments, which are no part of a workload."""
    yaml = read_bounded(file, limit_bytes=LIMIT_BYTES).decode("utf-8-sig")
    for comment in yaml_comments(yaml):
        message = "has comments, which answers written into it would drop"
        remedy = "Edit the rules in the file instead, or give --force to lose the comments"
        raise InputError(message, file=file, found=comment[1], remedy=remedy)


def text(workload: Workload, group: QuestionGroup) -> str:
    """A group of questions as it is shown."""
    places = f" ({counted(len(group.questions), 'place')}, " if len(group.questions) > 1 else " ("
    lines = [f"{number(workload, group.questions[0])}: {group.text}{places}{group.share:.1%} of the calls)"]
    if group.examples:
        lines.append("    seen: " + ", ".join(dict.fromkeys(_cut(repr(each)) for each in group.examples)))
    texts: dict[str, int] = {}  # candidates that read the same are one
    for at, rule in enumerate(_choices(group), 1):
        shown = _shown(rule or group.questions[0].candidates[at - 1], group.examples)
        texts.setdefault(shown if rule is not None else f"{_OWN}, such as {shown}", at)
    return "\n".join([*lines, *(f"    {at}) {_cut(shown)}" for shown, at in texts.items())])


def _cut(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"


def fields(workload: Workload, group: QuestionGroup) -> dict[str, object]:
    """A group of questions as JSON."""
    return {
        "number": number(workload, group.questions[0]),
        "text": group.text,
        "share": group.share,
        "examples": list(group.examples),
        "candidates": [_OWN if rule is None else rule_field(rule) for rule in _choices(group)],
        "questions": [
            {
                "id": question.id,
                "text": question.text,
                "examples": list(question.examples),
                "candidates": [rule_field(rule) for rule in question.candidates],
            }
            for question in group.questions
        ],
    }


def _choices(group: QuestionGroup) -> list[Rule | None]:
    """What can be chosen for the whole group; None where each place takes its own nth candidate."""
    rules = group.questions[0].candidates
    if group.alike:
        return list(rules)
    same = [
        all(question.candidates[at] == group.questions[0].candidates[at] for question in group.questions)
        for at in range(group.choices)
    ]
    return [rule if alike else None for rule, alike in zip(rules, same, strict=False)]


def _shown(rule: Rule, seen: Sequence[Scalar]) -> str:
    """A rule in one line, in the form that --set takes."""
    if isinstance(rule, Unknown):
        new = [example for example in rule.examples if example not in seen]
        taken = ", ".join(map(str, new)) if new else "the values seen"
        return f"no rule known; plays take {taken}" if rule.examples else "no rule known"
    field = rule_field(rule)
    return json.dumps(field, ensure_ascii=False, default=repr) if isinstance(field, dict) else str(field)


def _set(workload: Workload, answers: list[str], file: Path) -> Workload:
    for words in answers:
        name, _, value = words.partition("=")
        group = next(
            (g for g in groups(workload) if name in {number(workload, q) for q in g.questions}), None
        )
        question = next((q for q in workload.questions if name in {q.id, number(workload, q)}), None)
        if question is None or not value:
            many = len(workload.questions)
            known = (
                f"q1{f' to q{many}' if many > 1 else ''}, = and an answer" if many else "none: no questions"
            )
            raise InputError("no such question", file=file, place="--set", found=words, allowed=known)
        if group is None:
            workload = answer(workload, question, _chosen(workload, question, value, file))
        else:
            workload = _settled(workload, group, value, file)
    return workload


def _warn_of_braces(words: str, settings: Settings) -> None:
    """Say that a constant's braces stay as they are."""
    name, _, value = words.partition("=")
    if value.startswith("#") and _BRACES.search(value):
        rule = json.dumps({"template": value[1:]}, ensure_ascii=False)
        settings.note(
            f"note: {value[1:]} is stored as it stands, braces too; to have them filled in: --set '{name}={rule}'"
        )


def _settled(workload: Workload, group: QuestionGroup, value: str, file: Path | None) -> Workload:
    """Every question of a group answered alike."""
    if value.startswith(("#", "{")) and len({(q.path or "").rpartition(".")[2] for q in group.questions}) > 1:
        first = group.questions[0].id
        allowed = f"one of its candidates; for an answer of your own in one place, its id, such as {first}"
        raise InputError("not an answer for several arguments", file=file, found=value, allowed=allowed)
    return answer_group(workload, group, lambda question: _chosen(workload, question, value, file))


def _constant(question: Question, text: str, file: Path | None) -> Constant:
    """A constant of the kind that was seen: a number where numbers were, text otherwise."""
    kinds = {type(example) for example in question.examples}
    try:
        return Constant(
            _number(text, int) if kinds == {int} else _number(text, float) if kinds == {float} else text
        )
    except ValueError as error:
        place = None if file is None else question.id
        raise InputError("not an answer", file=file, place=place, found=text, allowed="a number") from error


def _number(text: str, kind: type[int] | type[float]) -> float:
    """A finite number in digits of ASCII; a ValueError for another text."""
    number = kind(text)
    if not text.isascii() or not math.isfinite(number):
        raise ValueError(text)
    return number


def _chosen(workload: Workload, question: Question, value: str, file: Path | None) -> Rule:
    if value.startswith("{"):
        return read_answer(workload, question, value, "answer" if file is None else "--set")
    if value.startswith("#"):
        return _constant(question, value[1:], file)
    if value.isascii() and value.isdecimal() and 1 <= int(value) <= len(question.candidates):
        return question.candidates[int(value) - 1]
    allowed = f"1 to {len(question.candidates)}, #VALUE for a constant, or a rule such as {_RULE}"
    place = None if file is None else question.id
    raise InputError("not an answer", file=file, place=place, found=value, allowed=allowed)


def _ask(workload: Workload, settings: Settings) -> Workload:
    for group in groups(workload):
        settings.out(text(workload, group))
        while True:
            try:
                value = input(f"number, #VALUE, rule such as {_RULE}, or Enter to leave it open: ").strip()
            except EOFError:  # Ctrl-D: enough for now; Ctrl-C would drop the answers
                print()
                return workload
            if not value:
                break
            try:
                workload = _settled(workload, group, value, None)
                break
            except InputError as error:
                print(error, file=sys.stderr)
    return workload
