"""Documents with their lineage: written with the hash of their content, opened with it looked at.

A document is one mapping: its stamp, its lineage, tags, and its content. Lineage stands before the content, so that
a file that was cut cannot pass for a whole one without it. Whoever reads a document gets the content, brought to the
newest version, and is told whether it is still what was written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from froude.base.clock import RealClock
from froude.base.errors import ChangedError, InputError
from froude.base.files import open_regular, read_bounded
from froude.documents.artifact import LINEAGE, SEAL, TAGS, Lineage, Origin, hash_fields, hash_file, stamp
from froude.documents.forms import FieldError
from froude.documents.migrate import Migrations
from froude.documents.model import Model, line_of, read_fields
from froude.documents.plain import Fields, dump_yaml
from froude.documents.reading import (
    LIMIT_BYTES,
    STAMP,
    Section,
    dump_document,
    dump_figures,
    parse_document,
    parse_figures,
)
from froude.documents.recognise import DOCUMENTS, PAGE, kind_of

M = TypeVar("M", bound=Model)
KIND = "kind"
"""The field of a document that names which of several kinds of value it is."""
BLANK = "0" * 64
"""The place of a seal in a text before `seal` fills it in."""
_SEAL = re.compile(rb"""(\btext['"]?: ?['"]|"seal" content=")([0-9a-f]{64})""")
"""In a lineage, or in the head of a page."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was read."""

    root: Section
    """Its content, in the newest version; stamp, tags and lineage are taken as read."""
    version: int
    """The version that it has in the file."""
    content: str
    """The hash of the content that the file has now."""
    lineage: Lineage | None
    """Where it comes from; None for one that was written by hand, or before lineage stood inside."""
    tags: tuple[str, ...] = ()

    @property
    def edited(self) -> bool:
        """Whether the content is another than its lineage says."""
        return self.lineage is not None and self.lineage.content_hash != self.content

    def check(self) -> Lineage:
        """Refuse a document that is not what was written.

        Returns:
            Its lineage.

        Raises:
            ChangedError: it has none, or its content is another than the lineage says.
        """
        if self.lineage is None:
            message, found, expected = "is cut off or taken away", None, "what Froude wrote there"
        elif self.edited:
            message, found = "is of another content: the file was edited or damaged", self.content
            expected = self.lineage.content_hash
        else:
            return self.lineage
        remedy = (
            "Restore it; or, where the change is meant, write what was found as its `content`"
            if found
            else None
        )
        place = self.root.error(LINEAGE, "").place
        raise ChangedError(
            f"{LINEAGE} {message}",
            file=self.root.file,
            place=place,
            found=found,
            allowed=expected,
            remedy=remedy,
        )


def open_document(path: Path, migrations: Migrations, *, limit_bytes: int = LIMIT_BYTES) -> Opened:
    """Read a YAML document of a kind; JSON is YAML, too.

    Args:
        migrations: the kind, and how older forms of it are read.
        limit_bytes: the most that it may hold.

    Returns:
        Its fields, which the caller reads and finishes, with version, hash, lineage and tags.

    Raises:
        InputError: unreadable, not YAML, of another kind or a newer version, or its lineage is none.
    """
    return opened(parse_document(read_bounded(path, limit_bytes=limit_bytes), str(path)), migrations)


def read_placed(kind: type[M], fields: Fields, path: Path, *, beside: Iterable[str] = ()) -> M:
    """The value of the fields of its document, with paths as seen from here.

    Args:
        fields: of the document, stamp and lineage among them.
        beside: fields that are none of the value's.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    value: M = read_fields(kind, content_fields(fields, *beside), path)
    return value.moved(lambda inner: path.parent / inner)


def content_fields(fields: Fields, *beside: str) -> Fields:
    """The fields of a document without stamp and lineage.

    Args:
        beside: fields that are left out as well.
    """
    kept = {name: fields[name] for name in fields if name not in {STAMP, LINEAGE, TAGS, *beside}}
    own = Fields(kept, fields.line)
    own.lines = fields.lines
    return own


def read_kind(kinds: Mapping[str, type[M]], fields: Fields, path: Path) -> M:
    """The same of one of several kinds of value, which a field of the document names.

    Args:
        kinds: by the word for each.
        fields: of the document, stamp and lineage among them.

    Raises:
        InputError: with file, line and field of what is wrong.
    """
    kind = fields.get(KIND)
    if not isinstance(kind, str) or kind not in kinds:
        message = "is missing" if kind is None else "is unknown"
        refused = FieldError(message, names=(KIND,), found=kind, allowed=kinds)
        raise refused.in_file(path, line_of(fields, (KIND,), around=True))
    return read_placed(kinds[kind], fields, path, beside=[KIND])


def open_figures(path: Path, migrations: Migrations, *, limit_bytes: int) -> Opened:
    """Read a JSON document of a kind, of more figures than a YAML one can have.

    Args:
        migrations: the kind, and how older forms of it are read.
        limit_bytes: the most that it may hold.

    Returns:
        As `open_document`.

    Raises:
        InputError: as `open_document`.
    """
    return opened(parse_figures(read_bounded(path, limit_bytes=limit_bytes), str(path)), migrations)


def open_sealed(path: Path, migrations: Migrations, *, limit_bytes: int) -> Section:
    """The fields of such a document, which nobody has edited since it was written.

    Args:
        migrations: the kind, and how older forms of it are read.
        limit_bytes: the most that it may hold.

    Raises:
        ChangedError: it was edited or damaged.
        InputError: as `open_document`.
    """
    document = open_figures(path, migrations, limit_bytes=limit_bytes)
    document.check()
    return document.root


def opened(root: Section, migrations: Migrations) -> Opened:
    """Take a parsed document as one of a kind.

    Args:
        root: all its fields, its stamp and lineage among them.
        migrations: the kind, and how older forms of it are read.

    Returns:
        The fields with version, hash, lineage and tags.

    Raises:
        InputError: of another kind or a newer version, or its lineage is none.
    """
    migrations.version(root)
    content = hash_fields(root.fields)
    version = migrations.apply(root)
    tags = tuple(map(str, root.items(TAGS)))
    lineage = read_lineage(root, migrations.kind)
    if lineage is not None and lineage.format_version != version:
        found, allowed = f"format {lineage.format_version}", str(version)
        raise root.error(LINEAGE, "is of another version than the document", found=found, allowed=allowed)
    return Opened(root, version, content, lineage, tags)


def read_lineage(root: Section, kind: str | None = None) -> Lineage | None:
    """The lineage within a document, or None.

    Args:
        kind: what it must be the lineage of; None for any.

    Raises:
        InputError: it is damaged, or of another kind.
    """
    if root.raw(LINEAGE) is None:
        return None
    section = root.section(LINEAGE)
    lineage = Lineage.read(section)
    if kind not in {None, lineage.kind}:
        raise section.error("kind", "is of another kind", found=lineage.kind, allowed=kind)
    return lineage


def lineage_of(migrations: Migrations, fields: Mapping[str, Any], origin: Origin) -> Lineage:
    """The lineage of a document that is made now.

    Args:
        migrations: the kind, whose newest form is the one that is written.
        fields: the document's content, which is hashed.
    """
    made_at = stamp(RealClock().wall())
    return Lineage(
        migrations.kind, migrations.newest, hash_fields(fields), origin.inputs, origin.command, origin.seed,
        made_at=made_at, state=origin.state,
    )  # fmt: skip


def dump_sealed(
    migrations: Migrations, fields: Mapping[str, Any], lineage: Lineage, tags: tuple[str, ...] = ()
) -> str:
    """The YAML text of a document with its lineage.

    Args:
        migrations: the kind, whose newest form is the one that is written.
        tags: words by which a workspace finds it.
    """
    return seal(dump_document(migrations.kind, migrations.newest, sealed(fields, lineage, tags)))


def dump_sealed_figures(migrations: Migrations, fields: Mapping[str, Any], origin: Origin) -> str:
    """The JSON text of a document with its lineage.

    Args:
        migrations: the kind, whose newest form is the one that is written.
        fields: the document's content; the stamp comes of itself.
        origin: what its lineage says of how it came to be, and its tags.

    Raises:
        ValueError: a number is not finite.
    """
    lineage = lineage_of(migrations, fields, origin)
    return seal(dump_figures(migrations.kind, migrations.newest, sealed(fields, lineage, origin.tags)))


def sealed(fields: Mapping[str, Any], lineage: Lineage, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of a document with lineage and tags before them, and a place for its seal.

    Args:
        tags: words by which a workspace finds it, each written once; empty for no such field.
    """
    tagged = {TAGS: sorted(set(tags))} if tags else {}
    return {LINEAGE: lineage.to_mapping() | {SEAL: BLANK}, **tagged, **fields}


def seal(text: str) -> str:
    """A text with the SHA-256 of itself, as it is before that, in its place for one.

    Args:
        text: of a file, with `BLANK` as the seal in its head.
    """
    data = text.encode(errors="surrogatepass")
    return _with_seal(data, hashlib.sha256(data).hexdigest()).decode(errors="surrogatepass")


def _with_seal(data: bytes, value: str) -> bytes:
    return _SEAL.sub(rb"\g<1>" + value.encode(), data, count=1)


def edited_file(path: Path) -> Path | None:
    """The file that differs from what Froude wrote, a comment or a space included; None where none does.

    A file without a seal counts as edited, since nothing shows the contrary, except for a document whose values are
    those of its lineage, as earlier versions wrote it.

    Args:
        path: of a document or a page; or of a folder, whose files have a seal or are named in its document.

    Raises:
        InputError: it cannot be read.
    """
    if not path.is_dir():
        return None if _as_written(path) else path
    document = next(path / name for name in DOCUMENTS if (path / name).is_file())
    if not _as_written(document):
        return document
    hashes = parse_file(document).section("files").fields
    for each in sorted(path.iterdir()):
        if not (hash_file(each) == hashes[each.name] if each.name in hashes else _as_written(each)):
            return each
    return None


def _as_written(path: Path) -> bool:
    with open_regular(path) as file:
        data = file.read()
    found = _SEAL.search(data)
    if found is not None:
        return hashlib.sha256(_with_seal(data, BLANK)).hexdigest().encode() == found[2]
    with suppress(InputError):
        root = parse_file(path)
        lineage = read_lineage(root)
        return lineage is not None and lineage.content_hash == hash_fields(root.fields)
    return False


def with_lineage(text: str, migrations: Migrations, origin: Origin) -> str:
    """A YAML text that was put together by hand, with a lineage behind its stamp.

    Args:
        text: of a whole document; its comments stay.
    """
    fields = parse_document(text.encode(errors="replace"), migrations.kind).fields
    block = dump_yaml(sealed({}, lineage_of(migrations, fields, origin)))
    head, stamped, rest = text.partition(f"{STAMP}: {migrations.stamp}\n")
    if not stamped:
        raise ValueError(f"a {migrations.kind} without its stamp")
    return seal(f"{head}{stamped}{block}{rest}")


def content_of(path: Path) -> str:
    """The hash by which a lineage names an input: of a document's content, of any other file's bytes.

    Args:
        path: a file; of a folder, the document that says what it is.

    Raises:
        InputError: it cannot be read.
    """
    if path.is_dir():
        document = next((path / name for name in DOCUMENTS if (path / name).is_file()), None)
        if document is None:
            raise InputError("is no artifact", file=path, found="a folder", allowed=" or ".join(DOCUMENTS))
        lineage = read_lineage(parse_file(document))
        return lineage.content_hash if lineage is not None else content_of(document)
    return hash_file(path) if kind_of(path) in {None, PAGE} else hash_fields(parse_file(path).fields)


def parse_file(path: Path) -> Section:
    """The root section of any document.

    Raises:
        InputError: unreadable, or no document.
    """
    data = read_bounded(path, limit_bytes=LIMIT_BYTES)
    if path.suffix == ".json":
        with suppress(InputError):  # YAML may stand there as well, and its reader names the line
            return parse_figures(data, str(path))
    return parse_document(data, str(path))
