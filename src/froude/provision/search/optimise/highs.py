"""The one door to the solver: arrays in, a checked outcome out.

A `Program` collects variables and rows in plain lists and freezes them into arrays; `solve` hands these to HiGHS
in one call (a modelling layer costs ten times the solve at these sizes). What comes back is not believed: the
return status and the model status are both looked at each time, the objective, the rows and the integrality
of a point are computed again here, and the bound of a linear program is recomputed from its duals by
`bounds`. The number of threads is one in every solver made here: it is global to
the process, and changing it after a first solve makes HiGHS answer "not set" with objective 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

INFINITY = math.inf
FEASIBILITY = 1e-6
"""Greatest violation of a row, over `1 + |bound|`, that a point may have; HiGHS works to 1e-7 absolute."""
INTEGRALITY = 1e-5
"""Greatest distance of an integer variable from an integer, before it is rounded."""


class SolverError(RuntimeError):
    """HiGHS failed. Never a property of the user's input."""


class Status(Enum):
    """What a solve ended with."""

    OPTIMAL = "optimal"
    """A point, and a bound within the gap asked for (as far as HiGHS says)."""
    FEASIBLE = "feasible"
    """A limit was reached with a point in hand."""
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit"
    """A limit was reached without a point, or without one that holds."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """A program `min cost.x + offset, row_lower <= A x <= row_upper, lower <= x <= upper` by rows."""

    cost: Floats
    lower: Floats
    upper: Floats
    integer: npt.NDArray[np.bool_]
    row_lower: Floats
    row_upper: Floats
    start: Ints
    """(rows + 1) where each row begins in `index` and `value`."""
    index: Ints
    value: Floats
    row_of: Ints
    """(non-zeros) the row that each belongs to: products with A and its transpose are one bincount."""
    unit: float = 1.0
    """What HiGHS counts in where variables are many, a power of two (see `_Scales`)."""

    def rows_at(self, x: Floats) -> Floats:
        """A x, (rows)."""
        return _sums(self.row_of, self.value * x[self.index], len(self.row_lower))

    def transposed_at(self, y: Floats) -> Floats:
        """A' y, (variables)."""
        return _sums(self.index, self.value * y[self.row_of], len(self.cost))


def _sums(groups: Ints, terms: Floats, count: int) -> Floats:
    """Terms added up by group, as floats also where there are none."""
    sums: Floats = np.bincount(groups, terms, minlength=count).astype(np.float64)
    return sums


class Program:
    """Variables and rows, collected one by one."""

    def __init__(self, unit: float = 1.0) -> None:
        """An empty one.

        Args:
            unit: what HiGHS counts in where variables are many, a power of two.
        """
        self._unit = unit
        self._cost: list[float] = []
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._integer: list[bool] = []
        self._row_lower: list[float] = []
        self._row_upper: list[float] = []
        self._start: list[int] = [0]
        self._index: list[int] = []
        self._value: list[float] = []
        self.variable_names: list[str] = []
        self.row_names: list[str] = []

    def variable(
        self,
        name: str,
        *,
        cost: float = 0.0,
        lower: float = 0.0,
        upper: float = INFINITY,
        integer: bool = False,
    ) -> int:
        """Add a variable.

        Args:
            cost: dollars of one.

        Returns:
            Its number.
        """
        self._cost.append(cost)
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(integer)
        self.variable_names.append(name)
        return len(self._cost) - 1

    def row(
        self,
        name: str,
        terms: Iterable[tuple[int, float]],
        *,
        lower: float = -INFINITY,
        upper: float = INFINITY,
    ) -> int:
        """Add `lower <= sum(value * variable) <= upper`; zero values are left out, one variable comes once.

        Args:
            terms: (variable, value), each variable at most once.

        Returns:
            Its number.
        """
        for variable, value in terms:
            if value != 0.0:
                self._index.append(variable)
                self._value.append(value)
        self._start.append(len(self._index))
        self._row_lower.append(lower)
        self._row_upper.append(upper)
        self.row_names.append(name)
        return len(self._row_lower) - 1

    def fix(self, variable: int, value: float) -> None:
        """Give a variable one value."""
        self._lower[variable] = self._upper[variable] = value

    def add_cost(self, variable: int, cost: float) -> None:
        """Make a variable dearer.

        Args:
            cost: dollars of one that come on top; may be negative.
        """
        self._cost[variable] += cost

    def costs(self) -> list[tuple[int, float]]:
        """The variables that cost, each with its cost."""
        return [(variable, cost) for variable, cost in enumerate(self._cost) if cost]

    def arrays(self) -> Arrays:
        """What was collected so far, frozen."""
        start = np.array(self._start, dtype=np.int32)
        return Arrays(
            cost=np.array(self._cost, dtype=np.float64),
            lower=np.array(self._lower, dtype=np.float64),
            upper=np.array(self._upper, dtype=np.float64),
            integer=np.array(self._integer, dtype=np.bool_),
            row_lower=np.array(self._row_lower, dtype=np.float64),
            row_upper=np.array(self._row_upper, dtype=np.float64),
            start=start,
            index=np.array(self._index, dtype=np.int32),
            value=np.array(self._value, dtype=np.float64),
            row_of=np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start)),
            unit=self._unit,
        )


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How far a solve goes."""

    time_s: float = INFINITY
    gap: float = 0.0
    """Relative gap at which it may stop, over the cost of its point."""
    nodes: int | None = None
    """Most nodes of branch and bound: a limit that, unlike time, leaves the answer deterministic."""
    seed: int = 0
    presolve: bool = True


@dataclass(frozen=True, slots=True)
class SolveOutcome:
    """What a solve found; `x` and `objective` stand only in OPTIMAL and FEASIBLE."""

    status: Status
    x: Floats
    objective: float
    """Recomputed here as cost.x; infinite without a point."""
    bound: float
    """HiGHS's own bound of a mixed-integer program, not safe; of a linear one its objective."""
    duals: Floats
    """(rows) of a linear program, empty of a mixed-integer one."""

    @property
    def found(self) -> bool:
        """Is there a point?"""
        return self.status in (Status.OPTIMAL, Status.FEASIBLE)


