"""Documents are read strictly, and every error says where."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.documents import dump_document, load_document, parse_document
from froude.base.errors import InputError


def test_error_names_line_and_field() -> None:
    """A wrong type is reported with the line it stands on."""
    section = parse_document(b"a: 1\nb:\n  c: text\n", "f.yaml").section("b")
    with pytest.raises(InputError, match=r"f\.yaml:3: b\.c: has the wrong type; found 'text'; allowed: int"):
        section.value("c", int)


def test_refuses_a_misspelt_field() -> None:
    """A field that nobody asks for is an error, not a default."""
    section = parse_document(b"name: x\nnmae: y\n", "f.yaml")
    section.value("name", str)
    with pytest.raises(InputError, match="nmae: is not a field here"):
        section.finish()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not start with fields"),
        (b"- 1\n", "does not start with fields"),
        (b"a: [1\n", "is not YAML"),
        (b"a: 1\na: 2\n", "is not YAML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"a: &x [1]\nb: *x\n", "uses an alias"),
        (b"a: " + b"[" * 200 + b"]" * 200, "nested too deep"),
    ],
)
def test_refuses_what_is_no_document(data: bytes, message: str) -> None:
    """Empty, foreign, torn and hostile files each give one clear error."""
    with pytest.raises(InputError, match=message):
        parse_document(data, "f.yaml")


@given(st.binary(max_size=200))
def test_any_bytes_give_a_section_or_a_stated_error(data: bytes) -> None:
    """No input escapes as another exception."""
    try:
        parse_document(data, "f.yaml")
    except InputError as error:
        assert "f.yaml" in str(error)


def test_kind_and_version(tmp_path: Path) -> None:
    """Another kind of document, or one from the future, is refused with what is allowed."""
    file = tmp_path / "w.yaml"
    file.write_text(dump_document("workload", 9, {"a": 1}))
    with pytest.raises(InputError, match="found workload/9; allowed: workload/1"):
        load_document(file, "workload", range(1, 2))
