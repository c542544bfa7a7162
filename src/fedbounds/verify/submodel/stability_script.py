"""Programs that show a broken claim about stability without this package.

They enumerate masks and sample indices in fractions. Where E ||delta|| is not rational
they compare ||E delta|| at the smaller p with the root of E ||delta||^2 at the larger.
"""

from textwrap import fill
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.problems.sampled_regression import SampledRegression

from ..case import script_of
from ..evaluate import Numbers
from ..script_asserts import told
from ..script_code import WIDTH, table
from .stability_ladders import StabilityLadder, both, difference, rung
from .stability_moments import affine_round, limit

Array = Any
_MOST = 40_000  # outcomes of all rounds on all data sets

_MOVE = """\
def move(w, masks, picks, data):  # K masked steps of every client, then the mean
    new = []
    for mask, own, zs in zip(masks, picks, data):
        y = list(w)
        for *a, b in (zs[j] for j in own):
            r = sum(m * x * u for m, x, u in zip(mask, a, y)) - b
            y = [u - eta * m * (r * x + ridge * u) for m, x, u in zip(mask, a, y)]
        new.append(y)
    return [sum(column) / n for column in zip(*new)]
every = list(product(product(product((0, 1), repeat=d), repeat=n),
                     product(product(range(ns), repeat=K), repeat=n)))  # masks, sample indices
chance = lambda p, ms: p ** (k := sum(map(sum, ms))) * (1 - p) ** (n * d - k) / ns ** (n * K)
"""
_RUN = """\
def run(p, sets):  # the joint law of w^0, ..., w^R on data sets, under the same draws
    laws = [{(tuple(start),) * len(sets): Q(1)}]
    for t in range(R):
        laws.append({})
        for (ws, q), (masks, picks) in product(laws[t].items(), every):
            new = tuple(tuple(move(w, masks, picks, S)) for w, S in zip(ws, sets))
            laws[-1][new] = laws[-1].get(new, 0) + q * chance(p, masks)
    return laws
"""
_ROUNDS = """\
mean = lambda law, f: sum(q * f([x - y for x, y in zip(*ws)]) for ws, q in law.items())
low, high = (run(p, (S, S2))[R] for p in keeps)  # delta = w - w'
"""
_BOUNDS = """\
left = sum(mean(low, lambda delta: delta[i]) ** 2 for i in range(d))
right = mean(high, lambda delta: sum(x * x for x in delta))
print("squares: smaller p >=", float(left), "larger p <=", float(right), "broken:", left > right)
"""
_LINE = """\
left, right = (mean(law, lambda delta: abs(delta[0])) for law in (low, high))
print("smaller p", float(left), "larger p", float(right), "broken:", left > right)
"""
_LIMIT = """\
mul = lambda A, B: [[sum(x * y for x, y in zip(row, own)) for own in zip(*B)] for row in A]
add = lambda terms: [[sum(q * T[i][j] for q, T in terms) for j in range(len(T))]
                     for T in [terms[0][1]] for i in range(len(T))]
unit = [[Q(i == j) for i in range(d)] for j in range(d + 1)]  # the last one is 0
for p, M in zip(keeps, limits):  # x = (delta, 1), delta = w - w', follows x <- A x
    C, A = [], []
    for draw in every:
        *e, o = [move(w, *draw, S) for w in unit]
        rows = [[x[i] - o[i] for x in e] for i in range(d)]
        b = [x - y for x, y in zip(o, move(unit[d], *draw, S2))]
        C.append((chance(p, draw[0]), mul(list(zip(*rows)), rows)))
        full = [row + [y] for row, y in zip(rows, b)] + [[Q(0)] * d + [Q(1)]]
        A.append((chance(p, draw[0]), mul(mul(full, M), list(zip(*full)))))
    assert add(A) == M  # E[x x'] stays as it is, and E ||C v||^2 < ||v||^2: it is the limit
    (c, *f), g = (C := add(C))[0], C[-1][-1]
    assert c < 1 and (d == 1 or (1 - c) * (1 - g) > f[0] ** 2)
left, right = sum(x[d] ** 2 for x in limits[0][:d]), sum(limits[1][i][i] for i in range(d))
print("squares: smaller p >=", float(left), "larger p <=", float(right), "broken:", left > right)
"""
_CHANCES = "assert all(sum(chance(p, ms) for ms, _ in every) == 1 for p in keeps)\n"


