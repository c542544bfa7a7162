"""Step sizes at the edge of conditions: rational, inside, and short."""

from fractions import Fraction

from flint import arb

from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.symbols import L, eta
from fedbounds.verify.setups.chance import Seeded
from fedbounds.verify.setups.edges import simplest
from fedbounds.verify.setups.ends import ends

PROBLEM = Objective(
    "quadratics",
    {"hessians": [[[1, 0], [0, "1/2"]]] * 3, "slopes": [[1, 0], [0, 1], [-1, 1]], "personal": 1},
)
START = (2, 1, 1, 1)


def completed(steps):
    inner = {f"gamma_{b}": steps["gamma"] / steps[f"eta_{b}"] for b in ("u", "v")}
    return {**steps, **inner}


def edges(algorithm, m=2, K=2, T=5):
    counts = {"n": 3, "m": m, "K": K, "T": T}
    return dict(Seeded(0, "personalization").edges(algorithm, PROBLEM, START, counts, completed))


def test_they_are_at_the_conditions_of_a_theorem_and_inside():
    found = edges("FedAvg-P")["thm-3.7"]
    gamma, eta_u, eta_v = (Fraction(found[x]) for x in ("gamma", "eta_u", "eta_v"))
    assert gamma == Fraction(1, 64)  # 1/(32 L K)
    assert 2 <= eta_u**2 < 2 * (1 + Fraction(1, 10**5))  # >= sqrt(m)
    assert Fraction(3, 2) <= eta_v**2 < Fraction(3, 2) * (1 + Fraction(1, 10**5))
    assert eta_u.denominator < 2000


def test_each_is_there_once_and_those_of_others_are_not():
    found = edges("FedAvg-P")
    assert len({tuple(x.items()) for x in found.values()}) == len(found) > 2
    assert not found.keys() & edges("Scaffold-P").keys()
    assert not edges("an algorithm of nobody")


def test_a_claim_that_asks_for_all_clients_has_no_edge_with_fewer():
    assert "thm-3.11" in edges("FedAvg-P", m=3)
    assert "thm-3.11" not in edges("FedAvg-P", m=2)


def test_thesimplest_fraction_between_two():
    assert simplest(Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 2)
    assert simplest(Fraction(14141, 10000), Fraction(14143, 10000)) == Fraction(99, 70)
    for k in range(1, 60):
        low, high = Fraction(k, 61), Fraction(k, 61) + Fraction(1, 5000)
        found = simplest(low, high)
        assert low <= found <= high
        below = (Fraction(p, q) for q in range(1, found.denominator) for p in range(1, q + 2))
        assert not any(low <= x <= high for x in below)


def test_ends_beside_a_ball_are_rounded_inwards():
    """A ball is no key of what is remembered."""
    (largest,) = ends([Condition(eta**2, "<=", 1 / L**2)], "eta", {"L": arb(2).sqrt()}).largest
    assert 1 - 1e-5 < float(2 * largest**2) <= 1
