"""Set-ups of random numbers, and those that are sampled: how many, the profile says."""

from collections.abc import Iterator
from fractions import Fraction

from fedbounds.theory.language.drawn import Chance, Drawn
from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

from . import random_quadratics, views_cosines, views_logistic
from .small_runs import Outer, Size, parameters

_MANY = 1024  # replicas

# ---- coupled cosines of five clients; L = 27/20

_A = (
    ("3/5", "1/10", "1/20", "1/10"),
    ("1/10", "3/5", "1/10", "1/20"),
    ("1/20", "1/10", "3/5", "1/10"),
    ("1/10", "1/20", "1/10", "3/5"),
)
_SLOPES = (
    (1, "-1/2", "3/4", 0),
    ("-1/4", 1, "-1/2", "1/2"),
    ("1/2", "1/4", -1, "3/4"),
    ("-3/4", "-1/2", "1/4", -1),
    ("1/4", "1/2", 1, "-3/4"),
)
_U: tuple[Number, ...] = (1, "-1/2", "3/4", -1)
_V: tuple[tuple[Number, ...], ...] = (
    (1, "-1/2", "1/2"),
    ("-1/2", 1, "3/4"),
    ("1/4", -1, "1/2"),
    ("-3/4", "1/2", -1),
    ("1/2", "1/4", 1),
)
_COSINES = Objective(
    "coupled cosines",
    (
        ("shared_hessian", _A),
        ("linear", _SLOPES),
        ("personal_curvature", "1/2"),
        ("amplitude", "1/2"),
        ("shared_direction", ("1/2",) * 4),
        ("personal_direction", ("2/3", "1/3", "2/3")),
        ("noise", "1/10"),
        ("personal_noise", "1/10"),
    ),
)
_START = (*_U, *_V[0], *_V[1], *_V[2], *_V[3], *_V[4])
_L = Fraction(27, 20)
_SOME, _ALL = Size(5, 2, 4, 6, "1/10"), Size(5, 5, 4, 6, "1/10")
# 1/gamma, and outer steps no shorter than conditions ask for; what a corollary prescribes to 16
# digits, where floats count as equal
_EDGES: tuple[tuple[str, Size, Fraction, Outer], ...] = (
    ("edge of lem-3.5", _SOME, Fraction(49, 5) * _L, (1, 1)),
    ("edge of thm-3.7", _SOME, 128 * _L, ("17/12", "19/12")),
    ("steps of cor-3.8", _SOME, Fraction("195.52868241839687"), ("20/9", "19/12")),
    ("edge of lem-3.5", _ALL, Fraction(49, 5) * _L, (1, 1)),
    ("edge of lem-3.6", _ALL, 32 * _L, (6, 1)),
    ("edge of thm-3.7", _ALL, 128 * _L, ("9/4", 1)),
    ("steps of cor-3.8", _ALL, Fraction("174.10493558652698"), ("9/4", 1)),
    ("edge of thm-3.11", _ALL, 336 * _L, (6, 1)),
    ("steps of thm-3.11", _ALL, Fraction("456.0987614088337"), (6, 1)),
)


def _cosines(chance: Chance, many: int) -> Iterator[Planned]:
    """At the edges of what claims about FedAvg-P ask for."""
    for name, size, length, outer in _EDGES if many else ():
        run = Run(_COSINES, _START, parameters(size, 1 / length, outer), size.T)
        setup = Setup("personalization", f"{views_cosines.OF}rounds", run)
        told = f"cosines sampled, n={size.n} m={size.m} K={size.K} T={size.T}, {name}"
        yield Planned(told, setup, replicas=many * _MANY, steps=False)


# ---- section 5 with synthetic data: n = 10, m = 9, K = 25, gamma = 0.001; estimates only

_SECTION_5 = (("cohort", 9), ("K", 25), ("gamma_u", "1/1000"), ("gamma_v", "1/1000"))


def _section_5(chance: Chance, many: int) -> Iterator[Planned]:
    sizes = (("clients", 10), ("shared", 5), ("personal", 5), ("samples", 50), ("batch", 5))
    data = (*sizes, ("heterogeneity", "1/2"), ("regulariser", "1/10"), ("seed", chance.given))
    start = chance.integers(-64, 65, (55,))  # in 32nds
    for of in ("", "Scaffold-P, ") if many else ():
        at = tuple(f"{x}/32" for x in start)
        given = (*_SECTION_5, ("eta_u", 1), ("eta_v", 1))
        run = Run(Objective("random logistic", data), at, given, 100)
        setup = Setup("personalization", f"{views_logistic.OF}{of}rounds", run)
        told = f"{of}section 5, n=10 m=9 K=25 T=100"
        yield Planned(told, setup, replicas=many * _MANY // 4, steps=False)


DRAWN: tuple[Drawn, ...] = (
    *random_quadratics.DRAWN,
    Drawn(_cosines, quick=0, default=8, thorough=64, floats=True),
    Drawn(_section_5, quick=0, default=0, thorough=1, floats=True),
)
