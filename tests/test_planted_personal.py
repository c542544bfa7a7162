"""Each planted error in FedAvg-P and Scaffold-P, and a check that catches it and passes without it.

A wrong algorithm may violate no bound at all, so errors are caught by comparing with an oracle,
step by step, or with enumerated expectations, in rationals, floats and replicas.
"""

import functools
from fractions import Fraction as F

import numpy as np
import pytest
import small_quadratics as small
from walked_rounds import walk

from fedbounds.algorithms import personal_averaging as averaging
from fedbounds.algorithms import personal_scaffold as controlled
from fedbounds.verify.decide.case import find
from fedbounds.verify.setups.found import InFloats
from fedbounds.verify.setups.sampled import CHUNK, InSamples, sampled_by

KINDS = ("FedAvg-P", "Scaffold-P")
FORMS = {"FedAvg-P": averaging.OBSERVED, "Scaffold-P": controlled.OBSERVED}
STEPS, SCALES = small.steps(1, 2, F(1, 6), F(2), F(1, 2)), (F(1), F(0))


# ---- mutations of what both algorithms call


def _replace(monkeypatch, name, wrong):
    """In both modules."""
    right = getattr(averaging, name)
    for module in (averaging, controlled):
        if getattr(module, name, None) is right:
            monkeypatch.setattr(module, name, wrong(right))


def one_step_too_few(monkeypatch):
    """And what is shown of the last step is that of the one before."""

    def planted(right):
        def local(problem, state, noise, sizes, steps, correction=0):
            _, shown = right(problem, state, noise, sizes, steps, correction)
            return right(problem, state, noise, sizes, steps - 1, correction)[0], shown

        return local

    _replace(monkeypatch, "local", planted)


def personal_step_after_shared_step(monkeypatch):
    """Gauss-Seidel: the personal gradient is taken at the new shared iterate."""

    def planted(right):
        def local(problem, state, noise, sizes, steps, correction=0):
            u, v = problem.spread(state["u"]), state["v"]
            shown = right(problem, state, noise, sizes, steps, correction)[1]
            for k in range(steps):
                hu, hv = problem.gradients(u, v)
                xu, xv = noise(k, (u, v), (hu, hv))
                u = u - (hu + xu + correction) * sizes(k)[0]
                v = v - (problem.gradients(u, v)[1] + xv) * sizes(k)[1]
            return (u, v), shown

        return local

    _replace(monkeypatch, "local", planted)


def noise_applied_twice(monkeypatch):
    def planted(right):
        def local(problem, state, noise, sizes, steps, correction=0):
            def louder(*given):
                return tuple(own * 2 for own in noise(*given))

            reached, _ = right(problem, state, louder, sizes, steps, correction)
            return reached, right(problem, state, noise, sizes, steps, correction)[1]

        return local

    _replace(monkeypatch, "local", planted)


def correction_reaches_v(monkeypatch):
    """Line 7 gets the correction of line 6."""

    def planted(right):
        def local(problem, state, noise, sizes, steps, correction=0):
            (u, v), shown = right(problem, state, noise, sizes, steps, correction)
            return (u, v - correction[:, :, :1] * sizes(0)[1]), shown

        return local

    monkeypatch.setattr(controlled, "local", planted(controlled.local))


def _average(monkeypatch, change):
    def planted(right):
        def average(problem, p, state, drawn, u, v):
            return change(right, problem, p, state, drawn, u, v)

        return average

    _replace(monkeypatch, "average", planted)


def average_over_all_clients(monkeypatch):
    """m and n exchanged."""

    def change(right, problem, p, state, drawn, u, v):
        weight = drawn["weight"] * p["cohort"] / problem.clients
        over = {**drawn, "weight": weight}
        return right(problem, p, state, over, u, v)

    _average(monkeypatch, change)


def absent_clients_move(monkeypatch):
    def change(right, problem, p, state, drawn, u, v):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        return right(problem, p, state, everyone, u, v)

    _average(monkeypatch, change)


def _swapped(monkeypatch, name):
    """(1 - eta) exchanged with eta."""

    def change(right, problem, p, state, drawn, u, v):
        return right(problem, {**p, name: 1 - p[name]}, state, drawn, u, v)

    _average(monkeypatch, change)


def outer_weights_swapped_u(monkeypatch):
    _swapped(monkeypatch, "eta_u")


def outer_weights_swapped_v(monkeypatch):
    _swapped(monkeypatch, "eta_v")


# ---- mutations of draws


