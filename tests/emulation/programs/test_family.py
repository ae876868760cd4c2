"""What a family answers that has nothing of its own to say."""

from __future__ import annotations

from typing import Any, cast

from froude.emulation.programs.family import PlainFamily
from froude.workload.types import CallTemplate, Constant

CALL = CallTemplate("c", "P", "mkdirs", {})


def test_a_plain_family_has_nothing_of_its_own() -> None:
    """Any address, no user but the play's, nobody to watch; its nodes begin by their own rule."""
    family = PlainFamily()
    assert (family.source(0), family.identity(0, Constant("root")), family.real_user(0)) == (None, None, None)
    assert (family.told, family.watches) == (False, ())
    assert family.answered(cast("Any", None), CALL, None) == ()
