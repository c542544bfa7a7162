"""Equivalences on equal draws: they hold in rationals, and planted differences are found."""

import sys
from collections import Counter
from dataclasses import dataclass, replace
from types import SimpleNamespace

import bridge
import numpy as np
import pytest
from flint import fmpq

from fedbounds.algorithms import fedavg, fedsim, scaffold
from fedbounds.algorithms.fedavg import FedAvg
from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.fedsim import FedSim
from fedbounds.algorithms.parallel_sgd import ParallelSGD
from fedbounds.algorithms.scaffold import Scaffold
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    to_float,
)
from fedbounds.theory.claims import Condition
from fedbounds.theory.personalization.equivalences import CLAIMS, FEDSIM, PARALLEL_SGD, SCAFFOLD
from fedbounds.theory.symbols import K, d_u, d_v, eta_u, eta_v, gamma_v, m, n
from fedbounds.verify.equivalence import compare_exactly, compare_in_floats
from fedbounds.verify.special_cases import (
    FREE_STEPS,
    build,
    cases,
    judge_equivalence,
    judge_pair,
)
from fedbounds.vocabulary import Verdict

ROUNDS = 3
G_U, G_V, ETA_U, ETA_V = fmpq(1, 3), fmpq(1, 7), fmpq(5, 2), fmpq(11, 13)
PAIRS = {f"{e.entry.id}, {p.name}": p for e in CLAIMS for p in e.pairs}


def case(clients, participants, local_steps, shared, own):
    """A problem and start of this shape."""
    sizes = {n: clients, m: participants, K: local_steps, d_u: shared, d_v: own}
    equal = tuple(Condition(symbol, "==", size) for symbol, size in sizes.items())
    (found,) = cases(equal)
    return found.problem, found.start


def planted(monkeypatch, module, parameters, **changed):
    """An algorithm with the same parameters whose rules differ in the given functions."""

    @dataclass(frozen=True)
    class Planted(type(parameters)):
        pass

    mine = SimpleNamespace(**(vars(module) | changed))
    if "step" not in changed:
        mine.step = lambda problem, a, carry, drawn: mine.server(
            a, carry, drawn, mine.local(problem, a, carry, drawn)
        )
    Planted.__module__ = "planted"  # where its rules are looked for
    monkeypatch.setitem(sys.modules, "planted", mine)
    return Planted(**vars(parameters))


# ---- the claims


@pytest.mark.parametrize("name", [name for name in PAIRS if "any eta_u" not in name])
def test_claimed_equivalences_hold_in_rationals(name):
    rows = judge_pair(PAIRS[name])
    assert Counter(row["verdict"] for row in rows) == {Verdict.NOT_VIOLATED: len(rows)}
    assert {row["deviation"] for row in rows} == {"0"}


def test_a_server_step_is_not_a_plain_average():
    """Every instance has eta_u = 5/2; the difference is (eta - 1) (average - u) in each."""
    rows = judge_pair(PAIRS["personalization/sc-fedavg, plain average at any eta_u"])
    assert {row["verdict"] for row in rows} == {Verdict.VIOLATED}
    assert all(row["round"] == 0 and "no noise" in row["where"] for row in rows)


@pytest.mark.parametrize("name", PAIRS)
def test_instances_have_the_shape_that_a_pair_needs(name):
    pair = PAIRS[name]
    rows = judge_pair(pair)
    sizes = [{k: int(row["parameters"][k]) for k in ("n", "m", "K", "d_u", "d_v")} for row in rows]
    needs = {(str(c.left), str(c.right)) for c in pair.conditions}
    for size in sizes:
        assert all(size[left] == size.get(right, 0 if right == "0" else 1) for left, right in needs)
    assert {(s["n"], s["m"]) for s in sizes} == {
        (a, b) for a in (1, 2, 3) for b in range(1, a + 1) if ("m", "n") not in needs or a == b
    }
    assert {s["K"] for s in sizes} == ({1} if ("K", "1") in needs else {1, 2, 3})
    assert len(rows) == len({row["instance"] for row in rows})


def test_every_special_case_of_the_sheet_is_encoded_and_judged():
    assert [e.entry.id for e in CLAIMS] == [
        f"personalization/sc-{name}" for name in ("fedavg", "fedsim", "psgd", "scaffold")
    ]
    rows = judge_equivalence(PARALLEL_SGD)
    assert {row["general"] for row in rows} == {"FedAvg-P", "Scaffold-P"}
    assert {row["claim"] for row in rows} == {"personalization/sc-psgd"}


