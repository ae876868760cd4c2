"""Reads files of any mix of the parts into a Problem, or into all the errors there are.

A shipped example or catalog may be named in place of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from froude.base.errors import InputError, nearest
from froude.base.files import read_bounded
from froude.provision.inputs.blanks import note_blanks
from froude.provision.inputs.crosscheck import Crosscheck
from froude.provision.inputs.hardware import CATALOG
from froude.provision.inputs.requirements import APPLICATION, BATCH, GROWTH, OPTIONS, RE_REPLICATION, TARGET
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.xml_file import LIMIT_BYTES, parse_xml
from froude.provision.inputs.yaml_form import parse_yaml
from froude.provision.types import Application, Batch, Catalog, Options, Problem, RateTarget, Sla

EXAMPLES = Path(__file__).parent.parent / "examples"
"""Where the shipped inputs lie."""
MOST_ELEMENTS = 50_000
"""Of a file: ten times what a provider's whole price list makes."""
TAGS = ("resources", "application", "sla", "batch", "growth", "re_replication", "options")


@dataclass(frozen=True, slots=True)
class Parts:
    """What was found; a part that no file has is None."""

    catalog: Catalog | None = None
    application: Application | None = None
    sla: Sla | None = None
    options: Options = field(default_factory=Options)

    def problem(self, files: str) -> Problem:
        """All three together.

        Args:
            files: where they were looked for, for the error.

        Raises:
            InputError: one is missing.
        """
        for part, tag in ((self.catalog, "resources"), (self.application, "application"), (self.sla, "sla")):
            if part is None:
                remedy = "Give another file that has it; a shipped catalog is named paper2012"
                raise InputError(f"{tag} is missing", file=files, remedy=remedy)
        assert self.catalog is not None
        assert self.application is not None
        assert self.sla is not None
        return Problem(self.catalog, self.application, self.sla, self.options)


def examples() -> list[str]:
    """Names of the shipped inputs."""
    return sorted(path.stem for path in EXAMPLES.glob("*.yaml"))


def find_input(name: str) -> Path:
    """A file, or a shipped input of that name.

    Raises:
        InputError: neither exists.
    """
    path = Path(name)
    if path.exists() or path.suffix:
        return path
    if name in examples():
        return EXAMPLES / f"{name}.yaml"
    allowed = f"a file, or one of {', '.join(examples())}"
    raise InputError(f"does not exist{nearest(name, examples())}", file=name, allowed=allowed)


def read_problem(names: str | Sequence[str | Path]) -> Problem:
    """Files that together have everything; a text is the one name.

    Raises:
        FlawedInputError: with every error of every file.
        InputError: a part is missing.
    """
    every = [names] if isinstance(names, str) else names
    return read_parts(every).problem(", ".join(map(str, every)))


def read_parts(names: Sequence[str | Path]) -> Parts:
    """Files of any parts, checked as far as they go together.

    Raises:
        FlawedInputError: with every error of every file.
    """
    flaws = Flaws()
    elements: list[Element] = []
    for name in names:
        try:
            elements += parse(*read_text(name), flaws)
        except InputError as error:
            flaws.note(error)
    parts = parts_of(elements, flaws)
    flaws.check()
    return parts


def read_text(name: str | Path) -> tuple[bytes, str]:
    """Content and name of a file, or of a shipped input.

    Raises:
        InputError: it does not exist, cannot be read, or is too large.
    """
    path = find_input(str(name))
    return read_bounded(path, limit_bytes=LIMIT_BYTES), str(path)


def parse(data: bytes, file: str, flaws: Flaws) -> list[Element]:
    """The elements of a file, which is XML when it begins with `<`.

    Raises:
        InputError: it is of neither form.
    """
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    elements = parse_xml(data, file, flaws) if start == b"<" else parse_yaml(data, file, flaws)
    number = sum(1 for _ in _within(elements))
    if number > MOST_ELEMENTS:
        raise InputError(
            "has too many elements", file=file, found=number, allowed=f"at most {MOST_ELEMENTS:,}"
        )
    return elements


def parts_of(elements: Sequence[Element], flaws: Flaws) -> Parts:
    """Values of elements; what is wrong goes to `flaws`.

    Args:
        elements: top elements of all files, in any order.
        flaws: takes what is wrong with them, alone and together.

    Returns:
        What was sound; a part that is missing or wrong is None, options have their defaults.
    """
    note_blanks(elements, flaws)
    by_tag: dict[str, list[Element]] = {tag: [] for tag in TAGS}
    for element in elements:
        if element.tag in by_tag:
            by_tag[element.tag].append(element)
        elif element.tag == "schedule":  # of files that an older Froude read
            flaws.add(
                element, "is not supported", allowed="the largest rates of the day as sla, without schedule"
            )
        else:
            hint = nearest(element.tag, TAGS)
            flaws.add(element, f"does not belong here{hint}", allowed=", ".join(TAGS))
    for tag in ("resources", "application", "batch", "growth", "re_replication", "options"):
        for again in by_tag[tag][1:]:
            first = by_tag[tag][0]
            flaws.add(again, f"stands in {first.file}:{first.line} already", allowed="one")
    catalogs = [CATALOG.read(element, flaws) for element in by_tag["resources"]]
    applications = [APPLICATION.read(element, flaws) for element in by_tag["application"]]
    options = [OPTIONS.read(element, flaws) for element in by_tag["options"]]
    parts = Parts(
        catalogs[0] if catalogs else None,
        applications[0] if applications else None,
        _sla(by_tag, flaws),
        (options[0] if options else None) or Options(),
    )
    _crosscheck(parts, elements, flaws)
    return parts


def _sla(by_tag: dict[str, list[Element]], flaws: Flaws) -> Sla | None:
    targets = [TARGET.read(element, flaws) for element in by_tag["sla"]]
    batches: list[Batch | None] = [BATCH.read(element, flaws) for element in by_tag["batch"]]
    seen: set[str] = set()
    for element, target in zip(by_tag["sla"], targets, strict=True):
        if target is not None and target.task in seen:
            flaws.add(element, "has a rate already", name="task", found=repr(target.task))
        seen.update([target.task] if target else [])
    sound: list[RateTarget] = [target for target in targets if target is not None]
    growths = [GROWTH.read(element, flaws) for element in by_tag["growth"]]
    re_replications = [RE_REPLICATION.read(element, flaws) for element in by_tag["re_replication"]]
    if not targets and not batches:
        for element in by_tag["growth"] + by_tag["re_replication"]:
            flaws.add(element, "adds to a demand, and there is none", allowed="an sla or a batch")
        return None
    return Sla(
        tuple(sound),
        batches[0] if batches else None,
        growths[0] if growths else None,
        re_replications[0] if re_replications else None,
    )


def _crosscheck(parts: Parts, elements: Sequence[Element], flaws: Flaws) -> None:
    check = Crosscheck(_within(elements), flaws)
    catalog, application = parts.catalog, parts.application
    if catalog is not None:
        check.catalog(catalog)
        check.options(parts.options, catalog)
        check.racks(parts.options, catalog)
    if application is not None:
        check.application(application)
        check.survival(parts.options, application)
        check.lost_rack(parts.options, application)
    if application is not None and parts.sla is not None:
        check.sla(parts.sla, application)
    if catalog is not None and parts.sla is not None:
        check.re_replication(catalog, parts.sla)
    if catalog is not None and application is not None:
        check.storable(catalog, application)
        check.profiles(catalog, application)
        check.core_types(catalog)


def _within(elements: Sequence[Element]) -> Iterator[Element]:
    for element in elements:
        yield element
        yield from _within(element.children)
