"""A worst-case problem whose unknowns are known: every atom is filled in from real functions."""

from dataclasses import dataclass

from flint import fmpq

from fedbounds.theory.language.registry import views
from fedbounds.verify.commands.pep.formulate import Setting, formulate


@dataclass
class Filled:
    """Numbers for the atoms: vectors as lists, values as numbers."""

    vectors: dict
    values: dict

    def vector(self, vector, size):
        total = [0] * size
        for atom, coefficient in vector.entries:
            total = [
                x + _like(y, coefficient) * y
                for x, y in zip(total, self.vectors[atom], strict=True)
            ]
        return total

    def form(self, form):
        total = _like(next(iter(self.values.values())), form.constant)
        for (a, b), coefficient in form.products.items():
            product = sum(x * y for x, y in zip(self.vectors[a], self.vectors[b], strict=True))
            total = total + _like(product, coefficient) * product
        for at, coefficient in form.values.items():
            total = total + _like(self.values[at], coefficient) * self.values[at]
        return total


def _like(number, coefficient):
    return float(coefficient) if isinstance(number, float) else coefficient


def filled(setting, last, start, functions, infima):
    """The problem, and its atoms at real functions that start elsewhere than at the origin.

    ``functions[i](u, v)`` is (value, gradient in u, gradient in v); ``start`` is (u, [v_1, ...]);
    ``infima`` the infimum of f, or those of the clients where there is no shared block.
    """
    problem = formulate(setting, last, QUANTITIES)
    u0, v0 = start
    known = Filled({}, dict(enumerate(infima)))
    pending = [
        (at, client, e)
        for client, seen in enumerate(problem.evaluations)
        for e in seen
        for at in e.value.values
    ]
    pending.sort(key=lambda row: row[0])
    for at, client, e in pending:  # in the order of the calls: earlier atoms are known
        u = [x + y for x, y in zip(u0, known.vector(e.u, len(u0)), strict=True)]
        own = v0[client]
        v = [x + y for x, y in zip(own, known.vector(e.v, len(own)), strict=True)]
        value, in_u, in_v = functions[client](u, v)
        known.values[at] = value
        for vector, gradient in ((e.in_u, in_u), (e.in_v, in_v)):
            for atom, _ in vector.entries:
                known.vectors[atom] = gradient
    return problem, known


QUANTITIES = ("f", "G_u", "G_v", "B")
ONE = fmpq(1)
EIGHTHS = (fmpq(1, 8),) * 2


def setting(n, m, steps, shared=True, personal=False, inner=EIGHTHS, outer=(ONE, ONE), **constants):
    """A setting; constants by name, with b2 for b^2."""
    named = {"L": ONE, "F_0": ONE} | {k.replace("b2", "b^2"): v for k, v in constants.items()}
    parameters = {"cohort": fmpq(m), "K": fmpq(steps)}
    parameters |= dict(zip(("gamma_u", "gamma_v", "eta_u", "eta_v"), (*inner, *outer), strict=True))
    view = views("personalization")["rounds"]
    return Setting(view, n, 2, shared, personal, parameters, named, "b^2" in named)
