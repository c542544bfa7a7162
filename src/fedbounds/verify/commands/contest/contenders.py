"""Who contends: an algorithm at a step size, and what its theorem promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import frexp
from typing import Any

import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.problems.linear import rational
from fedbounds.theory.language import registry
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.contenders import Contender as Data
from fedbounds.theory.language.symbols import Mean_t, quantities_in, t
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.measure.trace import algorithm

_BITS = 20  # of a step size that is run: exact rounds of it have short numbers


@dataclass(frozen=True, eq=False)
class Contender:
    """An algorithm by name, with its convergence theorem.

    Attributes
    ----------
    data : Contender of `fedbounds.theory.language.contenders`
    claim : Claim
        Its first part bounds the error, averaged over rounds; its first schedule has the step
        sizes at the edge of its conditions.
    """

    data: Data
    claim: Claim

    @property
    def name(self) -> str:
        """The algorithm's."""
        return self.data.name

    @property
    def part(self) -> Part:
        """The inequality that bounds the error."""
        return self.claim.parts[0]

    def parameters(self, values: Mapping[str, float], step: float) -> dict[str, fmpq]:
        """Of the algorithm, exactly what its formulas make of floats."""
        known = {name: rational(value) for name, value in values.items()}
        known[self.data.step.name] = rational(step)
        numbers = Numbers(known, {}, lambda p, q: fmpq(p, q))
        return {x: rational(evaluate(y, numbers)) for x, y in self.data.parameters.items()}

    def subject(
        self, problem: Any, start: Any, values: Mapping[str, float], step: float
    ) -> Subject:
        """The algorithm on a problem, from a start in its numbers."""
        view = self.data.on_samples if hasattr(problem, "weighted_gradients") else self.data.view
        own = self.parameters(values, step)
        return Subject(algorithm(view.algorithm), Clients(problem), start, own, 1, view.shown)

    def error(self, weights: Mapping[str, float]) -> sp.Expr:
        """The error of a round by definition, a combination of quantities."""
        quantities = self.data.view.quantities
        return sp.Add(*(sp.Rational(x) * quantities[name] for name, x in weights.items()))


def contender(name: str) -> Contender:
    """The contender of that name; an unknown one is an error that names the nearest."""
    every = registry.contenders()
    if name not in every:
        raise unknown_name("algorithm", name, every)
    return Contender(every[name], registry.claim(every[name].claim))


def short(step: float, *, up: bool = False) -> float:
    """The step, or one that is smaller (larger) by a millionth and has few digits."""
    mantissa, exponent = frexp(step)
    whole = mantissa * 2**_BITS
    return float(-int(-whole // 1) if up else int(whole)) * 2.0 ** (exponent - _BITS)


def common_error(contenders: tuple[Contender, ...]) -> sp.Expr:
    """What all theorems bound; only then is a number of rounds the same promise for each.

    Raises
    ------
    FedboundsError
        If left sides differ; both are shown.
    """
    first, *others = contenders
    for other in others:
        if other.part.left != first.part.left:
            raise FedboundsError(
                f"{first.name} and {other.name} are about different errors: "
                f"{first.claim.id} bounds {first.part.left}, {other.claim.id} {other.part.left}"
            )
    return first.part.left


def weights(error: sp.Expr, values: dict[str, float]) -> dict[str, float]:
    """The error of one round as a combination of measured quantities, by quantity name.

    Raises
    ------
    FedboundsError
        If it is not the mean over rounds of such a combination.
    """
    if not isinstance(error, Mean_t):
        raise FedboundsError(f"the error is {error}; expected a mean over rounds")
    inside = sp.expand(error.args[0])
    found = {}
    for atom in inside.atoms(sp.core.function.AppliedUndef):
        factor = inside.coeff(atom)
        inside = sp.expand(inside - factor * atom)
        if atom.args != (t,) or quantities_in(factor):
            raise FedboundsError(f"the error {error} is no combination of quantities of a round")
        found[atom.func.__name__] = float(evaluate(factor, Numbers(values, {})))
    if inside != 0:
        raise FedboundsError(f"the error {error} has the term {inside}, which is not measured")
    return found
