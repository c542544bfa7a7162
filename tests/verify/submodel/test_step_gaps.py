"""The sub-model proofs on running algorithms: what is evaluated, and that a wrong step is seen."""

from dataclasses import replace
from functools import cache, partial

import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.algorithms import rolling_models, sub_models
from fedbounds.errors import ConflictError
from fedbounds.facts import Fact
from fedbounds.theory.language.symbols import K, mu, t
from fedbounds.theory.proof.replay import Local, Replayed
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.submodel import assumed
from fedbounds.theory.submodel.proofs import definitions_rounds as rounds
from fedbounds.theory.submodel.proofs import scopes
from fedbounds.theory.submodel.proofs.book import book
from fedbounds.theory.submodel.scope_names import FULL, WHOLE
from fedbounds.theory.submodel.setups import PLANNED, Cohort, Shape, setup_of
from fedbounds.theory.submodel.symbols import G_pair, a_bar2
from fedbounds.verify.judge.seen import evaluated
from fedbounds.verify.judge.seen import judged as told
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.setups import steps as of_setups
from fedbounds.verify.setups.found import view_of

CLOSE = 1e-13
WRITTEN = {w.id: w for w in book().steps}
gaps = partial(of_setups.gaps, "submodel")
SCOPES = (
    *(rounds.ROUND, rounds.EPOCH, rounds.FREE_EPOCH, rounds.WITHIN, rounds.UNROLLED),
    *(rounds.DRAWN, rounds.GAP, rounds.GAP_ROLLING),
    *(scopes.PAIR, scopes.POINT, scopes.POINT_ROLLING, scopes.QUADRATIC, scopes.MINIMISERS),
    *(scopes.STEP, scopes.SAMPLE, scopes.COUPLED),
    *(rounds.at_optimum(rounds.GAP), WHOLE, FULL),
)

# ---- what is evaluated


FALSE = {"prop-2:strong convexity, unchanged"}  # masks do not keep the curvature


@cache
def seen():
    """The least gap of every step that is evaluated."""
    every = {name: gaps(step) for name, step in WRITTEN.items()}
    return {name: min(found) for name, found in every.items() if found}


def test_nothing_given_and_no_step_is_broken_but_what_is_known_to_be_false():
    assert len(seen()) >= 275
    assert {name for name, least in seen().items() if least < -CLOSE} == FALSE
    assert all(seen()[name] < -1e-3 for name in FALSE)


def test_what_is_declared_holds_on_every_run():
    theory = book().theory
    of_setups.check_declared("submodel", theory.scopes)
    of_setups.check_signs("submodel", theory.quantities)


@pytest.mark.parametrize("scope", SCOPES)
def test_every_step_of_a_scope_is_evaluated(scope):
    own = {w.id for w in WRITTEN.values() if w.scope == scope}
    assert len(own) >= 2
    assert own - set(seen()) == set()


def test_steps_about_numbers_and_quantities_are_evaluated():
    claims = ("lem-4", "lem-5", "lem-6", "lem-10", "lem-11", "thm-1", "thm-2", "thm-3", "thm-4")
    own = {
        w.id
        for w in WRITTEN.values()
        if not w.scope and w.claim in {f"submodel/{claim}" for claim in claims}
    }
    given_ones = {
        *("asm nu2", "asm B2", "asm B_M2", "def Phi", "def Z_ex at T", "asm log_T"),
        *("asm summation by parts", "asm weights", "asm G_pair", "asm losses"),
        *("asm strongly convex, random masks", "asm strongly convex, rolling masks"),
        *("asm start of coupled runs", "thm-5:a", "thm-6:a, stability"),
    }
    assert len(own) >= 30
    assert (own | given_ones) - set(seen()) == set()


def of(name, scope):
    """The id of a definition or an assumption of a scope."""
    return f"{name} ({scope})"


