"""Libraries that a part of Froude needs and its extra brings."""

from __future__ import annotations

import importlib.util

from froude.base.errors import MissingError


def require(extra: str, *libraries: str) -> None:
    """Refuse to begin without the libraries of a part; none is imported.

    Raises:
        MissingError: one is not installed; the first that is named.
    """
    missing = next((name for name in libraries if importlib.util.find_spec(name) is None), None)
    if missing is not None:
        raise MissingError(f"{missing} is not installed", remedy=f"pip install 'froude[{extra}]'")
