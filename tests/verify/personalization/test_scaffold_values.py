"""Scaffold-P's quantities: definitions on traced rounds are what another program found.

The values are second moments in rationals of hand-written features, which equalled brute force over
every outcome. Where a quantity has indices, one client or local step is looked at alone.
"""

import json
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cached_property
from itertools import product as every_one
from pathlib import Path

import small_quadratics as small
import sympy as sp
from flint import fmpq

from fedbounds.theory.personalization.measured_scaffold import MEAN_CONTROL, OF_CLIENT
from fedbounds.theory.personalization.proofs.book import book
from fedbounds.theory.personalization.proofs.scopes import d, di, u, u1, value00, value11
from fedbounds.theory.proof.vectors import S, given, i, ip, past, present, vectors, xi
from fedbounds.theory.setups import Objective, Run, Shown, View
from fedbounds.verify.evaluate import Numbers, evaluate
from fedbounds.verify.measure.moments import applied, form, moments
from fedbounds.verify.measure.objectives import exact
from fedbounds.verify.measure.spaces import alone, product, products_in
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.measure.unrolled import unrolled_space

STORED = Path(__file__).parents[2] / "data" / "personalization_scaffold_exact.json"

# ---- what the step shows

_I, _IK = ("i",), ("i", "k")
_VECTORS = {
    **dict.fromkeys(("u", "u_next", "c", "one"), ()),
    **dict.fromkeys(("v", "v_next", "ci", "au", "av", "nu", "wu", "values"), _I),
    **dict.fromkeys(("uh", "vh", "up", "vp", "hu", "hv", "xu", "xv"), _IK),
    **dict.fromkeys(("eu", "al", "be", "Wh", "al_next", "be_next"), _IK),
}
_NAMES = (*_VECTORS, "Yu", "Yv")
w = dict(zip(_NAMES, vectors({name: name for name in _NAMES}), strict=True))
_SIZE = sp.Symbol("gamma_u") * sp.Symbol("eta_u") * sp.Symbol("K")
_MET_U, _MET_V = w["hu"] + w["Yu"] - w["ci"] + w["c"], w["hv"] + w["Yv"]
SHOWN = Shown(
    draws={"S": ("present", "weight"), "xi": ("xi_u", "xi_v")},
    indices={"i": "", "k": ""},
    vectors=_VECTORS,
    factors={"present": _I},
    derived={
        **{"Yu": w["xu"], "Yv": w["xv"], "u1": w["u_next"], "v1": w["v_next"]},
        **{"al1": w["al_next"], "be1": w["be_next"]},
        **{"du": w["u_next"] - w["u"], "dv": w["v_next"] - w["v"], "gu": given(w["au"], past)},
        **{"di": given(w["eu"], past, i), "d": given(w["eu"], past)},
        "fu": -_SIZE / sp.Symbol("share") * given(present(_MET_U), past, S, xi),
        "fv": -_SIZE * given(present(_MET_V), past, S, xi, i),
    },
)
VIEW = View("rounds", "personal_scaffold.REMEMBERING", SHOWN)
# of the proofs: over which indices a scope takes no mean
SCOPES = {
    **dict.fromkeys(("Scaffold-P", "iterates of Scaffold-P", "any increments"), ()),
    **dict.fromkeys(("client of Scaffold-P", "client of any increments"), _I),
    **dict.fromkeys(("step of Scaffold-P", "memory of Scaffold-P"), _IK),
}


@dataclass(frozen=True)
class Definition:
    """What a quantity is, in round t + ``later`` and at step k + ``after``."""

    name: str
    is_: sp.Expr
    indices: tuple[str, ...]
    later: int = 0
    after: int = 0


def definitions():
    """Those of the proofs, and those that only claims need."""
    for step in book().steps:
        if step.id.startswith("def ") and step.scope in SCOPES:
            at = [int(argument.is_Add) for argument in step.left.args]
            own = step.right.xreplace({value00: ip(w["values"], w["one"])})
            if own == value11:  # f of the next round: the gradients there are shown, no value
                continue
            yield Definition(str(step.left.func), own, SCOPES[step.scope], *at)
    for table, indices in ((MEAN_CONTROL, ()), (OF_CLIENT, _I)):
        for name, is_ in table.items():
            yield Definition(name, is_, indices)


