"""Small integer programs, drawn by seed."""

from __future__ import annotations

import random

from froude.provision.search.optimise.highs import Program


def knapsack() -> Program:
    """Min -5a-4b-3c, 2a+3b+c <= 5, integers up to 3: a=1, c=3."""
    program = Program()
    variables = [
        program.variable(name, cost=cost, upper=3, integer=True)
        for name, cost in zip("abc", (-5, -4, -3), strict=True)
    ]
    program.row("weight", zip(variables, (2.0, 3.0, 1.0), strict=True), upper=5)
    return program


def random_program(seed: int, *, size: int = 6) -> Program:
    """A bounded covering program that always has a point."""
    rng = random.Random(seed)
    program = Program()
    variables = [
        program.variable(
            f"x {i}", cost=rng.uniform(1, 9), upper=rng.randint(3, 8), integer=rng.random() < 0.7
        )
        for i in range(size)
    ]
    for r in range(4):
        terms = [(c, float(rng.randint(1, 5))) for c in variables if rng.random() < 0.8] or [
            (variables[0], 1.0)
        ]
        program.row(f"cover {r}", terms, lower=rng.uniform(1, 6))
    program.row("between", [(c, 1.0) for c in variables], lower=1.0, upper=30.0)
    return program
