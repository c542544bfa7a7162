"""What programs about masked objectives share; they need nothing but Python."""

from textwrap import fill
from typing import Any

from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.masked_laws import Bernoulli, Law
from fedbounds.theory.claims import Part
from fedbounds.vocabulary import Assumption

from ..decide import Outcome
from ..evaluate import Numbers
from ..script_asserts import Table, curvature, premises
from ..script_code import WIDTH

Array = Any
Lines = list[str]
_END = [
    'print("left =", left, " right =", right, " right - left =", right - left)',
    'print("claimed: left <= right; broken:", left > right)',
]


def program(judgement: Any, lines: Lines) -> str:
    """The whole text, with its heading and what it prints."""
    heading = f'"""{judgement.claim.id} (reading: {judgement.reading.name}) fails here."""'
    head = [fill(heading, WIDTH, break_on_hyphens=False), *_IMPORTS, ""]
    return "\n".join([*head, *lines, *_END]) + "\n"


def outcome_of(judgement: Any, part: Part) -> Outcome:
    """What was found of a part."""
    found: Outcome = next(o for o in judgement.outcomes if o.part == part.name)
    return found


_IMPORTS = ["from fractions import Fraction as Q", "from itertools import product"]
_TABLE = [
    "def table(text):",
    '    return [[Q(x) for x in row.split()] for row in text.split(";")]',
]
_SLOPES = [
    "def slope(i, w):  # grad f_i(w)",
    "    return [sum(a * x for a, x in zip(A[i][j], w)) + h[i][j] for j in range(d)]",
    "def gradient(masks, w):  # mean over clients of E m o grad f_i(m o w)",
    "    total = [Q(0)] * d",
    "    for i in range(n):",
    "        for chance, m in masks[i]:",
    "            g = slope(i, [a * x for a, x in zip(m, w)])",
    "            total = [x + chance * a * y / n for x, a, y in zip(total, m, g)]",
    "    return total",
]


def problem_lines(problem: FederatedQuadratic) -> Lines:
    """f_i(w) = 1/2 w'A_i w + h_i'w, and the gradients of masked objectives."""
    n, d = problem.linear.shape
    return [*_TABLE, f"n, d = {n}, {d}", *rows_lines(problem), *_SLOPES]


def rows_lines(problem: FederatedQuadratic) -> Lines:
    """A and h."""
    matrices = [f'    table("{_rows(matrix)}"),' for matrix in problem.hessian]
    return [
        "A = [  # f_i(w) = w'A_i w / 2 + h_i'w",
        *matrices,
        "]",
        f'h = table("{_rows(problem.linear)}")',
    ]


def law_lines(*laws: Law) -> Lines:
    """Every mask of every client with its probability: a function where they are Bernoulli."""
    if all(isinstance(law, Bernoulli) for law in laws):
        return _BERNOULLI
    return []


def law_text(law: Law) -> str:
    """The masks of a law, as an expression."""
    if isinstance(law, Bernoulli):
        return f'bernoulli("{" ".join(map(str, law.keep))}")'
    rows = [" ".join("".join(map(str, m)) for m in own) for own in law.masks]
    share = f"Q(1, {law.length})"
    return f"[[({share}, [*map(int, m)]) for m in own.split()] for own in {rows}]"


_BERNOULLI = [
    "def bernoulli(keep):  # masks and their probabilities, client by client",
    "    every = [*product((0, 1), repeat=d)]",
    "    law = lambda p: [(p ** sum(m) * (1 - p) ** (d - sum(m)), m) for m in every]",
    "    return [law(p) for p in table(keep)[0]]",
]


def value_lines() -> Lines:
    """F."""
    return [
        "def F(w):",
        "    both = [(slope(i, w)[j] + h[i][j]) * w[j] for i in range(n) for j in range(d)]",
        "    return sum(both) / 2 / n",
    ]


def vector(w: Array) -> str:
    """A point in a script."""
    return _vector(list(w))


def _vector(numbers: Any) -> str:
    return f'table("{" ".join(map(str, numbers))}")[0]'


def _rows(matrix: Array) -> str:
    return "; ".join(" ".join(map(str, row)) for row in matrix)


_KEEPS = "sum(q * m[{}] for q, m in own)"


def asserts(part: Part, numbers: Numbers, laws: str) -> Lines:
    """Premises of a part; the laws list, client by client, masks with their probabilities."""
    kept = (
        f"assert all(len({{{_KEEPS.format('j')} for j in range(d)}}) == 1"
        f" for law in {laws} for own in law)",
    )
    once = f"len({{{_KEEPS.format(0)} for own in law}})"
    table: Table = {
        **curvature("A"),
        Assumption.KEPT: kept,
        Assumption.COVERAGE: kept,
        Assumption.EQUAL_KEEP: (f"assert all({once} == 1 for law in {laws})",),
        Assumption.UNEQUAL_KEEP: (f"assert all({once} > 1 for law in {laws})",),
        Assumption.BERNOULLI: (
            "assert all(q == p ** sum(m) * (1 - p) ** (d - sum(m))"
            f" for law in {laws} for own in law for p in [{_KEEPS.format(0)}] for q, m in own)",
        ),
    }
    chances = f"assert all(sum(q for q, m in own) == 1 for law in {laws} for own in law)"
    known = dict.fromkeys(("grad_0_F", "grad_0_Fp", *(part.constants & {"mu"})))
    return [chances, *premises(part, numbers, table, known)]
