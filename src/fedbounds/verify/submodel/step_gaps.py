"""Every step of the sub-model proofs on small instances, and on the set-ups that are data.

A step is evaluated where what it assumes holds, with numbers as sharp as it allows.
"""

from collections.abc import Iterator

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.theory.proof.language import Written
from fedbounds.theory.registry import claim as claim_of
from fedbounds.theory.submodel.proofs.book import book
from fedbounds.theory.symbols import RunOperator
from fedbounds.vocabulary import Assumption

from .. import evaluate as scalars
from ..evaluate import Numbers
from ..outcome_values import Evaluated, evaluate
from ..outcomes import Outcomes
from ..seen import gap
from ..setups import steps as of_setups
from .step_cases import cases
from .step_held import check_signs
from .step_spaces import StepCase

_OF_VECTORS = frozenset({"sq", "ip", "given", "present"})


def gaps(written: Written) -> list[float]:
    """The gap of a step on every instance that can evaluate it."""
    wanted = _quantities(written)
    found = (gap_on(written, case) for case in _cases_of(written.scope)
             if wanted <= case.outcomes.series.keys())  # fmt: skip
    return [*(one for one in found if one is not None), *of_setups.gaps("submodel", written)]


def runs(scope: str) -> Iterator[Outcomes]:
    """The instances whose vectors a scope speaks of.

    Raises
    ------
    ConflictError
        If a quantity has not its sign.
    """
    theory = book().theory
    for case in _cases_of(scope):
        check_signs(theory.quantities, case)
        yield case.outcomes


def gap_on(written: Written, case: StepCase) -> float | None:
    """See `gap`; None too where the case is not what the step speaks of."""
    statement = written.statement
    if (
        statement.algorithm not in ("", case.algorithm)
        or not {Assumption(name) for name in statement.assumptions} <= case.assumptions
        or (not written.scope and not _claimed_of(written.claim, case.algorithm))
        or not all(_allowed(symbol, case) for symbol in _symbols(written))
    ):
        return None
    if any(side.has(RunOperator) for side in (written.left, written.right)):
        return gap(written, lambda side: _of_the_run(side, case))
    return gap(written, lambda side: evaluate(side, case.outcomes, case.values))


def _cases_of(scope: str) -> tuple[StepCase, ...]:
    return tuple(case for case in cases() if scope in case.scopes)


def _quantities(written: Written) -> frozenset[str]:
    """Names of the measured quantities that a step speaks of."""
    atoms = written.left.atoms(AppliedUndef) | written.right.atoms(AppliedUndef)
    return frozenset(str(atom.func.__name__) for atom in atoms) - _OF_VECTORS


def _symbols(written: Written) -> frozenset[sp.Symbol]:
    """All symbols of a step and of its conditions."""
    sides = [side for c in written.conditions for side in (c.left, c.right)]
    every = (written.left, written.right, *(sp.sympify(side, strict=True) for side in sides))
    return frozenset().union(*(side.free_symbols for side in every))


def _allowed(symbol: sp.Symbol, case: StepCase) -> bool:
    """Whether a number has the sign that its symbol is declared with."""
    value = case.values.get(symbol.name, 1.0)
    return value > 0 if symbol.is_positive else value >= 0 or not symbol.is_nonnegative


def _claimed_of(claim: str, algorithm: str) -> bool:
    """Whether a claim, if any, is about runs of an algorithm."""
    return not claim or algorithm in claim_of(claim).algorithms


def _of_the_run(side: sp.Expr, case: StepCase) -> Evaluated:
    """The value of what speaks of all rounds, and the size of its terms."""
    numbers = Numbers(case.values, case.outcomes.series)
    size = scalars.scale(numbers, None, sp.expand(side))
    return Evaluated(float(scalars.evaluate(side, numbers)), float(size))
