"""Where a theorem loses its slack: bound - measured = sum of multiplier x lemma gap + remainder.

The multipliers are those of the proof. The remainder is computed, never typed: it is what is left
after the weighted lemma gaps are taken out, collected per quantity. Each coefficient of it is a
loss of its own (the last value dropped by telescoping, a coefficient rounded up by a step-size
condition), and must be non-negative for the proof to hold.

A lemma that bounds a quantity by its value a round before is claimed from round 1 on. Where the
proof unrolls it, its weight depends on t, and a display of the proof bounds the unrolled sum: what
that display rounds up is collected per quantity too.
"""

from dataclasses import dataclass

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Index

from .claims import Claim, Multiplier
from .registry import claim as claim_of
from .symbols import B_0, F_0, B, Mean_t, Sum_t, T, f, t

_INITIAL = {F_0: f(0), B_0: B(0)}  # a constant, and the measured value that it bounds
_WEIGHT = "weight of "


@dataclass(frozen=True)
class Loss:
    """One term of the decomposition.

    Attributes
    ----------
    name : str
    amount : SymPy expression
        Of the run; or of round t, where ``rounds`` is given. A weight that depends on the round
        is a quantity in it, by its name in `round_weights`.
    rounds : pair (first, stop) or None
        The loss is 1/T times the sum of the amounts of these rounds.
    """

    name: str
    amount: sp.Expr
    rounds: tuple[sp.Expr, sp.Expr] | None = None


def round_weights(theorem: Claim) -> dict[str, sp.Expr]:
    """Weights that depend on the round t, for t = 0, ..., T, by the name that the losses use."""
    return {
        _WEIGHT + _lemma_name(multiplier): multiplier.weight
        for multiplier in theorem.proof_weights
        if multiplier.weight.has(t)
    }


def decompose(theorem: Claim) -> tuple[Loss, ...]:
    """Losses that add up to right - left of the theorem's first part, identically.

    The sum is an identity in all quantities and constants that meet the theorem's equality
    conditions; a term that has not cancelled although no named loss explains it shows up under
    its own quantity.
    """
    values = round_weights(theorem)
    losses: list[Loss] = []
    displays: list[str] = []
    direct = bounds = unrolled = sp.Integer(0)
    for multiplier in theorem.proof_weights:
        part = claim_of(multiplier.claim).part(multiplier.part)
        if part.index is Index.RUN:
            bounds += multiplier.weight * part.gap
            displays.append(_lemma_name(multiplier))
            continue
        own, spread = _use(multiplier)
        losses += own
        if multiplier.weight.has(t):
            unrolled += spread
        else:
            direct += spread
    first, fixed = theorem.parts[0], _fixed(theorem)
    stages = [("step-size conditions", first.gap - direct - bounds)]
    if displays:
        stages.append((f"{', '.join(displays)} rounded up", bounds - unrolled))
    elif values:
        raise FedboundsError(f"{theorem.id}: no display bounds the sum with weights in t")
    amounts: dict[str, sp.Expr] = {}
    for stage, rest in stages:
        for atom, coefficient in collect_means(rest.subs(fixed), values).items():
            name = _remainder_name(stage, atom)
            amounts[name] = amounts.get(name, sp.Integer(0)) + _amount(atom, coefficient)
    return (*losses, *(Loss(name, amount) for name, amount in amounts.items()))


def _fixed(theorem: Claim) -> dict[sp.Symbol, sp.Expr]:
    """Symbols that the theorem's equality conditions give: m = n."""
    conditions = theorem.parts[0].conditions
    return {c.left: c.right for c in conditions if c.relation == "==" and c.left.is_Symbol}


def _use(multiplier: Multiplier) -> tuple[list[Loss], sp.Expr]:
    """The losses of a weighted lemma, and their sum in means over t = 0, ..., T - 1."""
    part = claim_of(multiplier.claim).part(multiplier.part)
    name, weight = _lemma_name(multiplier), multiplier.weight
    if weight.has(t):
        weight = sp.Function(_WEIGHT + name, real=True)(t)
    if part.first_round == 0:
        amount = Mean_t(weight * part.gap)  # not expanded: T_3u must vanish exactly with n - m
        return [Loss(name, amount)], amount
    # rounds 1 to T - 1, and round T without its left side, make a full mean
    losses = [Loss(name, weight * part.gap, (sp.Integer(part.first_round), T))]
    if multiplier.weight.subs(t, T) != 0:
        last = (weight * part.right).subs(t, t + 1)
        losses.append(Loss(f"last value of {name} dropped", last, (T - 1, T)))
    whole = Mean_t((weight * part.gap).subs(t, t + 1))
    return losses, whole + (weight * part.left).subs(t, T) / T


