"""Second moments of masked rounds, and their limits, as programs that need nothing but Python."""

from math import factorial
from textwrap import fill
from typing import Any

from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.algorithms.static_masks import StaticMasks, holders
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Start
from fedbounds.problems.linear import rational
from fedbounds.theory.claims import Part

from ..evaluate import Numbers
from ..script_asserts import curvature, premises
from ..script_code import WIDTH, wrapped
from .limits import Algorithm

Array = Any
Lines = list[str]
_READERS = """\
table = lambda text: [[Q(x) for x in row.split()] for row in text.split(";")]
mul = lambda X, Y: [[sum(a * b for a, b in zip(r, c)) for c in zip(*Y)] for r in X]
""".splitlines()
_MEANING = "  # F[i] = [A_i h_i; 0 0], grad f_i(w) = A_i w + h_i"
_HEAD = "def second(masks):  # what a round does to E (w, 1)(w, 1)', a vector; masks end with a 1"
_STEP = """\
    M = [[(j == k) - eta / n * sum(m[j] * B[j][k] * m[k] for B, m in zip(F, masks))
          for k in range(d + 1)] for j in range(d + 1)]
""".splitlines()
_STEPS = """\
    own = [[[(j == k) - eta * m[j] * x * m[k] for k, x in enumerate(r)]
            for j, r in enumerate(B)] for B, m in zip(F, masks)]
    M = [[sum(c) / n for c in zip(*r)] for r in zip(*(reduce(mul, [J] * K) for J in own))]
""".splitlines()
_PLAIN = ["    return [[a * b for a in r for b in s] for r in M for s in M]"]
_NOISY = """\
    L = [[a * b for a in r for b in s] for r in M for s in M]
    for j in range(d): L[j * (d + 2)][-1] += variance * (eta / n) ** 2 * sum(m[j] for m in masks)
    return L
""".splitlines()
_MEAN = """\
def mean(law):  # over outcomes (chance, masks of the rounds)
    each = [[[p * x for x in r] for r in reduce(mul, map(second, ms[::-1]))] for p, ms in law]
    return [[sum(c) for c in zip(*r)] for r in zip(*each)]
""".splitlines()
_AFTER = """\
def after(law, times):
    z = [[a * b] for a in w0 for b in w0]
    return [x for x, in reduce(lambda z, L: mul(L, z), [mean(law)] * times, z)]
""".splitlines()
_LIMIT = """\
def limit(law, still):  # fixed entries stand in ``still``
    L = [[(i == k) - x for i, x in enumerate(r)] + [Q(0)] for k, r in enumerate(mean(law))]
    for k, x in still.items(): L[k][k], L[k][-1] = Q(1), x
    for k in range(len(L)):
        top = [x / L[k][k] for x in L[k]]
        L = [[x - r[k] * y for x, y in zip(r, top)] if j != k else top for j, r in enumerate(L)]
    return [r[-1] for r in L]
""".splitlines()
_RANDOM = """\
NAME = [(prod(p if k else 1 - p for p, m in zip(table("KEEP")[0], ms) for k in m),
         [[(*m, 1) for m in ms]]) for ms in product(product((0, 1), repeat=d), repeat=n)]
""".splitlines()
# Gershgorin: eigenvalues of A_i lie between 2 a_jj minus, and plus, the row sum of sizes
_SHRINKS = """\
# 0 < A_i < 2/eta: rounds shrink what they train, so that moments tend to the fixed point
assert all(sum(map(abs, B[j][:d])) < min(2 * B[j][j], 2 / eta) for B in F for j in range(d))
""".splitlines()
_LOSS = """\
def loss(z):  # E F(w); what is subtracted, F(w*), is the same on both sides
    every = ((j * (d + 1) + k, x) for B in F for j, r in enumerate(B) for k, x in enumerate(r))
    return sum(x * z[k] / (1 if k % (d + 1) == d else 2) for k, x in every) / n
""".splitlines()
_DISTANCE = """\
def distance(z, law, c):  # E ||w - c||^2; at c (with a 1) the mean masked gradient vanishes
    each = [(p, B, m) for p, ms in law for masks in ms for B, m in zip(F, masks)]
    for j in range(d):
        assert sum(p * m[j] * x * k * y for p, B, m in each for x, k, y in zip(B[j], m, c)) == 0
    return sum(z[j * (d + 2)] - 2 * c[j] * z[j * (d + 1) + d] + c[j] ** 2 for j in range(d))
""".splitlines()


def moment_lines(
    problem: FederatedQuadratic, algorithm: Algorithm, start: Start, *, limit: bool, loss: bool
) -> Lines:
    """The problem, functions for moments after many rounds or in the limit, what is measured.

    Raises
    ------
    FedboundsError
        If there is noise and more than one local step, or a limit without a simple proof.
    """
    n, d = problem.linear.shape
    scale, steps = rational(problem.noise.scale_u), algorithm.local_steps
    if scale != 0 and steps > 1:
        raise FedboundsError("scripts have noise in single local steps alone")
    if limit and not _shrinks(problem, algorithm.inner_step_u):
        raise FedboundsError("scripts have limits where A_i are dominated by their diagonals alone")
    given = {"n": n, "d": d} | ({"K": steps} if steps > 1 else {})
    quoted = {"eta": algorithm.inner_step_u} | ({"variance": scale**2} if scale != 0 else {})
    values = [*map(str, given.values()), *(f'Q("{rational(x)}")' for x in quoted.values())]
    numbers = f"{', '.join([*given, *quoted])} = {', '.join(values)}"
    fits = len(numbers + _MEANING) <= WIDTH
    begun = [] if limit else [f'w0 = table("{_row(start.u)} 1")[0]  # (w, 1) at the start']
    return [
        *_READERS,
        *([numbers + _MEANING] if fits else [_MEANING.strip(), numbers]),
        *slope_lines(problem),
        *begun,
        _HEAD,
        *(_STEP if steps == 1 else _STEPS),
        *(_PLAIN if scale == 0 else _NOISY),
        *_MEAN,
        *([*_LIMIT, *_SHRINKS] if limit else _AFTER),
        *(_LOSS if loss else _DISTANCE),
    ]


