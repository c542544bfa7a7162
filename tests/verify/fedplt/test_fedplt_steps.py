"""FedPLT's proofs on its own set-ups: what is evaluated, and that a wrong step is seen."""

from dataclasses import replace
from functools import cache, partial

import pytest
import sympy as sp
from flint import fmpq

from fedbounds.algorithms import fedplt
from fedbounds.errors import ConflictError
from fedbounds.facts import Fact
from fedbounds.theory.fedplt import assumed
from fedbounds.theory.fedplt.proofs.book import book
from fedbounds.theory.fedplt.proofs.scopes import SCOPES
from fedbounds.theory.fedplt.scope_names import (
    CLIENT,
    CLIENT_ROUND,
    CLIENT_ROUND_FGD,
    ROUND,
    STEP,
    VIRTUAL,
)
from fedbounds.theory.fedplt.symbols import F_raw, Lambda
from fedbounds.theory.fedplt.vectors import W, Wk, Wn, Wstar, delta, ns
from fedbounds.theory.language.symbols import G2, eta, t
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local, Replayed
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.judge.seen import evaluated, judged
from fedbounds.verify.measure.roots import as_roots
from fedbounds.verify.setups import steps as module

WRITTEN = {(w.id, w.source): w for w in book().steps}

# ---- what is evaluated

# of the algorithm with decaying steps: long runs judge them
DECAYING = {
    "decaying-step-reduced:algorithm", "decaying-step-base:D^1", "decaying-step:of the algorithm",
}  # fmt: skip

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
    assert len(seen()) >= 200  # a step that is broken raises


def test_every_other_step_is_evaluated():
    assert {name for name, _ in WRITTEN} - set(seen()) == DECAYING | NOWHERE
    for name in DECAYING:
        assert assumed.DECAYING_STEPS in WRITTEN[name, "paper"].assumptions


# false statements, each broken by a set-up inside its assumptions
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
    assert {name for name in BROKEN if seen()[name].least >= 0} == set()


@pytest.mark.parametrize("scope", [STEP, CLIENT, ROUND, CLIENT_ROUND, CLIENT_ROUND_FGD, VIRTUAL])
def test_every_scope_has_steps_that_several_set_ups_evaluate(scope):
    own = [w for w in WRITTEN.values() if w.scope == scope]
    assert len(own) >= 2
    assert all(seen()[w.id].instances >= 1 for w in own)
    assert max(seen()[w.id].instances for w in own) >= 5


# ---- a planted wrong statement


def wrong(name, right, source="paper"):
    """A proved step with another right side; a number scales it."""
    step = WRITTEN[name, source]
    scaled = step.right * sp.nsimplify(right, rational=True) if isinstance(right, float) else right
    return replace(step, right=scaled)


def planted():
    return [
        wrong("A1-term:b", 0.9),
        wrong("A3-zero:A_3", sq(delta)),
        wrong(f"asm variance ({STEP})", 0.99),
        wrong("def A_24", 0.99),
        wrong("A2-expansion", sq(W - Wstar)),
        wrong("alpha", 0.5),
        wrong("A1-term:d", 0.99),
        wrong("coordinate-average", 1.01),
        wrong("gamma-relax:client", 0.1),
        wrong("conditions: (ii) is a ceiling", 0.99, "ours"),
        wrong("A2.2-part2/corrected", 10.0, "ours"),
        wrong("asm virtual aggregation", 0.99),
        wrong("asm one local step: D_W (one step)", 0.99),
        wrong("def F_star", Lambda / 2),
        wrong("asm shares of gaps (one step)", F_raw(t) / 9),
        wrong("A2.1:c", 0.05),
        wrong(f"asm variance ({VIRTUAL})", 0.99),
        wrong("local-divergence: gradients", 0.05, "ours"),
        wrong("local-divergence: V_W, virtual", eta**2 / 1000, "ours"),
        wrong(f"asm unbiased ({ROUND})", sq(ns)),
        wrong(f"def D_W next ({ROUND})", 0.99),
        wrong(f"def D_1 ({ROUND})", sq(Wn - Wstar)),
        wrong("local-divergence:b", 0.5),
        wrong("local-divergence:c, gradients of F_k", 0.99),
        wrong("local-divergence:e, gradients of F_k", G2 * eta**2 / 100),
        wrong("update-identity:SGD/corrected", sq(Wk - W), "ours"),
        wrong("update-identity:FGD/corrected", sq(Wk - W), "ours"),
    ]


