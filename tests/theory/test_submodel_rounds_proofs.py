"""Proofs of the theorems on rounds and epochs: what they take as given, and their replay."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import log, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fedbounds.theory.checker.data import Premise, Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.registry import claim
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local, Replayed, certified
from fedbounds.theory.proof.status import proof_of
from fedbounds.theory.proof.text import text
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.vocabulary import ProofStatus

Array = Any
IDS = (
    "lem-5", "lem-4", "thm-1", "lem-6", "thm-2", "lem-9", "lem-10", "lem-wor", "lem-11", "thm-3",
    "thm-4",
)  # fmt: skip

# ---- what the proofs take as given, on numbers


def vectors(random: Random, *shape: int) -> Array:
    return np.vectorize(lambda _: Fraction(random.randint(-4, 4)))(np.zeros((*shape, 2)))


def norm2(x: Array) -> Any:
    return (x * x).sum(axis=-1)


def mean(values: list[Any]) -> Any:
    return sum(values) / Fraction(len(values))


def test_sums_over_the_steps_of_a_round() -> None:
    random = Random(2)
    for steps in (1, 2, 5):
        g, fixed = vectors(random, steps), vectors(random)
        sums = mean([norm2(g[:k].sum(axis=0)) for k in range(steps)])
        assert sums <= Fraction(steps * (steps - 1), 2) * mean(list(norm2(g)))
        squares = mean([norm2(k * fixed) for k in range(steps)])
        assert squares == Fraction((steps - 1) * (2 * steps - 1), 6) * norm2(fixed)


def test_sums_over_the_rounds_of_an_epoch() -> None:
    random = Random(3)
    clients, subs, steps = 2, 3, 2
    moved = vectors(random, clients, subs, steps)
    total = []
    for s, k, i in product(range(subs), range(steps), range(clients)):
        before = moved[:, :s].mean(axis=0).sum(axis=(0, 1)) if s else 0
        total.append(norm2(before + moved[i, s, :k].sum(axis=0)))
    count = subs * steps
    assert mean(total) <= Fraction(count * (count - 1), 2) * mean(list(norm2(moved).ravel()))


@pytest.mark.parametrize("own", [False, True])
def test_draws_within_an_epoch(own: bool) -> None:
    random = Random(4)
    clients, subs = 2, 3
    h = vectors(random, clients, subs)
    a, centre = h.mean(axis=0), h.mean(axis=(0, 1))
    if own:
        each = [mean(list(norm2(h[j] - h[j].mean(axis=0)))) for j in range(clients)]
        variance = sum(each) / Fraction(clients**2)
    else:
        variance = mean(list(norm2(a - centre)))
    orders = list(permutations(range(subs)))
    runs = product(orders, repeat=clients) if own else ((pi,) * clients for pi in orders)
    sums, starts = [], []
    for run, s in product(list(runs), range(subs)):
        drawn = np.array([h[j, list(pi[:s])] for j, pi in enumerate(run)])
        sums.append(norm2(drawn.sum(axis=(0, 1)) / Fraction(clients)) if s else Fraction(0))
        for k, i in product(range(2), range(clients)):
            rounds = 2 * drawn.sum(axis=(0, 1)) / Fraction(clients) if s else Fraction(0)
            starts.append(norm2(rounds + k * h[i, run[i][s]]))
    squares = Fraction((subs - 1) * (2 * subs - 1), 6) * norm2(centre)
    assert mean(sums) == squares + Fraction(subs + 1, 6) * variance
    count = 2 * subs
    bound = Fraction((count - 1) * (2 * count - 1), 6) * mean(list(norm2(h).ravel()))
    assert mean(starts) <= bound


def test_second_moment_without_replacement() -> None:
    v = vectors(Random(5), 4)
    constants = {"n": 4, "nu_v2": mean(list(norm2(v - v.mean(axis=0))))}
    right = claim("submodel/lem-wor").part("second moment").right
    for m in (1, 2, 3, 4):
        drawn = [v[list(pi[:m])].sum(axis=0) - m * v.mean(axis=0) for pi in permutations(range(4))]
        fixed = Numbers(constants | {"m": m}, {}, Fraction)
        assert mean([norm2(x) for x in drawn]) == evaluate(right, fixed)


def test_masks_of_different_clients_are_independent() -> None:
    random = Random(6)
    g, keep = vectors(random, 2, 2), (Fraction(1, 3), Fraction(3, 4))
    chance = [[1 - p, p] for p in keep]
    centre = [sum(chance[i][a] * g[i, a] for a in (0, 1)) for i in (0, 1)]
    together = sum(
        chance[0][a] * chance[1][b] * norm2((g[0, a] + g[1, b] - centre[0] - centre[1]) / 2)
        for a, b in product((0, 1), repeat=2)
    )
    own = [sum(chance[i][a] * norm2(g[i, a] - centre[i]) for a in (0, 1)) for i in (0, 1)]
    assert together == mean(own) / 2


def test_one_client_s_gap_is_within_its_bound() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        root, w, b = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
        hessian, p = root @ root.T, rng.uniform()
        masked = np.zeros(3)
        for bits in product((0, 1), repeat=3):
            m = np.array(bits)
            masked += np.prod(np.where(m, p, 1 - p)) * m * (hessian @ (m * w) - b)
        full, smooth = hessian @ w - b, np.linalg.eigvalsh(hessian)[-1]
        bound = (1 - p) * np.linalg.norm(full) + smooth * sqrt(p * (1 - p)) * np.linalg.norm(w)
        assert np.linalg.norm(masked - full) <= bound * (1 + 1e-9)


def test_contraction_to_the_power_of_the_rounds() -> None:
    for rounds in (1, 2, 5, 50):
        for more in (0.0, 0.3):
            level = log(rounds) + more
            if 0 < level <= rounds:
                assert (1 - level / rounds) ** rounds <= (1 + 1e-12) / rounds


# ---- the replay


def steps() -> tuple[Replayed, ...]:
    return replayed("submodel")


def own_steps() -> list[Replayed]:
    return [s for s in steps() if s.written.claim in {f"submodel/{name}" for name in IDS}]


def test_every_step_has_a_certificate() -> None:
    assert len(own_steps()) >= 70
    assert [s.written.id for s in own_steps() if s.local is not Local.PROVED or s.missing] == []


@pytest.mark.parametrize("name", IDS)
def test_the_proof_is_complete(name: str) -> None:
    found = proof_of(claim(f"submodel/{name}"), steps())
    # all but one suppose what is no definition or assumption: textbook sums, for example
    expected = ProofStatus.CONDITIONAL if found.givens else ProofStatus.PROVED
    assert found.status is expected
    assert (found.failed, found.open) == ((), ())


def test_a_step_is_of_its_own_algorithm() -> None:
    for step in own_steps():
        about = claim(step.written.claim).algorithms
        assert step.written.statement.algorithm in ("", *about), step.written.id


def test_one_algorithm_s_round_says_nothing_of_the_other() -> None:
    """Quantities have the same names for both; a certificate must not mix them."""
    by_id = {s.written.id: s.written for s in steps()}
    step = replace(by_id["thm-3:epoch"], uses=(*by_id["thm-3:epoch"].uses, "lem-4:round"))
    earlier = {s.written.id: s.written.statement for s in steps()}
    uses = tuple(Premise("step", use, ("1",)) for use in step.uses if isinstance(use, str))
    with pytest.raises(Refused, match="is claimed of random masks only"):
        certified(book_of("submodel").theory, replace(step, uses=uses), earlier)


# a smaller constant than what was proved, by step: the term that is made smaller
PLANTED = {
    "lem-5:drift": "H_x", "lem-5:gradients": "zeta_star2", "lem-4:i": "V_bar",
    "lem-4:ii": "nu_star2", "lem-4:iii": "zeta_star2", "lem-4:round": "nu_star2",
    "thm-1:distance": "nu_star2", "thm-1:rate": "nu_star2", "lem-6:identity": "g_Fp",
    "thm-2:round": "nu2", "thm-2:tuned, root": "v_mean", "lem-11:convex": "zeta_M2",
    "lem-11:nonconvex": "B_M2", "thm-3:epoch": "a_bar2", "thm-4:epoch": "B_M2",
    "lem-wor:second moment": "nu_v2", "lem-9:H_s <= L": "Hz_x",
}  # fmt: skip


@pytest.mark.parametrize(("name", "word"), list(PLANTED.items()))
def test_a_planted_smaller_constant_is_refused(name: str, word: str) -> None:
    written = next(s.written for s in steps() if s.written.id == name)
    side = "left" if word == "V_bar" else "right"
    whole = getattr(written, side)
    atoms = [a for a in whole.atoms(sp.Symbol, sp.core.function.AppliedUndef)]
    (found,) = {a for a in atoms if (a.name if a.is_Symbol else a.func.__name__) == word}
    smaller = whole.subs(found, found / 3)
    stated = written.statement
    if side == "left":
        stated = replace(stated, left=text(smaller))
    else:
        stated = replace(stated, right=text(smaller))
    planted = replace(written, statement=stated)
    earlier: dict[str, Statement] = {}
    for step in steps():
        if step.written.id == name:
            break
        earlier[step.written.id] = step.written.statement
    theory = book_of("submodel").theory
    certified(theory, written, earlier)
    with pytest.raises(Refused):
        certified(theory, planted, earlier)


def test_the_printed_epoch_does_not_give_the_mean() -> None:
    """4 (1.08) = 4.32 exceeds 4.3, so the mean rests on the constants before rounding."""
    assert 4 * Fraction(27, 25) > Fraction(43, 10) >= 4 * Fraction(341, 320)
    (step,) = (s.written for s in steps() if s.written.id == "thm-4:mean")
    rounds, start = (use for use in step.uses if isinstance(use, Premise))
    assert (rounds.name, start.name) == ("thm-4: epoch before rounding", "def Phi")
