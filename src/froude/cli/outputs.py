"""Where a command writes: never over what it reads, and only over what it may have written itself.

A command claims all its places before it does anything, so that an hour of work is not lost to a refusal; the
writers below refuse links, devices and pipes again when they write.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.errors import InputError
from froude.base.files import atomic_write_all, encoded, kind_of_place, refuse_foreign, refuse_special
from froude.documents.artifact import hash_file
from froude.documents.lineage import edited_file
from froude.documents.recognise import PAGE, artifact_around, head_of, kind_of

if TYPE_CHECKING:
    from froude.cli.settings import Settings


@dataclass(frozen=True, slots=True)
class Output:
    """A place that a command writes to."""

    path: Path
    kind: str
    """What is written there; the kind that may stand there already."""
    folder: bool = False
    parts: tuple[str, ...] = ()
    """Of a folder: the files that it consists of; one that holds anything else is not replaced."""
    keeps: bool = False
    """Whether what stands there stays, also of this kind: a recording is not made twice."""
    content: str | None = None
    """SHA-256 of what Froude wrote there last, of a form without a place for a stamp; None where that is unknown."""


def page(path: Path | None, suffix: str = ".json") -> list[Output]:
    """An HTML page and its figures beside it; none where no page is wanted.

    Args:
        path: the HTML file; None for none.
        suffix: of the figures' file, in place of the page's own.

    Raises:
        InputError: what stands there is no regular file.
    """
    if path is None:
        return []
    refuse_special(path)  # also where it has no name that a suffix could be added to
    return [Output(path, PAGE), Output(path.with_suffix(suffix), "report")]


def claim(settings: Settings, outputs: Sequence[Output], inputs: Iterable[Path | str | None] = ()) -> None:
    """Make sure that a command may write where it was told to.

    Args:
        inputs: every file and folder that it reads; names of what is no path are left out.

    Raises:
        InputError: two outputs share a place; one is an input or lies in one, or in any artifact; or something
            stands there that is no regular file, or, without --force, is of another kind or was edited.
    """
    # Unlike `Path.exists`, this does not raise where a folder may not be entered.
    read = [Path(each) for each in inputs if each is not None and os.path.exists(each)]  # noqa: PTH110
    places: set[Path] = set()
    for output in outputs:
        refuse_special(output.path, folder=output.folder)
        place = _real(output.path)
        if place in places:
            allowed = "another name for one of them"
            raise InputError("is the place of two outputs", file=output.path, allowed=allowed)
        places.add(place)
        for each in read:
            _refuse_input(output.path, each)
        refuse_inside(output.path)
        if kind_of_place(output.path) is not None:
            _refuse_other(output, force=settings.force)


def refuse_inside(path: Path) -> None:
    """Refuse a place in an artifact's folder: what is written there would damage it, or go when it is replaced.

    Raises:
        InputError: with the artifact.
    """
    around = artifact_around(path)
    if around is not None:
        found = f"{around}, {_one(str(kind_of(around)))}"
        raise InputError(
            "lies in another artifact", file=path, found=found, remedy="Choose a place outside of it"
        )


def write(files: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together: all or none.

    Raises:
        InputError: what stands at a place is no regular file.
        MissingError: no space, or no right to write there; nothing was replaced.
    """
    atomic_write_all(
        {path: encoded(text, path) if isinstance(text, str) else text for path, text in files.items()}
    )


def _refuse_input(output: Path, read: Path) -> None:
    """Refuse an input, a place in an input's folder, and a folder that holds an input."""
    place, source = _real(output), _real(read)
    if place == source or (output.exists() and output.samefile(read)):
        raise _is_input(output, "is an input of this command", read)
    if source.is_relative_to(place):
        raise _is_input(output, "holds an input of this command", read)
    inside = source.is_dir() and place.is_relative_to(source)
    if inside and (output.exists() or kind_of(source) is not None):
        raise _is_input(output, "lies in an input of this command", read)
    if source.is_dir() and output.is_file() and output.stat().st_nlink > 1:
        for file in source.rglob("*"):
            if file.is_file() and file.samefile(output):
                raise _is_input(output, "is a file of an input of this command", file)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_input(output: Path, message: str, read: Path) -> InputError:
    return InputError(message, file=output, found=read, remedy="Choose another place")


def _refuse_other(output: Output, *, force: bool) -> None:
    """Refuse to replace what is not of the output's kind, or was edited."""
    if output.keeps:
        remedy = "Choose another name or remove it first"
        raise InputError("already exists", file=output.path, remedy=remedy)
    if output.path.is_file() and not head_of(output.path):  # an empty file, as mktemp makes it
        return
    kind = kind_of(output.path)
    if output.content is not None and output.content == hash_file(output.path):
        return
    if kind == output.kind:
        if output.folder:
            refuse_foreign(output.path, output.parts)
        if not force:
            _refuse_edited(output.path, kind)
        return
    if force and not output.folder:
        return
    found = (
        "a folder of other things"
        if output.folder and kind is None
        else kind or "a file that may be a person's work"
    )
    remedy = "Choose another place" + ("" if output.folder else ", or say --force")
    raise InputError(
        "is not replaced", file=output.path, found=found, allowed=_one(output.kind), remedy=remedy
    )


def _refuse_edited(path: Path, kind: str) -> None:
    """Refuse to replace a person's work: what was edited since Froude wrote it, and a workload with answers."""
    edited, remedy = edited_file(path), "Choose another place, or give --force to lose that"
    if edited is not None:
        raise InputError("is not replaced: it was edited since Froude wrote it", file=edited, remedy=remedy)
    if kind == "workload":
        from froude.workload.yaml_file import read_workload

        if any(question.answered for question in read_workload(path).questions):
            raise InputError("is not replaced: its questions were answered", file=path, remedy=remedy)


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
