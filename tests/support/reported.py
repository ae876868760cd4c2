"""Real data that may be stored next to the checkout, or next to the folder of its worktrees."""

from __future__ import annotations

from pathlib import Path

import pytest

_ABOVE = Path(__file__).parents[3:5]
DATA = next((each / "shared" / "data" for each in _ABOVE if (each / "shared").is_dir()), _ABOVE[0] / "shared")
REPORTED = DATA / "reported"
needs_reported = pytest.mark.skipif(not REPORTED.is_dir(), reason="no reported inputs next to the checkout")
