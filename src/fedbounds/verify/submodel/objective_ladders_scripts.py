"""Broken dependences on p as programs that need nothing but Python: two neighbouring rungs."""

from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.theory.claims import Part
from fedbounds.theory.symbols import t

from ..case import script_of
from ..evaluate import Numbers, evaluate
from ..script_asserts import told
from .objective_ladders import clients_of
from .objectives_optima import full_law, minimiser
from .objectives_scripts import (
    Lines,
    asserts,
    law_lines,
    law_text,
    outcome_of,
    problem_lines,
    program,
    value_lines,
    vector,
)
from .objectives_setups import Rungs, TrilinearRungs

_MEANS = [
    "def means(law, w):  # E m o grad f_i(m o w) of every client",
    "    return [gradient([law[i] if k == i else [] for k in range(n)], w) for i in range(n)]",
]
_DISSIMILARITY = [
    *_MEANS,
    "def B2(law, w):",
    "    own, mean = [[n * x for x in g] for g in means(law, w)], gradient(law, w)",
    "    return sum((x - y) ** 2 for g in own for x, y in zip(g, mean)) / n",
]
_MASKS = [
    *_MEANS,
    "def nu2(law, w):",
    "    total = Q(0)",
    "    for i, mean in enumerate(means(law, w)):",
    "        for chance, m in law[i]:",
    "            g = slope(i, [a * x for a, x in zip(m, w)])",
    "            total += chance * sum((a * x - n * y) ** 2 for a, x, y in zip(m, g, mean)) / n",
    "    return total",
]
# rows of A and h are samples here, and so is i; samples of a client follow one another
_SAMPLES = [
    "def sigma2(law, w):",
    "    total = Q(0)",
    "    for i in range(n):",
    "        for chance, m in law[i // J]:",
    "            seen = [slope(k, [a * x for a, x in zip(m, w)]) for k in range(n)]",
    "            mean = [sum(c) / J for c in zip(*seen[i // J * J : i // J * J + J])]",
    "            total += chance * sum(a * (x - y) ** 2 for a, x, y in zip(m, seen[i], mean)) / n",
    "    return total",
]

_BOTH = [
    "def delta2(law, w):",
    "    total = Q(0)",
    "    for i in range(n // J):",
    "        seen = [(p / J, [a * x for a, x in zip(m, slope(k, [a * x for a, x in zip(m, w)]))])",
    "                for p, m in law[i] for k in range(i * J, i * J + J)]",
    "        mean = [sum(p * g[a] for p, g in seen) for a in range(d)]",
    "        total += sum(p * (x - y) ** 2 for p, g in seen for x, y in zip(g, mean)) * J / n",
    "    return total",
]


@script_of.register
def _(setup: Rungs, judgement: Any, part: Part, numbers: Numbers) -> str:
    problem, at = clients_of(setup), outcome_of(judgement, part).at or 0
    measured = part.quantities - {"q_miss"}
    (name,) = measured if len(measured) == 1 else ("",)
    laws = _laws(setup, at)
    if name == "R_p":
        lines = _residual(setup, problem, at)
    elif name in ("B2_fix", "vr_m"):
        measure, how = ("B2", _DISSIMILARITY) if name == "B2_fix" else ("nu2", _MASKS)
        lines = [*problem_lines(problem), *how, *laws, f"w = {vector(setup.point)}",
                 f"first, then = {measure}(low, w), {measure}(high, w)"]  # fmt: skip
    elif name == "B2_sup" and setup.domain is not None:
        lines = [*problem_lines(problem), *_DISSIMILARITY, *laws, *_vertices(setup)]
    elif name in ("vr_s", "vr_all"):
        lines = _sampled(setup, problem, at, both=name == "vr_all")
    else:
        raise FedboundsError(f"{judgement.claim.id}: no script for some of its quantities")
    lines += asserts(part, numbers, "(low, high)")
    return program(judgement, [*lines, _sides(part, numbers, at)])


def _sides(part: Part, numbers: Numbers, at: int) -> str:
    """Which rung is claimed to have the smaller number; or the multiple of 1 - p that bounds it."""
    if "q_miss" in part.quantities:
        bound = evaluate(part.right, numbers, range(at, at + 1)).item()
        return f'left, right = first, Q("{bound}")  # C (1 - p)'
    (atom,) = part.left.atoms(type(part.left)) if part.left.is_Function else (part.left,)
    falls = atom.args[0] == t + 1
    return "left, right = then, first" if falls else "left, right = first, then"