# that something is zero
NOTHING = {
    "lem-9:recursion", "lem-10:unrolled", "stat-random:c", of("def Rc_2", rounds.WITHIN),
    of("def Un_2", rounds.UNROLLED), of("def Es_2", scopes.QUADRATIC),
    *(of(name, WHOLE) for name in ("asm kept entries", "asm other entries", "asm last iterates")),
    *(of(name, WHOLE) for name in ("def Ev_2", "def Ea_2")),
    of("asm equal points have equal projections", WHOLE),
    *(of(name, FULL) for name in ("asm same steps", "asm same server", "def Er_2", "def nu_star2")),
}  # fmt: skip


@pytest.mark.parametrize("scope", SCOPES)
def test_no_equality_is_seen_only_where_both_sides_are_zero(scope):
    own = [w for w in WRITTEN.values() if w.scope == scope and w.relation == "=="]
    doubled = {w.id: gaps(replace(w, right=2 * w.right)) for w in own}
    blind = {name for name, found in doubled.items() if not min(found) < -1e-10}
    assert blind - NOTHING == set()


# ---- planted wrong statements


def wrong(name, right):
    """A step with another right side; a number scales it."""
    step = WRITTEN[name]
    scaled = step.right * sp.nsimplify(right, rational=True) if isinstance(right, float) else right
    return replace(step, right=scaled)


PLANTED = [
    wrong(of("def V_bar", rounds.ROUND), sq(rounds.y - rounds.x)),
    wrong(of("def H_x", rounds.ROUND), 0.99),
    wrong(of("def X_U", rounds.ROUND), 1.01),
    wrong(of("def nu_star2", rounds.ROUND), sq(rounds.ho)),
    wrong(of("asm sum of noise", rounds.ROUND), 0.99),
    wrong(of("asm mean noise", rounds.ROUND), 0.99),
    wrong(of("asm masks at x", rounds.ROUND), 0.5),
    wrong(of("asm smooth", rounds.ROUND), 0.99),
    wrong(of("asm cocoercive", rounds.ROUND), 0.9),
    wrong(of("asm projection", rounds.ROUND), 0.99),
    wrong("lem-6:identity", 0.99),
    wrong("lem-4: expanded", 0.99),
    wrong(of("def D_opt next", rounds.EPOCH), sq(rounds.x - rounds.xo)),
    wrong(of("asm sum of noise", rounds.EPOCH), 0.9),
    wrong(of("asm sum over rounds", rounds.EPOCH), K**2 * a_bar2 / 2),
    wrong(of("asm every permutation", rounds.FREE_EPOCH), 0.99),
    wrong(of("asm own steps", rounds.FREE_EPOCH), 0.99),
    wrong(of("def Rc_2", rounds.WITHIN), sq(rounds.wv - rounds.x)),
    wrong("lem-9:H_s <= L", 0.5),
    wrong(of("def Un_2", rounds.UNROLLED), sq(rounds.wS - rounds.x)),
    wrong("lem-wor:second moment", 0.99),
    wrong("asm summation by parts", 0.5),
    wrong(of("asm one client", rounds.GAP), 0.1),
    wrong(of("def Dl_w", rounds.GAP_ROLLING), 0.99),
    wrong("prop-1:strong convexity", 0.5),
    wrong("prop-2:smoothness", 0.5),
    wrong(of("asm mean of m, r", scopes.POINT), 0.99),
    wrong(of("asm smooth", scopes.POINT_ROLLING), 0.9),
    wrong(of("def gap_at_2", scopes.MINIMISERS), 0.99),
    wrong(of("asm F_p'", scopes.MINIMISERS), 2.0),
    wrong(of("def Dl_w", scopes.STEP), 0.99),
    wrong("lem-1:above, averaged", 0.01),
    wrong(of("asm exchange", scopes.COUPLED), 0.99),
    wrong(of("asm sample drawn", scopes.COUPLED), G_pair(t) * mu**0 * 2),
    wrong(of("asm K steps", scopes.COUPLED), 0.5),
    wrong(of("asm co-coercive", scopes.SAMPLE), 1.01),
]


