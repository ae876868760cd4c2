"""Errors say where, what was found and what is allowed."""

import pickle

import pytest

from froude.base.errors import FroudeError, InputError


def test_names_every_part() -> None:
    """All parts stand in one line, in the order a person reads them."""
    error = InputError("not a size", file="a.yaml", place=7, found="10 GX", allowed="10 GB", remedy="Use GB")
    assert str(error) == "a.yaml:7: not a size; found 10 GX; allowed: 10 GB. Use GB"


@pytest.mark.parametrize(
    ("found", "allowed", "text"),
    [
        ("histxry", ["stock", "history"], "x, did you mean history?; found histxry; allowed: stock, history"),
        ("'Stock'", {"stock": 1}, "x, did you mean stock?; found 'Stock'; allowed: stock"),
        ("none", ["stock"], "x; found none; allowed: stock"),
        (None, ["None"], "x; allowed: None"),
        ("a", [], "x; found a"),
        ("a", "", "x; found a"),
    ],
)
def test_suggests_the_nearest_of_the_names(found: str | None, allowed: object, text: str) -> None:
    """Of what may stand there; where that is nothing, it is not mentioned."""
    assert str(InputError("x", found=found, allowed=allowed)) == text


def test_shortens_what_a_peer_sent() -> None:
    """A megabyte of found text does not flood the terminal."""
    assert len(str(FroudeError("x", found="y" * 10**6))) < 300


def test_survives_a_process_boundary() -> None:
    """A worker's error arrives whole in the parent."""
    error = InputError("x", file="f", found=3)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InputError
    assert str(again) == str(error)
