"""Errors in problems: a constant on the wrong side of the truth, a wrong minimiser, wrong noise.

A constant that is too small makes a bound too small, which a set-up that attains it violates; so
does a wrong minimiser. What is wrong with the outcomes of noise shows where two ways to one
expectation disagree: moments use their declared variance, enumeration their outcomes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, singledispatch
from typing import Any
from unittest.mock import patch

from flint import fmpq

from fedbounds.problems import Constants, ConstantValue, Evidence, FederatedQuadratic, Start
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.planted import Asserted, Halved, Misplaced, Rule, WrongProblem
from fedbounds.theory.language.registry import claim, planted_problems
from fedbounds.vocabulary import Verdict

from ...measure.sources import Entries
from .algorithm_errors import replaced
from .claim_errors import subject_of
from .enumerated import AGREES, DISAGREES, WAYS, moments_and_enumeration
from .planted import ErrorKind, Planted, Said
from .said import judged, verdict_said

Rules = Mapping[str, Any]  # methods of a quadratic, by name
_NAMES = ("constants", "satisfies", "minimiser")


@singledispatch
def changed(change: Any, rules: Rules) -> Rules:
    """Methods of a quadratic with the error."""
    raise TypeError(f"{type(change).__name__} is no error of a problem")


@changed.register
def _halved(change: Halved, rules: Rules) -> Rules:
    def constants(self: FederatedQuadratic, start: Start) -> Constants:
        found = rules["constants"](self, start)
        own = found[change.constant]
        return {**found, change.constant: replace(own, value=own.value / 2)}

    return {"constants": constants}


@changed.register
def _asserted(change: Asserted, rules: Rules) -> Rules:
    def constants(self: FederatedQuadratic, start: Start) -> Constants:
        return {**rules["constants"](self, start), change.constant: ConstantValue(fmpq(0))}

    def satisfies(self: FederatedQuadratic, assumption: str) -> Evidence:
        if assumption == change.assumption:
            return Evidence(True, "asserted")
        found: Evidence = rules["satisfies"](self, assumption)
        return found

    return {"constants": constants, "satisfies": satisfies}


@changed.register
def _misplaced(change: Misplaced, rules: Rules) -> Rules:
    def minimiser(self: FederatedQuadratic) -> Any:
        found = rules["minimiser"].func(self)
        return None if found is None else found + 1

    return {"minimiser": property(minimiser)}


def planted_in(paper: str, wrong: WrongProblem) -> Planted:
    """An error that a theory plants, with what shows it."""
    claim_id = f"{paper}/{wrong.claim}"

    def examine(rules: Rules) -> Said:
        with patch.multiple(FederatedQuadratic, **rules):
            return verdict_said(
                judged(claim_id, claim(claim_id).part(wrong.part), subject_of(wrong.setup))
            )

    return Planted(
        wrong.name, ErrorKind.PROBLEM, wrong.error, wrong.where,
        f"{wrong.claim} violated, in rationals",
        lambda: {name: vars(FederatedQuadratic)[name] for name in _NAMES},
        partial(changed, wrong.change), examine, wrong.control.value, Verdict.VIOLATED.value,
    )  # fmt: skip


# ---- outcomes of noise that are not those of its declared law


def _moved(outcomes: Rule) -> Rule:
    """Noise whose outcomes do not average to zero."""
    return lambda self: [(tuple(x + 1 for x in row), chance) for row, chance in outcomes(self)]


def _doubled(outcomes: Rule) -> Rule:
    return lambda self: [(tuple(2 * x for x in row), chance) for row, chance in outcomes(self)]


def _noise(name: str, error: str, plant: Callable[[Rule], Rule]) -> Planted:
    planted = name, ErrorKind.PROBLEM, error, "noise of gradients", WAYS
    place, words = (Entries, "outcomes"), (AGREES, DISAGREES)
    return replaced(planted, place, plant, moments_and_enumeration, words)


PLANTED = (
    *(planted_in(paper, wrong) for paper in PAPERS for wrong in planted_problems(paper)),
    _noise("biased-noise", "the noise has a mean of its scale", _moved),
    _noise("louder-noise", "the noise is twice as large as declared", _doubled),
)
