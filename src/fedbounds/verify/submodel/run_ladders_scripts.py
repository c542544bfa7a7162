"""Broken dependences on K and on the capacity as programs that need nothing but Python."""

from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Bernoulli
from fedbounds.theory.claims import Part

from ..case import script_of
from ..decide import Outcome
from ..evaluate import Numbers
from ..script_asserts import told
from .frame import Frame
from .limits_scripts import (
    asserts,
    law_lines,
    limit_call,
    moment_lines,
    point,
    program,
    slope_lines,
)
from .run_ladders_runs import CapacityLadder, StepsLadder, epoch_of


def outcome_of(judgement: Any, part: Part) -> Outcome:
    """What was found of a part."""
    found: Outcome = next(o for o in judgement.outcomes if o.part == part.name)
    return found


@script_of.register
def _(setup: CapacityLadder, judgement: Any, part: Part, numbers: Numbers) -> str:
    limit, at = part.quantities == {"L_lim"}, outcome_of(judgement, part).at or 0
    small, large = (at, at + 1) if part.compares_neighbours else (0, -1)
    lines = moment_lines(setup.problem, setup.algorithms[0], setup.start, limit=limit, loss=True)
    sides = []
    for name, rung in (("large", setup.algorithms[large]), ("small", setup.algorithms[small])):
        lines += law_lines(name, rung)
        z = f"after({name}, {setup.rounds // epoch_of(rung)})"
        sides.append(f"loss({limit_call(name, rung, setup.start) if limit else z})")
    lines += asserts(part, numbers, setup.algorithms[0], "(large, small)")
    return program(judgement, lines, *sides)


_LEADING = """\
def first(B, m, K):  # limit of (w after K steps - c)/x as x = eta K -> 0, from x = 1, ..., K
    total = [Q(0)] * d
    for j in range(1, K + 1):  # a polynomial of degree below K
        y = c
        for _ in range(K):
            g = [sum(b * k * z for b, k, z in zip(r, m, y)) for r in B]
            y = [a - Q(j, K) * k * s for a, k, s in zip(y, m, g)]
        scale = Q((-1) ** (j - 1) * comb(K, j), j)
        total = [s + scale * (a - b) for s, a, b in zip(total, y, c)]
    return total
def covariance(B, p, K, j, k):  # of a client's first-order move
    each = [(prod(p if k else 1 - p for k in m), first(B, (*m, 1), K))
            for m in product((0, 1), repeat=d)]
    first_j, first_k = (sum(q * g[i] for q, g in each) for i in (j, k))
    return sum(q * g[j] * g[k] for q, g in each) - first_j * first_k
# E m B m of all clients: grad F_p(w) = H (w, 1); it vanishes at c
H = [[sum(p ** (1 + (j != k < d)) * B[j][k] for p, B in zip(keep, F)) / n
      for k in range(d + 1)] for j in range(d)]
assert all(sum(a * b for a, b in zip(r, c)) == 0 for r in H)
def error(K):  # H C + C H = N, so lim E ||grad F_p||^2 / x = tr H C H = tr H N / 2
    pairs = product(range(d), range(d))
    every = (H[j][k] * covariance(B, p, K, j, k) for j, k in pairs for B, p in zip(F, keep))
    return sum(every) / n**2 / 2
""".splitlines()


@script_of.register
def _of_steps(setup: StepsLadder, judgement: Any, part: Part, numbers: Numbers) -> str:
    n, d = setup.problem.linear.shape
    if not part.quantities <= {"K_r", "G_lead"}:
        raise FedboundsError(f"{judgement.claim.id}: no script for some of its quantities")
    at = outcome_of(judgement, part).at or 0
    few, many = setup.local_steps[at : at + 2]
    best = Frame(setup.problem, Bernoulli(setup.keep), None).masked.minimiser
    lines = [
        'table = lambda text: [[Q(x) for x in row.split()] for row in text.split(";")]',
        f"n, d = {n}, {d}",
        "# F[i] = [A_i h_i; 0 0], grad f_i(w) = A_i w + h_i",
        *slope_lines(setup.problem),
        f'keep, c = table("{" ".join(str(rational(p)) for p in setup.keep)}")[0], {point(best)}',
        *_LEADING,
        *told(part.assumptions, part.conditions, {}),
    ]
    return program(judgement, lines, f"{many} * error({many})", f"{few} * error({few})")