def collect_means(
    expression: sp.Expr, weights: dict[str, sp.Expr] | None = None
) -> dict[sp.Expr, sp.Expr]:
    """Coefficient of each mean quantity, with Mean f(t+1) = Mean f(t) + (f(T) - f(0)) / T.

    Keys are ``Mean_t(q(t))``, values ``q(T)`` and ``q(0)``, the excess ``F_0 - f(0)`` of a constant
    over the initial value that it bounds, the rest of ``F_0``, and 1 for other constants. A
    coefficient that depends on t belongs inside the mean.

    Parameters
    ----------
    weights : dict from the name of a weight to its value at round t
    """
    values = weights or {}
    means = expression.replace(Sum_t, lambda inside: T * Mean_t(inside))
    linear = sp.expand(means.replace(Mean_t, lambda inside: _spread_mean(inside)))
    linear = _at_the_end(linear, values)
    quantities = {x for x in linear.atoms(AppliedUndef) if not x.has(t) and not _is_weight(x)}
    atoms = sorted(linear.atoms(Mean_t) | quantities | _INITIAL.keys(), key=str)
    found = {atom: linear.coeff(atom) for atom in atoms}
    found[sp.Integer(1)] = linear.subs(dict.fromkeys(atoms, 0))
    for constant, initial in _INITIAL.items():
        taken = found.pop(initial, sp.Integer(0))  # c = (c - q(0)) + q(0)
        found[constant - initial] = -taken
        found[constant] += taken
    settled = {atom: _settled(coefficient, values) for atom, coefficient in found.items()}
    return {atom: coefficient for atom, coefficient in settled.items() if coefficient != 0}


def _is_weight(atom: AppliedUndef) -> bool:
    return str(atom.func.__name__).startswith(_WEIGHT)


def _spread_mean(inside: sp.Expr) -> sp.Expr:
    """A mean, linear in quantities; a weight at round t stands for itself inside the mean."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(inside)):
        quantities = [atom for atom in term.atoms(AppliedUndef) if not _is_weight(atom)]
        if not quantities:
            total += term
            continue
        (quantity,) = quantities
        coefficient = term / quantity
        if quantity.args[0] == t + 1:
            here = coefficient.subs(t, t - 1)
            ends = (here * quantity.func(t)).subs(t, T) - (here * quantity.func(t)).subs(t, 0)
            total += here * Mean_t(quantity.func(t)) + ends / T
        else:
            total += coefficient * Mean_t(quantity)
    return total


def _at_the_end(linear: sp.Expr, weights: dict[str, sp.Expr]) -> sp.Expr:
    """Put in the value of every weight after the last round."""
    ends = {
        atom: weights[atom.func.__name__].subs(t, T)
        for atom in linear.atoms(AppliedUndef)
        if _is_weight(atom) and atom.args[0] == T
    }
    return sp.expand(linear.subs(ends))


def _settled(coefficient: sp.Expr, weights: dict[str, sp.Expr]) -> sp.Expr:
    """The coefficient factored; free of t where the recursion that the weights meet makes it so."""
    if not coefficient.has(t):
        return sp.factor(coefficient)
    exact = coefficient.replace(
        lambda e: isinstance(e, AppliedUndef) and _is_weight(e),
        lambda e: weights[e.func.__name__].subs(t, e.args[0]),
    )
    # equal from T = 2 on; with T = 1 a recursion has no round
    exact = exact.subs(sp.Max(T - 1, 1), T - 1)
    symbols: dict[sp.Expr, sp.Symbol] = {}
    for power in exact.atoms(sp.Pow):
        shift, exponent = power.exp.as_coeff_Add()
        if exponent != 0:  # r^(T - t - 1) = r^(T - t) / r
            whole = symbols.setdefault(sp.Pow(power.base, exponent), sp.Dummy())
            exact = exact.subs(power, whole * power.base**shift)
    exact = sp.cancel(exact)
    return coefficient if exact.free_symbols & {t, *symbols.values()} else exact


def _amount(atom: sp.Expr, coefficient: sp.Expr) -> sp.Expr:
    if not coefficient.has(t):
        return coefficient * atom
    return Mean_t(coefficient * (atom.args[0] if isinstance(atom, Mean_t) else atom))


def _lemma_name(multiplier: Multiplier) -> str:
    short = multiplier.claim.partition("/")[2]
    return f"{short} ({multiplier.part})" if multiplier.part else short


def _remainder_name(stage: str, atom: sp.Expr) -> str:
    for constant, initial in _INITIAL.items():
        if atom == constant - initial:
            return f"{constant} above its measured value"
    if isinstance(atom, Mean_t):
        return f"{stage}, {atom.args[0].func.__name__}"
    if isinstance(atom, AppliedUndef):
        end = "last" if atom.args[0] == T else "initial"
        return f"{end} value {atom} dropped"
    return f"{stage}, {'constants' if atom == 1 else 'start'}"
