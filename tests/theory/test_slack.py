"""Slack: bound minus measured is the sum of the losses, identically, and no loss is negative.

The identity is tested in exact rationals with arbitrary numbers for every quantity, so it cannot
lean on the algorithm; the signs are tested under the theorem's conditions.
"""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.errors import FedboundsError
from fedbounds.problems import Noise, NoiseLaw, Start, coupled_cosine, federated_quadratic
from fedbounds.theory.claims import Multiplier
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.slack import Loss, collect_means, decompose
from fedbounds.theory.symbols import F_0, G_u, K, Mean_t, T, f, gamma, t
from fedbounds.verify import shares as shares_module
from fedbounds.verify.enumeration import enumerate_run
from fedbounds.verify.evaluate import Numbers, evaluate
from fedbounds.verify.instance import Instance
from fedbounds.verify.measure import measure
from fedbounds.verify.plan import schedules
from fedbounds.verify.shares import Share, shares
from fedbounds.vocabulary import Method

DECOMPOSED = [found for found in encoded_claims("personalization") if found.proof_weights]
THEOREM = claim("personalization/thm-3.7")
LOSSES = {found.id: decompose(found) for found in DECOMPOSED}
every_theorem = pytest.mark.parametrize("theorem", DECOMPOSED, ids=lambda found: found.id)
NAMES = ("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E")
CONSTANTS = ("L", "F_0", "sigma_u^2", "sigma_v^2", "b^2", "gamma", "gamma_u", "gamma_v", "eta_u",
             "eta_v")  # fmt: skip


def arbitrary(seed: int) -> Numbers:
    """Rationals of either sign for every quantity, positive ones for constants; no relation holds."""
    rng = Random(seed)
    n, rounds = rng.randint(1, 7), rng.randint(1, 6)
    whole = {"n": n, "m": rng.randint(1, n), "K": rng.randint(1, 5), "T": rounds}
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


@every_theorem
@pytest.mark.parametrize("seed", range(12))
def test_the_losses_add_up_to_the_gap_whatever_the_numbers(theorem, seed):
    numbers = arbitrary(seed)
    total = sum(evaluate(loss.amount, numbers) for loss in LOSSES[theorem.id])
    assert total == evaluate(theorem.parts[0].gap, numbers)


@every_theorem
def test_every_multiplier_has_its_loss_and_names_are_unique(theorem):
    names = [loss.name for loss in LOSSES[theorem.id]]
    assert len(set(names)) == len(names)
    for multiplier in theorem.proof_weights:
        short = multiplier.claim.partition("/")[2]
        assert any(name.startswith(short) and multiplier.part in name for name in names)


@every_theorem
def test_no_quantity_of_the_descent_is_left_over(theorem):
    """T_1, T_2, T_3 and B cancel: the lemmas are used with the weights that the proof needs."""
    left_over = remainder_quantities(LOSSES[theorem.id])
    assert left_over <= {"G_u", "G_v", "E", "f"}


