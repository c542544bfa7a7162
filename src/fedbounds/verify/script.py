"""A witness as a program of at most 40 lines that shows the gap without this package."""

from typing import Any

import jinja2
import numpy as np
import sympy as sp
from flint import fmpq
from sympy.printing.pycode import PythonCodePrinter

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.errors import FedboundsError
from fedbounds.problems import ClientVectors, FederatedQuadratic, Start
from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import T, constants_in
from fedbounds.vocabulary import Relation

from .evaluate import Numbers
from .instance import Point
from .judge import Judgement
from .ladder import Ladder

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("fedbounds.verify"),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    undefined=jinja2.StrictUndefined,
    autoescape=False,
)

_PARAMETERS = {"n", "m", "K", "T", "gamma", "gamma_u", "gamma_v", "eta_u", "eta_v"}
_IDENTIFIERS = {"sigma_u^2": "variance_u", "sigma_v^2": "variance_v", "b^2": "b2"}

# the definitions of Table 1 and (3.1) for one state and one noise, in the script's names
_LINES = {
    "f": "sum((u * (g[i][0][0] + h[i][0]) + v[i] * (g[i][0][1] + h[i][1])) / 2"
    " for i in range(n)) / n - infimum",
    "G_u": "g0**2",
    "G_v": "sum(x[0][1] ** 2 for x in g) / n",
    "B": "sum(x[0][0] ** 2 for x in g)",
    "T_1u": "-gamma * g0 * s0",
    "T_1v": "-gamma * m / n**2 * sum(g[i][0][1] * s[i][1] for i in range(n))",
    "T_2u": "(gamma * s0) ** 2",
    "T_2v": "gamma**2 * m / n**2 * sum(x[1] ** 2 for x in s)",
    "T_3u": "sum((x[0] - s0) ** 2 for x in s)",
    "E": "sum((a - u) ** 2 + (b - v[i]) ** 2 for i in range(n) for a, b in z[i][:K])",
}


class _Script(PythonCodePrinter):  # type: ignore[misc]
    """Python for an expression, in fractions."""

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        if expr.name in ("n", "m", "K", "T"):
            return f"Q({expr.name})"
        return _IDENTIFIERS.get(expr.name, str(expr.name))

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"Q({expr.p}, {expr.q})"

    def _print_AppliedUndef(self, expr: Any) -> str:
        at = str(expr.args[0]) if expr.args[0] != T else "T"
        return f'q["{expr.func.__name__}"][{at}]'

    def _print_Function(self, expr: Any) -> str:
        inside = self._print(expr.args[0])
        total = f"sum({inside} for t in range(T))"
        return {
            "Mean_t": f"{total} / T",
            "Sum_t": total,
            "Max_t": f"max({inside} for t in range(T))",
        }[expr.func.__name__]

    def _print_Sum(self, expr: sp.Sum) -> str:
        ((index, low, high),) = expr.limits
        ends = f"range(int({self._print(low)}), int({self._print(high)}) + 1)"
        return f"sum({self._print(expr.function)} for {index} in {ends})"

    def _print_Max(self, expr: sp.Max) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"


def _code(expression: sp.Expr) -> str:
    printed = _Script({"fully_qualified_modules": False}).doprint(expression)
    return str(printed)


def _fraction(number: Any) -> str:
    value = fmpq(number)
    return f"Q({value.p})" if value.q == 1 else f"Q({value.p}, {value.q})"


def _nested(array: Any) -> str:
    if np.ndim(array) == 0:
        return _fraction(array)
    return f"[{', '.join(_nested(row) for row in array)}]"


def _scalar_blocks(problem: FederatedQuadratic, start: Start) -> tuple[Any, Any, Any, list[Any]]:
    """Hessians, slopes and start with one coordinate a block; an absent block is zero."""
    n, d_u = problem.clients, problem.shared_dimension
    size = d_u + problem.personal_dimension
    at = range(size) if d_u else [1]
    hessian = np.full((n, 2, 2), fmpq(0), dtype=object)
    linear = np.full((n, 2), fmpq(0), dtype=object)
    hessian[np.ix_(range(n), at, at)] = problem.hessian
    linear[:, at] = problem.linear
    u = start.u[0] if d_u else fmpq(0)
    v = [row[0] for row in start.v] if problem.personal_dimension else [fmpq(0)] * n
    return hessian, linear, u, v


