"""Documents with their lineage."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin, State, hash_fields, hash_file
from froude.documents.lineage import (
    content_of,
    dump_sealed,
    dump_sealed_figures,
    edited_file,
    lineage_of,
    open_document,
    open_figures,
    with_lineage,
)
from froude.documents.migrate import Migrations

SONGS = Migrations("song", 1)
FIELDS = {"title": "a", "verses": [1, 2.5]}
ORIGIN = Origin("froude sing 'a b'", ("ab",), 7, State.INTERRUPTED, ("loud", "base", "loud"))


def written(tmp_path: Path) -> Path:
    """A document."""
    file = tmp_path / "s.yaml"
    file.write_text(dump_sealed(SONGS, FIELDS, lineage_of(SONGS, FIELDS, ORIGIN), ORIGIN.tags))
    return file


def test_a_document_says_where_it_comes_from(tmp_path: Path) -> None:
    """Stamp, lineage, tags, content, in this order; all of it is read again."""
    file = written(tmp_path)
    assert file.read_text().startswith("froude: song/1\nlineage:\n  kind: song\n")
    opened = open_document(file, SONGS)
    lineage = opened.check()
    assert (lineage.command, lineage.inputs, lineage.seed, lineage.state) == (
        ORIGIN.command, ("ab",), 7, State.INTERRUPTED,
    )  # fmt: skip
    assert (opened.tags, opened.content) == (("base", "loud"), hash_fields(FIELDS))
    assert lineage.made_at.endswith("+00:00")
    assert content_of(file) == opened.content
    assert {name: opened.root.raw(name) for name in FIELDS} == FIELDS
    opened.root.finish()


def test_figures_say_so_too(tmp_path: Path) -> None:
    """In JSON the stamp is the first key as well."""
    file = tmp_path / "s.json"
    file.write_text(dump_sealed_figures(SONGS, FIELDS, ORIGIN))
    assert list(json.loads(file.read_text())) == ["froude", "lineage", "tags", "title", "verses"]
    assert open_figures(file, SONGS, limit_bytes=9999).check().kind == "song"
    assert open_document(file, SONGS).check().kind == "song"


def test_an_edit_is_seen_and_says_how_to_get_on(tmp_path: Path) -> None:
    """What was found can be put in the lineage by whoever means it; comments are free."""
    file = written(tmp_path)
    file.write_text("# a comment\n" + file.read_text())
    assert not open_document(file, SONGS).edited
    file.write_text(file.read_text().replace("title: a", "title: b"))
    opened = open_document(file, SONGS)
    with pytest.raises(ChangedError, match=r"s\.yaml:3: lineage is of another content") as caught:
        opened.check()
    assert (caught.value.found, caught.value.allowed) == (opened.content, hash_fields(FIELDS))
    file.write_text(file.read_text().replace(hash_fields(FIELDS), opened.content))
    assert open_document(file, SONGS).check().content_hash == opened.content


def test_a_lineage_that_was_taken_away_is_missed(tmp_path: Path) -> None:
    """Where a document must have one."""
    file = tmp_path / "s.yaml"
    file.write_text("froude: song/1\ntitle: a\n")
    opened = open_document(file, SONGS)
    assert not opened.edited
    with pytest.raises(ChangedError, match="lineage is cut off or taken away"):
        opened.check()


def test_a_lineage_of_another_version_than_the_document_is_refused(tmp_path: Path) -> None:
    """The stamp and the lineage say the version alike; the error names both."""
    file = written(tmp_path)
    lineage = lineage_of(SONGS, FIELDS, ORIGIN)
    file.write_text(dump_sealed(SONGS, FIELDS, replace(lineage, format_version=2)))
    with pytest.raises(InputError, match="is of another version than the document") as caught:
        open_document(file, SONGS)
    assert (caught.value.found, caught.value.allowed) == ("format 2", "1")


def test_a_text_with_comments_gains_a_lineage(tmp_path: Path) -> None:
    """Behind its stamp; everything else stays as it is."""
    file = tmp_path / "s.yaml"
    file.write_text(with_lineage("# why\nfroude: song/1\ntitle: a  # because\n", SONGS, ORIGIN))
    assert file.read_text().startswith("# why\nfroude: song/1\nlineage:\n")
    assert file.read_text().endswith("title: a  # because\n")
    assert open_document(file, SONGS).check().command == ORIGIN.command
    with pytest.raises(ValueError, match="without its stamp"):
        with_lineage("title: a\n", SONGS, ORIGIN)


def test_inputs_are_named_by_content_or_bytes(tmp_path: Path) -> None:
    """A table has no content but its bytes; a folder is none unless a document says what it is."""
    (tmp_path / "t.csv").write_text("a,b\n")
    assert content_of(tmp_path / "t.csv") == hash_file(tmp_path / "t.csv")
    with pytest.raises(InputError, match="is no artifact"):
        content_of(tmp_path)
    (tmp_path / "plan.yaml").write_text(written(tmp_path).read_text())
    assert content_of(tmp_path) == hash_fields(FIELDS)


def test_a_hash_of_zeros_is_no_place_for_a_seal(tmp_path: Path) -> None:
    """Whatever it was made from stays as it is."""
    origin = Origin("froude sing", ("0" * 64,))
    file = tmp_path / "s.yaml"
    file.write_text(dump_sealed(SONGS, FIELDS, lineage_of(SONGS, FIELDS, origin)))
    assert open_document(file, SONGS).check().inputs == origin.inputs
    assert edited_file(file) is None


@given(st.data(), st.sampled_from(["yaml", "json", "comments"]))
def test_any_edit_of_the_text_is_seen(data: st.DataObject, form: str) -> None:
    """Wherever a letter, a blank or a whole comment is put; what was written is as written."""
    text = {
        "yaml": dump_sealed(SONGS, FIELDS, lineage_of(SONGS, FIELDS, ORIGIN)),
        "json": dump_sealed_figures(SONGS, FIELDS, ORIGIN),
        "comments": with_lineage("# a\nfroude: song/1\ntitle: b  # c\n", SONGS, ORIGIN),
    }[form]
    seal = text.index('text": "' if form == "json" else "text: '") + 8
    at = data.draw(st.integers(0, len(text)).filter(lambda at: not seal - 8 < at < seal + 64))
    added = data.draw(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9) | st.just("\n# mine\n"))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "s.yaml"
        file.write_bytes(text.encode())
        assert edited_file(file) is None
        file.write_bytes((text[:at] + added + text[at:]).encode())
        assert edited_file(file) == file


def test_the_files_of_a_folder_belong_to_it(tmp_path: Path) -> None:
    """By their seals, or by their hashes in its document; the one that was edited is named."""
    (tmp_path / "table").write_bytes(b"1")
    fields = {"files": {"table": hash_file(tmp_path / "table")}}
    plans = Migrations("plan", 1)
    (tmp_path / "plan.yaml").write_text(dump_sealed(plans, fields, lineage_of(plans, fields, ORIGIN)))
    song = written(tmp_path)
    assert edited_file(tmp_path) is None
    for name in ("table", song.name, "plan.yaml"):
        before = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(before + b"\n")
        assert edited_file(tmp_path) == tmp_path / name
        (tmp_path / name).write_bytes(before)
