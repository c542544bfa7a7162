"""Premises that a script asserts: a line or more for each assumption and condition of a part.

Every writer of scripts has a table from assumptions to lines in the names of its scripts. Whatever
has no line there is named in a comment, so that nothing is left out in silence.
"""

import ast
from collections.abc import Iterable, Sequence
from textwrap import wrap

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition

from .script_lines_of import WIDTH, code, wrapped

NOT_CHECKED = "# not checked here: "
Lines = Sequence[str]
Table = dict[str, Lines]

_EIGENVALUES = (
    "def positive(S):  # no eigenvalue of a symmetric S is below 0, by elimination",
    "    if not S: return True",
    "    (a, *b), *rest = S",
    "    if a <= 0: return not any(S[0]) and positive([r[1:] for r in rest])",
    "    return positive([[x - u * v / a for x, v in zip(r, b)] for u, *r in rest])",
    "plus = lambda x, h, s: [[s * y + x * (i == j) for j, y in enumerate(r)]"
    " for i, r in enumerate(h)]",
)  # x I + s h
_RANK = (
    "def rank_of(S):  # of a symmetric S without eigenvalues below 0, by elimination",
    "    if not len(S): return 0",
    "    a, *b = S[0]",
    "    if a == 0: return rank_of([r[1:] for r in S[1:]])",
    "    return 1 + rank_of([[x - u * v / a for x, v in zip(r, b)] for u, *r in S[1:]])",
)
_AGAINST = (
    "def against(S, x):  # the sign of x less the least eigenvalue of a symmetric S",
    "    S = plus(-x, S, 1)",
    "    return -(rank_of(S) == len(S)) if positive(S) else 1",
)
# helping lines, by what asks for them; each may ask for those that stand before it
_HELPING = {"positive(": _EIGENVALUES, "rank_of(": _RANK, "against(": _AGAINST}


def curvature(hessians: str) -> Table:
    """Lines for an expression that lists the Hessians of all clients, and names L and mu."""
    return {
        Fact.SMOOTH: (f"assert all(positive(plus(L, h, s)) for h in {hessians} for s in (1, -1))",),
        Fact.STRONGLY_CONVEX: (
            f"assert mu > 0 and all(positive(plus(-mu, h, 1)) for h in {hessians})",
        ),
        Fact.CONVEX: (f"assert all(positive(plus(0, h, 1)) for h in {hessians})",),
    }


def told(assumptions: Iterable[str], conditions: Sequence[Condition], table: Table) -> list[str]:
    """Lines that assert what a part assumes; each assumption is named behind its last line."""
    missing = [str(a) for a in assumptions if a not in table]
    lines = [x for a in assumptions if a in table for x in _named(table[a], a)]
    lines += packed(asserted(conditions))
    for name, helping in reversed(_HELPING.items()):
        if any(name in line for line in lines):
            lines = [*helping, *lines]
    return lines + not_checked(missing)


def not_checked(what: Iterable[str]) -> list[str]:
    """A comment that names what no line asserts; nothing if that is nothing."""
    text = "; ".join(what)
    if not text:
        return []
    return wrap(NOT_CHECKED + text, WIDTH, subsequent_indent=NOT_CHECKED, break_on_hyphens=False)


def _named(lines: Lines, name: str) -> list[str]:
    *before, last = lines
    comment = f"# {name}"
    one = f"{last}  {comment}"
    start = [part for line in before for part in broken(line)]
    return [*start, one] if len(one) <= WIDTH else [*start, comment, *broken(last)]


def broken(line: str) -> list[str]:
    """A line, on several where it is too wide; it breaks inside its brackets, or not at all."""
    lines = wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False,
                 break_on_hyphens=False)  # fmt: skip
    return [line] if _is_code(line) and not _is_code("\n".join(lines)) else lines


def _is_code(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def packed(lines: Iterable[str]) -> list[str]:
    """Neighbouring short statements on one line."""
    found: list[str] = []
    for line in lines:
        alone = not found or any(x[0] == " " or "#" in x for x in (line, found[-1]))
        if alone or len(found[-1]) + 2 + len(line) > WIDTH:
            found.append(line)
        else:
            found[-1] += f"; {line}"
    return found


def asserted(conditions: Sequence[Condition]) -> list[str]:
    """A line per condition, longer ones broken inside brackets; one with roots up to rounding."""
    return [line for c in conditions for line in _asserted(c)]


def _asserted(condition: Condition) -> list[str]:
    left, right = code(condition.left), code(condition.right)
    if not _rooted(condition.left, condition.right):
        line = f"assert {left} {condition.relation} {right}"
        return [line] if len(line) <= WIDTH else [
            wrapped("bound", right), f"assert {left} {condition.relation} bound",
        ]  # fmt: skip
    held = {
        "<=": f"{left} <= bound * (1 + 1e-12)",
        ">=": f"{left} >= bound * (1 - 1e-12)",
        "==": f"abs({left} - bound) <= 1e-12 * bound",
        "<": f"{left} < bound * (1 - 1e-12)",
        ">": f"{left} > bound * (1 + 1e-12)",
    }[condition.relation]
    return [wrapped("bound", right), f"assert {held}  # up to rounding"]


def _rooted(*sides: sp.Expr) -> bool:
    return any(not p.exp.is_Integer and p.exp.is_Rational for x in sides for p in x.atoms(sp.Pow))
