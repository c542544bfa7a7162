"""Who contends: an algorithm, and the theorem that promises its rounds."""

from dataclasses import dataclass

import sympy as sp

from fedbounds.algorithms.fedavg_p import FedAvgP, with_effective_step
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Claim, Part
from fedbounds.theory.registry import encoded
from fedbounds.theory.symbols import Mean_t, quantities_in, t
from fedbounds.verify.evaluate import Numbers, evaluate


@dataclass(frozen=True, eq=False)
class Contender:
    """An algorithm by name, with its convergence theorem.

    Attributes
    ----------
    name : str
    kind : type
        `FedAvgP` or a subclass: what a step size and m, K make an algorithm of.
    claim : Claim
        Its first part bounds the error, averaged over rounds; its first schedule has the step
        sizes at the edge of its conditions.
    """

    name: str
    kind: type[FedAvgP]
    claim: Claim

    @property
    def part(self) -> Part:
        """The inequality that bounds the error."""
        return self.claim.parts[0]

    def algorithm(self, participants: int, steps: int, step: float, outer: "Outer") -> FedAvgP:
        """The algorithm with effective step size gamma = ``step``."""
        chosen = with_effective_step(participants, steps, step, outer.u, outer.v)
        return self.kind(**vars(chosen))


@dataclass(frozen=True)
class Outer:
    """Outer step sizes eta_u and eta_v."""

    u: float
    v: float


_THEOREMS: dict[str, tuple[type[FedAvgP], str]] = {
    "FedAvg-P": (FedAvgP, "personalization/thm-3.7"),
    "Scaffold-P": (ScaffoldP, "personalization/thm-4.5"),
}
NAMES = tuple(_THEOREMS)


def contender(name: str) -> Contender:
    """The contender of that name; an unknown one is an error that names the nearest."""
    if name not in _THEOREMS:
        raise unknown_name("algorithm", name, NAMES)
    kind, theorem = _THEOREMS[name]
    claim = encoded(entry(theorem))
    assert isinstance(claim, Claim)
    return Contender(name, kind, claim)


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
