"""Which algorithm is said to be which other one, under which restriction (sections 3.1 and 4.1)."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.equivalences import Equivalence, Named, Pair, Shapes
from fedbounds.theory.language.symbols import K, d_u, d_v, eta_u, eta_v, gamma_u, gamma_v, m, n
from fedbounds.vocabulary import Index

SHAPES = Shapes(
    most=3,
    blocks=((2, 1), (1, 2), (2, 0), (0, 2)),
    steps={
        gamma_u: sp.Rational(1, 3),
        gamma_v: sp.Rational(1, 7),
        eta_u: sp.Rational(5, 2),
        eta_v: sp.Rational(11, 13),
    },
)
_ONE = sp.Integer(1)


def averaging(outer_u: sp.Expr = eta_u, outer_v: sp.Expr = eta_v) -> Named:
    """FedAvg-P, all step sizes free unless given."""
    return Named("FedAvg-P", "personal_averaging.ROUNDS", _general(outer_u, outer_v))


def controlled() -> Named:
    """Scaffold-P, likewise."""
    return Named("Scaffold-P", "personal_scaffold.ROUNDS", _general(eta_u, eta_v))


def _general(outer_u: sp.Expr, outer_v: sp.Expr) -> dict[str, sp.Expr]:
    inner = {"cohort": m, "K": K, "gamma_u": gamma_u, "gamma_v": gamma_v}
    return {**inner, "eta_u": outer_u, "eta_v": outer_v}


def _plain(eta: sp.Expr) -> Named:
    return Named("FedAvg", "fedavg.ROUNDS", {"m": m, "K": K, "gamma": gamma_u, "eta": eta})


_SHARED = {"u": "x"}
_DRAWS = {"present": "present", "xi_u": "xi"}
_NO_V = Condition(d_v, "==", sp.Integer(0))
_NO_U = Condition(d_u, "==", sp.Integer(0))

FEDAVG = Equivalence(
    entry("personalization/sc-fedavg"),
    shapes=SHAPES,
    pairs=(
        Pair(
            "server step",
            "d_v = 0; FedAvg with server step size eta_u",
            averaging(),
            _plain(eta_u),
            _SHARED,
            _DRAWS,
            (_NO_V,),
        ),
        Pair(
            "plain average at eta_u = 1",
            "d_v = 0 and eta_u = 1; FedAvg of [16], whose server takes the plain average",
            averaging(outer_u=_ONE),
            _plain(_ONE),
            _SHARED,
            _DRAWS,
            (_NO_V,),
        ),
        Pair(
            "plain average at any eta_u",
            "d_v = 0 and nothing else; FedAvg of [16], whose server takes the plain average",
            averaging(),
            _plain(_ONE),
            _SHARED,
            _DRAWS,
            (_NO_V,),
            reading="FedAvg without a server step size",
        ),
    ),
)

# "a convergence analysis for FedAvg-P is applicable to various existing approaches": the
# conditions of Theorem 3.7 on the outer step sizes, where FedAvg-P is FedSim
_FEDSIM_ANALYSIS = Part(
    left=sp.Max(sp.sqrt(m), sp.sqrt(n / m)),
    right=_ONE,
    name="conditions of thm-3.7 at eta_u = eta_v = 1",
    index=Index.POINT,
)

FEDSIM = Equivalence(
    entry("personalization/sc-fedsim"),
    shapes=SHAPES,
    analysis=_FEDSIM_ANALYSIS,
    pairs=(
        Pair(
            "outer steps one",
            "eta_u = eta_v = 1",
            averaging(_ONE, _ONE),
            Named(
                "FedSim",
                "fedsim.ROUNDS",
                {"m": m, "K": K, "gamma_u": gamma_u, "gamma_v": gamma_v},
            ),
            {"u": "u", "v": "v"},
            {"present": "present", "xi_u": "xi_u", "xi_v": "xi_v"},
        ),
    ),
)

_PSGD = (_NO_U, Condition(K, "==", _ONE), Condition(m, "==", n))
_PSGD_WORDS = "d_u = 0, K = 1 and m = n, with step size gamma = gamma_v eta_v"

PARALLEL_SGD = Equivalence(
    entry("personalization/sc-psgd"),
    shapes=SHAPES,
    pairs=tuple(
        Pair(
            general.name,
            _PSGD_WORDS,
            general,
            Named("parallel SGD", "parallel_sgd.ROUNDS", {"gamma": gamma_v * eta_v}),
            {"u": "u", "v": "v"},
            {"xi_v": "xi"},
            _PSGD,
        )
        for general in (averaging(), controlled())
    ),
)

SCAFFOLD = Equivalence(
    entry("personalization/sc-scaffold"),
    shapes=SHAPES,
    pairs=(
        Pair(
            "option II",
            "d_v = 0; global step size eta_u, the same initial control variates",
            controlled(),
            Named(
                "Scaffold",
                "scaffold.ROUNDS",
                {"m": m, "K": K, "eta_l": gamma_u, "eta_g": eta_u},
            ),
            {"u": "x", "ci": "ci", "c": "c"},
            _DRAWS,
            (_NO_V,),
        ),
    ),
)

CLAIMS = (FEDAVG, FEDSIM, PARALLEL_SGD, SCAFFOLD)
