"""Witness scripts of long runs: every outcome in fractions, both sides of a broken part."""

from dataclasses import dataclass
from textwrap import fill, wrap
from typing import Any

import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational, solve
from fedbounds.theory.symbols import t
from fedbounds.vocabulary import Relation

from ..case import script_of
from ..evaluate import Numbers
from ..measure.objectives import constants
from ..script_asserts import Table, fitting, packed
from ..script_code import IDENTIFIERS, TEMPLATES, WIDTH, assigned, code, table, wrapped
from .long_runs import LongRun, Steps, step_sizes
from .long_runs_moments import centred
from .script_premises import ASSUMED, COMPUTED, LEAST_RATIO, OF_STEPS, lines_of, named

Array = Any

_MOST_ROWS = 60_000
_LONG = 80  # characters of a number on one line
# means over rows, a coordinate of a client in a local step each: now, and after the round
_NOW = {"D_W": "(r.W - r.Wstar)**2", "V_W": "(r.Wk - r.W)**2"}
_AFTER = {"D_W": "(r.Wn - r.Wstar)**2"}
_ATTRIBUTES = {"W": "W[i]", "Wk": "pos[k][-1][i]", "Wn": "new[i]", "Wstar": "best[i]"}


@dataclass(frozen=True, eq=False)
class Scripted:
    """What a script enumerates: FedPLT from its start, up to the round of interest.

    Attributes
    ----------
    start : array, shape (d,)
        W^0.
    step_sizes : tuple of rationals
        One for all rounds, or one each.
    """

    problem: FederatedQuadratic
    algorithm: FedPLT
    start: Array
    step_sizes: tuple[Any, ...]


@script_of.register
def _(setup: LongRun, judgement: Any, part: Any, numbers: Numbers) -> str:
    steps = tuple(rational(x) for x in step_sizes(setup))
    steps = steps[:1] if setup.steps is Steps.CONSTANT else steps
    found = Scripted(setup.problem, setup.algorithm, setup.start.u, steps)
    at = next(o for o in judgement.outcomes if o.part == part.name).at or 0
    left, right = (code(_printed(side)) for side in (part.left, part.right))
    _check_size(found, at)
    wanted = {IDENTIFIERS.get(name, name) for name in part.constants}
    wanted |= named(part.assumptions, part.conditions) | {"eta"}
    wanted -= {"t", "tau"}
    computed = {x: y for x, y in COMPUTED.items() if x in wanted}
    values = _constants(found, numbers, wanted)
    if "rho_min" in wanted - values.keys():
        computed["rho_min"] = LEAST_RATIO
    given = {x: values[x] for x in sorted((wanted & values.keys()) - computed.keys())}
    paced = bool(OF_STEPS.keys() & set(part.assumptions))
    known = {
        **_frame(judgement, part, left, right),
        "numbers": given_numbers(given),
        "paced": paced,
        **_body(found, left + right, at, paced=paced),
    }

    def write(table: Table) -> str:
        lines = lines_of(part.assumptions, part.conditions, given, computed, table)
        text = TEMPLATES.get_template("fedplt.py.j2").render(
            premises=lines,
            attenuated=any("alpha" in line for line in lines),
            visits=any("seen" in line for line in lines),
            **known,
        )
        return str(text)

    return fitting(write, OF_STEPS | ASSUMED if paced else ASSUMED)


def _printed(side: sp.Expr) -> sp.Expr:
    """With a mean over rows for every quantity."""
    return side.xreplace({atom: _mean(atom) for atom in side.atoms(AppliedUndef)})


def _mean(atom: Any) -> sp.Symbol:
    name, at = atom.func.__name__, atom.args[0]
    if at == 0 and name == "D_W":
        return sp.Symbol("sum((a - b) ** 2 for a, b in zip(start[0], best))")
    table = _NOW if at == t else _AFTER if at == t + 1 else {}
    if name not in table:
        raise FedboundsError(f"no script for the quantity {atom}")
    return sp.Symbol(f"E(lambda r: {table[name]})")


def _frame(judgement: Any, part: Any, left: str, right: str) -> dict[str, Any]:
    """Heading, sides and verdict."""
    reading = judgement.reading.name
    heading = f'"""{judgement.claim.id} (reading: {reading}) fails on these numbers."""'
    if len(heading) > WIDTH:
        heading = heading.replace("on these numbers", "here")
    both = f"left, right = {left}, {right}"
    apart = f"{wrapped('left', left)}\n{wrapped('right', right)}"
    return {
        "docstring": fill(heading, WIDTH, break_on_hyphens=False),
        "sides": both if len(both) <= WIDTH else apart,
        "relation": part.relation.value,
        "broken": "left != right" if part.relation is Relation.EQUAL else "left > right",
    }