def test_a_wrong_step_is_a_conflict():
    def said(step):
        status = Local.GIVEN if step.rule == "given" else Local.PROVED
        return Replayed(step, status, "", None, ())

    gaps = partial(module.gaps, "fedplt")
    every = [said(WRITTEN[step.id, step.source]) for step in planted()]
    assert judged(every, gaps).keys() == {step.id for step in planted()}
    for step in planted():
        with pytest.raises(ConflictError, match="broken on a run"):
            judged([said(step)], gaps)


def test_what_is_not_proved_or_rests_on_what_is_not_is_reported_only():
    step = wrong("A1-term:b", 0.9)
    for unproved in (
        Replayed(step, Local.OPEN, "", None, ()),
        Replayed(step, Local.PROVED, "", None, ("some step",)),
    ):
        assert evaluated([unproved], "fedplt")[step.id].least < -1e-3


def test_a_server_that_compensates_wrongly_is_a_conflict(monkeypatch):
    original = fedplt.compensation
    monkeypatch.setattr(fedplt, "compensation", lambda trained, c: original(trained, c) * 2)
    fresh = [on for on in module.setups("fedplt") if on.quick and on.setup.view == "one step"][:3]
    again = tuple(
        replace(one, setup=replace(one.setup, run=replace(one.setup.run))) for one in fresh
    )
    monkeypatch.setattr(module, "setups", lambda theory: again)
    module._judged_on.cache_clear()
    try:
        step = WRITTEN["A2.2-split", "paper"]
        with pytest.raises(ConflictError, match="D of .* is another in a run"):
            evaluated([Replayed(step, Local.PROVED, "", None, ())], "fedplt")
        assert min(module.gaps("fedplt", step)) < 0
    finally:
        module._judged_on.cache_clear()


# ---- assumptions and conditions


def test_dependent_noise_is_outside_independence():
    step = WRITTEN["A1-term:b", "paper"]
    assert min(module.gaps("fedplt", step)) >= 0
    named = replace(step.statement, assumptions=(Fact.NOISE,))
    assert min(module.gaps("fedplt", replace(step, statement=named))) < -1e-3


def test_conditions_on_the_step_size_leave_out_what_does_not_meet_them():
    step = WRITTEN["A2.4:equal", "paper"]
    free = replace(step, conditions=())
    assert 10 <= len(module.gaps("fedplt", step)) < len(module.gaps("fedplt", free))


def test_distances_of_rounds_are_not_those_of_local_steps():
    def views(written):
        return {
            on.setup.view
            for on in module.judged_on("fedplt")
            if not (scopes := module._scopes("fedplt", written)) or scopes & set(on.view.scopes)
            if all(on.holding.get(a, False) for a in written.statement.assumptions)
            if module.least_on(written, on) is not None
        }

    assert all(x.startswith("rounds") for x in views(WRITTEN["recursion:round", "paper"]))
    assert views(WRITTEN["recursion:round/corrected", "ours"]) == {"local steps"}


# ---- what vectors depend on


def declared(scope, atom, sources):
    kept = tuple(pair for pair in SCOPES[scope].atoms if pair[0] != atom)
    return {scope: replace(SCOPES[scope], atoms=(*kept, (atom, sources)))}


def test_what_is_declared_holds_on_every_run():
    module.check_declared("fedplt", SCOPES)
    module.check_declared("fedplt", declared(STEP, "g", ("past", "k", "xi")))  # less is not needed


@pytest.mark.parametrize(
    ("scope", "atom", "sources", "missing"),
    [
        (STEP, "g", ("past",), "k"),
        (STEP, "mn", ("past", "k"), "xi"),
        (ROUND, "gs", ("past", "k", "s"), "xi"),
        (ROUND, "pmn", ("past", "xi", "k"), "new"),
        (VIRTUAL, "mgs", ("past", "xi", "k"), "s"),
    ],
)
def test_a_planted_independence_is_a_conflict(scope, atom, sources, missing):
    with pytest.raises(ConflictError, match=f"{atom} of .*depends on {missing}.* in a run"):
        module.check_declared("fedplt", declared(scope, atom, sources))


def test_a_vector_that_does_not_average_out_is_a_conflict():
    planted_scope = {STEP: replace(SCOPES[STEP], centred=(("mg", "xi"),))}
    with pytest.raises(ConflictError, match="mg of .*does not vanish"):
        module.check_declared("fedplt", planted_scope)


def test_sizes_are_of_the_terms():
    assert all(isinstance(x, float) for x in module.gaps("fedplt", WRITTEN["A1-term:b", "paper"]))
    assert module._quotient(fmpq(3, 2), fmpq(2)) == 0.75
    root_of_two = as_roots(2).root(2)
    assert module._quotient(root_of_two, fmpq(2)) == pytest.approx(0.5**0.5, abs=1e-15)
