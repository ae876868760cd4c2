"""Names that any file form takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.documents.plain import parse_yaml
from froude.provision.draft.names import distinct, identifier, one_line


def test_foreign_characters_become_one_underscore() -> None:
    """What begins with a digit, is a word of YAML, or is nothing takes the fallback."""
    texts = ("word count!", "7.2K", "null", "blank", "…")
    identifiers = [identifier(text, "task") for text in texts]
    assert identifiers == ["word_count", "task_7_2K", "task_null", "task_blank", "task"]


def test_equal_names_are_told_apart() -> None:
    """By a number that no other has."""
    assert distinct(["a b", "a_b", "a_b_2", "a.b"], "x") == ["a_b", "a_b_2", "a_b_2_2", "a_b_3"]


@given(st.lists(st.text(max_size=60), max_size=20))
def test_names_are_distinct_identifiers(texts: list[str]) -> None:
    """YAML reads each as the same text."""
    names = distinct(texts, "task")
    assert len(set(names)) == len(texts)
    assert all(name.isidentifier() and name.isascii() for name in names)
    assert parse_yaml(("[" + ", ".join(names) + "]").encode(), "f") == names


@given(st.text())
def test_a_comment_stays_on_its_line(text: str) -> None:
    """Line breaks of any kind, and what would steer a terminal, are made visible."""
    line = one_line(text, 50)
    assert len(line) <= 50
    assert line.isprintable()
