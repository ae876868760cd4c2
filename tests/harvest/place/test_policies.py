"""Policies as data."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.harvest.place.policies import Attribute, Constraints, Draw, Policy, constrained, preset

ONCE = "named once"


def test_algorithm_2_is_a_set_of_hard_constraints() -> None:
    """Environment, row and column differ; a tenant is drawn before its server."""
    policy = preset("history")
    wanted = (Attribute.ENVIRONMENT, Attribute.PEAK_ROW, Attribute.REIMAGE_COLUMN)
    assert (policy.constraints.distinct, policy.constraints.soft, policy.draw) == (
        wanted,
        frozenset(),
        Draw.TENANT,
    )


def test_a_soft_variant_says_so_in_its_name() -> None:
    """Every constraint is soft, and nothing else differs."""
    policy = preset("history-soft")
    assert policy.name == "history, soft"
    assert policy.constraints.soft == set(policy.constraints.distinct)
    assert preset(policy.name) == policy


def test_an_unknown_policy_is_refused_with_those_there_are() -> None:
    """The names are in the error."""
    with pytest.raises(InputError, match=r"is no policy; found magic; allowed: stock, .*copyset"):
        preset("magic")


def test_constraints_of_a_user() -> None:
    """Soft ones carry a question mark; another draw is named."""
    policy = constrained(["environment", "rack"], ["rack"])
    assert policy.name == "environment+rack?"
    assert policy.constraints.soft == {Attribute.RACK}
    assert constrained(["environment"], draw=Draw.TENANT).name == "environment by tenant"
    assert constrained([]).name == "no constraint"


@pytest.mark.parametrize(
    ("distinct", "soft", "said"),
    [
        (["colour"], [], "is no attribute of a server; found colour"),
        (["rack", "rack"], [], ONCE),
        (["rack"], ["environment"], "what is soft is a constraint"),
    ],
)
def test_wrong_constraints_are_refused(distinct: list[str], soft: list[str], said: str) -> None:
    """The error says what is wrong."""
    with pytest.raises(InputError, match=said):
        constrained(distinct, soft)


def test_values_check_themselves() -> None:
    """A scatter width of nobody, and an attribute twice."""
    with pytest.raises(ValueError, match="scatter is 1 or more"):
        Policy("lonely", scatter=0)
    with pytest.raises(ValueError, match=ONCE):
        Constraints((Attribute.RACK, Attribute.RACK))
