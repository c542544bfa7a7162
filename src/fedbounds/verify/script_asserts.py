"""Premises that a script asserts: a line or more for each assumption and condition of a part.

Every writer of scripts has a table from assumptions to lines in the names of its scripts. Whatever
has no line there is named in a comment, so that nothing is left out in silence.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.claims import Condition, Part

from .evaluate import Numbers
from .script_code import IDENTIFIERS, MOST_LINES, WIDTH, assigned, code, wrapped

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
    if any("positive(" in line for line in lines):
        lines = [*_EIGENVALUES, *lines]
    return lines + not_checked(missing)


def premises(
    part: Part, numbers: Numbers, table: Table, known: Mapping[str, str | None]
) -> list[str]:
    """What a part assumes, with the constants that this needs.

    Parameters
    ----------
    known : dict from name to line, or to None
        Names of the script: None if it has them already, else the line that computes them.
    """
    sides = [side for c in part.conditions for side in (c.left, c.right)]
    words = {s.name for side in sides for s in side.free_symbols}
    table = {a: table[a] for a in part.assumptions if a in table}
    words |= {x for own in table.values() for x in re.findall(r"\b(?:L|mu)\b", " ".join(own))}
    wanted = {IDENTIFIERS.get(x, x): x for x in sorted(words)}
    given = {x: numbers.constants[name] for x, name in wanted.items() if x not in known}
    computed = [line for x, line in known.items() if line is not None and x in words]
    text = assigned(given).splitlines() if given else []
    return [*text, *computed, *told(part.assumptions, part.conditions, table)]


def not_checked(what: Iterable[str]) -> list[str]:
    """A comment that names what no line asserts; nothing if that is nothing."""
    text = "; ".join(what)
    if not text:
        return []
    return wrap(NOT_CHECKED + text, WIDTH, subsequent_indent=NOT_CHECKED, break_on_hyphens=False)


def fitting(write: Callable[[Table], str], table: Table) -> str:
    """A text with as many assertions as there is room for; the last ones of a table go first."""
    text = write(table)
    while len(text.splitlines()) > MOST_LINES and table:
        table = dict(list(table.items())[:-1])
        text = write(table)
    return text


def _named(lines: Lines, name: str) -> list[str]:
    *before, last = lines
    comment = f"# {name}"
    one = f"{last}  {comment}"
    start = [part for line in before for part in broken(line)]
    return [*start, one] if len(one) <= WIDTH else [*start, comment, *broken(last)]


def broken(line: str) -> list[str]:
    """A line, on several where it is too wide; it breaks inside its brackets."""
    return wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False,
                break_on_hyphens=False)  # fmt: skip


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
    }[condition.relation]
    return [wrapped("bound", right), f"assert {held}  # up to rounding"]


def _rooted(*sides: sp.Expr) -> bool:
    return any(not p.exp.is_Integer and p.exp.is_Rational for x in sides for p in x.atoms(sp.Pow))