def _shrinks(problem: FederatedQuadratic, step: Any) -> bool:
    """What `_SHRINKS` asserts."""
    most = 2 / rational(step)
    return all(
        sum(map(abs, row)) < min(2 * row[j], most)
        for matrix in problem.hessian.tolist()
        for j, row in enumerate(matrix)
    )


def slope_lines(problem: FederatedQuadratic) -> Lines:
    """A_i and h_i as matrices on (w, 1)."""
    n, d = problem.linear.shape
    last = _row([0] * (d + 1))
    both = [
        "; ".join([*(_row([*problem.hessian[i, j], problem.linear[i, j]]) for j in range(d)), last])
        for i in range(n)
    ]
    tables = [f'table("{rows}")' for rows in both]
    line = f"F = [{', '.join(tables)}]"
    if len(line) > WIDTH:
        line = f'F = [table(x) for x in """{" | ".join(both)}""".split("|")]'
        line = fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return line.splitlines()


def law_lines(name: str, algorithm: Algorithm) -> Lines:
    """Outcomes (chance, masks of the rounds) of a round, or of an epoch."""
    if isinstance(algorithm, RandomMasks):
        keep = " ".join(str(rational(p)) for p in algorithm.keep)
        return [line.replace("NAME", name).replace("KEEP", keep) for line in _RANDOM]
    if isinstance(algorithm, StaticMasks):
        return wrapped(name, f"[(1, [{_masks(algorithm.masks)}])]").splitlines()
    epoch, owners = algorithm.epoch, 1 if algorithm.shared_order else algorithm.participants
    given = "[" + ", ".join(_masks(own) for own in algorithm.masks) + "]"
    orders = f"permutations(range({epoch}))"
    if owners == 1:
        rounds, each = "[[x[t] for x in sub] for t in o]", f"o in {orders}"
    else:
        rounds = f"[[x[o[t]] for x, o in zip(sub, os)] for t in range({epoch})]"
        each = f"os in product({orders}, repeat=n)"
    line = f"{name} = [(Q(1, {factorial(epoch) ** owners}), {rounds}) for {each}]"
    return [*wrapped("sub", given).splitlines(), line]


def limit_call(name: str, algorithm: Algorithm, start: Start) -> str:
    """The limit of a law; products of what never changes, and of 1, are fixed."""
    d = len(start.u)
    held = holders(algorithm) if isinstance(algorithm, StaticMasks) else (1,) * d
    begun = [*start.u, 1]
    still = [j for j in range(d) if held[j] == 0] + [d]
    fixed = [f'{j * (d + 1) + k}: Q("{begun[j] * begun[k]}")' for j in still for k in still]
    return f"limit({name}, {{{', '.join(fixed)}}})"


def point(w: Array) -> str:
    """(w, 1) in a script."""
    return f'table("{_row(w)} 1")[0]'


def asserts(part: Part, numbers: Numbers, algorithm: Algorithm, laws: str) -> Lines:
    """Premises of a part that compares laws of masks; a rolling one has the masks ``sub``."""
    known = {"eta": None, "K": None if algorithm.local_steps > 1 else "K = 1  # local steps"}
    known |= {"S_sub": "S_sub = len(sub[0])"}
    table = curvature("[[r[:d] for r in B[:d]] for B in F]")
    chances = f"assert all(sum(p for p, ms in law) == 1 for law in {laws})"
    return [chances, *premises(part, numbers, table, known)]


def program(judgement: Any, lines: Lines, left: str, right: str) -> str:
    """The whole text, with its heading; both sides are shown to break the claim."""
    text = f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails here."""'
    body = [
        "from fractions import Fraction as Q",
        "from functools import reduce",
        "from itertools import permutations, product",
        "from math import comb, prod",
        *lines,
        *wrapped("left", left).splitlines(),
        *wrapped("right", right).splitlines(),
        'print("left =", float(left), " right =", float(right), " right - left =", right - left)',
        'print("claimed: left <= right; broken:", left > right)',
    ]
    used = [_used(line, body) for line in body]
    kept = [line for line in used if line]
    return "\n".join([*fill(text, WIDTH, break_on_hyphens=False).splitlines(), *kept]) + "\n"


def _used(line: str, body: Lines) -> str:
    """An import without the names that are not used."""
    start, found, names = line.partition(" import ")
    if not found or start == "from fractions":
        return line
    own = [name for name in names.split(", ") if any(f"{name}(" in other for other in body)]
    return f"{start} import {', '.join(own)}" if own else ""


def _row(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def _masks(masks: Any) -> str:
    """Masks on (w, 1)."""
    return str([(*mask, 1) for mask in masks])
