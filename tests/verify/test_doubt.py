"""What is not finite, not affine or diverged is never a firm verdict, and keeps a claim open."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.problems import Noise, NoiseLaw, Start, coupled_cosine, federated_quadratic
from fedbounds.theory.claims import AS_PRINTED, Part
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.symbols import E, G_u, G_v, Max_t, Mean_t, f, t
from fedbounds.verify.decide import decide, is_affine
from fedbounds.verify.evaluate import Numbers
from fedbounds.verify.instance import Instance
from fedbounds.verify.judge import judge
from fedbounds.verify.reach import bounded_reach
from fedbounds.verify.records import record
from fedbounds.verify.sampling import sample_and_decide
from fedbounds.verify.simulate import run_chunk, stream
from fedbounds.verify.standing import status_of
from fedbounds.vocabulary import Index, Method, StatementStatus, Verdict


def test_a_side_that_overflows_is_undecided_and_open():
    """inf > floor * inf is false: no round would be examined, and none must not mean passed."""
    part = Part(left=G_u(t), right=10 * G_v(t))
    series = {"G_u": np.array([1.0, 1e308]), "G_v": np.array([1.0, 1e308])}
    with np.errstate(over="ignore"):
        found = decide(part, Numbers({"T": 2.0}, series), Method.MOMENTS)
    assert (found.verdict, found.candidate) == (Verdict.UNDECIDED, True)


def test_a_bound_on_a_diverging_run_does_not_survive_elsewhere():
    theorem = claim("personalization/thm-3.7")
    anywhere = replace(theorem, parts=(replace(theorem.parts[0], conditions=()),))
    problem = federated_quadratic(
        clients=2, shared_dimension=1, personal_dimension=1, dissimilarity=1.0
    )
    fine = Instance(
        "fine", problem, with_effective_step(2, 1, 1 / 32), 4, Method.MOMENTS,
        Start(np.ones(1), np.ones((2, 1))),
    )  # fmt: skip
    wild = replace(fine, name="wild", algorithm=with_effective_step(2, 1, 1e60))
    found = [judge([anywhere], instance).judgements[0] for instance in (fine, wild)]
    assert [judgement.verdict for judgement in found] == [Verdict.NOT_VIOLATED, Verdict.DIVERGED]
    rows = [record(judgement, "key") for judgement in found]
    assert status_of(AS_PRINTED, rows[:1])["statement"] == StatementStatus.SURVIVED
    assert status_of(AS_PRINTED, rows)["statement"] == StatementStatus.UNTESTED


def test_every_gap_of_the_papers_is_affine():
    assert all(is_affine(part) for c in encoded_claims("personalization") for part in c.parts)


@pytest.mark.parametrize(
    "left", [G_u(t) * G_v(t), sp.sqrt(E(t)), Mean_t(G_u(t) ** 2), Max_t(f(t)), G_u(t) * f(t + 1)]
)
def test_replicas_say_nothing_of_a_gap_that_is_not_affine(left):
    index = Index.RUN if left.func in (Mean_t, Max_t) else Index.ROUND
    part = Part(left=left, right=sp.Integer(10**6), index=index)
    assert not is_affine(part)
    problem = coupled_cosine(
        clients=2, shared_dimension=1, personal_dimension=1,
        noise=Noise(NoiseLaw.RADEMACHER, 0.1, 0.1),
    )  # fmt: skip
    instance = Instance(
        "sampled", problem, with_effective_step(1, 1, 0.01), 2, Method.SAMPLING,
        Start(np.ones(1), np.ones((2, 1))), 1024,
    )  # fmt: skip
    (found,) = sample_and_decide([part], instance, seed=0, workers=1, xp=np).outcomes
    assert found.verdict is Verdict.UNDECIDED
    assert "not affine" in found.reason


def test_reach_holds_where_an_absent_block_has_step_sizes_of_its_own():
    problem = federated_quadratic(
        clients=3, shared_dimension=0, personal_dimension=2,
        noise=Noise(NoiseLaw.RADEMACHER, 0.2, 0.2),
    )  # fmt: skip
    start = Start(np.zeros(0), np.ones((3, 2)))
    algorithm = replace(with_effective_step(2, 2, 0.2), inner_step_u=1e-6)
    reach = bounded_reach(problem, algorithm, start, 3, problem.constants(start))
    seen = run_chunk(
        problem, algorithm, start, 3, 64, stream(0, 0, 0), virtual=True, infimum=problem.infimum()
    )
    for name, bound in reach.series.items():
        assert np.all(np.abs(seen[name][:, :3]).max(axis=0) <= bound[:3] * (1 + 1e-12)), name