@pytest.mark.parametrize("step", PLANTED, ids=lambda x: x.id)
def test_a_wrong_step_is_a_conflict(step):
    status = Local.GIVEN if step.rule == "given" else Local.PROVED
    right = told([Replayed(WRITTEN[step.id], status, "", None, ())], gaps)
    assert right[step.id].least >= -CLOSE
    with pytest.raises(ConflictError, match="broken on a run"):
        told([Replayed(step, status, "", None, ())], gaps)
    # what is not proved, or rests on what is not, is reported only
    for unproved in (
        Replayed(step, Local.OPEN, "", None, ()),
        Replayed(step, Local.PROVED, "", None, ("some step",)),
    ):
        assert told([unproved], gaps)[step.id].least < -1e-10


# ---- planted errors of the algorithms and of what is measured


PLANE = next(p.setup for p in PLANNED if p.name == "plane, eta K L = 1/8")


def a_round():
    """Anew, so that what was found of another is not used again."""
    return judged(replace(PLANE, run=replace(PLANE.run)))


def judged(setup):
    view = view_of(setup)
    return of_setups.Judged(setup, view)


SPLIT = next(p.setup for p in PLANNED if p.name == "split, own orders, eta S K L = 1/8")


def an_epoch(orders=1):
    parameters = {**dict(SPLIT.run.parameters), "orders": orders}
    return judged(replace(SPLIT, run=replace(SPLIT.run, parameters=tuple(parameters.items()))))


def hold(monkeypatch, made):
    """Everything about this alone."""
    monkeypatch.setattr(of_setups, "judged_on", lambda theory: (made,))
    steps = [w for w in WRITTEN.values() if w.scope in (rounds.ROUND, rounds.EPOCH, rounds.WITHIN)]
    proved = [Replayed(step, Local.PROVED, "", None, ()) for step in steps]
    return evaluated(proved, "submodel")


@pytest.mark.parametrize("made", [a_round, an_epoch])
def test_without_an_error_there_is_no_conflict(monkeypatch, made):
    assert len(hold(monkeypatch, made())) >= 25


def test_a_forgotten_mask_of_an_epoch_is_a_conflict(monkeypatch):
    original = rolling_models.virtual_steps
    monkeypatch.setattr(
        rolling_models, "virtual_steps", lambda problem, masks, *rest: original(problem, 1, *rest)
    )
    with pytest.raises(ConflictError, match="is another in a run"):
        hold(monkeypatch, an_epoch())


def test_a_forgotten_mask_of_a_round_is_a_conflict(monkeypatch):
    original = sub_models.virtual_steps
    monkeypatch.setattr(
        sub_models, "virtual_steps", lambda problem, masks, *rest: original(problem, 1, *rest)
    )
    with pytest.raises(ConflictError, match="wf .* is another in a run"):
        hold(monkeypatch, a_round())


def test_a_forgotten_mean_of_an_epoch_is_a_conflict(monkeypatch):
    monkeypatch.setattr(
        rolling_models,
        "clients_mean",
        lambda w, masks, models, xp: w + (models - w[:, None]).sum(1),
    )
    with pytest.raises(ConflictError, match="is another in a run"):
        hold(monkeypatch, an_epoch())


def test_a_forgotten_mean_of_a_round_is_a_conflict(monkeypatch):
    monkeypatch.setattr(
        sub_models, "clients_mean", lambda w, masks, models, xp: w + (models - w[:, None]).sum(1)
    )
    with pytest.raises(ConflictError, match="wf .* is another in a run"):
        hold(monkeypatch, a_round())


def test_masks_of_another_law_are_a_conflict(monkeypatch):
    """F_p in closed form, and h_i under every mask, are held against each other."""
    masked = Clients.masked
    monkeypatch.setattr(Clients, "masked", lambda self, keep: masked(self, keep / 2))
    with pytest.raises(ConflictError):
        hold(monkeypatch, a_round())


def other(name, change):
    """A round of which a quantity is measured as another."""
    made = a_round()
    made.known.given = {name: change(made.known.series(name))}
    return made


