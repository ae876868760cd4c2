"""`froude review`: answer and confirm what mining could not settle."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import refuse_special
from froude.cli import inputs
from froude.cli.outputs import refuse_inside
from froude.cli.settings import Settings
from froude.workload.review import answer, open_questions
from froude.workload.types import Constant, Question, Rule, Workload
from froude.workload.yaml_file import write_workload
from froude.workload.yaml_rules import rule_field


def review(
    ctx: typer.Context,
    workload: Annotated[
        Path,
        typer.Argument(
            metavar="WORKLOAD", help="The YAML file, or its name here; answers are written into it."
        ),
    ],
    accept: Annotated[
        bool, typer.Option("--accept", help="Take each question's likeliest rule, asking nothing.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="Show the open questions and their candidates, asking nothing.")
    ] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="QUESTION=VALUE",
            help="Answer one: q1=2 takes its second candidate, q1=#VALUE a constant; repeatable.",
        ),
    ] = None,
) -> None:
    """Answer and confirm a Workload's questions.

    On a terminal it asks one question after another; elsewhere, and with --list, it shows those that are open.
    A question is named by its number (q1, q2, ... as shown) or by its id (as --json shows).

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
    changed = _set(original, set_ or [], workload)
    if accept:
        for question in open_questions(changed):
            if question.candidates:
                changed = answer(changed, question, question.candidates[0])
    elif not set_ and not list_ and sys.stdin.isatty() and not settings.json:
        changed = _ask(changed, settings)
    if changed != original and not settings.dry_run:
        write_workload(workload, changed, settings.origin([opened.content]))
    left = open_questions(changed)
    settings.emit([_fields(changed, question) for question in left])
    for question in left:
        settings.out(_text(changed, question))
    settings.out(f"{len(original.questions) - len(left)} answered, {len(left)} open")


def _set(workload: Workload, answers: list[str], file: Path) -> Workload:
    for text in answers:
        name, _, value = text.partition("=")
        question = next((q for q in workload.questions if name in {q.id, _number(workload, q)}), None)
        if question is None or not value:
            many = len(workload.questions)
            known = (
                f"q1{f' to q{many}' if many > 1 else ''}, = and an answer" if many else "none: no questions"
            )
            raise InputError("no such question", file=file, place="--set", found=text, allowed=known)
        workload = answer(workload, question, _chosen(question, value, file))
    return workload


def _number(workload: Workload, question: Question) -> str:
    """Its short name, which stays when others are answered."""
    return f"q{1 + [q.id for q in workload.questions].index(question.id)}"


def _constant(question: Question, text: str, file: Path | None) -> Constant:
    """A constant of the kind that was seen: a number where numbers were, text otherwise."""
    kinds = {type(example) for example in question.examples}
    try:
        return Constant(int(text) if kinds == {int} else float(text) if kinds == {float} else text)
    except ValueError as error:
        place = None if file is None else question.id
        raise InputError("not an answer", file=file, place=place, found=text, allowed="a number") from error


def _chosen(question: Question, value: str, file: Path | None) -> Rule:
    if value.startswith("#"):
        return _constant(question, value[1:], file)
    if value.isdecimal() and 1 <= int(value) <= len(question.candidates):
        return question.candidates[int(value) - 1]
    allowed = f"1 to {len(question.candidates)}, or #VALUE for a constant"
    place = None if file is None else question.id
    raise InputError("not an answer", file=file, place=place, found=value, allowed=allowed)


def _ask(workload: Workload, settings: Settings) -> Workload:
    for question in open_questions(workload):
        settings.out(_text(workload, question))
        while True:
            try:
                value = input("number, #VALUE, or Enter to leave it open: ").strip()
            except EOFError:  # Ctrl-D: enough for now; Ctrl-C would drop the answers
                print()
                return workload
            if not value:
                break
            try:
                workload = answer(workload, question, _chosen(question, value, None))
                break
            except InputError as error:
                print(error, file=sys.stderr)
    return workload


def _text(workload: Workload, question: Question) -> str:
    lines = [f"{_number(workload, question)}: {question.text}"]
    if question.examples:
        lines.append("    seen: " + ", ".join(repr(example) for example in question.examples))
    lines += [f"    {number}) {rule_field(rule)}" for number, rule in enumerate(question.candidates, 1)]
    return "\n".join(lines)


def _fields(workload: Workload, question: Question) -> dict[str, object]:
    return {
        "number": _number(workload, question),
        "id": question.id,
        "text": question.text,
        "examples": list(question.examples),
        "candidates": [rule_field(rule) for rule in question.candidates],
    }