def _laws(setup: Rungs, at: int) -> Lines:
    low, high = setup.laws[at : at + 2]
    return [*law_lines(low, high), f"low, high = {law_text(low)}, {law_text(high)}"]


def _vertices(setup: Rungs) -> Lines:
    assert setup.domain is not None
    sides = [
        f"table({' '.join(map(str, pair))!r})[0]" for pair in setup.domain.bounds(len(setup.point))
    ]
    return [
        "# a convex function of w: its supremum over a box is at a vertex",
        f"box = [{', '.join(sides)}]",
        "first, then = (max(B2(law, w) for w in product(*box)) for law in (low, high))",
    ]


def _residual(setup: Rungs, problem: FederatedQuadratic, at: int) -> Lines:
    points = [minimiser(problem, law, setup.domain) for law in setup.laws[at : at + 2]]
    best = minimiser(problem, full_law(problem.clients), setup.domain)
    if best is None or any(w is None for w in points) or setup.domain is not None:
        raise FedboundsError("no script on a domain, or where minimisers are not unique")
    return [
        *problem_lines(problem),
        *value_lines(),
        *_laws(setup, at),
        "full = [[(Q(1), [1] * d)]] * n",
        f"v = {vector(points[0])}",
        f"w = {vector(points[1])}",
        f"best = {vector(best)}",
        "assert not any(gradient(low, v) + gradient(high, w) + gradient(full, best))",
        "first, then = F(v) - F(best), F(w) - F(best)",
    ]


def _sampled(setup: Rungs, problem: FederatedQuadratic, at: int, *, both: bool) -> Lines:
    laws = _laws(setup, at)
    if both and setup.each == 1:  # without sampling variance, that of the masks is all
        return [*problem_lines(problem), *_MASKS, *laws, f"w = {vector(setup.point)}",
                "first, then = nu2(low, w), nu2(high, w)"]  # fmt: skip
    measure = "delta2" if both else "sigma2"
    return [
        *problem_lines(setup.samples),
        f"J = {setup.each}  # samples per client",
        *(_BOTH if both else _SAMPLES),
        *laws,
        f"w = {vector(setup.point)}",
        f"first, then = {measure}(low, w), {measure}(high, w)",
    ]


@script_of.register
def _of_trilinear(setup: TrilinearRungs, judgement: Any, part: Part, numbers: Numbers) -> str:
    f, at = setup.problem, outcome_of(judgement, part).at or 0
    low, high = (
        f"(Q({str(p)!r}), Q({str(s)!r}))"
        for p, s in list(zip(setup.keep, setup.minimisers, strict=True))[at : at + 2]
    )
    constants = " ".join(map(str, (f.curvature, f.centre, f.pairs, f.triple)))
    lines = [
        f'a, v, c, k = map(Q, "{constants}".split())',
        "def F(w):  # strongly convex where all coordinates are between 0 and the largest below",
        "    x, y, z = w",
        "    bowl = a * sum((u - v) ** 2 for u in w) / 2",
        "    return bowl + c * (x * y + x * z + y * z) - k * x * y * z",
        "def slope(w, j):",
        "    x, y = w[:j] + w[j + 1 :]",
        "    return a * (w[j] - v) + c * (x + y) - k * x * y",
        "def gradient(p, s):  # of F_p at s (1, 1, 1)",
        "    total = [Q(0)] * 3",
        "    for m in product((0, 1), repeat=3):",
        "        chance = p ** sum(m) * (1 - p) ** (3 - sum(m))",
        "        w = [s * x for x in m]",
        "        total = [g + chance * x * slope(w, j) for j, (g, x) in enumerate(zip(total, m))]",
        "    return total",
        f"reach = Q({str(setup.reach)!r})  # Hess F: a on the diagonal, c - k w_j off it",
        "assert 2 * max(abs(c), abs(c - k * reach)) < a  # so that minimisers are unique",
        f"(p, s), (q, r) = {low}, {high}",
        "assert gradient(p, s) == gradient(q, r) == gradient(Q(1), Q(1)) == [0, 0, 0]",
        "best = F([Q(1)] * 3)",
        "first, then = F([s] * 3) - best, F([r] * 3) - best",
        *told(part.assumptions, part.conditions, {}),
        _sides(part, numbers, at),
    ]
    return program(judgement, lines)
