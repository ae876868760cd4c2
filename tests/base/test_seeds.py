"""Seeds hang on names, not on order."""

from froude.base.seeds import Seeds


def test_same_path_same_stream() -> None:
    """A node gives the same numbers whenever it is asked."""
    tree = Seeds(7)
    tree.child("players", 2).random()
    assert tree.child("players", 3).random().random() == Seeds(7).child("players", 3).random().random()


def test_other_paths_other_streams() -> None:
    """Neighbours, other roots, and names that merely join alike differ."""
    values = {Seeds(7).child("a", 1).value, Seeds(7).child("a", "1").value, Seeds(8).child("a", 1).value}
    values |= {Seeds(7).child("a1").value, Seeds(7).child("a").child(2).value}
    assert len(values) == 5