class Measured:
    """A run by its second moments, whose vectors are polynomials in the state."""

    def __init__(self, data):
        names = ("hessians", "slopes", "noise", "personal", "personal_noise")
        problem = Objective("quadratics", tuple((name, data[name]) for name in names))
        p = {name: exact(value) for name, value in data["parameters"].items()}
        n, m = fmpq(len(data["slopes"])), fmpq(p["cohort"])
        run = Run(
            problem, data["start"],
            (*data["parameters"].items(), ("share", str(m / n))), data["rounds"],
        )  # fmt: skip
        self.subject = subject_of(run, VIEW)
        gamma = p["gamma_u"] * p["eta_u"]
        self.values = {"n": n, "m": m, "K": fmpq(p["K"]), "gamma": gamma}
        self.rounds, self.sizes = data["rounds"], (int(n), int(p["K"]))
        self._forms = {}

    @cached_property
    def run(self):
        return moments(self.subject)

    @cached_property
    def space(self):
        return unrolled_space(self.subject, self.run.unrolled[0])

    def places(self, indices):
        return list(every_one(*map(range, self.sizes[: len(indices)])))

    def form(self, node, place):
        key = node, place
        if key not in self._forms:
            space = self.space
            for index, at in zip(_IK, place, strict=False):
                space = alone(space, index, at)
            self._forms[key] = form(space.variables, product(node, space, self.values))
        return self._forms[key]

    def value(self, is_, place, t):
        nodes = {node: sp.Symbol(f"_{at}") for at, node in enumerate(products_in(is_))}
        own = {
            symbol.name: applied(self.form(node, place), self.run.values[t])
            for node, symbol in nodes.items()
        }
        numbers = Numbers({**self.values, **own}, {}, fmpq)
        return evaluate(is_.xreplace(nodes), numbers)


def stored():
    return json.loads(STORED.read_text())


def series_at(series, indices, place, after):
    """The rounds of one place; quantities of one client have one step."""
    if not isinstance(series[0], list):
        return series
    own = series[place[0]]
    return own[place[1] + after] if len(own) > 1 else own[0]


def compared(data, every):
    """How often each quantity was found again, and those that are others."""
    seen, others, measured = Counter(), set(), Measured(data)
    for one in every:
        series = data["series"].get(one.name)
        if series is None:  # of three clients and steps, the other program had sums alone
            continue
        for place in measured.places(one.indices):
            wanted = series_at(series, one.indices, place, one.after)
            for t in range(measured.rounds):
                found = measured.value(one.is_, place, t)
                if one.name == "f":
                    found -= exact(data["infimum"])
                seen[one.name] += 1
                if str(found) != wanted[t + one.later]:
                    others.add((one.name, one.later, one.after))
    return seen, others


# E_ik is a sum of two that are compared; of the others there is no claim about Scaffold-P
_NOT_DEFINED = {"E_ik", "P_u", "T_3u", "Y_ik"}


def test_every_definition_gives_what_another_program_found():
    every, total = tuple(definitions()), Counter()
    for name, data in stored().items():
        seen, others = compared(data, every)
        assert not others, (name, others)
        assert data["series"].keys() - seen.keys() <= _NOT_DEFINED, name
        total += seen
    assert total.total() > 3000


def _without_present(is_):
    return is_.replace(present, lambda inside: inside)


PLANTED = {
    "W_2": _without_present,
    "W_own": _without_present,
    "Y_sum": _without_present,
    "S_3u": lambda is_: is_.xreplace({d: sp.Integer(0)}),
    "cd_i": lambda is_: is_.xreplace({di: d}),  # the mean of all clients
    "A_old": lambda is_: is_.xreplace({u1: u}),
}


def test_planted_definitions_are_seen():
    data, left = stored()["three clients, two of them"], set(PLANTED)
    for one in definitions():
        if one.name in PLANTED:
            changed = replace(one, is_=PLANTED[one.name](one.is_))
            assert compared(data, [changed])[1], one.name
            left.discard(one.name)
    assert not left


# ---- brute force: per client, step and outcome

_SMALL = {
    "n=2 m=1 K=2": (small.TWO, small.steps(1, 2, F(1, 6), F(3), F(1, 2)), (F(1), F(0))),
    "n=3 m=2 K=1": (small.OWN_CURVATURE, small.steps(2, 1, F(1, 4), F(3, 2), F(2)), (F(1), F(0))),
    "a wide personal block": (small.WIDE, small.steps(1, 1, F(1, 4), F(4, 3), F(2)), (F(1), F(0))),
}


def data_of(objective, steps, scales, rounds):
    """As the stored runs are."""

    def told(nested):
        return [told(x) for x in nested] if isinstance(nested, list) else str(nested)

    shared, personal = small.start_of(objective)
    return {
        "hessians": told(objective.hessian), "slopes": told(objective.linear),
        "personal": len(objective.linear[0]) - objective.d_u,
        "noise": str(scales[0]), "personal_noise": str(scales[1]),
        "start": told([*shared, *(x for own in personal for x in own)]),
        "parameters": {
            "cohort": steps.m, "K": steps.K, "gamma_u": str(steps.gamma_u),
            "gamma_v": str(steps.gamma_v), "eta_u": str(steps.eta_u), "eta_v": str(steps.eta_v),
        },
        "rounds": rounds,
    }  # fmt: skip


def test_every_definition_is_that_of_brute_force():
    every = tuple(definitions())
    for name, (objective, steps, scales) in _SMALL.items():
        wanted = small.history(objective, steps, scales, 1, corrected=True)
        measured = Measured(data_of(objective, steps, scales, 1))
        for one in every:
            for place in measured.places(one.indices):
                at = place if not one.after else (place[0], place[1] + one.after)
                row = wanted[one.name][at[: len(next(iter(wanted[one.name])))]]
                found = measured.value(one.is_, place, 0)
                assert F(int(found.p), int(found.q)) == row[one.later], (name, one)
