"""Slack: bound minus measured is the sum of the losses, identically, and no loss is negative.

The identity is tested in exact rationals with arbitrary numbers for every quantity, so it cannot
lean on the algorithm; the signs are tested under the theorem's conditions.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest
import sympy as sp
from each import each
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from personal_cases import alike, at_edge, case, coupled, run, sizes

from fedbounds.errors import FedboundsError
from fedbounds.theory.language import slack as slack_module
from fedbounds.theory.language.claims import Multiplier
from fedbounds.theory.language.registry import claim, encoded_claims, setups
from fedbounds.theory.language.slack import Loss, collect_means, decompose
from fedbounds.theory.language.symbols import B_0, F_0, G_u, K, L, Mean_t, T, eta_u, f, gamma, n, t
from fedbounds.verify.decide import shares as shares_module
from fedbounds.verify.decide.conditions import failure
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.decide.shares import (
    Share,
    amount_of,
    regime_of,
    shares,
    told_shares,
    with_weights,
)
from fedbounds.verify.decide.sides import in_floats
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Method

DECOMPOSED = [found for found in encoded_claims("personalization") if found.proof_weights]
THEOREM, FULL, SCAFFOLD = (claim(f"personalization/thm-{at}") for at in ("3.7", "3.11", "4.5"))
every_theorem = each("theorem", DECOMPOSED, lambda found: found.id)
NAMES = ("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E", "C", "S_3u")
CONSTANTS = ("L", "F_0", "B_0", "sigma_u^2", "sigma_v^2", "b^2", "gamma", "gamma_u", "gamma_v", "eta_u",
             "eta_v")  # fmt: skip


@cache
def losses_of(claim_id: str) -> tuple[Loss, ...]:
    return decompose(claim(claim_id))


def arbitrary(seed: int, full: bool = False) -> Numbers:
    """Rationals of either sign for every quantity, positive ones for constants; no relation holds.

    But m = n where a theorem is about full participation, and n^(2/3) is rational.
    """
    rng = Random(seed)
    n, rounds = rng.choice([1, 8, 27]), rng.randint(1, 6)
    whole = {"n": n, "m": n if full else rng.randint(1, n), "K": rng.randint(1, 5), "T": rounds}
    constants = {k: fmpq(v) for k, v in whole.items()}
    constants |= {name: fmpq(rng.randint(1, 30), rng.randint(1, 30)) for name in CONSTANTS}
    series = {
        name: np.array(
            [fmpq(rng.randint(-30, 30), rng.randint(1, 30)) for _ in range(rounds + 1)],
            dtype=object,
        )
        for name in NAMES
    }
    return Numbers(constants, series, lambda p, q: fmpq(p, q))


def total(theorem, losses: tuple[Loss, ...], numbers: Numbers):
    """Sum of the losses."""
    weighted = with_weights(theorem, numbers)
    return sum(amount_of(loss, weighted) for loss in losses)


@every_theorem
@each("seed", range(12))
def test_the_losses_add_up_to_the_gap_whatever_the_numbers(theorem, seed):
    numbers = arbitrary(seed, theorem is FULL)
    assert total(theorem, losses_of(theorem.id), numbers) == evaluate(theorem.parts[0].gap, numbers)


def test_the_three_theorems_are_decomposed():
    assert {THEOREM.id, FULL.id, SCAFFOLD.id} <= {found.id for found in DECOMPOSED}


@every_theorem
def test_every_lemma_has_its_loss_and_names_are_unique(theorem):
    names = [loss.name for loss in losses_of(theorem.id)]
    assert len(set(names)) == len(names)
    for multiplier in theorem.proof_weights:
        short = multiplier.claim.partition("/")[2]
        if short.startswith("lem"):  # a display's loss is what it rounds up
            assert any(name.startswith(short) and multiplier.part in name for name in names)


@every_theorem
def test_no_quantity_of_the_descent_is_left_over(theorem):
    """T_1, T_2, T_3 and S_3 cancel, and B and C but for what the proof rounds up."""
    rounded_up = {THEOREM.id: set(), FULL.id: {"B"}, SCAFFOLD.id: {"C"}}
    left_over = remainder_quantities(losses_of(theorem.id))
    assert left_over <= {"G_u", "G_v", "E", "f"} | rounded_up[theorem.id]


def remainder_quantities(losses: tuple[Loss, ...]) -> set[str]:
    """Quantities in the losses that no lemma accounts for."""
    return {
        atom.func.__name__
        for loss in losses
        if not loss.name.startswith("lem") and loss.rounds is None
        for atom in loss.amount.atoms(sp.core.function.AppliedUndef)
        if not atom.func.__name__.startswith("weight")
    }


QUANTITY_OF = {  # what a lemma brings into the descent and another takes out again
    ("personalization/lem-3.2", "u"): "T_1u",
    ("personalization/lem-3.2", "v"): "T_1v",
    ("personalization/lem-3.3", "u"): "T_2u",
    ("personalization/lem-3.3", "v"): "T_2v",
    ("personalization/lem-3.4", ""): "T_3u",
    ("personalization/lem-3.6", "a"): "B",
}


@pytest.mark.parametrize("lemma", QUANTITY_OF, ids=[" ".join(key) for key in QUANTITY_OF])
def test_a_wrong_multiplier_leaves_its_quantity_over(lemma):
    def changed(multiplier: Multiplier) -> Multiplier:
        wrong = (multiplier.claim, multiplier.part) == lemma
        return replace(multiplier, weight=multiplier.weight * (2 if wrong else 1))

    planted = replace(THEOREM, proof_weights=tuple(map(changed, THEOREM.proof_weights)))
    losses = decompose(planted)
    assert QUANTITY_OF[lemma] in remainder_quantities(losses)
    numbers = arbitrary(1)  # still an identity: the residual is shown, not hidden
    assert total(planted, losses, numbers) == evaluate(planted.parts[0].gap, numbers)


def test_a_forgotten_lemma_leaves_its_quantity_over():
    planted = replace(
        THEOREM,
        proof_weights=tuple(w for w in THEOREM.proof_weights if w.claim[-3:] != "3.4"),
    )
    assert "T_3u" in remainder_quantities(decompose(planted))


def test_a_shifted_mean_telescopes():
    found = collect_means(Mean_t(gamma * f(t + 1) - gamma * f(t) + K * G_u(t)) + 3 * F_0)
    expected = {
        Mean_t(G_u(t)): K, f(T): gamma / T, F_0 - f(0): gamma / T, F_0: 3 - gamma / T,
    }  # fmt: skip
    assert found.keys() == expected.keys()
    assert all(sp.expand(found[atom] - expected[atom]) == 0 for atom in expected)


# ---- signs under the theorem's conditions


@st.composite
def admissible(draw):
    """Rational parameters inside theorem 3.7's conditions, edges included."""
    n = draw(st.integers(1, 12))
    m = draw(st.integers(1, n))
    steps, rounds = draw(st.integers(1, 8)), draw(st.integers(1, 9))

    def positive():
        return fmpq(draw(st.integers(1, 50)), draw(st.integers(1, 50)))

    smooth = positive()
    room = draw(st.sampled_from([fmpq(1), fmpq(1, 2), fmpq(1, 100)]))
    gamma = room / (32 * smooth * steps)
    eta_u, eta_v = positive(), positive()
    for scale in (2**i for i in range(8)):  # the first multiple that is long enough
        if eta_u * eta_u < m:
            eta_u = eta_u * scale
        if eta_v * eta_v < fmpq(n, m):
            eta_v = eta_v * scale
    if draw(st.booleans()):  # exactly at the edge where that is rational
        root_m, root_ratio = m**0.5, (n / m) ** 0.5
        eta_u = fmpq(int(root_m)) if root_m.is_integer() else eta_u
        eta_v = fmpq(int(root_ratio)) if root_ratio.is_integer() else eta_v
    assume(eta_u * eta_u >= m and eta_v * eta_v >= fmpq(n, m))
    zero_or = [fmpq(0) if draw(st.booleans()) else positive() for _ in range(3)]
    constants = {
        "n": fmpq(n), "m": fmpq(m), "K": fmpq(steps), "T": fmpq(rounds), "L": smooth,
        "gamma": gamma, "eta_u": eta_u, "eta_v": eta_v, "gamma_u": gamma / eta_u,
        "gamma_v": gamma / eta_v, "sigma_u^2": zero_or[0], "sigma_v^2": zero_or[1],
        "b^2": zero_or[2], "F_0": fmpq(1),
    }  # fmt: skip
    return constants