@pytest.mark.parametrize("name", ["V_bar", "H_x", "U_2", "B2_x", "D_br", "L_Fp"])
def test_a_wrong_quantity_is_a_conflict(monkeypatch, name):
    planted = other(name, lambda series: series * (1 + fmpq(1, 10**6)))
    with pytest.raises(ConflictError, match="broken on a run"):
        hold(monkeypatch, planted)


def test_a_negative_quantity_is_a_conflict(monkeypatch):
    with pytest.raises(ConflictError, match="D_br is -"):
        hold(monkeypatch, other("D_br", lambda series: -series))


OF_POINTS = (scopes.PAIR, scopes.POINT, scopes.POINT_ROLLING, scopes.QUADRATIC)
OF_EPOCHS = (rounds.EPOCH, rounds.FREE_EPOCH, rounds.WITHIN, rounds.UNROLLED, rounds.GAP_ROLLING)
OF_DATA = (
    *(rounds.ROUND, rounds.GAP, rounds.at_optimum(rounds.GAP), WHOLE),
    *OF_EPOCHS,
    *OF_POINTS,
)


@pytest.mark.parametrize("scope", OF_DATA)
def test_a_derived_vector_that_is_another_in_a_set_up_is_a_conflict(scope, monkeypatch):
    said = book().theory.scopes[scope]
    assert said.derived
    for name, _ in said.derived:
        made = next(on for on in of_setups.judged_on("submodel") if scope in on.view.scopes)
        space = made.known.trace.spaces[0]
        of_setups._check_derived(scope, said, space, made)
        vectors = {**space.vectors, name: space.vectors[name] + fmpq(1, 10**6)}
        with pytest.raises(ConflictError, match=f"{name} of .* is another"):
            of_setups._check_derived(scope, said, replace(space, vectors=vectors), made)


# ---- dependences


def held(scope, said):
    of_setups.check_declared("submodel", {scope: said})


@pytest.mark.parametrize(
    ("scope", "atom", "missing"),
    [
        (rounds.ROUND, "hx", "mask"),
        (rounds.ROUND, "hy", "xi"),
        (rounds.ROUND, "xn", "mask"),
        (rounds.EPOCH, "hx", "perm"),
        (rounds.EPOCH, "Pa", "s"),
        (rounds.WITHIN, "ws", "perm"),
        (rounds.UNROLLED, "Aa", "perm"),
        (scopes.PAIR, "pu", "xi"),
        (scopes.COUPLED, "pushed", "i"),
        (scopes.SAMPLE, "pu", "xi"),
    ],
)
def test_a_planted_independence_is_a_conflict(scope, atom, missing):
    said = book().theory.scopes[scope]
    kept = tuple(pair for pair in said.atoms if pair[0] != atom)
    less = tuple(source for source in dict(said.atoms)[atom] if source != missing)
    with pytest.raises(ConflictError, match=f"{atom} of .*depends on {missing} in a run"):
        held(scope, replace(said, atoms=(*kept, (atom, less))))


def test_a_vector_that_does_not_average_out_is_a_conflict():
    said = replace(book().theory.scopes[rounds.ROUND], centred=(("hx", "mask"),))
    with pytest.raises(ConflictError, match="hx of .*does not vanish"):
        held(rounds.ROUND, said)
    said = replace(book().theory.scopes[rounds.EPOCH], centred=(("hx", "perm"),))
    with pytest.raises(ConflictError, match="hx of .*does not vanish"):
        held(rounds.EPOCH, said)


def test_variances_of_one_order_and_of_own_orders_are_told_apart(monkeypatch):
    title = of("asm sum over rounds", rounds.EPOCH)
    kept, other = WRITTEN[title], WRITTEN[title.replace(" (", ", own permutations (")]
    for orders, seen_one, unseen in ((1, kept, other), (2, other, kept)):
        made = an_epoch(orders)
        monkeypatch.setattr(of_setups, "judged_on", lambda theory, made=made: (made,))
        assert of_setups.gaps("submodel", seen_one)
        assert not of_setups.gaps("submodel", unseen)


# ---- assumptions, conditions and signs


def assuming_nothing(name):
    step = WRITTEN[name]
    return replace(step, statement=replace(step.statement, assumptions=()))


