"""Witness scripts of FedPLT: every outcome enumerated in fractions, both sides of a broken part."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from textwrap import fill, wrap
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational, solve
from fedbounds.theory.setups import Setup
from fedbounds.vocabulary import Index, Relation

from ..case import script_of
from ..evaluate import Numbers
from ..measure.clients import Clients
from ..measure.objectives import constants, exact, exact_array, objective
from ..measure.trace import subject_of
from ..script_asserts import Table, fitting, packed, told
from ..script_code import IDENTIFIERS, TEMPLATES, WIDTH, assigned, code, table, wrapped
from ..setups.found import view_of
from .script_premises import (
    ASSUMED,
    COMPUTED,
    LEAST_RATIO,
    OF_EACH,
    OF_ONE,
    OF_STEPS,
    lines_of,
    named,
)
from .script_rows import ATTRIBUTES, HELPERS, UPDATES, Printed

Array = Any


class Looked(Enum):
    """What t counts, and what W_k^t is."""

    FREE = "one step from models that are given"
    STEPS = "local steps"
    ROUNDS = "rounds"


_LOOKED = {
    "fedplt.ONE_STEP": Looked.FREE,
    "fedplt.LOCAL_STEPS": Looked.STEPS,
    "fedplt.ROUNDS": Looked.ROUNDS,
    "fedplt.WITH_STEP": Looked.ROUNDS,
}
_SEQUENCE = "recursion"  # the view without an algorithm
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
    looked: Looked
    points: Array
    step_sizes: tuple[Any, ...]
    alpha: tuple[Any, ...]
    dependent: bool = False


@script_of.register
def _(setup: Setup, judgement: Any, part: Any, numbers: Numbers) -> str:
    if setup.view == _SEQUENCE:
        return _recursion(setup, judgement, part, numbers)
    run, looked = setup.run, _LOOKED.get(view_of(setup).algorithm)
    if looked is None:
        raise FedboundsError(f"no script is written for the view {setup.view!r}")
    problem, masks = objective(run.problem), run.parameter("masks")
    given = _step_sizes(setup)
    algorithm = FedPLT(masks, exact(run.parameter("weights")), run.parameter("tau"), given[0])
    models = run.parameter("models") or ((run.start,) * len(masks))
    own = () if looked is Looked.ROUNDS else models
    alpha = exact(run.parameter("attenuation") or (1,) * len(masks))
    found = Scripted(problem, algorithm, looked, exact_array((run.start, *own)), given,
                     alpha, bool(run.parameter("common")))  # fmt: skip
    return _enumerating(found, judgement, part, numbers, int(dict(setup.chosen).get("k", 0)))


def _step_sizes(setup: Setup) -> tuple[Any, ...]:
    """One for all rounds, or one each."""
    by_round = subject_of(setup.run, view_of(setup)).changing.get("eta")
    if by_round is not None:
        return tuple(by_round(t) for t in range(setup.run.rounds))
    given = setup.run.parameter("steps") or (setup.run.parameter("eta"),)
    return tuple(exact(step) for step in given)


def _recursion(setup: Setup, judgement: Any, part: Any, numbers: Numbers) -> str:
    """D^t from its recursion: no algorithm, no randomness."""
    at = _outcome(judgement, part).at
    last = 0 if at is None else at
    left, right = code(part.left), code(part.right)
    names = sorted((part.constants | {"z", "B_step", "D_0"}) - {"t"})
    given = {IDENTIFIERS.get(x, x): numbers.constants[x] for x in names}
    steps = " ".join(str(x) for x in setup.run.parameter("steps")[: last + 1])
    text = TEMPLATES.get_template("fedplt_recursion.py.j2").render(
        **_frame(judgement, part, left, right),
        numbers=given_numbers(given),
        steps=table("steps", steps, "[Q(x) for x in {}.split()]"),
        premises=told(part.assumptions, part.conditions, OF_STEPS),
        t=last,
    )
    return str(text)


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
    at, one = outcome.at or 0, _of_one(judgement)
    printed = Printed(found.looked is Looked.ROUNDS)
    left, right = printed.side(part.left), printed.side(part.right)
    _check_size(found, at)
    wanted = _identifiers(printed.scalars) | named(part.assumptions, part.conditions)
    wanted = (wanted | {"eta"}) - {"t", "tau"}
    computed = {x: y for x, y in (COMPUTED | (OF_ONE if one else OF_EACH)).items() if x in wanted}
    values = _constants(found, numbers, wanted)
    if "rho_min" in wanted - values.keys():
        computed["rho_min"] = LEAST_RATIO
    # what is only compared with computed numbers is given too
    given = {
        x: values[x]
        for x in sorted(wanted & values.keys())
        if computed.get(x, "assert").startswith("assert")
    }
    missing = _identifiers(printed.scalars) - {"t", "tau"} - given.keys() - computed.keys()
    if missing:
        raise FedboundsError(f"no number for {', '.join(sorted(missing))}")
    paced = found.looked is Looked.ROUNDS and bool(OF_STEPS.keys() & set(part.assumptions))
    only = client if part.index is not Index.CLIENT else outcome.client
    alone = part.index is Index.CLIENT or one
    known = {
        **_frame(judgement, part, left, right),
        "numbers": given_numbers(given),
        "paced": paced,
        "client": client if one else None,
        "chosen": any(a != 1 for a in found.alpha),
        **_body(found, printed, at, only if alone else None, paced=paced),
    }

    def write(table: Table) -> str:
        lines = lines_of(part.assumptions, part.conditions, given, computed, table)
        attenuated = "al" in printed.attributes or any("alpha" in line for line in lines)
        text = TEMPLATES.get_template("fedplt.py.j2").render(
            premises=lines,
            attenuated=attenuated,
            visits=any("seen" in line for line in lines),
            **known,
        )
        return str(text)

    return fitting(write, OF_STEPS | ASSUMED if paced else ASSUMED)


def _identifiers(names: Iterable[str]) -> set[str]:
    return {IDENTIFIERS.get(name, name) for name in names}


def _constants(found: Scripted, numbers: Numbers, wanted: set[str]) -> dict[str, Any]:
    """Numbers by their names in a script; L and mu of the problem even where none are shown."""
    known = {IDENTIFIERS.get(x, x): y for x, y in numbers.constants.items()}
    if "eta" not in known or len(found.step_sizes) > 1:
        known["eta"] = found.step_sizes[0]
    if wanted & {"L", "mu"} - known.keys():
        own = {name.value: value.value for name, value in constants(found.problem).items()}
        known = own | known
    return known


def _of_one(judgement: Any) -> bool:
    """Whether a set-up shows the numbers of one client."""
    setup = judgement.instance.setup
    return isinstance(setup, Setup) and view_of(setup).alone in dict(setup.chosen)


def _check_size(found: Scripted, at: int) -> None:
    n, d = found.problem.linear.shape
    steps = found.algorithm.local_steps if found.looked is Looked.ROUNDS else 1
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


def _body(
    found: Scripted, printed: Printed, at: int, client: int | None, *, paced: bool
) -> dict[str, Any]:
    """What the template needs to enumerate; `paced`: steps and distances are kept."""
    problem, rounds, moves = found.problem, found.looked is Looked.ROUNDS, at > 0 or paced
    best = Clients(problem).best(np.array(shares(found.algorithm), dtype=object))
    nearest = [
        _minimiser(h, slope) for h, slope in zip(problem.hessian, problem.linear, strict=True)
    ]
    steps = found.algorithm.local_steps if rounds else 1
    size = rational(problem.noise.scale_u)
    vectors = {
        "c": shares(found.algorithm), "psi": compensation(found.algorithm), "best": best,
    }  # fmt: skip
    if any(a != 1 for a in found.alpha):
        vectors["alpha"] = found.alpha
    tables = {"A": nearest, "M": found.algorithm.masks, "start": found.points}
    used = sorted(printed.attributes, key=list(ATTRIBUTES).index)
    own = "pos[k][-1]" if rounds else "own[k]"
    weight = f"Q(1, {steps})" if client is not None else f"c[k] / {steps}"
    row = [f"p=p / len(draws) * {weight}"]
    row += ["i=i, past=past, xi=xi, k=k, s=s"] if printed.means else []
    row += [f"{name}={ATTRIBUTES[name].format(own=own)}" for name in used]
    clients = "K" if client is None else f"[{client}]"
    rows = f"rows += [Row({', '.join(row)}) for k, s, i in product({clients}, range({steps}), I)]"
    times = f"t in range({at + 1})"
    if len(found.step_sizes) > 1:
        times = f"t, eta in {_paced(found.step_sizes[: at + 1])}"
    text = ";".join(_rows(matrix) for matrix in problem.hessian)
    return {
        "free": found.looked is Looked.FREE,
        "rounds": rounds,
        "hessians": table("H", text, '[table(x) for x in {}.split(";")]'),
        "tables": table(", ".join(tables), ";".join(map(_rows, tables.values())),
                        'map(table, {}.split(";"))'),
        "vectors": packed([
            table(", ".join(vectors), ",".join(" ".join(map(str, v)) for v in vectors.values()),
                  "table({})"),
            f"K, I, tau = range(len(c)), range(len(psi)), {found.algorithm.local_steps}",
        ]),
        "steps": steps,
        "draws": _draws(size, problem.linear.shape, steps, found.dependent),
        "at": at,
        "updates": bool(printed.attributes & UPDATES),
        "moves": moves or "Wn" in printed.attributes,
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


def given_numbers(numbers: dict[str, Any]) -> str:
    """Names and their numbers, one statement a line; a long number is written in pieces."""
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