@pytest.mark.parametrize(
    ("pair", "changed"),
    [
        (FEDSIM.pairs[0], {"general_parameters": {"outer_step_u": eta_u}}),
        (FEDSIM.pairs[0], {"general_parameters": {"outer_step_v": eta_v}}),
        (PARALLEL_SGD.pairs[0], {"special_parameters": {"step": gamma_v}}),
        (PARALLEL_SGD.pairs[1], {"special_parameters": {"step": gamma_v}}),
        (PARALLEL_SGD.pairs[0], {"general_parameters": {"local_steps": K + 1}}),
        (SCAFFOLD.pairs[0], {"special_parameters": {"outer_step_u": eta_v}}),
    ],
)
def test_without_a_restriction_they_differ(pair, changed):
    ((side, parameters),) = changed.items()
    loose = replace(pair, **{side: getattr(pair, side) | parameters})
    for found in cases(pair.conditions):
        if found.numbers[d_u] and "outer_step_v" in parameters and not found.numbers[d_v]:
            continue  # nothing personal to average
        if not found.numbers[d_u] and "outer_step_u" in parameters:
            continue
        first = build(loose.general, loose.general_parameters, found.numbers)
        second = build(loose.special, loose.special_parameters, found.numbers)
        outcome = compare_exactly(found.problem, found.start, first, second, ROUNDS)
        assert outcome.verdict is Verdict.VIOLATED, found.name


def test_the_conditions_of_the_analysis_are_an_inequality_of_n_and_m():
    part = FEDSIM.analysis
    assert not part.quantities
    assert part.constants == {"n", "m"}
    left = {(a, b): part.left.subs({n: a, m: b}) for a, b in ((1, 1), (4, 1), (4, 4), (18, 2))}
    assert left == {(1, 1): 1, (4, 1): 2, (4, 4): 2, (18, 2): 3}
    assert part.right == 1


# ---- planted errors, in rationals: n = 3, m = 2, K = 2


def fewer_steps(monkeypatch):
    problem, start = case(3, 2, 2, 2, 1)
    return problem, start, FedAvgP(2, 2, G_U, G_V, 1, 1), FedSim(2, 1, G_U, G_V)


def outer_step_two(monkeypatch):
    problem, start = case(3, 2, 2, 2, 1)
    return problem, start, FedAvgP(2, 2, G_U, G_V, 2, 1), FedSim(2, 2, G_U, G_V)


def outer_step_two_personal(monkeypatch):
    problem, start = case(3, 2, 2, 2, 1)
    return problem, start, FedAvgP(2, 2, G_U, G_V, 1, 2), FedSim(2, 2, G_U, G_V)


def personal_at_the_new_shared(monkeypatch):
    def local(problem, a, carry, drawn):
        z = fedsim.rows(carry, drawn.cohort)
        d_u, d_v = problem.shared_dimension, problem.personal_dimension
        for k in range(a.local_steps):
            for steps in ([a.inner_step_u] * d_u + [0] * d_v, [0] * d_u + [a.inner_step_v] * d_v):
                gradient = problem.gradient(z, drawn.cohort)
                noisy = problem.disturbed(z, gradient, drawn.cohort, drawn.noise[k])
                z = z - np.array(steps, dtype=z.dtype) * noisy
        return z

    problem, start = case(3, 2, 1, 2, 1)
    special = planted(monkeypatch, fedsim, FedSim(2, 1, G_U, G_V), local=local)
    return problem, start, FedAvgP(2, 1, G_U, G_V, 1, 1), special


def average_over_all_clients(monkeypatch):
    def server(a, carry, drawn, reached):
        return fedavg.server(replace(a, participants=3), carry, drawn, reached)

    problem, start = case(3, 2, 2, 2, 0)
    special = planted(monkeypatch, fedavg, FedAvg(2, 2, G_U, ETA_U), server=server)
    return problem, start, FedAvgP(2, 2, G_U, G_V, ETA_U, ETA_V), special


def _scaffold(monkeypatch, **changed):
    problem, start = case(3, 2, 2, 2, 0)
    special = planted(monkeypatch, scaffold, Scaffold(2, 2, G_U, ETA_U), **changed)
    return problem, start, ScaffoldP(2, 2, G_U, G_V, ETA_U, ETA_V), special


def correction_of_the_wrong_sign(monkeypatch):
    def local(problem, a, carry, drawn):
        turned = replace(carry, controls=-carry.controls, control=-carry.control)
        return scaffold.local(problem, a, turned, drawn)

    return _scaffold(monkeypatch, local=local)