def _drawn(monkeypatch, change):
    right = averaging._drawn

    def planted(random, problem, p, steps):
        return change(right, random, problem, p, steps)

    monkeypatch.setattr(averaging, "_drawn", planted)


def noise_drawn_too_large(monkeypatch):
    def change(right, random, problem, p, steps):
        found = right(random, problem, p, steps)
        return {**found, **{name: found[name] * 2 for name in ("xi_u", "xi_v")}}

    _drawn(monkeypatch, change)


def noise_shared_by_all_steps(monkeypatch):
    def change(right, random, problem, p, steps):
        found = right(random, problem, p, steps)
        first = {
            x: problem.xp.stack([found[x][:, :, 0, :]] * steps, axis=2) for x in ("xi_u", "xi_v")
        }
        return {**found, **first}

    _drawn(monkeypatch, change)


def with_replacement(monkeypatch):
    """As many draws as there are clients; one drawn twice counts twice."""

    def change(right, random, problem, p, steps):
        times = (
            random.participants_with_replacement(problem.clients, problem.clients) / problem.clients
        )
        noise = {"xi_u": random.noise, "xi_v": random.personal_noise}
        found = {name: own(problem, steps) for name, own in noise.items()}
        return {**found, "present": times, "weight": times}

    _drawn(monkeypatch, change)


# ---- mutations of the controls


def _round(monkeypatch, change):
    right = controlled._round

    def planted(problem, p, state, drawn, noise):
        return change(right, problem, p, state, drawn, noise)

    monkeypatch.setattr(controlled, "_round", planted)


def control_with_the_wrong_sign(monkeypatch):
    """+c_i - c."""

    def planted(right):
        def local(problem, state, noise, sizes, steps, correction=0):
            return right(problem, state, noise, sizes, steps, -correction)

        return local

    monkeypatch.setattr(controlled, "local", planted(controlled.local))


def controls_start_at_zero(monkeypatch):
    right = controlled._begun

    def planted(problem, start, noise):
        state = right(problem, start, noise)
        return {**state, "ci": state["ci"] * 0, "c": state["c"] * 0}

    monkeypatch.setattr(controlled, "_begun", planted)


def _with_everyone(right, problem, p, state, drawn, noise):
    return right(problem, p, state, {**drawn, "present": drawn["present"] * 0 + 1}, noise)[0]


def absent_clients_renew_their_control(monkeypatch):
    """c_i of every client, and c with them."""

    def change(right, *given):
        after, *rest = right(*given)
        every = _with_everyone(right, *given)
        return {**after, "ci": every["ci"], "c": every["c"]}, *rest

    _round(monkeypatch, change)


def the_mean_control_is_renewed_with_all_clients(monkeypatch):
    """c only; the c_i stay right, so that c is their mean no longer."""

    def change(right, *given):
        after, *rest = right(*given)
        return {**after, "c": _with_everyone(right, *given)["c"]}, *rest

    _round(monkeypatch, change)


def the_mean_control_is_divided_by_m(monkeypatch):
    def change(right, problem, p, state, *given):
        after, *rest = right(problem, p, state, *given)
        c = state["c"] + (after["c"] - state["c"]) * int(problem.clients)
        return {**after, "c": c}, *rest

    _round(monkeypatch, change)


def the_old_control_is_not_taken_off(monkeypatch):
    """Line 10 without -c."""

    def change(right, problem, p, state, drawn, *given):
        after, *rest = right(problem, p, state, drawn, *given)
        more = problem.spread(state["c"]) * drawn["present"][:, :, None]
        return {**after, "ci": after["ci"] + more}, *rest

    _round(monkeypatch, change)


# ---- checks: each raises AssertionError on a wrong algorithm


def rounds_are_the_oracles(kind):
    """Three rounds on equal draws, every replica: iterates, controls and memory."""
    assert walk(kind, FORMS[kind], n=3, m=1) == set()


@functools.cache
def enumerated(kind):
    """Every expected quantity of two rounds by brute force; no mutation reaches it."""
    return small.history(small.TWO, STEPS, SCALES, 1, corrected=kind == "Scaffold-P")


def _setup(kind):
    return small.setup(small.TWO, STEPS, SCALES, 2, corrected=kind == "Scaffold-P")


def moments_are_the_enumerated(kind):
    """Coupled and in rationals."""
    found = find(_setup(kind))
    assert not found.missing
    for name in found.series.keys() - {"f"}:
        own = small.by_place(name, found.series[name])
        for place, wanted in enumerated(kind)[name].items():
            pairs = zip(own[place], wanted, strict=False)
            assert all(a is None or a == b for a, b in pairs), name


