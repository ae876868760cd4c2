"""Elements by their place, whether numbered or named."""

from __future__ import annotations

from froude.mining.elements import element_path, leaf_name, number_of

NAMED = {
    "a.files[job.jar].key": "job.jar",
    "a.files[job.jar].size": 1,
    "a.files[dir/x].key": "dir/x",
    "n[0]": 5,
    "n[1]": 6,
}


def test_a_word_has_a_number() -> None:
    """Keys count in the order of the message."""
    assert number_of(NAMED, "a.files", "dir/x") == 1
    assert number_of(NAMED, "n", "1") == 1


def test_a_number_has_a_word() -> None:
    """A path with `{each}` leads to the element, if there is one."""
    assert element_path(NAMED, "a.files[{each}].size", 0) == "a.files[job.jar].size"
    assert element_path(NAMED, "n[{each}]", 1) == "n[1]"
    assert element_path(NAMED, "a.files[{each}].key", 7) == "a.files[7].key"
    assert element_path(NAMED, "n", 0) == "n"


def test_names_of_leaves_have_no_indices() -> None:
    """Nor keys with dots."""
    assert leaf_name("a.files[job.jar].size") == "size"
    assert leaf_name("a.n[{each}]") == "n"
