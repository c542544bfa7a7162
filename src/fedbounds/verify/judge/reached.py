"""What of a claim's own range no record reached: edges of its conditions, noise, long runs.

A claim that survived far inside its conditions, or without the noise of which it speaks, has not
been tested: what is missing is named.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.facts import Constant
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import RunOperator, T, constants_in, quantities_in, sigma2, t
from fedbounds.vocabulary import Verdict

from ..decide.conditions import holds
from ..measure.evaluate import Numbers, evaluate
from ..setups.ends import ends

Record = dict[str, Any]
Known = Mapping[str, fmpq]

_FIRM = (Verdict.NOT_VIOLATED, Verdict.VIOLATED)
_LOOKED = (*_FIRM, Verdict.UNDECIDED)
_NOISE = tuple(map(str, (Constant.VARIANCE_U, Constant.VARIANCE_V, sigma2, Constant.DISSIMILARITY)))
_OF_PROBLEMS = frozenset({"n", "d_u", "d_v"})  # that stand among the parameters of a run
_NEAR = 1e-5  # relative: a step within this of what a condition allows is at its edge


def unreached(
    parts: Sequence[Part], records: Sequence[Record], takes: frozenset[str] | None = None
) -> list[str]:
    """What the firm verdicts of one reading did not reach, in words; nothing if all was.

    Parameters
    ----------
    parts : sequence of Part
        Of the reading.
    records : sequence of dict
    takes : frozenset of str, or None
        Of a user's theory what its runs take beside a problem. Its step may ask for the round: long
        runs are asked for then, whatever a side speaks of; and edges are looked at more closely.
    """
    found: list[str] = []
    for part in parts:
        told = ((x, row) for row in records for x in row["parts"] if x["part"] == part.name)
        names = {*_NOISE, T.name, *(x for condition in part.conditions for x in _named(condition))}
        every = [(x["verdict"], row, _known(row, names)) for x, row in told]
        looked = [(x in _FIRM, row, known) for x, row, known in every if x in _LOOKED]
        with np.errstate(all="ignore"):  # a side without a value is at no edge
            found += _edges(part, [(row, known) for firm, row, known in looked if firm], takes)
        numbers = [(firm, known) for firm, _, known in looked]
        found += _noise(part, numbers)
        if takes is not None or _speaks_of_time(part):
            prescribed = takes is not None and _is_prescribed(part)
            outside = [known for x, _, known in every if prescribed and x == Verdict.OUTSIDE]
            found += _rounds([*numbers, *((False, known) for known in outside)])
    return list(dict.fromkeys(found))


def _is_prescribed(part: Part) -> bool:
    """Whether an equality fixes a parameter by the length of the run, which may be no rational."""
    return any(
        condition.relation == "==" and T in side.free_symbols and len(_named(condition)) > 1
        for condition in part.conditions
        for side in (condition.left, condition.right)
    )


def _named(condition: Condition) -> frozenset[str]:
    """Constants and parameters that it names."""
    return constants_in(condition.left) | constants_in(condition.right)


def _known(row: Record, names: Set[str]) -> dict[str, fmpq]:
    """Those of these names that a record has a number for."""
    told = row["parameters"] | {name: one["value"] for name, one in row["constants"].items()}
    numbers = {name: _number(told[name]) for name in sorted(names & told.keys())}
    return {name: value for name, value in numbers.items() if value is not None}


def _number(value: Any) -> fmpq | None:
    try:
        exact = Fraction(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return fmpq(exact.numerator, exact.denominator)


# ---- edges


def _edges(
    part: Part, rows: Sequence[tuple[Record, Known]], takes: frozenset[str] | None
) -> Iterator[str]:
    strict = takes is not None
    has_edge = cache(partial(_has_edge, part))  # many records are of the same numbers
    every = frozenset().union(*map(_named, part.conditions))
    for condition in part.conditions:
        if condition.relation == "==" or not rows or not _is_plain(condition):
            continue
        named = _named(condition)
        own = [(named & _chosen(row, takes), known) for row, known in rows if named <= known.keys()]
        near = ((chosen if strict else named, known) for chosen, known in own)
        if any(_at_edge(condition, moving, known, strict) for moving, known in near):
            continue
        told = ((x, frozenset((y, known[y]) for y in every & known.keys())) for x, known in own)
        if any(has_edge(condition, *one) for one in told):
            yield f"the edge of {condition}"


def _chosen(row: Record, takes: frozenset[str] | None) -> frozenset[str]:
    """What a run takes beside its problem."""
    told = frozenset(row["parameters"])
    return told - _OF_PROBLEMS if takes is None else told & takes


def _is_plain(condition: Condition) -> bool:
    sides = condition.left, condition.right
    return not any(quantities_in(side) or t in side.free_symbols for side in sides)


def _at_edge(condition: Condition, names: frozenset[str], known: Known, strict: bool) -> bool:
    """Whether both sides are equal, or one of its whole numbers one away breaks it.

    ``strict``: if all of these are whole; another one could come closer. Papers have conditions on
    sizes of problems, and constants that a run does not take, and are asked for less.
    """
    if _is_equal(condition, known):
        return True
    whole = [name for name in names if known[name].q == 1 and _is_whole(condition, name)]
    if strict and len(whole) < len(names):
        return False
    moved = ({**known, name: known[name] + by} for name in whole for by in (1, -1))
    return any(not _holds(condition, one) for one in moved)


def _is_whole(condition: Condition, name: str) -> bool:
    symbols = condition.left.free_symbols | condition.right.free_symbols
    return any(symbol.name == name and symbol.is_integer for symbol in symbols)


def _is_equal(condition: Condition, known: Known) -> bool:
    numbers = _floats(known)
    try:
        left, right = (float(evaluate(x, numbers)) for x in (condition.left, condition.right))
    except (FedboundsError, ArithmeticError, TypeError):
        return False
    return abs(left - right) <= _NEAR * max(abs(left), abs(right))


def _holds(condition: Condition, known: Known) -> bool:
    try:
        return holds(condition, _floats(known))
    except (FedboundsError, ArithmeticError, TypeError):
        return False


def _floats(known: Known) -> Numbers:
    return Numbers({name: float(value) for name, value in known.items()}, {})


def _has_edge(
    part: Part, condition: Condition, chosen: frozenset[str], told: frozenset[tuple[str, fmpq]]
) -> bool:
    """Whether a parameter of the run could be where this condition ends what all admit."""
    known = dict(told)
    for name in sorted(chosen):
        found = ends(part.conditions, name, {x: y for x, y in known.items() if x != name})
        moved = ({**known, name: end} for end in (*found.largest, *found.least))
        if any(_is_equal(condition, one) for one in moved):
            return True
    return False


# ---- noise and rounds


def _noise(part: Part, every: Sequence[tuple[bool, Known]]) -> Iterator[str]:
    """Constants of noise, or of unlike clients, that are 0 wherever a verdict is firm."""
    spoken = constants_in(part.left) | constants_in(part.right)
    for name in _NOISE:
        if not any(firm and known.get(name, 0) > 0 for firm, known in every):
            planned = any(known.get(name, 0) > 0 for _, known in every)
            if planned or (name in spoken and every):
                yield f"{name} > 0"


def _rounds(every: Sequence[tuple[bool, Known]]) -> Iterator[str]:
    """The longest run of the plan, where none as long has a firm verdict."""
    planned = max((known[T.name] for _, known in every if T.name in known), default=fmpq(0))
    if planned and not any(firm and known.get(T.name, 0) >= planned for firm, known in every):
        yield f"runs of {planned} rounds"


def _speaks_of_time(part: Part) -> bool:
    """Whether a side names a round's number, the run's length, a sum over it, or a fixed round.

    What leads from any round to the next one says the same of a first round, from any start.
    """
    for side in (part.left, part.right):
        rounds = {call: sp.Dummy() for call in side.atoms(AppliedUndef)}
        if any(t not in call.free_symbols for call in rounds) or side.has(RunOperator):
            return True
        if {t, T} & side.xreplace(rounds).free_symbols:
            return True
    return False