def _constants(found: Scripted, numbers: Numbers, wanted: set[str]) -> dict[str, Any]:
    """Numbers by their names in a script; L and mu of the problem even where none are shown."""
    known = {IDENTIFIERS.get(x, x): y for x, y in numbers.constants.items()}
    if "eta" not in known or len(found.step_sizes) > 1:
        known["eta"] = found.step_sizes[0]
    if wanted & {"L", "mu"} - known.keys():
        own = {name.value: value.value for name, value in constants(found.problem).items()}
        known = own | known
    return known


def _check_size(found: Scripted, at: int) -> None:
    n, d = found.problem.linear.shape
    steps = found.algorithm.local_steps
    draws = 1 if found.problem.noise.scale_u == 0 else 2 ** (steps * d * n)
    rows = float(draws) ** (at + 1) * n * d * steps
    if rows > _MOST_ROWS:
        raise FedboundsError(f"a script would enumerate {rows:.3g} rows; at most {_MOST_ROWS}")


def _minimiser(hessian: Array, slope: Array) -> Array:
    """Where a client's objective is smallest."""
    found = solve(hessian, -slope[:, None])
    if found is None:
        raise FedboundsError("a client's objective has no minimiser; a script needs one")
    return found[:, 0]


def _body(found: Scripted, sides: str, at: int, *, paced: bool) -> dict[str, Any]:
    """What the template needs to enumerate; `paced`: steps and distances are kept."""
    problem, steps = found.problem, found.algorithm.local_steps
    _, best = centred(problem, found.algorithm)
    nearest = [
        _minimiser(h, slope) for h, slope in zip(problem.hessian, problem.linear, strict=True)
    ]
    vectors = {
        "c": shares(found.algorithm), "psi": compensation(found.algorithm), "best": best,
    }  # fmt: skip
    tables = {"A": nearest, "M": found.algorithm.masks, "start": [found.start]}
    used = [f"{x}={y}" for x, y in _ATTRIBUTES.items() if f"r.{x} " in sides or f"r.{x})" in sides]
    row = [f"p=p / len(draws) * c[k] / {steps}", *used]
    rows = f"rows += [Row({', '.join(row)}) for k, s, i in product(K, range({steps}), I)]"
    times = f"t in range({at + 1})"
    if len(found.step_sizes) > 1:
        times = f"t, eta in {_paced(found.step_sizes[: at + 1])}"
    text = ";".join(_rows(matrix) for matrix in problem.hessian)
    return {
        "hessians": table("H", text, '[table(x) for x in {}.split(";")]'),
        "tables": table(", ".join(tables), ";".join(map(_rows, tables.values())),
                        'map(table, {}.split(";"))'),
        "vectors": packed([
            table(", ".join(vectors), ",".join(" ".join(map(str, v)) for v in vectors.values()),
                  "table({})"),
            f"K, I, tau = range(len(c)), range(len(psi)), {steps}",
        ]),
        "steps": steps,
        "draws": _draws(rational(problem.noise.scale_u), problem.linear.shape, steps),
        "at": at,
        "moves": at > 0 or paced or "r.Wn" in sides,
        "times": times,
        "row": wrap(rows, WIDTH - 8, subsequent_indent="    ", break_long_words=False,
                    break_on_hyphens=False),
    }  # fmt: skip


def _paced(steps: tuple[Any, ...]) -> str:
    """Rounds with their step sizes; by a rule, if they are 1/z over t + 1, or over t + 2."""
    for first in (1, 2):
        if all(step * (t + first) == steps[0] * first for t, step in enumerate(steps)):
            rule = f'Q("{steps[0] * first}") / (t + {first})'
            return f"((t, {rule}) for t in range({len(steps)}))"
    each = " ".join(map(str, steps))
    return f'enumerate(map(Q, "{each}".split()))'


def given_numbers(numbers: dict[str, Any]) -> str:
    """Names and their numbers, one statement a line; a long number is written in pieces."""
    long = {name: str(fmpq(x)) for name, x in numbers.items() if len(str(fmpq(x))) > _LONG}
    short = {name: x for name, x in numbers.items() if name not in long}
    lines = [assigned(short)] if short else []
    for name, text in long.items():
        pieces = wrap(text, _LONG)
        lines.append(f"{name} = Q(" + "\n    ".join(f'"{piece}"' for piece in pieces) + ")")
    return "\n".join(lines)


def _rows(matrix: Any) -> str:
    return ", ".join(" ".join(str(fmpq(x)) for x in row) for row in matrix)


def _draws(size: Any, shape: tuple[int, int], steps: int) -> str:
    """All equally likely noises, by client, local step and coordinate."""
    n, d = shape
    if not size:
        return f"draws = [(((0,) * {d},) * {steps},) * {n}]  # no noise"
    own = f'product(product((Q("{size}"), Q("-{size}")), repeat={d}), repeat={steps})'
    return f"draws = list(product({own}, repeat={n}))"
