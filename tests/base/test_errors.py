"""Errors say where, what was found and what is allowed."""

import pickle

from froude.base.errors import FroudeError, InputError


def test_names_every_part() -> None:
    """All parts stand in one line, in the order a person reads them."""
    error = InputError("not a size", file="a.yaml", place=7, found="10 GX", allowed="10 GB", remedy="Use GB")
    assert str(error) == "a.yaml:7: not a size; found 10 GX; allowed: 10 GB. Use GB"


def test_shortens_what_a_peer_sent() -> None:
    """A megabyte of found text does not flood the terminal."""
    assert len(str(FroudeError("x", found="y" * 10**6))) < 300


def test_survives_a_process_boundary() -> None:
    """A worker's error arrives whole in the parent."""
    error = InputError("x", file="f", found=3)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InputError
    assert str(again) == str(error)
