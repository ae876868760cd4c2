"""Modules without tests are found."""

from pathlib import Path

import pytest

from tools.check_tests import does_something, imports_of_tests, untested


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X = 1\n", False),
        ('class A:\n    x: int\n    """Units."""\n', False),
        ('class P(Protocol):\n    def m(self) -> int:\n        """What."""\n        ...\n', False),
        ("def f():\n    return 1\n", True),
        ("class A:\n    async def m(self):\n        await x\n", True),
    ],
)
def test_what_needs_tests(text: str, expected: bool) -> None:
    """Functions and methods with a body; plain values and protocols do not."""
    assert does_something(text) is expected


def test_a_module_is_tested_beside_its_place(tmp_path: Path) -> None:
    """The same folder below the tests, and the same name; a leading underscore is left out."""
    source, tests = tmp_path / "src", tmp_path / "tests"
    for name in ("a/one.py", "a/_two.py", "a/three.py", "a/__init__.py"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("def f():\n    return 1\n")
    (tests / "a").mkdir(parents=True)
    for name in ("test_one.py", "test_two.py"):
        (tests / "a" / name).touch()
    assert list(untested(source, tests)) == [Path("a/three.py")]


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("tests/a/test_b.py", "from tests.a.test_c import x\n", ["tests.a.test_c.x"]),
        ("tests/a/test_b.py", "from tests.a import test_c\n", ["tests.a.test_c"]),
        ("tests/a/test_b.py", "from tests.support.c import x\nfrom testbed.c import y\nimport ast\n", []),
        ("benchmarks/b.py", "import tests.support.c\n", ["tests.support.c"]),
        ("testbed/b.py", "def f():\n    from tests.support import c\n", ["tests.support.c"]),
    ],
)
def test_imports_of_tests(path: str, text: str, found: list[str]) -> None:
    """Tests import support only; everything else imports no tests at all."""
    assert list(imports_of_tests(Path(path), text)) == found