def absent_clients_renewed(monkeypatch):
    def server(a, carry, drawn, reached):
        all_of_them = replace(drawn, present=drawn.present * 0 + 1)
        after = scaffold.server(a, carry, drawn, reached)
        renewed = scaffold.server(a, carry, all_of_them, reached)
        return replace(after, controls=renewed.controls)

    return _scaffold(monkeypatch, server=server)


def control_moves_by_the_whole_mean(monkeypatch):
    def server(a, carry, drawn, reached):
        after = scaffold.server(a, carry, drawn, reached)
        moved = (after.control - carry.control) * 3 / 2  # without the factor m/n
        return replace(after, control=carry.control + moved)

    return _scaffold(monkeypatch, server=server)


def controls_start_at_zero(monkeypatch):
    def init(*given):
        carry = scaffold.init(*given)
        return replace(carry, controls=carry.controls * 0, control=carry.control * 0)

    return _scaffold(monkeypatch, init=init)


def noise_of_the_start_ignored(monkeypatch):
    def init(problem, a, start, replicas, drawn=None):
        return scaffold.init(problem, a, start, replicas)

    return _scaffold(monkeypatch, init=init)


def noise_of_another_client(monkeypatch):
    def local(problem, a, carry, drawn):
        replicas = carry.u.shape[0]
        rolled = drawn.noise.reshape(2, 3, replicas, 2)[:, [1, 2, 0]].reshape(drawn.noise.shape)
        return fedavg.local(problem, a, carry, replace(drawn, noise=rolled))

    problem, start = case(3, 2, 2, 2, 0)
    special = planted(monkeypatch, fedavg, FedAvg(2, 2, G_U, ETA_U), local=local)
    return problem, start, FedAvgP(2, 2, G_U, G_V, ETA_U, ETA_V), special


PLANTS = [
    fewer_steps,
    outer_step_two,
    outer_step_two_personal,
    personal_at_the_new_shared,
    average_over_all_clients,
    correction_of_the_wrong_sign,
    absent_clients_renewed,
    control_moves_by_the_whole_mean,
    controls_start_at_zero,
    noise_of_the_start_ignored,
    noise_of_another_client,
]


@pytest.mark.parametrize("plant", PLANTS)
def test_planted_errors_are_violations_with_an_exact_witness(monkeypatch, plant):
    found = compare_exactly(*plant(monkeypatch), ROUNDS)
    assert found.verdict is Verdict.VIOLATED
    assert 0 <= found.round < ROUNDS
    assert fmpq(*map(int, found.deviation.split("/"))) > 0
    blind = plant in (noise_of_the_start_ignored, noise_of_another_client)
    assert ("no noise" in found.where) is not blind


@pytest.mark.parametrize("plant", PLANTS)
def test_planted_errors_are_candidates_in_floats_and_never_firm(monkeypatch, plant):
    problem, start, *pair = plant(monkeypatch)
    noisy = replace(problem, noise=Noise(NoiseLaw.RADEMACHER, 1, 1))
    found = compare_in_floats(to_float(noisy), to_float(start), *map(to_float, pair), ROUNDS)
    assert found.verdict is Verdict.UNDECIDED
    assert found.candidate
    assert found.deviation > 1e-6


def test_without_planting_the_same_modules_agree(monkeypatch):
    """The planting itself changes nothing."""
    assert compare_exactly(*_scaffold(monkeypatch), ROUNDS).verdict is Verdict.NOT_VIOLATED


def test_a_difference_out_of_reach_is_no_violation(monkeypatch):
    """c is the mean of the c_i in every run, so a server that sets it so differs nowhere."""

    def server(a, carry, drawn, reached):
        after = scaffold.server(a, carry, drawn, reached)
        return replace(after, control=after.controls.sum(axis=0) / 3)

    found = compare_exactly(*_scaffold(monkeypatch, server=server), ROUNDS)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.candidate


def test_the_witness_is_what_a_hand_computes():
    """f_1 = u^2 / 2, f_2 = u^2 + u from u = 1 with step 1/2: 1/2 for client 0, -1/2 for 1."""
    problem = FederatedQuadratic(bridge.exact([[[1]], [[2]]]), bridge.exact([[0], [1]]), 1)
    start = Start(bridge.exact([1]), np.empty((2, 0), dtype=object))
    half = fmpq(1, 2)
    general, special = FedAvgP(1, 1, half, half, 3, 1), FedAvg(1, 1, half)
    found = compare_exactly(problem, start, general, special, 1)
    # (1 - 3) 1 + 3 / 2 = -1/2 against 1/2
    assert found.round == 0
    assert found.deviation == "1"
    assert found.where == (
        "from u = [1], v = [[], []]; participants {0}; no noise; u[0] is -1/2 against 1/2"
    )