_NONE = np.empty(0)
_ENDED_BY_LIMIT = frozenset(
    {
        highspy.HighsModelStatus.kTimeLimit,
        highspy.HighsModelStatus.kIterationLimit,
        highspy.HighsModelStatus.kSolutionLimit,
        highspy.HighsModelStatus.kInterrupt,
    }
)
_NO_SOLUTION = frozenset(
    {highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible}
)


@dataclass(frozen=True, slots=True)
class _Scales:
    """What numbers are divided by on their way to HiGHS, whose tolerances are absolute; powers of two, so exact."""

    variables: Floats
    rows: Floats
    value: Floats
    """The program's non-zeros, divided already."""
    costs: float

    @staticmethod
    def of(program: Arrays, *, whole: bool) -> _Scales:
        """Continuous variables that may be many are counted in the program's unit; their rows have coefficients up to 1.

        Args:
            whole: integer variables stay as they are.
        """
        unit = program.unit
        if unit == 1:
            return _Scales(np.ones(len(program.cost)), np.ones(len(program.row_lower)), program.value, 1.0)
        many = (program.upper >= unit) & ~(program.integer & whole)
        variables = np.where(many, unit, 1.0)
        value = program.value * variables[program.index]
        touched = np.zeros(len(program.row_lower), dtype=np.bool_)
        touched[program.row_of[many[program.index]]] = True
        largest = np.ones(len(touched))
        np.maximum.at(largest, program.row_of, np.abs(value))
        rows = np.where(touched, 2.0 ** np.floor(np.log2(largest)), 1.0)
        return _Scales(variables, rows, value / rows[program.row_of], unit)


