"""Witness scripts of FedPLT: every outcome enumerated in fractions, both sides of a broken part."""

from dataclasses import dataclass
from textwrap import fill, wrap
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt import FedPLT, compensation, shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational, solve
from fedbounds.vocabulary import Index, Relation

from ..case import script_of
from ..evaluate import Numbers
from ..script_code import TEMPLATES, WIDTH, assigned, code, table, wrapped
from .long_runs import LongRun, Steps, step_sizes
from .long_runs_moments import centred
from .script_rows import ATTRIBUTES, HELPERS, RENAMED, UPDATES, Printed
from .setups import Analysed, Attenuated, Decaying, Recursion, View

Array = Any
_MOST_ROWS = 60_000
_LONG = 80  # characters of a number on one line


@dataclass(frozen=True, eq=False)
class Scripted:
    """What a script enumerates: FedPLT from its start, up to the round of interest.

    Attributes
    ----------
    points : array, shape (1 or n + 1, d)
        W^0, and W_1, ..., W_n where they are free.
    step_sizes : tuple of rationals
        One for all rounds, or one each.
    alpha : tuple of n rationals
    """

    problem: FederatedQuadratic
    algorithm: FedPLT
    view: View
    points: Array
    step_sizes: tuple[Any, ...]
    alpha: tuple[Any, ...]
    dependent: bool = False


@script_of.register
def _(setup: Analysed, judgement: Any, part: Any, numbers: Numbers) -> str:
    run = setup.run
    own = run.start.u[None] if setup.view is not View.STEPS else _repeated(run)
    points = own if run.own is None else np.concatenate([run.start.u[None], run.own])
    eta = (rational(run.algorithm.inner_step_u),)
    alpha = tuple(fmpq(1) for _ in run.algorithm.masks)
    found = Scripted(run.problem, run.algorithm, setup.view, points, eta, alpha, run.dependent)
    return _enumerating(found, judgement, part, numbers, setup.client)


@script_of.register
def _(setup: Attenuated, judgement: Any, part: Any, numbers: Numbers) -> str:
    run = setup.run
    points = np.concatenate([run.start.u[None], run.own])
    eta = (rational(run.algorithm.inner_step_u),)
    found = Scripted(run.problem, run.algorithm, View.FREE, points, eta, tuple(setup.attenuation))
    return _enumerating(found, judgement, part, numbers, 0)


@script_of.register
def _(setup: Decaying, judgement: Any, part: Any, numbers: Numbers) -> str:
    run = setup.run
    alpha = tuple(fmpq(1) for _ in run.algorithm.masks)
    points = run.start.u[None]
    found = Scripted(run.problem, run.algorithm, View.ROUNDS, points, tuple(setup.steps), alpha)
    return _enumerating(found, judgement, part, numbers, 0)


@script_of.register
def _(setup: LongRun, judgement: Any, part: Any, numbers: Numbers) -> str:
    alpha = tuple(fmpq(1) for _ in setup.algorithm.masks)
    steps = tuple(rational(x) for x in step_sizes(setup))
    steps = steps[:1] if setup.steps is Steps.CONSTANT else steps
    points = setup.start.u[None]
    found = Scripted(setup.problem, setup.algorithm, View.ROUNDS, points, steps, alpha)
    return _enumerating(found, judgement, part, numbers, 0)


@script_of.register
def _(setup: Recursion, judgement: Any, part: Any, numbers: Numbers) -> str:
    """D^t from its recursion: no algorithm, no randomness."""
    at = _outcome(judgement, part).at
    last = 0 if at is None else at
    left, right = code(part.left), code(part.right)
    names = sorted((part.constants | {"z", "B_step", "D_0"}) - {"t"})
    given = {RENAMED.get(x, x): numbers.constants[x] for x in names}
    steps = " ".join(str(fmpq(x)) for x in setup.steps[: last + 1])
    text = TEMPLATES.get_template("fedplt_recursion.py.j2").render(
        **_frame(judgement, part, left, right),
        numbers=_assigned(given),
        steps=table("steps", steps, "map(Q, {}.split())"),
        t=last,
    )
    return str(text)


