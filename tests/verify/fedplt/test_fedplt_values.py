"""What runs of FedPLT show, by definition: against nested loops, and against an earlier engine."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from fedplt_oracle import (
    COUNTS,
    ETA,
    FREE,
    MASKS,
    QUADRATIC,
    SCALE,
    W_0,
    Slow,
    dot,
    minus,
    numbers_of,
    square,
)
from flint import fmpq

from fedbounds.algorithms import fedplt
from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt import assumed
from fedbounds.theory.fedplt.measured import Ek, gap, one
from fedbounds.theory.fedplt.setups import PLANNED, ascent, free_step, idle, run_of
from fedbounds.theory.fedplt.vectors import (
    D,
    Db,
    U,
    Ub,
    W,
    Wk,
    Wn,
    Wstar,
    delta,
    g,
    gs,
    mg,
    noise,
    ns,
    pmg,
)
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import eta, k, tau
from fedbounds.theory.proof.vectors import given, ip, past, sq, xi
from fedbounds.verify.decide.case import find
from fedbounds.verify.setups.found import known_of, view_of

MASK, COMP, SHARE = (sp.Function(name) for name in ("mask", "comp", "share"))
DATA = Path(__file__).parents[2] / "data" / "fedplt_exact.json"
UNIT, COUPLED, ONE = ((1, 0), (0, 1)), ((2, 1), (1, 2)), ((1,),)

# ---- every expectation against nested loops, equal and not close


def looked_at(view, n, steps, rounds, **more):
    """The oracle's instance, as data."""
    run = run_of(
        QUADRATIC.hessian[:n], QUADRATIC.linear[:n], MASKS[n], W_0, rounds, tau=steps, eta=ETA,
        noise=SCALE, weights=COUNTS[:n], **more,
    )  # fmt: skip
    return Setup("fedplt", view, run)


def free(n, **more):
    return looked_at("one step", n, 1, 1, models=FREE[:n], common=0, **more)


def known(setup):
    return known_of(setup, view_of(setup))


CASES = {
    "one step, two clients": ("one step", 2, 1, 1),
    "one step, three clients": ("one step", 3, 1, 1),
    "rounds, tau = 1": ("rounds", 2, 1, 2),
    "rounds, tau = 2": ("rounds", 2, 2, 1),
    "local steps, tau = 2": ("local steps", 2, 2, 2),
    "local steps, tau = 1": ("local steps", 2, 1, 3),
    "local steps, three clients": ("local steps", 3, 2, 1),
}


def setup_of(view, n, steps, rounds):
    return free(n) if view == "one step" else looked_at(view, n, steps, rounds)


@cache
def wanted_of(view, n, steps, rounds):
    slow = Slow(n, steps)
    if view == "one step":
        return numbers_of(slow, slow.one(tuple(W_0), FREE[:n]))
    return numbers_of(slow, slow.last_round(rounds) if view == "rounds" else slow.last_step(rounds))


STEP = {"D_W": "D^t", "V_W": "divergence", "D_1": "D^t+1", "A_1": "A_1", "A_2": "A_2",
        "A_3": "A_3", "F_loc": "gaps", "F_star": "Lambda", "Lam_att": "Lambda"}  # fmt: skip
ROUND = {"D_W": "D^t", "V_W": "divergence", "F_att": "gaps"}
STATEMENTS = {
    "own distance": sq(Wk - Wstar),
    "average": sq(W - given(Wk, past, xi)),
    "squared shares": ip(SHARE(MASK(delta)), MASK(delta)),
    "masked slope": ip(mg, Wk - Wstar),
    "compensated slope": ip(pmg, Wk - Wstar),
    "D^t+1": sq(Wn - Wstar),
    "gaps": ip(Ek, one),
    "Lambda": ip(gap, one),
}