def _near(kind, name, values, allowed):
    """A series, and by how much it may be away, shape (n, steps, rounds) or (rounds,)."""
    for place, wanted in enumerated(kind)[name].items():
        at = (*place, 0) if len(place) == 1 else place
        own, most = values[at], np.broadcast_to(allowed, values.shape)[at]
        rounds = min(len(own), len(wanted))
        off = abs(own[:rounds] - np.array([float(x) for x in wanted[:rounds]]))
        assert (np.isnan(off) | (off <= most[:rounds])).all(), name


def floats_are_the_enumerated(kind):
    """Within their stated errors."""
    found = find(InFloats(_setup(kind)))
    assert not found.missing
    for name in found.series.keys() - {"f"}:
        _near(kind, name, found.series[name], found.errors[name] + 1e-15)


def replicas_are_the_enumerated(kind):
    """4096 replicas, 5 errors."""
    own = sampled_by(InSamples(_setup(kind), CHUNK))
    names = frozenset(_QUANTITIES[kind])
    every = [own.chunk(names, 0, at, np) for at in range(4096 // CHUNK)]
    for name in names:
        values = np.concatenate([one[name] for one in every])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        _near(kind, name, values.mean(axis=0), 5 * error + 1e-12)


_QUANTITIES = {
    "FedAvg-P": ("G_u", "G_v", "B", "E", "Du_2", "Dv_2", "X_u", "Y_2", "Y_sum"),
    "Scaffold-P": ("G_u", "G_v", "C", "cd_2", "S_3u", "W_own", "What_2", "E", "cbar_2", "c_2"),
}


# name, mutation, the kinds, the checks that catch it
BOTH = KINDS
SCAFFOLD = ("Scaffold-P",)
EXACT = (moments_are_the_enumerated, floats_are_the_enumerated)
STEP = (rounds_are_the_oracles,)
SAMPLE = (replicas_are_the_enumerated,)
PLANTED = (
    ("K - 1 local steps", one_step_too_few, BOTH, (*STEP, *EXACT, *SAMPLE)),
    ("v updated after u", personal_step_after_shared_step, BOTH, (*STEP, *EXACT)),
    ("noise applied twice", noise_applied_twice, BOTH, (*STEP, *EXACT, *SAMPLE)),
    ("m and n exchanged", average_over_all_clients, BOTH, (*STEP, *EXACT, *SAMPLE)),
    ("absent clients move", absent_clients_move, BOTH, (*STEP, *EXACT, *SAMPLE)),
    ("outer weights of u swapped", outer_weights_swapped_u, BOTH, (*STEP, *EXACT, *SAMPLE)),
    ("outer weights of v swapped", outer_weights_swapped_v, BOTH, STEP),
    ("noise drawn too large", noise_drawn_too_large, BOTH, (*EXACT, *SAMPLE)),
    ("noise shared by all steps", noise_shared_by_all_steps, BOTH, (*EXACT, *SAMPLE)),
    ("sampling with replacement", with_replacement, BOTH, (*EXACT, *SAMPLE)),
    ("control with the wrong sign", control_with_the_wrong_sign, SCAFFOLD, (*STEP, *EXACT, *SAMPLE)),
    ("controls start at zero", controls_start_at_zero, SCAFFOLD, (*STEP, *EXACT, *SAMPLE)),
    ("correction of v", correction_reaches_v, SCAFFOLD, (*STEP, *EXACT)),
    ("absent c_i renewed", absent_clients_renew_their_control, SCAFFOLD, (*STEP, *EXACT)),
    ("c with all", the_mean_control_is_renewed_with_all_clients, SCAFFOLD, (*STEP, *EXACT)),
    ("c divided by m", the_mean_control_is_divided_by_m, SCAFFOLD, (*STEP, *EXACT)),
    ("-c forgotten in line 10", the_old_control_is_not_taken_off, SCAFFOLD, (*STEP, *EXACT)),
)  # fmt: skip
CASES = [
    (name, mutate, kind, check)
    for name, mutate, kinds, checks in PLANTED
    for kind in kinds
    for check in checks
]


@pytest.mark.parametrize(
    ("mutate", "kind", "check"),
    [case[1:] for case in CASES],
    ids=[f"{name} | {kind} | {check.__name__}" for name, _, kind, check in CASES],
)
def test_a_planted_error_is_caught(mutate, kind, check, monkeypatch):
    mutate(monkeypatch)
    with pytest.raises(AssertionError):
        check(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("check", [*STEP, *EXACT, *SAMPLE])
def test_every_check_passes_without_one(check, kind):
    check(kind)
    assert check in {one for *_, one in CASES}