def test_assumptions_hold_in_the_set_ups_on_which_a_step_is_evaluated(monkeypatch):
    step = WRITTEN[of("asm mean of m is p, v", scopes.PAIR)]
    every = [on for on in of_setups.judged_on("submodel") if scopes.PAIR in on.view.scopes]
    outside = tuple(on for on in every if not on.holding.get(assumed.KEPT, False))
    assert outside
    monkeypatch.setattr(of_setups, "judged_on", lambda theory: outside)
    assert not of_setups.gaps("submodel", step)


@pytest.mark.parametrize(
    ("name", "assumption"),
    [
        (of("asm convex", rounds.ROUND), Fact.CONVEX),
        (of("asm cocoercive", rounds.WITHIN), Fact.CONVEX),
        ("asm strongly convex, random masks", Fact.STRONGLY_CONVEX),
        (of("asm descent of F_p", rounds.ROUND), Fact.UNCONSTRAINED),
    ],
)
def test_assumptions_hold_where_a_step_is_evaluated_on_set_ups(name, assumption, monkeypatch):
    every = of_setups.judged_on("submodel")
    outside = [on for on in every if not on.holding.get(assumption, False)]
    inside = [on for on in every if on not in outside]
    assert outside
    assert inside
    monkeypatch.setattr(of_setups, "judged_on", lambda theory: outside)
    assert of_setups.gaps("submodel", WRITTEN[name]) == []
    monkeypatch.setattr(of_setups, "judged_on", lambda theory: inside)
    assert of_setups.gaps("submodel", WRITTEN[name])


def test_a_step_about_epochs_is_not_evaluated_on_rounds(monkeypatch):
    """Both have a V_bar; what it is depends on the algorithm."""
    about = [w for w in WRITTEN.values() if w.claim == "submodel/lem-11" and not w.scope]
    assert about
    assert all(of_setups.gaps("submodel", step) for step in about)
    monkeypatch.setattr(of_setups, "judged_on", lambda theory: (a_round(),))
    assert all(of_setups.gaps("submodel", step) == [] for step in about)


def test_without_convexity_its_facts_are_false():
    name = of("asm cocoercive", rounds.ROUND)
    assert min(gaps(WRITTEN[name])) >= -CLOSE
    assert min(gaps(assuming_nothing(name))) < -1e-6


def test_without_a_short_step_its_conclusion_is_not_evaluated():
    step = WRITTEN["lem-5:drift"]
    free = replace(step, conditions=())
    assert len(gaps(step)) < len(gaps(free))


def test_a_number_without_its_sign_is_not_used():
    made = a_round()
    step = next(
        w for w in WRITTEN.values()
        if w.scope == rounds.ROUND and of_setups.least_on(w, made) is not None
        and any(x.name == "eta" for x in (w.right - w.left).free_symbols)
    )  # fmt: skip
    planted = a_round()
    planted.known.constants = {**planted.known.constants, "eta": fmpq(0)}
    assert of_setups.least_on(step, planted) is None


# ---- other problems


@given(
    st.lists(st.integers(-3, 3), min_size=6, max_size=6),
    st.sampled_from([fmpq(1, 5), fmpq(1, 2), fmpq(1)]),
    st.sampled_from([1, 4, 10]),
)
@settings(max_examples=12, deadline=None)
def test_definitions_hold_on_any_quadratics(entries, share, edge):
    a, b, c, *slope = entries
    matrix = ((a * a + 1, a * b), (a * b, b * b + 1 + c * c))
    trace = matrix[0][0] + matrix[1][1]
    cohort = Cohort((matrix,), (slope[:2],), (1, slope[2]), trace)
    made = judged(setup_of(Shape("any", cohort, (str(share),), 2, 2), 2 * edge))
    for written in WRITTEN.values():
        if written.scope == rounds.ROUND and set(written.statement.assumptions) <= held_by(made):
            found = of_setups.least_on(written, made)
            assert found is None or found >= 0, written.id


def held_by(made):
    return {str(name) for name, holds in made.holding.items() if holds}