@given(admissible())
def test_no_remainder_is_negative_under_the_conditions(constants):
    rounds = int(constants["T"])
    series = {name: np.array([fmpq(1)] * (rounds + 1), dtype=object) for name in NAMES}
    numbers = Numbers(constants, series, lambda p, q: fmpq(p, q))  # F_0 - f(0) = 0
    for loss in losses_of(THEOREM.id):
        if not loss.name.startswith("lem"):
            assert evaluate(loss.amount, numbers) >= 0, loss.name


def test_a_remainder_turns_negative_outside_the_conditions():
    """The step-size condition is what makes them non-negative: 32 times too long is too long."""
    n = fmpq(4)
    constants = {
        "n": n, "m": n, "K": fmpq(5), "T": fmpq(3), "L": fmpq(1), "gamma": fmpq(1, 5),
        "eta_u": fmpq(2), "eta_v": fmpq(1), "gamma_u": fmpq(1, 10), "gamma_v": fmpq(1, 5),
        "sigma_u^2": fmpq(1), "sigma_v^2": fmpq(1), "b^2": fmpq(1), "F_0": fmpq(1),
    }  # fmt: skip
    series = {name: np.array([fmpq(1)] * 4, dtype=object) for name in NAMES}
    numbers = Numbers(constants, series, lambda p, q: fmpq(p, q))
    amounts = [evaluate(x.amount, numbers) for x in losses_of(THEOREM.id) if x.name[:3] == "ste"]
    assert min(amounts) < 0


