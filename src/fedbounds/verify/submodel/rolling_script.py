"""Broken claims about limits of rolling masks as programs that need nothing but Python.

In coordinates (w, 1) an epoch is linear, so that one system gives all second moments.
"""

from textwrap import fill
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.problems.masked_laws import Rolling
from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import sigma2
from fedbounds.vocabulary import Assumption

from ..case import script_of
from ..evaluate import Numbers
from ..script_asserts import Table, curvature, premises
from ..script_code import WIDTH, assigned, code, table, wrapped
from .frame import Frame
from .rolling_ends import RollingLimit

Array = Any
Lines = list[str]
_ORDERS = "[list(zip(*x)) for x in product(permutations(range(S_sub)), repeat=O)]"
_CHOSEN = {
    "shuffle_floor": _ORDERS,
    "free_limit": _ORDERS,
    "fixed_floor": "[[(s,) * O for s in range(S_sub)]]",
    "drawn_floor": "[[x] for x in product(range(S_sub), repeat=O)]",
}
_EPOCH = """\
def epoch(order, x{unit}):  # x = (w, 1){noise}
    for s, turns in enumerate(order):
        ends = [x] * n
        for i, k in product(range(n), range(K)):
            m, y = M[i][turns[i % O]], ends[i]
            g = [{gradient} for {row} in {rows}]
            ends[i] = [u - eta * v * w for u, v, w in zip(y, m, g)] + [y[d]]
        x = [sum(y) / n for y in zip(*ends)]
    return x"""
# no pivot is zero: these matrices are I less a contraction, or positive definite
_SOLVE = """\
def solve(A, y):
    R = [[*row, z] for row, z in zip(A, y)]
    for i in range(len(R)):
        R[i] = [x / R[i][i] for x in R[i]]
        R = [x if j == i else [u - x[i] * v for u, v in zip(x, R[i])] for j, x in enumerate(R)]
    return [row[-1] for row in R]"""
_LIMIT = """\
def limit(orders):  # W = E[B W B']{plus}, the last entry is 1
    P = list(product(I, I))
    maps = [[*zip(*(epoch(z, [Q(a == c) for a in I]) for c in I))] for z in orders]
    E = lambda f: sum(map(f, maps)) / len(maps)
    A = [[(p == q) - E(lambda B: B[p[0]][q[0]] * B[p[1]][q[1]]) for q in P] for p in P[:-1]]
    W = solve([*A, [Q(p == P[-1]) for p in P]], {added})
    return sum(W[a * (d + 2)] - 2 * W[a * (d + 1) + d] * best[a] + best[a] ** 2 for a in D)"""
_NOISE = """\
    ends = [[epoch(z, [Q(0)] * (d + 1), u) for u in product(range(len(z)), range(n), range(K), D)]
            for z in orders]
    N = [variance * sum(y[a] * y[c] for e in ends for y in e) / len(ends) for a, c in P[:-1]]"""
_CONSTANTS = ("L", "mu", "q_mean", "a_bar2", "nu_M2", "zeta_M2")
_EVEN = "assert all(len({sum(m[a] for m in own) for a in D}) == 1 for own in M)"
_SPLIT = "assert all(sum(m[a] for m in own) == 1 for own in M for a in D)"
_ONE, _OWN = "assert all(own == M[0] for own in M)", "assert O == n or S_sub == 1"
_SHARED = "assert O == 1 or n == 1 or S_sub == 1"
_ASSUMED: Table = {
    **curvature("[[r[:d] for r in h] for h in H]"),
    Assumption.COVERAGE: (_EVEN,),
    Assumption.SHARED_PARTITION: (_SPLIT, _SHARED, _ONE),
    Assumption.OWN_PERMUTATIONS: (_SPLIT, _OWN, _ONE),
    Assumption.OWN_PARTITIONS: (
        _SPLIT, _SHARED, "assert len({tuple(sorted(map(tuple, own))) for own in M}) > 1",
    ),
    Assumption.OVERLAPPING_WINDOWS: (
        _SHARED,
        "turn = lambda w: sorted([int((a - s) % d < w) for a in D] + [1] for s in D)",
        "assert all(sorted(own) == turn(sum(own[0][:d])) and 1 < sum(own[0][:d]) < d for own in M)",
    ),
}  # fmt: skip
_MINIMISER = """\
G = [[sum(m[a] * h[a][c] * m[c] for h, x in zip(H, M) for m in x) for c in I] for a in D]
best = solve([row[:d] for row in G], [-row[d] for row in G])  # w*(M)"""


