"""Named generators: values that are random by nature and of a known form, drawn from a node's own stream."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping

from froude.workload.rules import Special, Value
from froude.workload.types import Generated, Scalar

Parameters = Mapping[str, Scalar]


def generate(rule: Generated, rng: random.Random) -> Value:
    """The next value of a generator; UNRESOLVED for a name that is not known.

    Args:
        rule: which generator, with its parameters.
        rng: the node's own stream.
    """
    maker = GENERATORS.get(rule.generator)
    return Special.UNRESOLVED if maker is None else maker(rng, rule.parameters)


def _uuid(rng: random.Random, parameters: Parameters) -> str:
    return f"{_text(parameters, 'prefix')}{uuid.UUID(int=rng.getrandbits(128), version=4)}"


def _integer(rng: random.Random, parameters: Parameters) -> int:
    return rng.randint(_whole(parameters, "low", 0), _whole(parameters, "high", 2**31 - 1))


def _digits(rng: random.Random, parameters: Parameters) -> str:
    return f"{_text(parameters, 'prefix')}{rng.getrandbits(31)}{_text(parameters, 'suffix')}"


def _bytes(rng: random.Random, parameters: Parameters) -> bytes:
    return rng.randbytes(_whole(parameters, "size", 16))


def _hex(rng: random.Random, parameters: Parameters) -> str:
    return rng.randbytes((_whole(parameters, "digits", 16) + 1) // 2).hex()[
        : _whole(parameters, "digits", 16)
    ]


def _choice(rng: random.Random, parameters: Parameters) -> Scalar:
    return rng.choice(list(parameters.values())) if parameters else None


def _text(parameters: Parameters, name: str) -> str:
    value = parameters.get(name, "")
    return value if isinstance(value, str) else ""


def _whole(parameters: Parameters, name: str, default: int) -> int:
    value = parameters.get(name, default)
    return int(value) if isinstance(value, (int, float, str)) else default


GENERATORS: Mapping[str, Callable[[random.Random, Parameters], Scalar]] = {
    "uuid": _uuid,
    "integer": _integer,
    "digits": _digits,
    "bytes": _bytes,
    "hex": _hex,
    "choice": _choice,
}
"""By name."""
