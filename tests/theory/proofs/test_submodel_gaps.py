"""Sizes of masked gradients, minimisers, coupled runs and our corrections: steps and givens."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy as sp

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.language.catalogue import paper
from fedbounds.theory.language.registry import claim
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local, replay
from fedbounds.theory.proof.status import proof_of
from fedbounds.theory.proof.text import text
from fedbounds.vocabulary import ProofStatus, Source

PARTS = {
    "lem-mask-gap": ("d",),
    "lem-2-quad": ("closed form", "shift", "residual", "monotone"),
    "lem-7": ("Lipschitz", "full, gap at w*(M)"),
    "thm-5": ("a", "a, stability", "a, sub-model"),
    "thm-6": ("a", "a, stability", "a, sub-model"),
    "cor-1": ("last model", "projected step"),
    "claim-virtual": ("local iterates", "average"),
    "claim-recover": ("algorithm", "no mask variance", "no residual"),
    "claim-rate": ("distance",),
}
COMPLETE = ("lem-2-quad", "cor-1", "claim-virtual", "claim-recover")


def steps():
    return replayed("submodel")


@cache
def found():
    return {step.written.id: step for step in steps()}


@pytest.mark.parametrize(
    "name", [f"{own}:{part}" for own, parts in PARTS.items() for part in parts]
)
def test_a_part_is_proved_and_so_is_all_it_rests_on(name):
    assert found()[name].inherited
    assert found()[name].written.source == "paper"


@pytest.mark.parametrize("name", COMPLETE)
def test_the_proof_is_complete_and_rests_on_what_is_supposed(name):
    found = proof_of(claim(f"submodel/{name}"), steps())
    assert found.status is ProofStatus.CONDITIONAL
    assert found.givens


def test_every_claim_of_ours_is_proved_by_our_steps():
    ours = [entry for entry in paper("submodel").entries if entry.source is Source.OURS]
    assert len(ours) >= 6
    for entry in ours:
        own = [step for step in steps() if step.written.claim == entry.id]
        assert own
        assert all(step.inherited and step.written.source == "ours" for step in own)
        assert len(claim(entry.id).parts) == len(own)
        status = proof_of(claim(entry.id), steps()).status
        assert status in (ProofStatus.PROVED_OTHERWISE, ProofStatus.CONDITIONAL)


def test_our_theorem_6_asks_for_more_than_the_printed_one():
    """A permutation per client, or none at all, is none of Lemma 11's."""
    step = found()["thm-6:b"]
    assert step.local is Local.OPEN
    assert "assumes one permutation per epoch for all clients" in step.reason
    own = found()["thm-6:b/corrected"].written.statement
    assert set(own.assumptions) - set(step.written.statement.assumptions) == {
        "one permutation per epoch for all clients"
    }


def test_a_bound_for_quadratic_clients_is_no_proof_for_all():
    """The paper speaks of Bernoulli masks, but of no quadratic clients."""
    step = found()["claim-variance:masks, vanishes"]
    assert step.local is Local.OPEN
    assert "assumes quadratic clients" in step.reason
    own = found()["claim-variance:masks, vanishes/corrected"].written.statement
    assert set(own.assumptions) - set(step.written.statement.assumptions) == {"quadratic clients"}


# a right side slightly too small for its proof
PLANTED = {
    "lem-2: smooth path, at w*(p)": sp.Rational(9, 10),
    "lem-2: path, at w*(p')": sp.Rational(9, 10),
    "lem-7: masks, at w*(p)": sp.Rational(9, 10),
    "lem-2-quad: one eigenvalue, monotone": sp.Rational(9, 10),
    "claim-residual: order at one p": sp.Rational(9, 10),
    "thm-5:a, sub-model": sp.Rational(9, 10),
    "thm-5: c, one client": sp.Rational(9, 10),
    "thm-5: c, mean of roots": sp.Rational(9, 10),
    "thm-5: mean square": sp.Rational(16, 17),
    "thm-6: mean square": sp.Rational(16, 17),
    "cor-1:last model": sp.Rational(9, 10),
    "cor-1:projected step": sp.Rational(9, 10),
    "claim-rate:distance": sp.Rational(9, 10),
    "claim-def2:at a fixed w, equal/corrected": sp.Rational(9, 10),
    "claim-variance:masks, vanishes/corrected": sp.Rational(9, 10),
    "claim-variance:masks/corrected": sp.Rational(9, 10),
    "claim-residual:equal/corrected": sp.Rational(9, 10),
    "claim-stationary:unequal p/corrected": sp.Rational(9, 10),
}


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_a_smaller_right_side_is_not_proved(name):
    own = found()[name].written
    assert replayed_with(own, 1).local is Local.PROVED
    assert replayed_with(own, PLANTED[name]).local is not Local.PROVED


