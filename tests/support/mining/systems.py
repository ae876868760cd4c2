"""Systems of any pattern that a generated log may follow (`generated`), and Scales to run them at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.support.mining import generated as g

SIZES = ("clients", "files", "blocks")
_LARGEST = 5


@dataclass(frozen=True)
class Experiment:
    """A system and the sizes that it is run at."""

    system: g.System
    trained: tuple[dict[str, int], ...]
    text: str
    """What it does, to be shown where it fails."""

    @property
    def held_out(self) -> dict[str, int]:
        """Twice the largest size of each."""
        return {name: 2 * max(sizes[name] for sizes in self.trained) for name in SIZES}

    def __repr__(self) -> str:
        return f"{self.text} at {self.trained}"


@dataclass(frozen=True)
class _Known:
    """What a call can take its arguments from."""

    methods: tuple[str, ...]
    """Answered before, in each round of the loops around."""
    loops: tuple[str, ...]


@st.composite
def counts(draw: st.DrawFn, variable: str) -> tuple[g.Count, str]:
    """How often a loop runs: linear in a variable, or in whole steps of it."""
    kind, number = draw(st.sampled_from(["line", "line", "offset", "steps"])), draw(st.integers(1, 3))
    if kind == "steps":
        return (
            lambda sizes: -(-sizes[variable] // 2)
        ), f"ceil({variable}/2)"  # more would be one in all runs
    offset = number if kind == "offset" else 0
    factor = 1 if kind == "offset" else number
    return (lambda sizes: factor * sizes[variable] + offset), f"{factor}*{variable}+{offset}"


@st.composite
def arguments(draw: st.DrawFn, known: _Known, own: str) -> tuple[g.Argument, str]:
    """Where one argument comes from."""
    kinds = ["same", "named", "size", "nonce"]
    kinds += ["index"] if known.loops else []
    kinds += ["previous"] if known.loops else []
    kinds += 3 * ["answered"] + ["last_part", "below", "length"] if known.methods else []
    kind = draw(st.sampled_from(kinds))
    loop = draw(st.sampled_from(known.loops)) if known.loops else ""
    method = draw(st.sampled_from(known.methods)) if known.methods else ""
    made = {
        "same": lambda: g.same(draw(st.sampled_from([7, "/fixed/path", True]))),
        "named": lambda: g.named("/user", *known.loops),
        "size": lambda: g.size("files"),
        "nonce": g.nonce,
        "index": lambda: g.index(loop, draw(st.integers(1, 3)), draw(st.integers(0, 2))),
        "previous": lambda: g.previous(own),
        "answered": lambda: g.answered(method),
        "last_part": lambda: g.last_part(method),
        "below": lambda: g.below(method, g.index(loop) if loop else g.same("x")),
        "length": lambda: g.length(method),
    }
    return made[kind](), f"{kind}({method if kind in ('answered', 'last_part', 'below', 'length') else ''})"


@st.composite
def bodies(
    draw: st.DrawFn, known: _Known, depth: int, prefix: str
) -> tuple[tuple[g.Call | g.Loop, ...], str]:
    """Calls, and loops within one another."""
    steps: list[g.Call | g.Loop] = []
    said: list[str] = []
    for at in range(draw(st.integers(1, 3))):
        name = f"{prefix}{at + 1}"
        nested = depth < 2 and at > 0 and draw(st.booleans())
        if nested:
            times, text = draw(counts(SIZES[depth + 1]))
            inside = _Known(known.methods, (*known.loops, f"L{name}"))
            body, inner = draw(bodies(inside, depth + 1, f"{name}"))
            steps.append(g.Loop(f"L{name}", times, body))
            said.append(f"{text} x ({inner})")
            continue
        method = f"m{name}"
        given = {f"a{n}": draw(arguments(known, method)) for n in range(draw(st.integers(0, 3)))}
        steps.append(
            g.Call(method, {key: value for key, (value, _) in given.items()}, ("id", "path", "span"))
        )
        said.append(f"{method}({', '.join(text for _, text in given.values())})")
        known = _Known((*known.methods, method), known.loops)
    return tuple(steps), "; ".join(said)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    """A system that loops at least once, with three different Scales."""
    times, text = draw(counts("files"))
    before, said = draw(bodies(_Known((), ()), 2, "p"))
    known = _Known(tuple(step.method for step in before if isinstance(step, g.Call)), ("Lx",))
    body, inner = draw(bodies(known, 1, "x"))
    after, end = draw(bodies(_Known(known.methods, ()), 2, "q"))
    beat = draw(st.sampled_from([None, g.Beat("beat", 0.5, 0.02)]))
    steps = (*before, g.Loop("Lx", times, body), *after)
    clients = draw(st.sampled_from([lambda sizes: sizes["clients"], lambda sizes: sizes["clients"] + 1]))
    # Of what is heard less than a few times in a short run nobody can say that it is of real time.
    think_s = 0.05 if beat is None else 0.8
    system = g.System(clients, steps, beat, think_s=think_s, first_id=draw(st.sampled_from([1, 20_000])))
    return Experiment(
        system, draw(_scales()), f"{said}; {text} x ({inner}); {end}{'; beats' if beat else ''}"
    )


@st.composite
def _scales(draw: st.DrawFn) -> tuple[dict[str, int], ...]:
    """Three sizes of each variable, all different."""
    columns: Sequence[Sequence[int]] = [
        draw(st.permutations(range(1, _LARGEST + 1)).map(lambda listed: listed[:3])) for _ in SIZES
    ]
    return tuple(dict(zip(SIZES, sizes, strict=True)) for sizes in zip(*columns, strict=True))