def differing(case):
    """Names of numbers that are not the oracle's."""
    found, wanted = known(setup_of(*case)), wanted_of(*case)
    names = ROUND if case[0] == "rounds" else STEP
    last = case[3] - 1
    wrong = {n for n, other in names.items() if found.series(n)[last] != wanted[other]}
    return wrong | {n for n, x in STATEMENTS.items() if found.products(x)[last] != wanted[n]}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_quantities_are_the_oracles(case):
    assert differing(case) == set()
    found = known(setup_of(*case))
    assert found.constant("Lambda") == wanted_of(*case)["Lambda"]
    if case[0] == "rounds":
        squares = sq(MASK(gs + ns))
        assert case[2] * found.products(squares)[-1] == wanted_of(*case)["local squares"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_so_by_definition(case):
    found, steps = known(setup_of(*case)), case[2] if case[0] == "rounds" else 1

    def zero(expression):
        values = found.sized(expression, range(case[3]))[0]
        return not any(values.reshape(-1))

    assert zero(sq(Wn - W - D))
    assert zero(sq(D - COMP(given(MASK(U), past, xi))))
    assert zero(sq(Db - COMP(given(MASK(Ub), past, xi))))
    assert zero(sq(MASK(MASK(g)) - MASK(g)))
    assert not zero(sq(D - given(MASK(U), past, xi)))
    if case[0] == "rounds":
        assert zero(sq(Wk - W - MASK(U)))
        found.constants = {**found.constants, "tau": fmpq(steps)}
        assert zero(sq(U + eta * tau * given(gs + ns, past, xi, k)))
    else:
        assert zero(sq(delta + eta * noise) + sq(Ub + eta * g))


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("compensation", lambda trained, c: c[:1] * 0 + 1),
        ("shares", lambda weights: weights * 0 + fmpq(1, len(weights))),
        ("held", lambda trained, c: (trained * c[:, None]).sum(axis=0) * 2),
        ("server", lambda W, U, trained, c: W + (U * c[:, None]).sum(axis=1)),
    ],
)
def test_an_error_planted_in_the_algorithm_is_caught(monkeypatch, name, planted):
    case = CASES["one step, two clients"]
    assert differing(case) == set()
    monkeypatch.setattr(fedplt, name, planted)
    assert differing(case)


def test_an_error_planted_in_the_local_steps_is_caught(monkeypatch):
    original = fedplt.local
    monkeypatch.setattr(
        fedplt, "local",
        lambda noisy, trained, *others: original(noisy, trained | True, *others),
    )  # fmt: skip
    assert differing(CASES["rounds, tau = 2"])
    assert differing(CASES["local steps, tau = 2"])


def test_the_step_from_the_end_of_a_round_is_the_oracles():
    slow, star = Slow(2, 2), Slow(2, 2).best(Slow(2, 2).c)
    wanted = 0
    for chance, path in slow.round(tuple(W_0)):
        for other, end in slow.one(tuple(W_0), path["Wk"]):
            wanted += chance * other * square(minus(slow.moved(tuple(W_0), end), star))
    assert known(looked_at("rounds", 2, 2, 1)).series("D_1").tolist() == [wanted]


def test_all_draws_enumerated_agree_with_moments():
    found = next(p.setup for p in PLANNED if p.setup.view == "rounds, then the analysis's step")
    enumerated = known(found)
    by_moments = known(replace(found, view="rounds"))
    for name in ("D_1", "D_W", "V_W", "F_att"):
        assert enumerated.series(name).tolist() == by_moments.series(name).tolist()


def test_models_not_yet_sent_are_those_of_the_virtual_steps():
    between = known(looked_at("between rounds", 2, 2, 1, j=1))
    virtual = known(looked_at("local steps", 2, 2, 2))
    for statement in (sq(Wk - W), sq(W - Wstar), sq(Wk - Wstar)):
        assert between.products(statement)[0] == virtual.products(statement)[1]


def test_clients_alone_add_up_to_all():
    each = known(replace(free(3), view="one step of each client"))
    every = known(free(3))
    for statement in (sq(Wk - W), sq(delta)):
        alone = each.products(statement)
        assert alone.shape == (3, 1)
        shares = [fmpq(x, sum(COUNTS)) for x in COUNTS]
        assert (
            sum(c * x for c, (x,) in zip(shares, alone, strict=True))
            == (every.products(statement)[0])
        )


def test_one_noise_for_all_has_each_clients_law():
    apart, same = (known(Setup("fedplt", "one step", run)) for run in (
        free(3).run,
        replace(free(3).run, parameters=(*free(3).run.parameters[:-1], ("common", 1))),
    ))  # fmt: skip
    assert len(same.trace.spaces[0].weights[1]) == 4
    for statement in (sq(delta), sq(Wk - W)):
        assert apart.products(statement).tolist() == same.products(statement).tolist()
    assert apart.products(sq(D)).tolist() != same.products(sq(D)).tolist()


# ---- against the values of the engine that FedPLT had for itself


def stored():
    return json.loads(DATA.read_text("utf-8"))


def not_equal(name, kept):
    setup = next(p.setup for p in PLANNED if p.name == name)
    found, nodes = find(setup), products()
    constants = {x.value: y.value for x, y in found.constants.items()} | dict(found.parameters)
    for key, value in kept["constants"].items():
        if str(constants.get(key)) != value:
            yield key
    for key, values in kept["series"].items():
        own = [str(x) for x in found.series[key].reshape(-1)]
        if own[: len(values)] != values:
            yield key
    for key, values in kept["products"].items():
        if [str(x) for x in found.products(nodes[key]).reshape(-1)] != values:
            yield key


