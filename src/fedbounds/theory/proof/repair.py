"""The smallest constant, exponent or threshold with which a failed step is proved."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from math import floor

import sympy as sp

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.data import Certificate, Comparison, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.claims import Condition

from .language import Book, Written
from .read_text import OF_NUMBERS, read_text
from .refute import breaking_numbers
from .refute_vectors import Numbers
from .replay import certified, draft
from .text import comparisons, text

THETA = sp.Symbol("theta", positive=True)
LOWEST, HIGHEST = Fraction(0), Fraction(64)


@dataclass(frozen=True)
class Repair:
    """What `smallest` found.

    Attributes
    ----------
    step : str
    theta : Fraction or None
        The smallest value found with a certificate; None if there is none in the interval.
    written : Written or None
        The step with that value.
    certificate : Certificate or None
    fails : Fraction or None
        The largest value tried below it: not certified.
    numbers : pairs, or None
        Values that satisfy what the step cites, and break it with the value ``fails``.
    """

    step: str
    theta: Fraction | None
    written: Written | None = None
    certificate: Certificate | None = None
    fails: Fraction | None = None
    numbers: Numbers | None = None


def smallest(
    book: Book,
    step: str,
    family: sp.Expr | Condition,
    *,
    resolution: Fraction = Fraction(1, 64),
    lowest: Fraction = LOWEST,
    highest: Fraction = HIGHEST,
) -> Repair:
    """Bisect for the least `THETA` for which a step is certified with the same uses.

    Parameters
    ----------
    book : Book
    step : str
        Id of the step; of its first proof, if it has several.
    family : expression or Condition
        In `THETA`: the right side; or a condition in place of the step's with the same left side
        and relation, the chart's bounds following. The larger theta is, the weaker must it be.
    resolution : Fraction
        Values are multiples of it, and the last interval is searched for a simpler fraction;
        with 1, only integers are tried, as for exponents.
    lowest, highest : Fraction
        The interval.

    Raises
    ------
    FedboundsError
        For an unknown step, a family without theta, or a condition that the step does not have.
    """
    written, earlier = _found(book, step)
    side = family.right if isinstance(family, Condition) else family
    if THETA not in side.free_symbols:
        raise FedboundsError(f"{family} does not name {THETA}")
    search = _Search(book, written, earlier, family)
    low, high = -(-lowest // resolution), highest // resolution
    if search.proof(high * resolution) is None:
        return Repair(step, None, fails=high * resolution)
    if search.proof(low * resolution) is not None:
        return _repair(search, low * resolution, None)
    while high - low > 1:
        middle = (low + high) // 2
        if search.proof(middle * resolution) is None:
            low = middle
        else:
            high = middle
    least, fails = high * resolution, low * resolution
    if resolution.denominator > 1:
        simple = _simplest(fails, least)
        if search.proof(simple) is not None:
            least = simple
        elif simple != least:
            fails = simple
    return _repair(search, least, fails)


@dataclass(frozen=True)
class _Search:
    book: Book
    written: Written
    earlier: Mapping[str, Statement]
    family: sp.Expr | Condition
    found: dict[Fraction, Certificate | None] = field(default_factory=dict)

    def at(self, theta: Fraction) -> Written:
        """The step with a value of theta."""
        value = sp.Rational(theta.numerator, theta.denominator)
        if isinstance(self.family, Condition):
            return _with_condition(self.written, replace(
                self.family, right=self.family.right.subs(THETA, value)
            ))  # fmt: skip
        right = self.family.subs(THETA, value)
        statement = replace(self.written.statement, right=text(right))
        return replace(self.written, statement=statement, right=right)

    def proof(self, theta: Fraction) -> Certificate | None:
        """Its certificate, if one is found; each is looked for once."""
        if theta not in self.found:
            try:
                found = certified(self.book.theory, self.at(theta), self.earlier)
            except Refused:
                found = None
            self.found[theta] = found
        return self.found[theta]


def _repair(search: _Search, theta: Fraction, fails: Fraction | None) -> Repair:
    numbers = None
    if fails is not None:
        broken, theory = search.at(fails), search.book.theory
        numbers = breaking_numbers(theory, broken.statement, draft(theory, broken), search.earlier)
    proof = search.proof(theta)
    return Repair(search.written.id, theta, search.at(theta), proof, fails, numbers)


def _found(book: Book, step: str) -> tuple[Written, dict[str, Statement]]:
    earlier: dict[str, Statement] = {}
    for written in book.steps:
        if written.id == step:
            return written, earlier
        earlier[written.id] = written.statement
    raise unknown_name("step", step, list(earlier))


def _with_condition(written: Written, condition: Condition) -> Written:
    """The step with a condition in place of its own, and the chart's bound with it."""
    (new,) = comparisons((condition,))
    places = [at for at, c in enumerate(written.statement.conditions) if c[:2] == new[:2]]
    if len(places) != 1:
        raise FedboundsError(f"{written.id} has no single condition on {new[0]} {new[1]}")
    conditions = list(written.statement.conditions)
    old: Comparison = conditions[places[0]]
    conditions[places[0]] = new
    bounds = {text(read_text(old[2], sp.Symbol, OF_NUMBERS)), old[2]}
    chart = tuple(
        replace(a, bound=new[2]) if a.name == old[0] and a.bound in bounds else a
        for a in written.chart
    )
    shown = tuple(
        condition if tuple(comparisons((c,))) == (old,) else c for c in written.conditions
    )
    statement = replace(written.statement, conditions=tuple(conditions))
    return replace(written, statement=statement, conditions=shown, chart=chart)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator above ``low`` and up to ``high``."""
    tried = (Fraction(floor(low * d) + 1, d) for d in count(1))
    return next(found for found in tried if found <= high)