# ---- shares on running instances


def quadratic(n, m, steps, rounds, apart, scale, seed, theorem=THEOREM):
    """At the edge of a theorem's conditions; curvatures are each client's own without ``apart``."""
    noise = {"noise": scale, "law": "gaussian"}
    problem = alike(n, seed=seed, apart=apart, **noise) if apart else coupled(n, **noise)
    start = [Fraction((5 * at + seed) % 7 - 3, 2) for at in range(2 + n)]
    edge = at_edge(theorem, problem, m, steps, rounds, start)
    return case(edge, rule=theorem.algorithms[0], many=True)


def cosine():
    """Every outcome, in balls."""
    name = "cosines, n=2 m=1 K=2 T=2 noise 1/2 and 0, short steps"
    return case_of(next(one for one in setups("personalization") if one.name == name), "")


def floats_of(instance):
    """What is measured, in floats."""
    numbers = measure(instance).numbers
    return in_floats(numbers) if instance.method is Method.BALLS else numbers


INSTANCES = (
    quadratic(5, 2, 4, 50, 1, "3/10", 0),
    quadratic(4, 1, 6, 30, 2, 0, 1),
    quadratic(3, 3, 5, 40, "1/2", 1, 2),
    quadratic(2, 1, 1, 200, "3/2", 0, 3),
    cosine(),
)
every_instance = pytest.mark.parametrize("instance", INSTANCES, ids=range(len(INSTANCES)))


@every_instance
def test_shares_close_on_a_run_and_none_is_negative(instance):
    numbers = floats_of(instance)
    gap = evaluate(THEOREM.parts[0].gap, numbers)
    found = shares(THEOREM, numbers)
    assert sum(share.amount for share in found) == pytest.approx(gap, rel=1e-9)
    assert sum(share.share for share in found) == pytest.approx(1.0, rel=1e-9)
    assert [s.share for s in found] == sorted((s.share for s in found), reverse=True)
    # lemma gaps and remainders alike, up to the rounding of terms that cancel
    assert min(share.share for share in found) >= -1e-10


def test_a_lemma_that_does_not_speak_loses_nothing():
    """With every client taking part lemma 3.4 has weight 0; with K = 1 lemma 3.6 (a) has."""
    for at, silent in ((2, "lem-3.4"), (3, "lem-3.6 (a)")):
        found = {
            share.name: share.share for share in shares(THEOREM, measure(INSTANCES[at]).numbers)
        }
        assert abs(found.get(silent, 0.0)) < 1e-12


@each("at", lambda: range(len(losses_of(THEOREM.id))))
def test_a_loss_that_is_dropped_is_noticed(at, monkeypatch):
    numbers = measure(INSTANCES[0]).numbers
    losses = losses_of(THEOREM.id)
    kept = (*losses[:at], *losses[at + 1 :])
    monkeypatch.setattr(shares_module, "_losses", lambda claim_id: kept)
    if abs(evaluate(losses[at].amount, numbers)) > 1e-6 * evaluate(THEOREM.parts[0].gap, numbers):
        with pytest.raises(FedboundsError, match=r"thm-3.7 add up to .* but right - left"):
            shares(THEOREM, numbers)
    else:
        shares(THEOREM, numbers)