@cache
def products():
    from fedbounds.theory.language.registry import encoded_claims

    sides = [side for c in encoded_claims("fedplt") for p in c.parts for side in (p.left, p.right)]
    return {str(node): node for side in sides for node in side.atoms(sq, ip)}


def test_exact_values_are_those_of_the_earlier_engine():
    count = 0
    for name, kept in stored().items():
        assert list(not_equal(name, kept)) == [], name
        count += sum(len(x) for kind in ("series", "products") for x in kept[kind].values())
        count += len(kept["constants"])
    assert count > 2000
    name, kept = next(iter(stored().items()))
    planted = {**kept, "constants": {**kept["constants"], "eta": "1/7"}}
    assert list(not_equal(name, planted)) == ["eta"]


# ---- premises, by their definitions


def brute(run, rounds, own_steps):
    """Least rho_k, largest squared gradients of F_k and of F: noise-free rounds in fractions."""
    data = {name: np.vectorize(Fraction, otypes=[object])(np.array(x, dtype=object))
            for name, x in run.problem.data}  # fmt: skip
    H, h, x = data["hessians"], data["slopes"], np.array([Fraction(v) for v in run.start])
    weights = [Fraction(w) for w in run.parameter("weights")]
    c = [w / sum(weights) for w in weights]
    step, masks = Fraction(run.parameter("eta")), np.array(run.parameter("masks"))
    n, d = len(c), len(x)
    whole = sum(c[j] * H[j] for j in range(n)), sum(c[j] * h[j] for j in range(n))
    assert not whole[1].any()  # W* = 0
    ratios, own, both = [], [], []
    for _ in range(rounds):
        ends = []
        for j in range(n):
            z = x
            for s in range(own_steps + 1):
                gradient = H[j] @ z + h[j]
                ratios.append(((masks[j] * gradient) @ z) / (gradient @ z))
                own.append(gradient @ gradient)
                both.append((whole[0] @ z) @ (whole[0] @ z))
                z = z - step * masks[j] * gradient if s < own_steps else z
            ends.append(z)
        for i in range(d):
            weight = sum(c[j] * masks[j][i] for j in range(n))
            moved = sum(c[j] * masks[j][i] * (ends[j][i] - x[i]) for j in range(n))
            x = np.array([*x[:i], x[i] + moved / weight, *x[i + 1 :]]) if weight else x
    return min(ratios), max(own), max(both)


@pytest.mark.parametrize(("steps", "rounds"), [(1, 1), (2, 3), (3, 2)])
def test_rho_min_and_G_are_those_of_all_models_visited(steps, rounds):
    run = ascent(rounds, tau=steps)
    ratio, own, both = brute(run, rounds, steps)
    for bounded, square_, assumption in (
        ("global", both, assumed.GLOBAL_GRADIENT),
        ("local", own, assumed.LOCAL_GRADIENTS),
    ):
        found = find(Setup("fedplt", "rounds", run, (("rho_min", "aligned"), ("G^2", bounded))))
        assert str(found.parameters["G^2"]) == str(square_)
        assert str(found.parameters["rho_min"]) == str(ratio)
        assert found.evidence[assumed.ALIGNED].holds
        assert found.evidence[assumption].holds
        other = {assumed.GLOBAL_GRADIENT, assumed.LOCAL_GRADIENTS} - {assumption}
        assert found.evidence[other.pop()].holds is (square_ == max(own, both))


ALIGNED, REPAIRED = (("rho_min", "aligned"),), (("rho_min", "compensated"),)


def test_where_an_alignment_fails_is_said():
    # client 1 trains coordinate 1 only, along which its gradient points away from W*
    wrong = free_step((UNIT, UNIT), ((-2, 1), (2, -1)), ((1, 0), (1, 1)), (1, 1),
                      ((1, 1), (1, 1)), eta="1/8")  # fmt: skip
    found = find(Setup("fedplt", "one step", wrong, ALIGNED))
    assert found.evidence[assumed.ALIGNED].holds is False
    assert "rho_min > 0 fails" in found.undefined["rho_min"]
    assert "rho_min" not in found.parameters
    still = free_step((ONE, ONE), ((1,), (-1,)), ((1,), (1,)), (0,), ((1,), (-1,)), eta="1/8")
    found = find(Setup("fedplt", "one step", still, ALIGNED))
    assert found.evidence[assumed.ALIGNED].holds is False
    assert "divides by 0" in found.undefined["rho_min"]  # W = W*