def _repeated(run: Any) -> Array:
    return np.stack([run.start.u] * (run.problem.clients + 1))


def _outcome(judgement: Any, part: Any) -> Any:
    return next(o for o in judgement.outcomes if o.part == part.name)


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


def _enumerating(found: Scripted, judgement: Any, part: Any, numbers: Numbers, client: int) -> str:
    outcome = _outcome(judgement, part)
    at, rounds = outcome.at or 0, found.view is View.ROUNDS
    printed = Printed(rounds)
    left, right = printed.side(part.left), printed.side(part.right)
    enumerates = "E(" in left + right or "start" in left + right
    if enumerates:
        _check_size(found, at)
    scalars = (printed.scalars | ({"eta"} if enumerates else set())) - {"t", "tau"}
    constants = numbers.constants
    several = len(found.step_sizes) > 1
    given = {x: constants[x] for x in sorted(scalars) if x in constants}
    if "eta" in scalars and ("eta" not in constants or several):
        given["eta"] = found.step_sizes[0]
    missing = scalars - given.keys()
    if missing:
        raise FedboundsError(f"no number for {', '.join(sorted(missing))}")
    if not enumerates and "tau" in printed.scalars:
        given["tau"] = fmpq(found.algorithm.local_steps)
    if not enumerates and "t" in printed.scalars:
        given["t"] = fmpq(at)
    only = client if part.index is not Index.CLIENT else outcome.client
    alone = part.index is Index.CLIENT or _of_one(judgement)
    text = TEMPLATES.get_template("fedplt.py.j2").render(
        **_frame(judgement, part, left, right),
        enumerates=enumerates,
        numbers=_assigned({RENAMED.get(x, x): y for x, y in given.items()}),
        **(_body(found, printed, at, only if alone else None) if enumerates else {}),
    )
    return str(text)


def _of_one(judgement: Any) -> bool:
    """Whether a set-up shows the numbers of one client."""
    setup = judgement.instance.setup
    return isinstance(setup, Analysed) and setup.shows.name == "CLIENT"


def _check_size(found: Scripted, at: int) -> None:
    n, d = found.problem.linear.shape
    steps = found.algorithm.local_steps if found.view is View.ROUNDS else 1
    signs = 1 if found.problem.noise.scale_u == 0 else 2 ** (steps * d)
    draws = signs if found.dependent else signs**n
    rows = float(draws) ** (at + 1) * n * d * steps
    if rows > _MOST_ROWS:
        raise FedboundsError(f"a script would enumerate {rows:.3g} rows; at most {_MOST_ROWS}")


def _minimiser(hessian: Array, slope: Array) -> Array:
    """Where a client's objective is smallest."""
    found = solve(hessian, -slope[:, None])
    if found is None:
        raise FedboundsError("a client's objective has no minimiser; a script needs one")
    return found[:, 0]


