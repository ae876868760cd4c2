"""Named generators: values that are random by nature and of known form.

A generator recognises its values in a recording and makes new ones in a play. Both are pure: randomness and
time are arguments.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from froude.workload.types import Generated, Scalar

Parameters = Mapping[str, Scalar]
_UUID = re.compile(r"^(.*?)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(.*)$", re.DOTALL)
_DFS_CLIENT = re.compile(r"^DFSClient_([A-Za-z]+)_-?\d+_(\d+)$")
_TASK_CLIENT = re.compile(r"^DFSClient_attempt_\w+_-?\d+_\d+$")
_HEX = re.compile(r"[0-9a-f]{16,}")
"""What a capture puts in place of a secret text, too."""
_EPOCH_MS = range(1_000_000_000_000, 5_000_000_000_000)
_WIDE = 1 << 48
_LARGEST = (1 << 63) - 1
_LONGEST = 1 << 20
"""Bytes of one value."""
CONTAINER_ASKS = "container-asks"
"""Of leaves of asks for containers: which asks a call makes says the miner (`mining.yarn`)."""
_WORDED = frozenset({"dfs-client", "task-client", "uuid", "epoch-ms"})
"""Generators by whose form alone one value is recognised."""
_FEW = 8
"""Values that a choice may have."""


@dataclass(frozen=True, slots=True)
class Generator:
    """One kind of value."""

    name: str
    recognise: Callable[[Sequence[Scalar]], Parameters | None]
    """The parameters under which all values are of this kind, or None."""
    make: Callable[[Parameters, random.Random, float], Scalar]
    """A new value, from parameters, a random generator, and the time in seconds since the epoch."""
    parameters: tuple[str, ...] | None = ()
    """The names that it takes; None for any."""
    of_process: bool = False
    """Whether every start of a process gives another value, such as the name that holds its leases."""


def recognise(values: Sequence[Scalar]) -> Generated | None:
    """The generator of whose kind all values are, or None."""
    for generator in GENERATORS.values():
        parameters = generator.recognise(values)
        if parameters is not None:
            return Generated(generator.name, dict(parameters))
    return None


def generate(rule: Generated, rng: random.Random, now_s: float) -> Scalar:
    """A new value.

    Args:
        now_s: seconds since the epoch.

    Raises:
        KeyError: there is no generator of that name.
    """
    return GENERATORS[rule.generator].make(rule.parameters, rng, now_s)


def fits(rule: Generated, value: Scalar) -> bool:
    """Whether a value has the form of those that a rule makes; for numbers, of which any may be made, always."""
    if rule.generator == "choice":
        return value in rule.parameters.values()
    return rule.generator not in _WORDED or GENERATORS[rule.generator].recognise([value]) == rule.parameters


def choice(values: Sequence[Scalar]) -> Generated | None:
    """One of a few values, for what timing decides among them: never tried by itself, for it would fit anything."""
    distinct = list(dict.fromkeys(values))
    if not 1 < len(distinct) <= _FEW or len(values) < 2 * len(distinct):
        return None
    return Generated("choice", {str(number): value for number, value in enumerate(distinct, 1)})


def _is_uuid(values: Sequence[Scalar]) -> Parameters | None:
    matches = [_UUID.match(value) if isinstance(value, str) else None for value in values]
    around = {(match[1], match[2]) if match else None for match in matches}
    if len(around) != 1 or None in around:
        return None
    prefix, suffix = next(pair for pair in around if pair is not None)
    return {**({"prefix": prefix} if prefix else {}), **({"suffix": suffix} if suffix else {})}


def _uuid(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    value = UUID(int=rng.getrandbits(128), version=4)
    return str(parameters.get("prefix", "")) + str(value) + str(parameters.get("suffix", ""))


def _is_dfs_client(values: Sequence[Scalar]) -> Parameters | None:
    matches = [_DFS_CLIENT.match(value) if isinstance(value, str) else None for value in values]
    forms = {(match[1], match[2]) if match else None for match in matches}
    if len(forms) != 1 or None in forms:
        return None
    task, thread = next(pair for pair in forms if pair is not None)
    return {"task": task, "thread": int(thread)}


def _dfs_client(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    task, thread = str(parameters.get("task", "NONMAPREDUCE")), str(parameters.get("thread", 1))
    return f"DFSClient_{task}_{_int32(rng)}_{thread}"


def _is_task_client(values: Sequence[Scalar]) -> Parameters | None:
    return {} if values and all(isinstance(v, str) and _TASK_CLIENT.match(v) for v in values) else None


def _task_client(_: Parameters, rng: random.Random, now_s: float) -> Scalar:
    return f"DFSClient_attempt_{int(now_s * 1000)}_0001_m_000000_0_{_int32(rng)}_1"


def _is_epoch_ms(values: Sequence[Scalar]) -> Parameters | None:
    return {} if values and all(type(value) is int and value in _EPOCH_MS for value in values) else None


def _epoch_ms(_: Parameters, __: random.Random, now_s: float) -> Scalar:
    return int(now_s * 1000)


def _is_wide(values: Sequence[Scalar]) -> Parameters | None:
    numbers = [abs(value) for value in values if type(value) is int]
    # The largest number stands for "not set" or "all of it": no random number is just that.
    wide = len(numbers) == len(values) and min(numbers) >= _WIDE and _LARGEST not in numbers
    return {} if wide and len(set(values)) > 1 else None


def _int64(_: Parameters, rng: random.Random, __: float) -> Scalar:
    return rng.getrandbits(63)


def _between(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    low, high = parameters.get("low") or 0, parameters.get("high") or 0
    if isinstance(low, float) or isinstance(high, float):
        return rng.uniform(float(low), float(high))
    return rng.randint(int(low), int(high))


def _one_of(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    return rng.choice(list(parameters.values())) if parameters else None


def _is_hex(values: Sequence[Scalar]) -> Parameters | None:
    lengths = {len(value) if isinstance(value, str) and _HEX.fullmatch(value) else -1 for value in values}
    # One text seen again and again is a choice that someone made.
    return {"digits": max(lengths)} if min(lengths, default=-1) > 0 and len(set(values)) > 1 else None


def _hex(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    digits = int(parameters.get("digits") or 16)
    if not 0 < digits <= _LONGEST:
        raise ValueError(f"{digits} digits")
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def _never(_: Sequence[Scalar]) -> Parameters | None:
    return None


def _bytes(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    length = int(parameters.get("length") or 16)
    if not 0 < length <= _LONGEST:
        raise ValueError(f"{length} bytes")
    return rng.randbytes(length)


def _is_bytes(values: Sequence[Scalar]) -> Parameters | None:
    lengths = {len(value) if isinstance(value, bytes) else -1 for value in values}
    return {"length": max(lengths)} if lengths and min(lengths) >= 8 else None


def _size(parameters: Parameters, rng: random.Random, _: float) -> Scalar:
    median, spread = float(parameters.get("median") or 1), float(parameters.get("spread") or 0)
    drawn = round(rng.lognormvariate(math.log(median), spread))
    return max(0, min(drawn, _LARGEST))


def _port(_: Parameters, rng: random.Random, __: float) -> Scalar:
    return rng.randint(1 << 15, (1 << 16) - 1)


def _number(parameters: Parameters, rng: random.Random, now_s: float) -> Scalar:
    return str(_between(parameters, rng, now_s)).zfill(int(parameters.get("width") or 0))


def _ask(parameters: Parameters, _: random.Random, __: float) -> Scalar:
    return parameters.get("value", 0)


def _int32(rng: random.Random) -> int:
    return rng.randint(-(1 << 31), (1 << 31) - 1)


GENERATORS = {
    generator.name: generator
    for generator in (
        Generator("dfs-client", _is_dfs_client, _dfs_client, ("task", "thread"), of_process=True),
        Generator("task-client", _is_task_client, _task_client, of_process=True),
        Generator("uuid", _is_uuid, _uuid, ("prefix", "suffix")),
        Generator("epoch-ms", _is_epoch_ms, _epoch_ms),
        Generator("int64", _is_wide, _int64),
        Generator("bytes", _is_bytes, _bytes, ("length",)),
        Generator("hex", _is_hex, _hex, ("digits",)),
        Generator("gauge", _never, _between, ("low", "high")),
        Generator("choice", _never, _one_of, None),
        Generator("size", _never, _size, ("median", "spread")),
        Generator("port", _never, _port),
        Generator("number", _never, _number, ("low", "high", "width")),
        Generator(CONTAINER_ASKS, _never, _ask, None),
    )
}
"""By name, in the order in which values are tried; those that recognise nothing are chosen by a leaf's name
or by who asks. `number` is one within a text."""