def remainder_quantities(losses: tuple[Loss, ...]) -> set[str]:
    """Quantities in the losses that no lemma accounts for."""
    return {
        atom.func.__name__
        for loss in losses
        if loss.name.startswith(("step-size", "last", "F_0"))
        for atom in loss.amount.atoms(sp.core.function.AppliedUndef)
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
    total = sum(evaluate(loss.amount, numbers) for loss in losses)
    assert total == evaluate(planted.parts[0].gap, numbers)


def test_a_forgotten_lemma_leaves_its_quantity_over():
    planted = replace(
        THEOREM,
        proof_weights=tuple(w for w in THEOREM.proof_weights if w.claim[-3:] != "3.4"),
    )
    assert "T_3u" in remainder_quantities(decompose(planted))


def test_a_shifted_mean_telescopes():
    found = collect_means(Mean_t(gamma * f(t + 1) - gamma * f(t) + K * G_u(t)) + 3 * F_0)
    expected = {Mean_t(G_u(t)): K, f(T): gamma / T, f(0): 3 - gamma / T, F_0 - f(0): 3}
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
    for loss in LOSSES[THEOREM.id]:
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
    amounts = [evaluate(x.amount, numbers) for x in LOSSES[THEOREM.id] if x.name[:3] == "ste"]
    assert min(amounts) < 0


# ---- shares on running instances


def quadratic(n, m, steps, rounds, b2, scale, seed):
    problem = federated_quadratic(
        clients=n, shared_dimension=2, personal_dimension=2, dissimilarity=b2,
        noise=Noise(NoiseLaw.GAUSSIAN, scale, scale), seed=seed,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    start = Start(rng.standard_normal(2), rng.standard_normal((n, 2)))
    (_, edge), *_ = schedules((THEOREM,), problem, start, m, steps, rounds)
    return Instance("quadratic", problem, edge, rounds, Method.MOMENTS, start)


def cosine():
    problem = coupled_cosine(
        clients=2, shared_dimension=1, personal_dimension=1, amplitude=0.7,
        noise=Noise(NoiseLaw.RADEMACHER, 0.5, 0.5), seed=1,
    )  # fmt: skip
    start = Start(np.array([0.7]), np.array([[1.0], [-2.0]]))
    (_, edge), *_ = schedules((THEOREM,), problem, start, 1, 2, 2)
    return Instance("cosine", problem, edge, 2, Method.ENUMERATION, start)


INSTANCES = (
    quadratic(5, 2, 4, 50, 1.0, 0.3, 0),
    quadratic(4, 1, 6, 30, 4.0, 0.0, 1),
    quadratic(3, 3, 5, 40, 0.5, 1.0, 2),
    quadratic(2, 1, 1, 200, 2.0, 0.0, 3),
    cosine(),
)
every_instance = pytest.mark.parametrize("instance", INSTANCES, ids=range(len(INSTANCES)))


@every_instance
def test_shares_close_on_a_run_and_none_is_negative(instance):
    numbers = measure(instance).numbers
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


@pytest.mark.parametrize("at", range(len(LOSSES[THEOREM.id])))
def test_a_loss_that_is_dropped_is_noticed(at, monkeypatch):
    numbers = measure(INSTANCES[0]).numbers
    losses = LOSSES[THEOREM.id]
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
    losses = LOSSES[THEOREM.id]
    shares(THEOREM, numbers)
    lemma = next(loss for loss in losses if loss.name == "lem-3.2 (u)")
    wrong = lemma.amount.replace(lambda e: e.func == G_u, lambda e: (1 + sp.Rational(1, 10**6)) * e)
    planted = tuple(Loss(x.name, wrong) if x is lemma else x for x in losses)
    monkeypatch.setattr(shares_module, "_losses", lambda claim_id: planted)
    with pytest.raises(FedboundsError, match="add up to"):
        shares(THEOREM, numbers)


def test_shares_agree_with_lemma_gaps_measured_one_by_one():
    """The share of a lemma is its weight times its own gap, averaged over rounds."""
    numbers = measure(INSTANCES[4]).numbers
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


def test_enumerated_quantities_enter_the_shares_unchanged():
    instance = INSTANCES[4]
    series = enumerate_run(instance.problem, instance.algorithm, instance.start, instance.rounds)
    numbers = measure(instance).numbers
    for name in NAMES:
        np.testing.assert_array_equal(numbers.series[name], series[name])


def test_a_run_inside_its_conditions_has_a_positive_gap_to_share():
    """Shares are parts of right - left, so they are asked for where that is positive."""
    for instance in INSTANCES:
        assert evaluate(THEOREM.parts[0].gap, measure(instance).numbers) > 0


def test_equal_inner_steps_of_a_short_run_close_too():
    """T = 1: the telescoped sum has one term."""
    base = INSTANCES[1]
    short = replace(base, rounds=1, algorithm=with_effective_step(1, 6, 1e-3, 1.0, 2.0))
    numbers = measure(short).numbers
    assert sum(s.share for s in shares(THEOREM, numbers)) == pytest.approx(1.0, rel=1e-9)
