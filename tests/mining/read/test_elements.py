"""Elements by their place, whether numbered or named."""

from __future__ import annotations

import pytest

from froude.mining.read.elements import (
    ONLY,
    Numbers,
    element_path,
    elements_of,
    indices_of,
    leaf_name,
    lists_of,
    number_of,
    with_numbers,
)

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
    assert element_path(NAMED, "a.files[{each}].size", (0,)) == "a.files[job.jar].size"
    assert element_path(NAMED, "n[{each}]", (1,)) == "n[1]"
    assert element_path(NAMED, "a.files[{each}].key", (7,)) == "a.files[7].key"
    assert element_path(NAMED, "n", (0,)) == "n"


@pytest.mark.parametrize(
    ("listed", "elements"), [("locs", [(0,), (1,)]), ("other", []), ("", [ONLY]), ("locs[].a", [])]
)
def test_elements_of_a_repeated_field(listed: str, elements: list[Numbers]) -> None:
    """By the indices that stand; without a field the call itself is the only one."""
    leaves = {"locs[0].a": 1, "locs[0].b": 2, "locs[7].a": 3, "locsx[9]": 4}
    assert elements_of(leaves, listed) == elements


NESTED = {
    "jobs[0].blocks[0].id": 7,
    "jobs[0].blocks[1].id": 8,
    "jobs[0].targets[0].nodes[0].name": "n2",
    "jobs[0].targets[1].nodes[0].name": "n3",
    "jobs[0].targets[1].nodes[1].name": "n4",
    "files[a].pieces[x].size": 1,
    "files[b].pieces[y].size": 2,
    "files[b].pieces[z].size": 3,
}


def test_an_element_of_a_list_in_a_list_has_two_numbers() -> None:
    """The outer one leads to what stands beside the outer list, too."""
    elements = elements_of(NESTED, "jobs[0].targets[].nodes")
    assert elements == [(0, 0), (1, 0), (1, 1)]
    names = [element_path(NESTED, "jobs[0].targets[{each}].nodes[{each}].name", each) for each in elements]
    assert [NESTED[name] for name in names] == ["n2", "n3", "n4"]
    blocks = [element_path(NESTED, "jobs[0].blocks[{each}].id", each) for each in elements]
    assert [NESTED[block] for block in blocks] == [7, 8, 8]
    assert elements_of(NESTED, "jobs[].targets[].nodes") == [(0, 0, 0), (0, 1, 0), (0, 1, 1)]


def test_elements_of_a_list_in_a_list_may_be_named() -> None:
    """Both lists by their keys, in the order of the message."""
    elements = elements_of(NESTED, "files[].pieces")
    assert elements == [(0, 0), (1, 0), (1, 1)]
    path = "files[{each}].pieces[{each}].size"
    assert [NESTED[element_path(NESTED, path, each)] for each in elements] == [1, 2, 3]
    assert element_path(NESTED, path, (1, 2)) == "files[1].pieces[2].size"


def test_names_of_leaves_have_no_indices() -> None:
    """Nor keys with dots."""
    assert leaf_name("a.files[job.jar].size") == "size"
    assert leaf_name("a.n[{each}]") == "n"


def test_a_path_leads_to_an_element_of_any_of_its_lists() -> None:
    """Of one in one element of another, and in all of them."""
    path = "a[0].b[7].c[1].d"
    assert list(lists_of(path)) == [
        (0, "a", "b[7].c[1].d"),
        (1, "a[0].b", "c[1].d"), (0, "a[].b", "c[1].d"),
        (2, "a[0].b[7].c", "d"), (0, "a[].b[].c", "d"), (1, "a[0].b[].c", "d"),
    ]  # fmt: skip
    assert indices_of(path) == (0, 7, 1)
    assert list(lists_of("a.b")) == []
    assert with_numbers("a[{each}].b[7].c[{each}].d", (0, 1)) == path
