"""The public names."""

import subprocess
import sys

import pytest

import froude


def test_every_public_name_is_there() -> None:
    """What is promised can be used."""
    for name in froude.__all__:
        assert getattr(froude, name) is not None


def test_other_names_are_attribute_errors() -> None:
    """A slip is told as Python tells it."""
    with pytest.raises(AttributeError, match="no attribute 'mien'"):
        froude.mien  # noqa: B018


def test_importing_froude_imports_nothing_heavy() -> None:
    """The package costs nothing until a name is used; nor does the overview of the command line."""
    code = (
        "import sys, froude\nfrom froude.cli.app import run\nrun(['--help'])\n"
        "heavy = {'pyarrow', 'numpy', 'google.protobuf', 'rich', 'yaml'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