class Solver:
    """A program held by HiGHS between solves: bounds and costs change, variables come, the basis stays warm."""

    def __init__(
        self, program: Arrays, options: SolverOptions | None = None, *, relaxed: bool = False
    ) -> None:
        """Pass the arrays over."""
        self.program = program
        self._integer = not relaxed and bool(program.integer.any())
        self._scales = _Scales.of(program, whole=self._integer)
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call] # its stubs leave it bare
        self._set_options(options or SolverOptions())
        self._pass(program)

    def _set_options(self, options: SolverOptions) -> None:
        values: dict[str, bool | int | float | str] = {
            "output_flag": False,
            "threads": 1,
            "parallel": "off",
            "random_seed": options.seed,
            "presolve": "choose" if options.presolve else "off",
            "mip_rel_gap": options.gap,
            "mip_abs_gap": 1e-6,
            "mip_feasibility_tolerance": 1e-7,
        }
        if options.nodes is not None:
            values["mip_max_nodes"] = options.nodes
        for name, value in values.items():
            _check(self._highs.setOptionValue(name, value), f"option {name}")
        self.limit_time(options.time_s)

    def limit_time(self, seconds: float) -> None:
        """Stop each later solve after so long."""
        if math.isfinite(seconds):
            # the limit counts from the first solve of this object
            _check(
                self._highs.setOptionValue("time_limit", self._highs.getRunTime() + max(seconds, 0.01)),
                "limit",
            )

    def _pass(self, program: Arrays) -> None:
        variables, rows = self._scales.variables, self._scales.rows
        kinds = program.integer.astype(np.int32) * np.int32(self._integer)
        status = self._highs.passModel(
            len(program.cost),
            len(program.row_lower),
            len(program.value),
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            program.cost * (variables / self._scales.costs),
            program.lower / variables,
            program.upper / variables,
            program.row_lower / rows,
            program.row_upper / rows,
            program.start[:-1],
            program.index,
            self._scales.value,
            kinds,
        )
        _check(status, "passing the model")

    def bound_variables(
        self, variables: Sequence[int], lower: Sequence[float], upper: Sequence[float]
    ) -> None:
        """Change the bounds of some variables.

        Args:
            variables: their numbers, shape (k,).
            lower: least value of each, shape (k,).
            upper: largest value of each, shape (k,).
        """
        which = np.array(variables, dtype=np.int32)
        low, high = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        scale = self._scales.variables[which]
        _check(self._highs.changeColsBounds(len(which), which, low / scale, high / scale), "bounds")
        self.program.lower[which], self.program.upper[which] = low, high

    def bound_rows(self, lower: Floats, upper: Floats) -> None:
        """Change the bounds of all rows.

        Args:
            lower: least value of each row, shape (rows,).
            upper: largest value of each row, shape (rows,).
        """
        which = np.arange(len(lower), dtype=np.int32)
        change = self._highs.changeRowsBounds  # type: ignore[attr-defined] # its stubs forget it
        scale = self._scales.rows
        _check(change(len(which), which, lower / scale, upper / scale), "row bounds")
        self.program.row_lower[:], self.program.row_upper[:] = lower, upper

    def set_costs(self, variables: Sequence[int], cost: Floats) -> None:
        """Change the costs of some variables.

        Args:
            variables: their numbers, shape (k,).
            cost: dollars of one of each, shape (k,).
        """
        which = np.array(variables, dtype=np.int32)
        scaled = cost * (self._scales.variables[which] / self._scales.costs)
        _check(self._highs.changeColsCost(len(which), which, scaled), "costs")
        self.program.cost[which] = cost

    def ray(self) -> Floats | None:
        """(rows) multipliers that should prove an infeasible program empty; None where HiGHS has none."""
        status, has_ray, ray = self._highs.getDualRay()  # type: ignore[attr-defined] # its stubs forget it
        return np.array(ray) / self._scales.rows if status == highspy.HighsStatus.kOk and has_ray else None

    def start_from(self, x: Floats) -> None:
        """Offer a point to begin with; one that does not fit is ignored."""
        start = highspy.HighsSolution()
        start.col_value = (x / self._scales.variables).tolist()
        self._highs.setSolution(start)

    def run(self) -> SolveOutcome:
        """Solve; a failure, or a point that its own rows refute, is tried once more from scratch, then LIMIT.

        Raises:
            SolverError: HiGHS refuses to start afresh.
        """
        outcome = self._run_once()
        if outcome is None:
            _check(self._highs.clearSolver(), "starting afresh")
            outcome = self._run_once()
        return outcome or SolveOutcome(Status.LIMIT, _NONE, INFINITY, -INFINITY, _NONE)

    def _run_once(self) -> SolveOutcome | None:
        """One solve; None when what HiGHS says does not hold."""
        if self._highs.run() == highspy.HighsStatus.kError:
            return None
        ended = self._highs.getModelStatus()
        if ended in _NO_SOLUTION:
            return SolveOutcome(Status.INFEASIBLE, _NONE, INFINITY, INFINITY, _NONE)
        if ended == highspy.HighsModelStatus.kUnbounded:
            return SolveOutcome(Status.UNBOUNDED, _NONE, -INFINITY, -INFINITY, _NONE)
        if ended != highspy.HighsModelStatus.kOptimal and ended not in _ENDED_BY_LIMIT:
            return None
        return self._outcome(optimal=ended == highspy.HighsModelStatus.kOptimal)

    def _outcome(self, *, optimal: bool) -> SolveOutcome | None:
        info = self._highs.getInfo()
        bound = float(info.mip_dual_bound) * self._scales.costs if self._integer else -INFINITY
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None if optimal else SolveOutcome(Status.LIMIT, _NONE, INFINITY, bound, _NONE)
        answer = self._highs.getSolution()
        x = np.array(answer.col_value) * self._scales.variables
        if not self._holds(x):
            return None
        objective = float(self.program.cost @ x)
        if not self._integer and optimal:
            bound = objective
        duals = (
            _NONE if self._integer else np.array(answer.row_dual) * (self._scales.costs / self._scales.rows)
        )
        return SolveOutcome(Status.OPTIMAL if optimal else Status.FEASIBLE, x, objective, bound, duals)

    def _holds(self, x: Floats) -> bool:
        """Does a point satisfy the rows, and integrality where that is asked, by our own arithmetic?"""
        program = self.program
        if self._integer:
            whole = x[program.integer]
            if np.abs(whole - np.round(whole)).max(initial=0.0) > INTEGRALITY:
                return False
        at = program.rows_at(x)
        slack = FEASIBILITY * (
            self._scales.rows + np.minimum(np.abs(program.row_lower), np.abs(program.row_upper))
        )
        return not ((at < program.row_lower - slack).any() or (at > program.row_upper + slack).any())


def solve(
    program: Program | Arrays,
    options: SolverOptions | None = None,
    *,
    relaxed: bool = False,
    start: Floats | None = None,
) -> SolveOutcome:
    """Solve a program once.

    Args:
        program: what is solved; a frozen one is not changed.

    Raises:
        SolverError: HiGHS failed.
    """
    solver = Solver(program.arrays() if isinstance(program, Program) else program, options, relaxed=relaxed)
    if start is not None:
        solver.start_from(start)
    return solver.run()


def _check(status: Any, doing: str) -> None:
    """Warnings pass: HiGHS gives one for a limit reached, which the model status tells better."""
    if status == highspy.HighsStatus.kError:
        raise SolverError(f"HiGHS failed at {doing}")
