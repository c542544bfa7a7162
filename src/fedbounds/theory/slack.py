"""Where a theorem loses its slack: bound - measured = sum of multiplier x lemma gap + remainder.

The multipliers are those of the proof. The remainder is computed, never typed: it is what is left
after the weighted lemma gaps are taken out, collected per quantity. Each coefficient of it is a
loss of its own (the last value dropped by telescoping, a coefficient rounded up by a step-size
condition), and must be non-negative for the proof to hold.
"""

from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from .claims import Claim, Multiplier
from .registry import claim as claim_of
from .symbols import F_0, Mean_t, T, f, t


@dataclass(frozen=True)
class Loss:
    """One term of the decomposition: ``name`` and the expression of its amount."""

    name: str
    amount: sp.Expr


def weighted_gap(multiplier: Multiplier) -> sp.Expr:
    """Mean over rounds of weight x (right - left) of the lemma's part, as printed."""
    part = claim_of(multiplier.claim).part(multiplier.part)
    return Mean_t(sp.expand(multiplier.weight * part.gap))


def decompose(theorem: Claim) -> tuple[Loss, ...]:
    """Losses that add up to right - left of the theorem's only part, identically.

    The sum is an identity in all quantities and constants; a term that has not cancelled although
    no named loss explains it shows up under its own quantity.
    """
    gaps = [weighted_gap(multiplier) for multiplier in theorem.proof_weights]
    remainder = sum(gaps, start=sp.Integer(0))
    remainder = collect_means(theorem.parts[0].gap - remainder)
    losses = [
        Loss(_lemma_name(multiplier), gap)
        for multiplier, gap in zip(theorem.proof_weights, gaps, strict=True)
    ]
    for atom, coefficient in remainder.items():
        if coefficient != 0:
            losses.append(Loss(_remainder_name(atom), coefficient * atom))
    return tuple(losses)


def collect_means(expression: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """Coefficient of each mean quantity, with Mean f(t+1) = Mean f(t) + (f(T) - f(0)) / T.

    Keys are ``Mean_t(q(t))``, ``f(T)``, the initial gap ``F_0 - f(0)``, and 1 for the rest.
    """
    linear = sp.expand(expression).replace(
        lambda e: isinstance(e, Mean_t), lambda e: _spread_mean(e.args[0])
    )
    linear = sp.expand(linear.subs(F_0, F_0 + f(0)))
    atoms = sorted(linear.atoms(Mean_t) | {f(T), f(0), F_0}, key=str)
    found = {}
    for atom in atoms:
        found[_back(atom)] = sp.factor(linear.coeff(atom))
    rest = linear.subs(dict.fromkeys(atoms, 0))
    found[sp.Integer(1)] = sp.factor(rest)
    return {atom: coefficient for atom, coefficient in found.items() if coefficient != 0}


def _back(atom: sp.Expr) -> sp.Expr:
    return F_0 - f(0) if atom == F_0 else atom


def _spread_mean(inside: sp.Expr) -> sp.Expr:
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(inside)):
        quantities = list(term.atoms(AppliedUndef))
        if not quantities:
            total += term
            continue
        (quantity,) = quantities
        coefficient = term / quantity
        mean = Mean_t(quantity.func(t))
        if quantity.args[0] == t + 1:
            mean += (quantity.func(T) - quantity.func(0)) / T
        total += coefficient * mean
    return total


def _lemma_name(multiplier: Multiplier) -> str:
    short = multiplier.claim.partition("/")[2]
    return f"{short} ({multiplier.part})" if multiplier.part else short


def _remainder_name(atom: sp.Expr) -> str:
    if atom == f(T):
        return "last value f(T) dropped"
    if atom == F_0 - f(0):
        return "F_0 above the initial gap"
    if atom == 1:
        return "step-size conditions, constants"
    return f"step-size conditions, {atom.args[0].func.__name__}"