def _body(found: Scripted, printed: Printed, at: int, client: int | None) -> dict[str, Any]:
    """What the template needs to enumerate."""
    problem, rounds = found.problem, found.view is View.ROUNDS
    _, best = centred(problem, found.algorithm)
    nearest = [
        _minimiser(h, slope) for h, slope in zip(problem.hessian, problem.linear, strict=True)
    ]
    steps = found.algorithm.local_steps if rounds else 1
    size = rational(problem.noise.scale_u)
    vectors = {
        "c": shares(found.algorithm), "psi": compensation(found.algorithm), "best": best,
    }  # fmt: skip
    if "al" in printed.attributes:
        vectors["alpha"] = found.alpha
    tables = {"A": nearest, "M": found.algorithm.masks, "start": found.points}
    used = sorted(printed.attributes, key=list(ATTRIBUTES).index)
    own = "pos[k][-1]" if rounds else "own[k]"
    weight = f"Q(1, {steps})" if client is not None else f"c[k] / {steps}"
    row = [f"p=p / len(draws) * {weight}"]
    row += ["i=i, past=past, xi=xi, k=k, s=s"] if printed.means else []
    row += [f"{name}={ATTRIBUTES[name].format(own=own)}" for name in used]
    clients = "K" if client is None else f"[{client}]"
    rows = f"rows += [Row({', '.join(row)}) for k in {clients} for s in range({steps}) for i in I]"
    times = f"t in range({at + 1})"
    if len(found.step_sizes) > 1:
        times = f"t, eta in {_paced(found.step_sizes[: at + 1])}"
    text = ";".join(_rows(matrix) for matrix in problem.hessian)
    return {
        "free": found.view is View.FREE,
        "rounds": rounds,
        "tau": found.algorithm.local_steps,
        "hessians": table("H", text, '[table(x) for x in {}.split(";")]'),
        "tables": table(", ".join(tables), ";".join(map(_rows, tables.values())),
                        'map(table, {}.split(";"))'),
        "vectors": table(", ".join(vectors), ",".join(" ".join(map(str, v)) for v in
                         vectors.values()), "table({})"),
        "steps": steps,
        "draws": _draws(size, problem.linear.shape, steps, found.dependent),
        "at": at,
        "updates": at > 0 or bool(printed.attributes & UPDATES),
        "moves": at > 0 or "Wn" in printed.attributes,
        "helpers": [line for name in used for line in HELPERS.get(name, ())],
        "times": times,
        "row": wrap(rows, WIDTH - 8, subsequent_indent="    ", break_long_words=False,
                    break_on_hyphens=False),
        "closing": _closing(printed),
    }  # fmt: skip


def _paced(steps: tuple[Any, ...]) -> str:
    """Rounds with their step sizes; by a rule, if they are 1/z over t + 1, or over t + 2."""
    for first in (1, 2):
        if all(step * (t + first) == steps[0] * first for t, step in enumerate(steps)):
            rule = f'Q("{steps[0] * first}") / (t + {first})'
            return f"((t, {rule}) for t in range({len(steps)}))"
    each = " ".join(map(str, steps))
    return f'enumerate(map(Q, "{each}".split()))'


def _assigned(numbers: dict[str, Any]) -> str:
    """Names and their numbers; a long number is written in pieces."""
    long = {name: str(fmpq(x)) for name, x in numbers.items() if len(str(fmpq(x))) > _LONG}
    short = {name: x for name, x in numbers.items() if name not in long}
    lines = [assigned(short)] if short else []
    for name, text in long.items():
        pieces = wrap(text, _LONG)
        lines.append(f"{name} = Q(" + "\n    ".join(f'"{piece}"' for piece in pieces) + ")")
    return "\n".join(lines)


def _rows(matrix: Array) -> str:
    return ", ".join(" ".join(str(fmpq(x)) for x in row) for row in matrix)


def _draws(size: Any, shape: tuple[int, int], steps: int, dependent: bool) -> str:
    """All equally likely noises, by client, local step and coordinate."""
    n, d = shape
    if not size:
        return f"draws = [(((0,) * {d},) * {steps},) * {n}]  # no noise"
    own = f'product(product((Q("{size}"), Q("-{size}")), repeat={d}), repeat={steps})'
    if dependent:
        return f"draws = [(e,) * {n} for e in {own}]"
    return f"draws = list(product({own}, repeat={n}))"


def _closing(printed: Printed) -> list[str]:
    """Expectation and conditional means over rows."""
    lines = ["E = lambda f: sum(r.p * f(r) for r in rows)"]
    if printed.means:
        lines += [
            "def given(f, *kept):",
            "    key, parts = lambda r: (r.i, *(vars(r)[x] for x in kept)), {}",
            "    for r in rows: parts.setdefault(key(r), []).append((r.p, r.p * f(r)))",
            "    means = {x: sum(b for _, b in y) / sum(a for a, _ in y)"
            " for x, y in parts.items()}",
            "    return lambda r: means[key(r)]",
        ]
        lines += [f"mean_{at} = {line}" for at, line in enumerate(printed.means)]
    return lines