def test_a_rho_min_that_is_not_the_least_ratio_is_no_evidence():
    run = free_step((COUPLED, UNIT), ((1, -1), (-1, 2)), ((1, 0), (1, 1)), (3, 3),
                    ((4, 2), (3, 3)), eta="1/64")  # fmt: skip
    setup = Setup("fedplt", "one step", run, ALIGNED)
    least = find(setup).parameters["rho_min"]
    for rho_min in (least / 2, least * 2):
        chosen = find(replace(setup, chosen=(("rho_min", rho_min),)))
        assert chosen.parameters["rho_min"] == rho_min
        assert chosen.evidence[assumed.ALIGNED].holds is False
    ours = find(replace(setup, chosen=REPAIRED))
    for sharp, holds in ((fmpq(1), True), (fmpq(1025, 1024), False)):
        moved = find(replace(setup, chosen=(("rho_min", ours.parameters["rho_min"] * sharp),)))
        assert moved.evidence[assumed.ALIGNED_COMPENSATED].holds is holds


def test_alignment_is_assumption_six_at_the_models():
    slow = Slow(2, 1)
    star = slow.best(slow.c)
    ratios = []
    for j in range(2):
        for model in (FREE[j], W_0):
            gradient, x = slow.gradient(j, model), minus(model, star)
            kept = sum(m * a * b for m, a, b in zip(MASKS[2][j], gradient, x, strict=True))
            ratios.append(kept / dot(gradient, x))
    found = known(replace(free(2), chosen=ALIGNED))
    if min(ratios) > 0:
        assert found.constant("rho_min") == min(ratios)
    else:
        with pytest.raises(FedboundsError, match="rho_min"):
            found.constant("rho_min")


# ---- what has no value is said


def test_lengths_that_are_not_rational_are_not_shown():
    def one_client(slopes, start, y):
        run = free_step((UNIT, UNIT), slopes, ((1, 0), (1, 1)), start, (y, start), eta="1/16")
        return find(Setup("fedplt", "one step of one client", run, (*ALIGNED, ("k", 0))))

    shown = one_client(((2, 8), (-2, -8)), ("303/100", "101/25"), (3, 4))
    assert shown.parameters["norm_g"] == 13
    assert shown.parameters["cos_1"] == fmpq(63, 65)
    assert shown.parameters["rho_k"] == fmpq(5, 21)
    hidden = one_client(((-2, -3), (2, 3)), ("303/100", "101/25"), (3, 4))
    assert "is not rational" in hidden.undefined["norm_g"]
    assert "norm_g" not in hidden.parameters
    assert "cos_1" not in hidden.parameters
    assert hidden.parameters["rho_k"] == fmpq(3, 7)


def test_attenuations_must_shorten_as_said():
    def chosen(alpha, rho_min=1):
        run = free_step((UNIT, UNIT), ((0, -4), (0, 4)), ((1, 0), (1, 1)), (1, 0),
                        ((1, 0), (1, 0)), eta="1/64", attenuation=alpha)  # fmt: skip
        setup = Setup("fedplt", "one step, chosen attenuations", run, (("rho_min", rho_min),))
        return find(setup)

    least = fmpq(1, 4)  # g_1 = (1, -4), of which client 1 trains the first
    found = chosen((least, 1))
    assert found.parameters["alpha_k"] == 1
    assert assumed.EQUAL_ATTENUATION not in found.evidence
    assert "A_22" not in found.series
    # condition (iii), psi_min rho_min <= 1 + 2 eta psi_max^2 alpha^2 L, is one of every client
    edge = 1 + fmpq(8, 64) * least**2
    assert "alpha_k" in chosen((least, 1), edge).parameters
    assert "alpha_k" not in chosen((least, 1), edge + fmpq(1, 1000)).parameters
    for wrong in ((fmpq(1, 5), 1), (1, 2)):
        with pytest.raises(FedboundsError, match="fails"):
            chosen(wrong)


def test_free_values_change_the_extremes_alone():
    run = idle()
    plain = find(Setup("fedplt", "rounds", run, ALIGNED)).parameters
    for value, names in ((4, {"psi_inf"}), (-1, {"w_free"})):
        setup = Setup("fedplt", "rounds, free psi", run, (*ALIGNED, ("psi_free", value)))
        shown = find(setup).parameters
        assert {"psi_sup"} | names <= shown.keys()
        assert not {"psi_max", "psi_min"} & shown.keys()
        assert shown["psi_sup"] == max(plain["psi_max"], abs(value))
    assert plain["psi_max"] == 3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"view": "two steps"}, "view of fedplt 'two steps'"),
        ({"chosen": (("rho_min", "aligend"),)}, "choice of rho_min 'aligend'"),
    ],
)
def test_what_a_set_up_misspells_is_named(wrong, said):
    with pytest.raises(FedboundsError, match=said):
        find(replace(free(2), **wrong))


def test_other_problems_than_strongly_convex_quadratics_are_refused():
    flat = run_of((((0,),),), ((1,),), ((1,),), (1,), eta=1, weights=(1,))
    with pytest.raises(FedboundsError, match="expected definite"):
        find(Setup("fedplt", "rounds", flat))
