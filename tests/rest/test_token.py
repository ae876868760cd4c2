"""The secret of controller and agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.rest.token import allows, read_token

NO_SECRET = "holds no secret"


_SECRET = "0123456789abcdef"


def _file(folder: Path, text: bytes, mode: int = 0o600) -> Path:
    path = folder / "token"
    path.write_bytes(text)
    path.chmod(mode)
    return path


def test_the_first_line(tmp_path: Path) -> None:
    """Without spaces around; what stands below it is not read."""
    assert read_token(_file(tmp_path, f" {_SECRET} \nold\n".encode())) == _SECRET


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        (_SECRET.encode(), 0o640, "can be read by others"),
        (b"short", 0o600, NO_SECRET),
        (b"two words of a secret", 0o600, NO_SECRET),
        ("ä" * 20, 0o600, "is no text"),
    ],
)
def test_no_secret(tmp_path: Path, text: bytes | str, mode: int, why: str) -> None:
    """Others can read it, it is too short, or it is no text."""
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError, match=why):
        read_token(_file(tmp_path, data, mode))


@pytest.mark.parametrize(
    ("header", "served"),
    [
        (f"Bearer {_SECRET}", True),
        (f"bearer {_SECRET}", True),
        (f"Basic {_SECRET}", False),
        (f"Bearer {_SECRET}x", False),
        (f"Bearer x{_SECRET}", False),
        ("Bearer", False),
        ("Bearer ä", False),
        (None, False),
    ],
)
def test_who_is_served(header: str | None, served: bool) -> None:
    """Only the whole secret, as a bearer token."""
    assert allows(_SECRET, header) is served
