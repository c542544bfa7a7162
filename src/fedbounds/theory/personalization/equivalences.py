"""Which algorithm is said to be which other one, under which restriction (sections 3.1 and 4.1)."""

import sympy as sp

from fedbounds.theory.catalogue import entry
from fedbounds.theory.claims import Condition, Part
from fedbounds.theory.equivalences import Equivalence, Pair, Parameters
from fedbounds.theory.symbols import K, d_u, d_v, eta_u, eta_v, gamma_u, gamma_v, m, n
from fedbounds.vocabulary import Index


def _personal(outer_u: sp.Expr = eta_u, outer_v: sp.Expr = eta_v) -> Parameters:
    """Parameters of FedAvg-P and Scaffold-P, all step sizes free unless given."""
    return {
        "participants": m,
        "local_steps": K,
        "inner_step_u": gamma_u,
        "inner_step_v": gamma_v,
        "outer_step_u": outer_u,
        "outer_step_v": outer_v,
    }


def _shared(outer: sp.Expr) -> Parameters:
    """Parameters of FedAvg and Scaffold."""
    return {
        "participants": m,
        "local_steps": K,
        "inner_step_u": gamma_u,
        "outer_step_u": outer,
    }


_ONE = sp.Integer(1)
_NO_V = Condition(d_v, "==", sp.Integer(0))
_NO_U = Condition(d_u, "==", sp.Integer(0))

FEDAVG = Equivalence(
    entry("personalization/sc-fedavg"),
    pairs=(
        Pair(
            "server step",
            "d_v = 0; FedAvg with server step size eta_u",
            "FedAvg-P",
            "FedAvg",
            _personal(),
            _shared(eta_u),
            (_NO_V,),
        ),
        Pair(
            "plain average at eta_u = 1",
            "d_v = 0 and eta_u = 1; FedAvg of [16], whose server takes the plain average",
            "FedAvg-P",
            "FedAvg",
            _personal(outer_u=_ONE),
            _shared(_ONE),
            (_NO_V,),
        ),
        Pair(
            "plain average at any eta_u",
            "d_v = 0 and nothing else; FedAvg of [16], whose server takes the plain average",
            "FedAvg-P",
            "FedAvg",
            _personal(),
            _shared(_ONE),
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
    analysis=_FEDSIM_ANALYSIS,
    pairs=(
        Pair(
            "outer steps one",
            "eta_u = eta_v = 1",
            "FedAvg-P",
            "FedSim",
            _personal(_ONE, _ONE),
            {
                "participants": m,
                "local_steps": K,
                "inner_step_u": gamma_u,
                "inner_step_v": gamma_v,
            },
        ),
    ),
)

_PSGD = (_NO_U, Condition(K, "==", _ONE), Condition(m, "==", n))
_PSGD_WORDS = "d_u = 0, K = 1 and m = n, with step size gamma = gamma_v eta_v"

PARALLEL_SGD = Equivalence(
    entry("personalization/sc-psgd"),
    pairs=tuple(
        Pair(
            general,
            _PSGD_WORDS,
            general,
            "parallel SGD",
            _personal(),
            {"clients": n, "step": gamma_v * eta_v},
            _PSGD,
        )
        for general in ("FedAvg-P", "Scaffold-P")
    ),
)

SCAFFOLD = Equivalence(
    entry("personalization/sc-scaffold"),
    pairs=(
        Pair(
            "option II",
            "d_v = 0; global step size eta_u, the same initial control variates",
            "Scaffold-P",
            "Scaffold",
            _personal(),
            _shared(eta_u),
            (_NO_V,),
        ),
    ),
)

CLAIMS = (FEDAVG, FEDSIM, PARALLEL_SGD, SCAFFOLD)