def _point_script(judgement: Judgement, part: Part, point: Point, broken: str) -> str:
    left, right = _code(part.left), _code(part.right)
    used = constants_in(part.left) | constants_in(part.right)
    return _ENVIRONMENT.get_template("point.py.j2").render(
        claim=judgement.claim.id,
        reading=judgement.reading.name,
        values={_IDENTIFIERS.get(k, k): _fraction(v) for k, v in point.values if k in used},
        root="sqrt(" in left + right,
        left=left,
        right=right,
        relation=part.relation.value,
        broken=broken,
    )


def is_scriptable(judgement: Judgement, part: Part) -> bool:
    """Whether a script of this kind of instance and these quantities can be written."""
    instance = judgement.instance
    if isinstance(instance, Ladder):
        return False
    if isinstance(instance, Point) or isinstance(instance.problem, ClientVectors):
        return True
    known = type(instance.algorithm) is FedAvgP and part.quantities <= _LINES.keys()
    problem = instance.problem
    if not known or not isinstance(problem, FederatedQuadratic):
        return False
    return max(problem.shared_dimension, problem.personal_dimension) <= 1


def script(judgement: Judgement, part: Part, numbers: Numbers) -> str:
    """A program of at most 40 lines, standard library only, that prints the gap."""
    instance, outcome = judgement.instance, judgement.deciding
    if isinstance(instance, Ladder):
        raise FedboundsError(f"{instance.name}: no script for steady states")
    broken = "left != right" if part.relation is Relation.EQUAL else "left > right"
    if isinstance(instance, Point):
        return _point_script(judgement, part, instance, broken)
    shared: dict[str, Any] = {
        "claim": judgement.claim.id,
        "reading": judgement.reading.name,
        "n": instance.problem.clients,
        "m": instance.algorithm.participants,
        "left": _code(part.left),
        "right": _code(part.right),
        "relation": part.relation.value,
    }
    problem, algorithm, start = instance.problem, instance.algorithm, instance.start
    if isinstance(problem, ClientVectors):
        return _ENVIRONMENT.get_template("vectors.py.j2").render(
            **shared, vectors=_nested(problem.vectors), broken=broken
        )
    if not isinstance(problem, FederatedQuadratic) or type(algorithm) is not FedAvgP:
        raise FedboundsError(
            f"{instance.name}: no script for {instance.algorithm_name} on {type(problem).__name__}"
        )
    if start is None:
        raise FedboundsError(f"{instance.name} has no start")
    widest = max(problem.shared_dimension, problem.personal_dimension)
    if widest > 1:
        raise FedboundsError(
            f"{instance.name} has a block of dimension {widest}; scripts are written for "
            "at most one coordinate a block"
        )
    hessian, linear, u, v = _scalar_blocks(problem, start)
    own = sorted((constants_in(part.left) | constants_in(part.right)) - _PARAMETERS)
    used = [name for name in _LINES if name in part.quantities]
    lines = [f'q["{name}"][t] += p * ({_LINES[name]})' for name in used]
    return _ENVIRONMENT.get_template("fedavg_p.py.j2").render(
        **shared,
        root="sqrt(" in shared["left"] + shared["right"],
        K=algorithm.local_steps,
        T=instance.rounds,
        hessian=_nested(hessian),
        linear=_nested(linear),
        noise=_nested(
            [
                problem.noise.scale_u * problem.shared_dimension,
                problem.noise.scale_v * problem.personal_dimension,
            ]
        ),
        steps=", ".join(
            _fraction(x)
            for x in (
                algorithm.inner_step_u,
                algorithm.inner_step_v,
                algorithm.outer_step_u,
                algorithm.outer_step_v,
            )
        ),
        infimum=_fraction(problem.infimum() or 0),
        constants="; ".join(
            f"{_IDENTIFIERS.get(name, name)} = {_fraction(numbers.constants[name])}" for name in own
        ),
        u=_fraction(u),
        v="(" + "".join(_fraction(x) + ", " for x in v) + ")",
        names=used,
        quantities=["; ".join(lines[i : i + 2]) for i in range(0, len(lines), 2)],
        t=outcome.at or 0,
        broken=broken,
    )