@script_of.register
def _(setup: RollingLimit, judgement: Any, part: Part, numbers: Numbers) -> str:
    limits = [str(side) for side in (part.left, part.right) if str(side) in _CHOSEN]
    noisy = setup.problem.noise.scale_u != 0
    against = part.constants & {"a_bar2", "zeta_M2"}
    if str(part.left) not in limits or (len(limits) == 1 and (noisy or not against)):
        raise FedboundsError(f"{judgement.claim.id}: no script for these limits")
    heading = f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails here."""'
    lines = [
        fill(heading, WIDTH, break_on_hyphens=False),
        "from fractions import Fraction as Q",
        "from itertools import permutations, product",
        *_data(setup, noisy),
        *_functions(noisy),
    ]
    if len(limits) == 2:
        sides = [f"limit({_CHOSEN[name]})" for name in limits]
        lines += _MINIMISER.splitlines()
    else:
        sides = [f"limit({_CHOSEN[limits[0]]})", code(part.right.subs(sigma2, 0))]
        lines += _constants(setup, numbers)
    lines += [wrapped("left", sides[0]), wrapped("right", sides[1])]
    there = dict.fromkeys(("eta", "K", "S_sub", *(_CONSTANTS if len(limits) == 1 else ())))
    lines += premises(part, numbers, _ASSUMED, there)
    lines.append('print("left", float(left), "right", float(right))')
    lines.append('print("claimed: left <= right; broken:", left > right)')
    return "\n".join(lines) + "\n"


def _data(setup: RollingLimit, noisy: bool) -> Lines:
    """Counts, step size, and the clients' matrices and masks, with a coordinate that is 1."""
    algorithm, problem = setup.algorithm, setup.problem
    n, d = problem.linear.shape
    owners = 1 if algorithm.shared_order else n
    numbers = {"eta": rational(algorithm.inner_step_u)}
    if noisy:
        numbers["variance"] = rational(problem.noise.scale_u) ** 2
    matrices = [
        [[*row, slope] for row, slope in zip(a, h, strict=True)]
        for a, h in zip(problem.hessian.tolist(), problem.linear.tolist(), strict=True)
    ]
    masks = [[[*mask, 1] for mask in own] for own in algorithm.masks]
    reader = (
        '([[[Q(x) for x in r.split()] for r in y.split(";")] for y in z.split("|")]'
        ' for z in {}.split("#"))'
    )
    return [
        f"n, d, S_sub, K, O = {n}, {d}, {algorithm.epoch}, {algorithm.local_steps}, {owners}"
        "  # O orders per epoch",
        assigned(numbers),
        table("H, M", f"{_text(matrices)} # {_text(masks)}", reader),
        "D, I, dot = range(d), range(d + 1), lambda *x: sum(u * v * w for u, v, w in zip(*x))",
    ]


def _text(tables: list[Any]) -> str:
    return "|".join(";".join(" ".join(map(str, row)) for row in rows) for rows in tables)


def _functions(noisy: bool) -> Lines:
    """The epoch, and the limit of a random one of its maps."""
    slope = "dot(row, m, y)"
    limit = _LIMIT.format(
        plus=" + E N" if noisy else "",
        added="[*N, Q(1)]" if noisy else "[Q(0)] * (len(P) - 1) + [Q(1)]",
    ).splitlines()
    if noisy:
        limit[2:2] = _NOISE.splitlines()
    epoch = _EPOCH.format(
        unit=", unit=()" if noisy else "",
        noise="; unit: where there is a noise of 1" if noisy else "",
        gradient=f"{slope} + (unit == (s, i, k, a))" if noisy else slope,
        row="a, row" if noisy else "row",
        rows="enumerate(H[i])" if noisy else "H[i]",
    )
    return [*epoch.splitlines(), *_SOLVE.splitlines(), *limit]


def _constants(setup: RollingLimit, numbers: Numbers) -> Lines:
    """w*(M) over the box, and the constants of the right side."""
    frame = Frame(setup.problem, Rolling(setup.algorithm.masks), setup.algorithm.domain)
    best = " ".join(map(str, frame.masked.minimiser))
    return [
        f'best = [Q(x) for x in "{best}".split()]  # w*(M) over the box',
        assigned({name: numbers.constants[name] for name in _CONSTANTS}),
        "assert all(sum(m[a] for own in M for m in own) / n / S_sub == q_mean for a in D)",
    ]