def replayed_with(own, factor):
    """A step with its right side times a factor, and what it uses taken as given."""
    right = factor * own.right
    planted = replace(own, right=right, statement=replace(own.statement, right=text(right)))
    earlier = [s.written for s in steps() if s.written.id in uses_of(own)]
    given = [replace(s, rule="given", origin="earlier", uses=(), base=()) for s in earlier]
    return replay(replace(book_of("submodel"), steps=[*given, planted]))[-1]


def uses_of(step):
    every = (*step.uses, *step.base)
    names = {use for use in every if isinstance(use, str)}
    return names | {use.name for use in every if isinstance(use, Premise) and use.kind == "step"}


# ---- what the proofs take as given, on numbers


def quadratic(rng, d=3):
    root = rng.normal(size=(d, d))
    hessian = root @ root.T + 0.1 * np.eye(d)
    return hessian, rng.normal(size=d), np.linalg.eigvalsh(hessian)


def masks(d=3):
    return [np.array(bits) for bits in product((0, 1), repeat=d)]


def masked(hessian, b, m, w):
    return m * (hessian @ (m * w) - b)


def law(p, m):
    return np.prod(np.where(m, p, 1 - p))


def test_the_derivative_in_a_keep_probability_and_its_pieces():
    rng, d, norm = np.random.default_rng(1), 3, np.linalg.norm
    for _ in range(10):
        hessian, b, eigen = quadratic(rng)
        w, q, p, smooth = rng.normal(size=d), *sorted(rng.uniform(size=2)), eigen[-1]
        largest = max(norm(hessian @ (m * w) - b) for m in masks())
        own, rest, mean, changed = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
        for m in masks():
            weight, here = law(q, m), hessian @ (m * w) - b
            mean += weight * here
            for j in range(d):
                with_j, without_j = m.copy(), m.copy()
                with_j[j], without_j[j] = 1, 0
                kept = hessian @ (with_j * w) - b
                left = hessian @ (without_j * w) - b
                own += weight * np.eye(d)[j] * kept
                rest += weight * without_j * (kept - left)
                changed += weight * (with_j * kept - without_j * left)
        assert np.allclose(own + rest, changed)
        slope = 1e-6
        numbers = [
            sum(law(x, m) * masked(hessian, b, m, w) for m in masks()) for x in (q, q + slope)
        ]
        assert np.allclose((numbers[1] - numbers[0]) / slope, changed, atol=1e-3)
        assert norm(own - mean) <= smooth * norm(w) * (1 + 1e-9)  # entries move by L |w_j|
        assert norm(rest) <= smooth * np.abs(w).sum() * (1 + 1e-9)
        assert norm(w, 1) <= np.sqrt(d) * norm(w)
        gap = norm(sum((law(p, m) - law(q, m)) * masked(hessian, b, m, w) for m in masks())) / abs(
            p - q
        )
        assert gap <= (largest + smooth * (1 + np.sqrt(d)) * norm(w)) * (1 + 1e-9)
        assert gap <= 2 * d * largest * (1 + 1e-9)