def test_a_difference_that_only_noise_shows_names_the_noise(monkeypatch):
    found = compare_exactly(*noise_of_another_client(monkeypatch), ROUNDS)
    assert "noise by [k][i] [[[" in found.where
    found = compare_exactly(*noise_of_the_start_ignored(monkeypatch), ROUNDS)
    assert found.where.count(" then [[[") == found.round + 1  # the start's draw, then each round's


# ---- what is refused


def test_a_round_that_is_not_affine_is_refused(monkeypatch):
    def local(problem, a, carry, drawn):
        z = fedavg.rows(carry, drawn.cohort)
        return z - z * z

    problem, start = case(2, 1, 1, 1 + 1, 0)
    special = planted(monkeypatch, fedavg, FedAvg(1, 1, G_U), local=local)
    with pytest.raises(FedboundsError, match="not affine"):
        compare_exactly(problem, start, special, special, ROUNDS)


def test_noise_that_multiplies_is_refused():
    class Scaled(FederatedQuadratic):
        def disturbed(self, z, gradient, cohort, noise):
            return gradient * (1 + noise)

    problem, start = case(2, 1, 1, 2, 0)
    same = FedAvg(1, 1, G_U)
    with pytest.raises(FedboundsError, match="not affine"):
        compare_exactly(Scaled(**vars(problem)), start, same, same, ROUNDS)


def test_draws_that_cannot_be_shared_are_refused():
    problem, start = case(3, 2, 1, 0, 2)
    with pytest.raises(FedboundsError, match=r"participants m of the two is \(2, 3\)"):
        compare_exactly(problem, start, FedAvgP(2, 1, G_U, G_V, 1, 1), ParallelSGD(3, G_V), ROUNDS)


def test_states_that_cannot_be_matched_are_refused():
    problem, start = case(3, 2, 1, 2, 0)
    with pytest.raises(FedboundsError, match="states of the two"):
        compare_exactly(problem, start, ScaffoldP(2, 1, G_U, G_V, 1, 1), FedAvg(2, 1, G_U), ROUNDS)


def test_floats_are_refused_where_exact_numbers_are_needed():
    problem, start = case(2, 1, 1, 2, 0)
    same, rounded = FedAvg(1, 1, G_U), FedAvg(1, 1, 1 / 3)
    for given in ((to_float(problem), to_float(start), same), (problem, start, rounded)):
        with pytest.raises(FedboundsError, match="exact rationals"):
            compare_exactly(*given, same, ROUNDS)


# ---- float64


def cosine():
    noise = Noise(NoiseLaw.GAUSSIAN, 0.5, 0.5)
    problem = coupled_cosine(clients=4, shared_dimension=2, personal_dimension=2, noise=noise)
    rng = np.random.default_rng(0)
    return problem, Start(rng.standard_normal(2), rng.standard_normal((4, 2)))


def test_equality_to_rounding_on_a_nonlinear_problem_decides_nothing():
    general, special = FedAvgP(2, 3, 0.3, 0.2, 1.0, 1.0), FedSim(2, 3, 0.3, 0.2)
    found = compare_in_floats(*cosine(), general, special, 20)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.candidate
    assert found.deviation < 1e-12
    different = FedAvgP(2, 3, 0.3, 0.2, 1.0, 1.001)
    found = compare_in_floats(*cosine(), different, special, 20)
    assert found.candidate
    assert found.verdict is Verdict.UNDECIDED
    assert found.round == 0


def test_runs_that_diverge_say_so():
    problem, start = case(3, 2, 2, 2, 1)
    steps = (2, 2, 1e80, 1e80)
    with np.errstate(all="ignore"):
        found = compare_in_floats(
            to_float(problem), to_float(start), FedAvgP(*steps, 1.0, 1.0), FedSim(*steps), 5
        )
    assert found.verdict is Verdict.DIVERGED


def test_free_step_sizes_are_all_different():
    values = list(FREE_STEPS.values())
    products = [a * b for a in values for b in values]
    assert len({*values, *products, 1}) == len(values) + len(values) * (len(values) + 1) / 2 + 1
