"""FedPLT's proofs on the running algorithm: what is evaluated, and that a wrong step is seen."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from fedplt_oracle import (
    COUNTS,
    ETA,
    FREE,
    MASKS,
    SCALE,
    W_0,
    Slow,
    minus,
    numbers_of,
    plain,
    square,
)
from fedplt_statements import VALUES
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedplt_rows import FedPLT
from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start
from fedbounds.theory.fedplt.proofs import scopes
from fedbounds.theory.fedplt.proofs.book import book
from fedbounds.theory.fedplt.vectors import W, Wk, Wn, Wstar, delta, ns
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local, Replayed
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.symbols import G2, B_step, F_att, F_raw, Lambda, eta, t, z
from fedbounds.verify.fedplt import check as fedplt_check
from fedbounds.verify.fedplt import step_cases as fedplt_cases
from fedbounds.verify.fedplt.measured import _interval, a_round, one_step, premises
from fedbounds.verify.fedplt.outcomes import free_outcomes, round_outcomes, virtual_outcomes
from fedbounds.verify.fedplt.step_cases import cases
from fedbounds.verify.fedplt.values import evaluate
from fedbounds.verify.fedplt.views import (
    dependent,
    of_client,
    unsent_outcomes,
    with_virtual_step,
)
from fedbounds.verify.step_check import evaluated
from fedbounds.vocabulary import Assumption

CLOSE = 1e-13
WRITTEN = {(w.id, w.source): w for w in book().steps}

# ---- what is evaluated


UNSEEN = {
    "asm recursion", "asm recursion, eta = 1/(z (t + 1))", "asm recursion, eta = 2/(z (t + 2))",
    "constant-step:unrolled, given", "constant-step:floor, given", "decaying-step-reduced:given",
    "decaying-step-base:D^1, given", "decaying-step: at t = 1", "decaying-step:C of the base case",
    "decaying-step:any C", "decaying-step/corrected",
}  # fmt: skip

# of runs with decaying steps, and of a coordinate that nobody trains: the plan has both
DECAYING = {
    "decaying-step-reduced:algorithm", "decaying-step-base:D^1", "decaying-step:of the algorithm",
}  # fmt: skip
FREE_PSI = {"A2.2-part2:d, free psi", "nu:sign, free psi", "recursion:round, free psi"}

# of points that contradictory assumptions ask for, and of the recursion met with equality
NOWHERE = {
    "asm F convex (a point far from W*)", "asm F bounded (a point far from W*)",
    "asm W for 5 (a point far from W*)", "A5: growth", "A5: contradiction",
    "asm F_k convex (a point far from W*)", "asm W for 6 (a point far from W*)",
    "asm left out (a point far from W*)", "asm rho_k (a point far from W*)", "A6: denominator",
    "A6: contradiction", "conditions: contradiction, decaying", "conditions: contradiction, large",
    "conditions: contradiction, free values",
    "asm recursion with equality", "exact-convergence: growth",
}  # fmt: skip


@cache
def seen():
    return evaluated(replayed("fedplt"), "fedplt")


def test_no_proved_step_and_nothing_given_is_broken():
    assert len(seen()) >= 180  # a step that is broken raises


def test_only_what_takes_a_display_as_given_is_not_evaluated():
    unseen = {name for name, _ in WRITTEN} - set(seen())
    assert unseen == UNSEEN | DECAYING | FREE_PSI | NOWHERE
    for name in UNSEEN:
        (written,) = (w for (other, _), w in WRITTEN.items() if other == name)
        assert any("recursion of the squared distance" in a for a in written.statement.assumptions)
    for name in DECAYING:
        assert Assumption.DECAYING_STEPS in WRITTEN[name, "paper"].assumptions


# false statements, each broken by an instance inside its assumptions
BROKEN = {
    "update-identity:SGD", "update-identity:FGD", "alignment-interpretation:better, both negative",
    "A3-zero:round", "A1-term:b, dependent clients", "A1-term:e, dependent clients",
    "A2.2-part2:a", "A2.2-part2: rho, one client", "A2.2-part2: rho", "A2.4-gap:F_k^* on the left",
    "global-is-average:W", "global-is-average:direction", "global-is-average:round",
    "jensen-distance", "local-divergence:c", "local-divergence: c, summed",
    "recursion: simplified notation", "decaying-step-induction", "A1-term:d, round",
    "A1-term:e, round", "A2.1:d, round",
}  # fmt: skip


def test_false_steps_are_broken():
    assert {name for name in BROKEN if seen()[name].least >= -1e-9} == set()


@pytest.mark.parametrize(
    ("view", "scope"),
    [
        ("A", scopes.STEP),
        ("V", scopes.STEP),
        ("A", scopes.CLIENT),
        ("V", scopes.CLIENT),
        ("R", scopes.ROUND),
        ("R", scopes.CLIENT_ROUND),
        ("R", scopes.CLIENT_ROUND_FGD),
        ("V", scopes.VIRTUAL),
    ],
)
def test_every_step_of_a_scope_is_evaluated_in_its_views(view, scope):
    own = [w for w in WRITTEN.values() if w.scope == scope]
    unseen = {w.id for w in own if least_gap(w, view) is None}
    # free vectors are no algorithm with one local step per round
    single = {w.id for w in own if "one local step" in w.id and view == "A"}
    assert unseen == single | {w.id for w in own if w.id in FREE_PSI}
    assert len(own) >= 2


# ---- a planted wrong statement


def least_gap(written, view):
    """The least gap on the cases of a view."""
    said = fedplt_check._said(written)
    found = [fedplt_check._gap(said, case) for case in cases() if case.view == view]
    return min((one for one in found if one is not None), default=None)


def wrong(name, right, source="paper"):
    """A proved step with another right side; a number scales it."""
    step = WRITTEN[name, source]
    scaled = step.right * sp.nsimplify(right, rational=True) if isinstance(right, float) else right
    return replace(step, right=scaled)


PLANTED = [
    ("A", wrong("A1-term:b", 0.9)),
    ("A", wrong("A3-zero:A_3", sq(delta))),
    ("A", wrong(f"asm variance ({scopes.STEP})", 0.99)),
    ("A", wrong("def A_24", 0.99)),
    ("A", wrong("A2-expansion", sq(W - Wstar))),
    ("A", wrong("alpha", 0.5)),
    ("A", wrong("A1-term:d", 0.99)),
    ("A", wrong("coordinate-average", 1.01)),
    ("A", wrong("gamma-relax:client", 0.1)),
    ("A", wrong("conditions: (ii) is a ceiling", 0.99, "ours")),
    ("A", wrong("A2.2-part2/corrected", 10.0, "ours")),
    ("V", wrong("A1-term:b", 0.9)),
    ("V", wrong("asm virtual aggregation", 0.99)),
    ("V", wrong("asm one local step: D_W (one step)", 0.99)),
    ("V", wrong("def F_star", Lambda / 2)),
    ("V", wrong("asm shares of gaps (one step)", F_raw(t) / 9)),
    ("V", wrong("A2.1:c", 0.05)),
    ("V", wrong(f"asm variance ({scopes.VIRTUAL})", 0.99)),
    ("V", wrong("local-divergence: gradients", 0.05, "ours")),
    ("V", wrong("local-divergence: V_W, virtual", eta**2, "ours")),
    ("R", wrong(f"asm unbiased ({scopes.ROUND})", sq(ns))),
    ("R", wrong(f"def D_W next ({scopes.ROUND})", 0.99)),
    ("R", wrong(f"def D_1 ({scopes.ROUND})", sq(Wn - Wstar))),
    ("R", wrong("local-divergence:b", 0.5)),
    ("R", wrong("local-divergence:c, gradients of F_k", 0.99)),
    ("R", wrong("local-divergence:e, gradients of F_k", G2 * eta**2 / 100)),
    ("R", wrong("update-identity:SGD/corrected", sq(Wk - W), "ours")),
    ("R", wrong("update-identity:FGD/corrected", sq(Wk - W), "ours")),
]


@pytest.mark.parametrize(("view", "step"), PLANTED, ids=lambda x: getattr(x, "id", x))
def test_a_wrong_step_is_a_conflict_in_its_view(monkeypatch, view, step):
    chosen = tuple(case for case in cases() if case.view == view)
    monkeypatch.setattr(fedplt_check, "cases", lambda: chosen)
    status = Local.GIVEN if step.rule == "given" else Local.PROVED
    evaluated([Replayed(WRITTEN[step.id, step.source], status, "", None, ())], "fedplt")
    with pytest.raises(ConflictError, match="broken on a run"):
        evaluated([Replayed(step, status, "", None, ())], "fedplt")
    # what is not proved, or rests on what is not, is reported only
    for unproved in (
        Replayed(step, Local.OPEN, "", None, ()),
        Replayed(step, Local.PROVED, "", None, ("some step",)),
    ):
        assert evaluated([unproved], "fedplt")[step.id].least < -1e-10


def test_a_server_that_compensates_wrongly_is_a_conflict(monkeypatch):
    original = fedplt_rows.compensation
    monkeypatch.setattr(fedplt_rows, "compensation", lambda a: [x * 2 for x in original(a)])
    planted = tuple(fedplt_cases._free(1 / 8))
    monkeypatch.setattr(fedplt_check, "cases", lambda: planted)
    step = WRITTEN["A2.2-split", "paper"]
    with pytest.raises(ConflictError, match="A2.2-split"):
        evaluated([Replayed(step, Local.PROVED, "", None, ())], "fedplt")


# ---- assumptions, conditions and signs


def assuming(name, *assumptions, source="paper"):
    step = WRITTEN[name, source]
    named = tuple(a.value for a in assumptions)
    return replace(step, statement=replace(step.statement, assumptions=named))


def test_dependent_noise_is_outside_independence():
    step = WRITTEN["A1-term:b", "paper"]
    assert least_gap(step, "A") >= -CLOSE
    assert least_gap(assuming("A1-term:b", Assumption.NOISE), "A") < -1e-9


def test_alignments_are_decided_on_the_models():
    """The compensated alignment has a rho_min only where one fits all clients."""
    for kind, measured in (
        (Assumption.ALIGNED, lambda p: p.aligned),
        (Assumption.ALIGNED_COMPENSATED, lambda p: p.compensated),
    ):
        said = fedplt_check._said(assuming("expansion", kind))
        steps = [case for case in cases() if scopes.STEP in case.scopes]
        held = {case: fedplt_check._gap(said, case) is not None for case in steps}
        assert set(held.values()) == {True, False}
        assert all(holds == (measured(c.premises) is not None) for c, holds in held.items())


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=5),
    st.integers(1, 40),
)
@settings(max_examples=200, deadline=None)
def test_the_interval_of_rho_min_is_what_the_alignment_allows(pairs, numerator):
    whole, part = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    found, ratio = _interval(whole, part), numerator / 8
    if not (whole > 0).any():
        assert found is None
        return
    fits = bool((part >= ratio * whole - 1e-12).all())
    inside = found is not None and found[0] - 1e-12 <= ratio <= found[1] + 1e-12
    assert fits == inside


def test_the_conditions_on_the_step_size_are_met_and_not_met():
    for name in ("A2.4:equal", "nu:sign"):
        said = fedplt_check._said(WRITTEN[name, "paper"])
        outside = [c for c in cases() if c.values["eta"] * c.values["L"] > 1]
        assert outside
        assert all(fedplt_check._gap(said, case) is None for case in outside)
    assert seen()["A2.4:equal"].instances >= 12


def test_signs_of_symbols_are_respected(monkeypatch):
    """Far beyond 1/L the bracket of nu is negative, and B with it."""
    level = eta * B_step / z
    step = replace(WRITTEN["gamma-relax:sum", "paper"], left=level / 2, right=level)
    assert least_gap(step, "A") >= 0
    monkeypatch.setattr(fedplt_check, "_allowed", lambda symbol, values: True)
    assert least_gap(step, "A") < -0.1


def test_distances_of_rounds_are_not_those_of_local_steps():
    rounds = fedplt_check._said(WRITTEN["recursion:round", "paper"])
    steps = fedplt_check._said(WRITTEN["recursion:round/corrected", "ours"])
    for said, view in ((rounds, "R"), (steps, "V")):
        assert {c.view for c in cases() if fedplt_check._gap(said, c) is not None} == {view}


# ---- measured quantities, against nested loops in rationals


@cache
def instance(n, steps):
    objective = plain(n)
    law = Noise(NoiseLaw.RADEMACHER, float(SCALE), 0.0)
    hessian = np.array(objective.hessian, dtype=float)
    problem = FederatedQuadratic(hessian, np.array(objective.linear, dtype=float), 2, law)
    start = Start(np.array(W_0, dtype=float), np.zeros((n, 0)))
    return problem, FedPLT(MASKS[n], COUNTS[:n], steps, float(ETA)), start


ORACLE = {
    "D_W": "D^t", "D_1": "D^t+1", "A_1": "A_1", "A_2": "A_2", "A_3": "A_3", "V_W": "divergence",
    "F_loc": "gaps", "F_star": "Lambda", "Lam_att": "Lambda",
}  # fmt: skip


@pytest.mark.parametrize(("view", "n"), [("A", 2), ("A", 3), ("V", 2)])
def test_quantities_have_the_oracles_values(view, n):
    problem, algorithm, start = instance(n, 2)
    slow = Slow(n, 2)
    if view == "A":
        found = free_outcomes(problem, algorithm, start.u, np.array(FREE[:n], dtype=float))
        wanted = numbers_of(slow, slow.one(tuple(W_0), FREE[:n]))
    else:
        found = virtual_outcomes(problem, algorithm, start, 2)
        wanted = numbers_of(slow, slow.last_step(2))
    mu = float(np.linalg.eigvalsh(problem.hessian).min())
    quantities = one_step(found, mu)
    for name, other in ORACLE.items():
        assert quantities[name] == pytest.approx(float(wanted[other]), rel=1e-12, abs=1e-12), name
    for quantity, statement in VALUES.items():
        value = evaluate(statement, found, {}).value
        name = getattr(quantity, "name", type(quantity).__name__)
        if name in quantities:
            assert quantities[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name
    assert quantities["F_raw"] > quantities["F_att"] > 0
    assert F_att(t) in VALUES


def test_the_step_from_the_end_of_a_round_is_the_oracles():
    problem, algorithm, start = instance(2, 2)
    slow, star = Slow(2, 2), Slow(2, 2).best(Slow(2, 2).c)
    wanted = 0
    for chance, path in slow.round(tuple(W_0)):
        for other, end in slow.one(tuple(W_0), path["Wk"]):
            wanted += chance * other * square(minus(slow.moved(tuple(W_0), end), star))
    found = with_virtual_step(problem, algorithm, round_outcomes(problem, algorithm, start, 1))
    assert a_round(found)["D_1"] == pytest.approx(float(wanted), rel=1e-12)


def test_models_not_yet_sent_are_those_of_the_virtual_steps():
    problem, algorithm, start = instance(2, 2)
    for rounds in (1, 2):
        unsent = unsent_outcomes(problem, algorithm, start, rounds, 1)
        virtual = virtual_outcomes(problem, algorithm, start, 2 * rounds)
        assert unsent.space.t == virtual.space.t
        for statement in (sq(Wk - W), sq(W - Wstar), sq(Wk - Wstar)):
            left, right = (evaluate(statement, view, {}) for view in (unsent, virtual))
            assert abs(left.value - right.value) <= CLOSE * left.size
    for steps in (0, 2):
        with pytest.raises(FedboundsError, match="local steps done"):
            unsent_outcomes(problem, algorithm, start, 1, steps)


def test_clients_alone_add_up_to_all():
    problem, algorithm, start = instance(3, 1)
    found = free_outcomes(problem, algorithm, start.u, np.array(FREE, dtype=float))
    for statement in (sq(Wk - W), sq(delta)):
        whole = evaluate(statement, found, {}).value
        alone = [evaluate(statement, of_client(found, k), {}).value for k in range(3)]
        assert found.space.weights[2] @ alone == pytest.approx(whole, rel=1e-12)


def test_one_noise_for_all_has_each_clients_law():
    problem, algorithm, start = instance(3, 1)
    found = free_outcomes(problem, algorithm, start.u, np.array(FREE, dtype=float))
    same = dependent(found)
    assert len(same.space.weights[1]) == 4
    noise = same.space.vectors["noise"]
    assert (noise == noise[:, :, :1]).all()
    for statement in (sq(delta), sq(Wk - W)):
        left, right = (evaluate(statement, view, {}).value for view in (found, same))
        assert left == pytest.approx(right, rel=1e-12)


def test_gradients_are_bounded_at_every_local_step():
    problem, algorithm, start = instance(2, 2)
    slow, largest = Slow(2, 2), [0, 0]
    for j in range(2):
        for w in {tuple(W_0), *local_models(slow, j)}:
            own = square(slow.gradient(j, w))
            both = [slow.gradient(i, w) for i in range(2)]
            whole = square(
                [sum(c * x[a] for c, x in zip(slow.c, both, strict=True)) for a in (0, 1)]
            )
            largest = [max(largest[0], own), max(largest[1], whole)]
    found = premises(round_outcomes(problem, algorithm, start, 1))
    assert [found.local, found.wide] == pytest.approx([float(x) for x in largest], rel=1e-12)


def local_models(slow, j):
    """After one local step from W_0."""
    exact = slow.gradient(j, W_0)
    for noise in slow.signs:
        yield tuple(
            a - ETA * m * (b + e)
            for a, m, b, e in zip(W_0, slow.masks[j], exact, noise, strict=True)
        )