def test_losses_measured_on_a_perturbed_series_do_not_close(monkeypatch):
    """One loss sees another G_u than the bound's other terms do, by a millionth."""
    numbers = measure(INSTANCES[0]).numbers
    losses = losses_of(THEOREM.id)
    shares(THEOREM, numbers)
    lemma = next(loss for loss in losses if loss.name == "lem-3.2 (u)")
    wrong = lemma.amount.replace(lambda e: e.func == G_u, lambda e: (1 + sp.Rational(1, 10**6)) * e)
    planted = tuple(Loss(x.name, wrong) if x is lemma else x for x in losses)
    monkeypatch.setattr(shares_module, "_losses", lambda claim_id: planted)
    with pytest.raises(FedboundsError, match="add up to"):
        shares(THEOREM, numbers)


def test_shares_that_rounding_may_move_are_not_told():
    numbers = measure(INSTANCES[0]).numbers
    assert told_shares(THEOREM, numbers) == shares(THEOREM, numbers)
    errors = {name: numbers.errors[name] * 0 for name in numbers.errors}
    rough = replace(numbers, errors=errors | {"f": numbers.series["f"] / 1000})
    assert told_shares(THEOREM, rough) == ()


def test_shares_agree_with_lemma_gaps_measured_one_by_one():
    """The share of a lemma is its weight times its own gap, averaged over rounds."""
    numbers = floats_of(INSTANCES[4])
    by_name: dict[str, Share] = {share.name: share for share in shares(THEOREM, numbers)}
    rounds = range(int(numbers.constants["T"]))
    for multiplier in THEOREM.proof_weights:
        part = claim(multiplier.claim).part(multiplier.part)
        weight = evaluate(multiplier.weight, numbers)
        expected = weight * np.mean(np.asarray(evaluate(part.gap, numbers, rounds)))
        short = multiplier.claim.partition("/")[2]
        name = f"{short} ({multiplier.part})" if multiplier.part else short
        found = by_name[name].amount if name in by_name else 0.0
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_run_inside_its_conditions_has_a_positive_gap_to_share():
    """Shares are parts of right - left, so they are asked for where that is positive."""
    for instance in INSTANCES:
        assert evaluate(THEOREM.parts[0].gap, floats_of(instance)) > 0


def test_equal_inner_steps_of_a_short_run_close_too():
    """T = 1: the telescoped sum has one term."""
    short = run(INSTANCES[1].setup.setup.run.problem, sizes(1, 6, "1/1000", 1, 2), 1)
    numbers = measure(case(short)).numbers
    assert sum(s.share for s in shares(THEOREM, numbers)) == pytest.approx(1.0, rel=1e-9)


# ---- a recursion that the proof unrolls, and one that it sums


def test_the_exact_unrolled_sum_is_what_the_weights_say():
    """By hand, T = 3, r = 2: B^0 counts 1 + 2 + 4 times, the gap of round 1 3 times, of round 2 once."""
    numbers = arbitrary(0, full=True)
    numbers = replace(numbers, constants=numbers.constants | {"T": fmpq(3)})
    (weights,) = (
        v for k, v in with_weights(FULL, numbers).series.items() if k.startswith("weight")
    )
    on_mean = evaluate(4 * L * K * gamma / (n * eta_u**2), numbers)
    assert [w / on_mean for w in weights] == [7, 3, 1, 0]