def test_the_pieces_between_two_masks():
    rng, norm = np.random.default_rng(2), np.linalg.norm
    hessian, b, eigen = quadratic(rng)
    w = rng.normal(size=3)
    for m, other in product(masks(), repeat=2):
        apart = norm(m - other)
        if apart == 0:
            continue
        first = (m - other) * (hessian @ (m * w) - b)
        second = other * (hessian @ (m * w) - hessian @ (other * w))
        assert np.allclose(first + second, masked(hessian, b, m, w) - masked(hessian, b, other, w))
        assert norm(first) <= norm(hessian @ (m * w) - b) * apart * (1 + 1e-9)
        assert norm(second) <= eigen[-1] * norm(w) * apart * (1 + 1e-9)


def test_masked_quadratics_at_their_minimisers():
    rng = np.random.default_rng(3)
    for _ in range(10):
        hessian, b, eigen = quadratic(rng)
        p, w = rng.uniform(0.1, 1), rng.normal(size=3)
        diag = np.diag(np.diag(hessian))
        mixed = p * hessian + (1 - p) * diag
        mean = sum(law(p, m) * masked(hessian, b, m, w) for m in masks())
        assert np.allclose(mean, p * (mixed @ w - b))
        full = np.linalg.solve(hessian, b)
        moved = np.linalg.solve(mixed, (hessian - diag) @ full)
        assert np.allclose(full, np.linalg.solve(mixed, b) - (1 - p) * moved)
        assert np.linalg.eigvalsh(mixed)[0] >= eigen[0] * (1 - 1e-9)
        # in the eigenbasis: lost = sqrt(l) (D^{1/2} u)_l, with b_l the coordinates of D^{-1/2} b
        scale = np.diag(1 / np.sqrt(np.diag(hessian)))
        values, basis = np.linalg.eigh(scale @ hessian @ scale)
        u = (1 - p) * moved
        lost = np.sqrt(values) * (basis.T @ np.linalg.inv(scale) @ u)
        coordinates = basis.T @ scale @ b
        told = (1 - p) * (values - 1) / (np.sqrt(values) * (1 + p * (values - 1))) * coordinates
        assert np.allclose(lost**2, told**2)
        assert np.isclose(u @ hessian @ u, (lost**2).sum())


def test_masks_move_a_gradient_by_the_share_that_is_missing():
    rng = np.random.default_rng(4)
    for _ in range(10):
        hessian, b, eigen = quadratic(rng)
        p, w = rng.uniform(), rng.normal(size=3)
        full = hessian @ w - b
        values = [(law(p, m), masked(hessian, b, m, w)) for m in masks()]
        square = sum(weight * ((g - full) ** 2).sum() for weight, g in values)
        size = max(((hessian @ (m * w) - b) ** 2).sum() for m in masks())
        assert square <= (1 - p) * (size + eigen[-1] ** 2 * (w**2).sum()) * (1 + 1e-9)
        mean = sum(weight * g for weight, g in values)
        assert (mean**2).sum() <= p * size * (1 + 1e-9)


def test_a_contracted_round_of_one_client():
    rng, steps, p = np.random.default_rng(5), 3, 0.4
    hessian, _, eigen = quadratic(rng)
    eta = 2 / (eigen[0] + eigen[-1])
    start = rng.normal(size=3)
    kept = (1 - eta * eigen[0]) ** (2 * steps)
    mean = 0.0
    for m in masks():
        apart = start.copy()
        for _ in range(steps):
            apart = apart - eta * m * (hessian @ (m * apart))
        inside = ((m * apart) ** 2).sum()
        assert inside <= kept * ((m * start) ** 2).sum() * (1 + 1e-9) + 1e-12
        mean += law(p, m) * (apart**2).sum()
    assert mean <= (1 - p * (1 - kept)) * (start**2).sum() * (1 + 1e-9)


@pytest.mark.parametrize("name", ["claim-residual", "claim-stationary"])
def test_what_we_prove_of_a_claim_in_words_is_not_the_papers_proof(name):
    found = proof_of(claim(f"submodel/{name}"), steps())
    assert found.status in (ProofStatus.PROVED_OTHERWISE, ProofStatus.CONDITIONAL)
    assert found.ours