@script_of.register
def _of_ladder(setup: StabilityLadder, judgement: Any, part: Any, numbers: Numbers) -> str:
    low = next(o for o in judgement.outcomes if o.part == part.name).at or 0
    ends = (low, low + 1) if part.compares_neighbours else (0, -1)
    keeps = [rational(setup.keeps[at]) for at in ends]
    problem, other = both(setup)
    n, ns, d = problem.features.shape
    count = _outcomes(n, ns, d, setup.local_steps)
    head = (
        _heading(judgement),
        _sizes(n, ns, d, setup, problem.loss.ridge),
        _read("S, S2", [_samples(problem), _samples(other)]),
        f'keeps = Q("{keeps[0]}"), Q("{keeps[1]}")\n',
    )
    if part.quantities == {"dl_r"}:
        _check(2 * count**setup.rounds)
        body = (_start(setup.start), _MOVE, _CHANCES, _RUN, _ROUNDS, _asserts(part))
        return "".join((*head, *body, _LINE if d == 1 else _BOUNDS))
    _check(count)
    if d > 2 or (problem.features != other.features).any():
        raise FedboundsError("a script is written for d <= 2, where the target alone is changed")
    limits = _limits(setup, keeps)
    return "".join((*head, limits, _MOVE, _CHANCES, _asserts(part), _LIMIT))


def _asserts(part: Any) -> str:
    """Premises of a part: no claim about stability states one that a script could check."""
    return "".join(f"{line}\n" for line in told(part.assumptions, part.conditions, {}))


def _outcomes(n: int, ns: int, d: int, steps: int) -> int:
    """Masks times indices of a round."""
    return int(2 ** (n * d) * ns ** (n * steps))


def _check(outcomes: int) -> None:
    if outcomes > _MOST:
        raise FedboundsError(f"a script would enumerate {outcomes} outcomes; at most {_MOST}")


def _limits(setup: StabilityLadder, keeps: list[Any]) -> str:
    """E[x x'] of x = (delta, 1) at both p."""
    found = []
    for p in keeps:
        affine = affine_round(both(setup), rung(setup, p))
        rows = difference(affine, limit(affine))
        found.append(", ".join(" ".join(map(str, row)) for row in rows))
    reader = "[[[Q(x) for x in r.split()] for r in m.split(',')] for m in {}.split(';')]"
    return table("limits", "; ".join(found), reader) + "\n"


def _heading(judgement: Any) -> str:
    said = f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails here."""'
    wide = fill(said, WIDTH, break_on_hyphens=False)
    return f"{wide}\nfrom fractions import Fraction as Q\nfrom itertools import product\n"


def _sizes(n: int, ns: int, d: int, setup: Any, ridge: Any) -> str:
    numbers = f'Q("{rational(setup.step)}"), Q("{rational(ridge)}")'
    sizes = f"{n}, {ns}, {d}, {setup.local_steps}, {setup.rounds}"
    return f"n, ns, d, K, R, eta, ridge = {sizes}, {numbers}\n"


def _start(start: Array) -> str:
    return "start = [" + ", ".join(f'Q("{x}")' for x in start) + "]\n"


def _samples(problem: SampledRegression) -> str:
    return ";".join(map(_listed, problem.features, problem.targets))


def _listed(features: Array, targets: Array) -> str:
    rows = zip(features, targets, strict=True)
    return ",".join(" ".join(map(str, (*a, b))) for a, b in rows)


def _read(names: str, given: list[str]) -> str:
    """Samples of every client: features, then the target."""
    reader = "[[[Q(x) for x in z.split()] for z in own.split(',')] for own in {}.split(';')]"
    if len(given) == 1:
        return table(names, given[0], reader) + "\n"
    reader = reader.replace("{}", "data")
    return table(names, "|".join(given), "(" + reader + " for data in {}.split('|'))") + "\n"