@pytest.mark.parametrize("rounds", [1, 2, 5, 60, 400])
def test_every_rounding_of_the_unrolled_sum_has_a_sign(rounds):
    """8 T, 16 n T^2 and 8 n T^3 / K are above the exact sums of powers, for every T."""
    constants = dict.fromkeys(CONSTANTS, 1.0) | {"n": 3.0, "m": 3.0, "K": 2.0, "T": float(rounds)}
    names = [name for name in NAMES if name != "f"]
    for one in names:  # one quantity at a time, in one round at a time
        for at in {0, rounds // 2, rounds - 1}:
            series = {name: np.zeros(rounds + 1) for name in NAMES}
            series[one][at] = 1.0
            weighted = with_weights(FULL, Numbers(constants, series))
            for loss in losses_of(FULL.id):
                if "rounded up" in loss.name:
                    assert amount_of(loss, weighted) >= 0, (loss.name, one, at)


def planted_weight(theorem, short: str, wrong) -> tuple[Loss, ...]:
    """The decomposition with the weight of one lemma changed."""
    weights = tuple(
        replace(w, weight=wrong(w.weight)) if w.claim.endswith(short) else w
        for w in theorem.proof_weights
    )
    return decompose(replace(theorem, proof_weights=weights))


EXACT = (
    (FULL, quadratic(4, 4, 5, 30, 0, "3/10", 0, FULL)),
    (FULL, quadratic(3, 3, 2, 100, 0, 0, 1, FULL)),
    (FULL, quadratic(2, 2, 3, 1, 0, "1/2", 2, FULL)),
    (SCAFFOLD, quadratic(5, 2, 4, 50, 0, "3/10", 0, SCAFFOLD)),
    (SCAFFOLD, quadratic(8, 1, 3, 40, 2, 0, 1, SCAFFOLD)),
    (SCAFFOLD, quadratic(3, 3, 1, 60, "1/2", 1, 2, SCAFFOLD)),
)
every_exact = pytest.mark.parametrize("at", range(len(EXACT)))


@every_exact
def test_shares_of_every_theorem_close_and_none_is_negative(at):
    theorem, instance = EXACT[at]
    numbers = measure(instance).numbers
    found = shares(theorem, numbers)
    gap = evaluate(theorem.parts[0].gap, numbers)
    assert sum(share.amount for share in found) == pytest.approx(gap, rel=1e-9)
    assert sum(share.share for share in found) == pytest.approx(1.0, rel=1e-9)
    assert min(share.share for share in found) >= -1e-9


@every_exact
def test_every_lemma_loses_its_weighted_gap_over_its_own_rounds(at):
    """Round by round from the claims, the weight of lemma 3.6 (b) summed power by power."""
    theorem, instance = EXACT[at]
    numbers = measure(instance).numbers
    weighted, rounds = with_weights(theorem, numbers), int(numbers.constants["T"])
    losses = {loss.name: loss for loss in losses_of(theorem.id)}
    for multiplier in theorem.proof_weights:
        short = multiplier.claim.partition("/")[2]
        if not short.startswith("lem"):
            continue
        part = claim(multiplier.claim).part(multiplier.part)
        expected = 0.0
        for r in range(part.first_round, rounds):
            if short == "lem-3.6":
                powers = sum((1 + 2 / (rounds - 1)) ** (s - r) for s in range(r, rounds))
                weight = evaluate(4 * L * K * gamma / (n * eta_u**2), numbers) * powers
            else:
                weight = evaluate(multiplier.weight, numbers)
            expected += weight * float(evaluate(part.gap, numbers, range(r, r + 1))[0]) / rounds
        loss = losses[f"{short} ({multiplier.part})" if multiplier.part else short]
        assert amount_of(loss, weighted) == pytest.approx(expected, rel=1e-8, abs=1e-18)


def test_a_recursion_over_one_round_loses_nothing():
    _, instance = EXACT[2]
    assert measure(instance).numbers.constants["T"] == 1
    names = {share.name for share in shares(FULL, measure(instance).numbers)}
    assert "lem-3.6 (b)" not in names
    assert any(name.startswith("thm-3.11-sumB rounded up") for name in names)


def planted(theorem, short: str, wrong):
    """The theorem with the weight of one lemma changed."""
    weights = tuple(
        replace(w, weight=sp.sympify(wrong(w.weight))) if w.claim.endswith(short) else w
        for w in theorem.proof_weights
    )
    return replace(theorem, proof_weights=weights)


@pytest.mark.parametrize(
    ("theorem", "lemma", "wrong"),
    [
        (FULL, "lem-3.6", lambda w: w.subs(t, t + 1)),
        (FULL, "lem-3.6", lambda w: w.subs(t, 0)),
        (FULL, "lem-3.5", lambda w: 6 * w),
        (SCAFFOLD, "lem-4.4", lambda w: w / 2),
        (SCAFFOLD, "lem-4.4", lambda w: 20 * w),
        (SCAFFOLD, "lem-4.3", lambda w: w / 20),
    ],
    ids=["a round late", "constant", "drift", "too little", "too much", "E"],
)
def test_a_wrong_weight_shows_as_a_negative_loss(theorem, lemma, wrong):
    """Still an identity: what the wrong weight does is shown, not hidden."""
    changed = planted(theorem, lemma, wrong)
    losses = decompose(changed)
    numbers = arbitrary(3, theorem is FULL)
    assert total(changed, losses, numbers) == evaluate(theorem.parts[0].gap, numbers)
    instance = next(x for about, x in EXACT if about is theorem)
    weighted = with_weights(changed, measure(instance).numbers)
    gap = evaluate(theorem.parts[0].gap, weighted)
    assert min(amount_of(loss, weighted) / gap for loss in losses) < -1e-9


@pytest.mark.parametrize("lemma", ["lem-3.6", "thm-3.11-sumB"])
def test_a_recursion_with_twice_its_weight_leaves_its_quantity_over(lemma):
    losses = {loss.name for loss in losses_of(FULL.id)}
    changed = decompose(planted(FULL, lemma, lambda w: 2 * w))
    assert {loss.name for loss in changed} - losses == {"thm-3.11-sumB rounded up, B"}


@pytest.mark.parametrize(
    ("theorem", "old", "new"), [(FULL, 44, 30), (SCAFFOLD, 148, 80)], ids=["3.11", "4.5"]
)
def test_a_constant_that_the_proof_does_not_give_shows_as_a_negative_loss(theorem, old, new):
    part = theorem.parts[0]
    smaller = replace(part, right=part.right.subs(sp.Integer(old), sp.Integer(new)))
    assert smaller.right != part.right
    losses = decompose(replace(theorem, parts=(smaller, *theorem.parts[1:])))
    instance = next(x for about, x in EXACT if about is theorem)
    weighted = with_weights(theorem, measure(instance).numbers)
    amounts = {loss.name: amount_of(loss, weighted) for loss in losses}
    assert amounts["step-size conditions, constants"] < 0


def test_a_sum_bounded_too_low_shows_as_a_negative_loss(monkeypatch):
    """3 T B^0 in place of 8 T B^0: the exact sum of powers comes to 3.2 T."""
    display = claim("personalization/thm-3.11-sumB")
    (part,) = display.parts
    low = replace(part, right=part.right.subs(8 * T * B_0, 3 * T * B_0))
    assert low.right != part.right
    wrong = replace(display, parts=(low,))
    real = slack_module.claim_of
    monkeypatch.setattr(
        slack_module, "claim_of", lambda name: wrong if name == display.id else real(name)
    )
    weighted = with_weights(FULL, measure(EXACT[1][1]).numbers)
    amounts = {loss.name: amount_of(loss, weighted) for loss in decompose(FULL)}
    assert amounts["thm-3.11-sumB rounded up, start"] < 0


def test_weights_in_t_need_a_display_that_bounds_their_sum():
    alone = replace(FULL, proof_weights=FULL.proof_weights[:-1])
    with pytest.raises(FedboundsError, match="no display"):
        decompose(alone)


def test_no_share_is_negative_on_the_quick_plan():
    theorems = (THEOREM, FULL, SCAFFOLD)
    seen = dict.fromkeys(theorems, 0)
    for found in drawn_cases("personalization", "", Profile.QUICK, 0):
        if found.setup.setup.run.rounds > 100:
            continue
        numbers = measure(found).numbers
        if (numbers.errors["f"] > 1e-9 * abs(numbers.series["f"])).any():
            continue  # of a start so near that rounding tells nothing of it
        for theorem in theorems:
            part = theorem.parts[0]
            applies = found.algorithm_name in theorem.algorithms
            if not applies or not part.constants <= numbers.constants.keys():
                continue  # no b^2, or no F_0
            if all(failure(condition, numbers) is None for condition in part.conditions):
                seen[theorem] += 1
                rows = shares(theorem, numbers)
                assert min(x.share for x in rows) >= -1e-9, (theorem.id, found.name)
    assert min(seen.values()) >= 10


# ---- regimes


@every_theorem
def test_the_regimes_add_up_to_the_bound(theorem):
    total_of = sum(term for _, term in theorem.regimes)
    assert sp.expand(total_of - theorem.parts[0].right) == 0


@pytest.mark.parametrize(
    ("changed", "regime"),
    [
        ({"F_0": 1e6}, "transient"),
        ({"sigma_u^2": 1e6}, "noise"),
        ({"sigma_v^2": 1e6}, "noise"),
        ({"b^2": 1e6}, "heterogeneity"),
        ({"T": 1e6}, "noise"),
    ],
)
def test_the_largest_term_names_the_regime(changed, regime):
    constants = dict.fromkeys(CONSTANTS, 1.0) | {"n": 3.0, "m": 2.0, "K": 2.0, "T": 5.0}
    constants |= {"gamma": 0.1, "b^2": 0.0} | changed
    assert regime_of(THEOREM, Numbers(constants, {})) == regime
    if regime != "heterogeneity":
        assert regime_of(FULL, Numbers(constants, {})) == regime
        assert regime_of(SCAFFOLD, Numbers(constants, {})) == regime


def test_a_claim_without_regimes_has_none():
    assert regime_of(claim("personalization/lem-3.1"), Numbers({}, {})) == ""
