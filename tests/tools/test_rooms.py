"""Sizes of packages and rooms, and files that belong to a single other one."""

from __future__ import annotations

from pathlib import Path

from tools.rooms import imports, modules, rooms, splinters


def test_imports_are_those_of_known_modules() -> None:
    """By either form, inside functions as well; a name that is not a module is its module's."""
    known = dict.fromkeys(("a.b", "a.c", "a.d"))
    text = "import a.b\nfrom a import c\ndef f():\n    from a.d import g\nimport os\n"
    assert imports(text, known) == {"a.b", "a.c", "a.d"}


def test_splinters_have_one_importer_in_their_folder() -> None:
    """Not one in another folder, not two."""
    arrows = {"a.x": {"a.y", "a.z", "b.w"}, "a.y": {"a.z"}, "a.z": set(), "b.w": set()}
    assert list(splinters(arrows)) == [("a.y", "a.x")]


def test_rooms_of_a_package(tmp_path: Path) -> None:
    """A folder or a file below the package is a room; what it uses of the package is named."""
    source = tmp_path / "froude"
    for name, text in {
        "p/one/a.py": "from froude.p.two import b\n",
        "p/two/b.py": "X = 1\n\n",
        "p/c.py": "from froude.p.one.a import b\n",
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    assert set(modules(source)) == {"froude.p.one.a", "froude.p.two.b", "froude.p.c"}
    table = list(rooms(source, "p"))
    assert "| `one` | 1 | 1 | two |" in table
    assert "| `two` | 1 | 2 |  |" in table
    assert "| `c` | 1 | 1 | one |" in table
