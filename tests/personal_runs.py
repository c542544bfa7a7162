"""Small runs of algorithms with personal blocks, and definitions of what is measured of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw
from fedbounds.theory.language.setups import Shown
from fedbounds.theory.language.symbols import VectorSymbol, gamma
from fedbounds.theory.proof.vectors import given, ip, sq
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.subject import Subject

FIFTH, HALF = fmpq(1, 5), fmpq(1, 2)
STEPS = {"gamma_u": fmpq(1, 8), "gamma_v": fmpq(1, 4), "eta_u": fmpq(2), "eta_v": fmpq(1)}
SHOWN = Shown(
    draws={"S": ("present", "weight"), "xi": ("xi_u", "xi_v")},
    indices={"i": "", "k": ""},
    vectors={
        **{"u": (), "u_next": (), "v": ("i",), "v_next": ("i",), "au": ("i",), "av": ("i",)},
        **dict.fromkeys(("uh", "vh", "hu", "hv", "xu"), ("i", "k")),
    },
    factors={"present": ("i",)},
)


@dataclass(frozen=True)
class Pair:
    """A traced algorithm with its parameters."""

    traced: Algorithm
    values: dict[str, Any]


def pairs(m, steps):
    """Both algorithms of the paper, by name."""
    shared = {"cohort": m, "K": steps, **STEPS}
    averaging, controlled = personal_averaging.ROUNDS, personal_scaffold.ROUNDS
    return {"FedAvg-P": Pair(averaging, shared), "Scaffold-P": Pair(controlled, shared)}


def problem(n=2, shared=1, personal=1, noise=(HALF, FIFTH), law=NoiseLaw.RADEMACHER):
    """Quadratics in rationals whose Hessians are coupled, and a start."""
    d = shared + personal
    hessian = np.empty((n, d, d), dtype=object)
    linear = np.empty((n, d), dtype=object)
    for i in range(n):
        for a in range(d):
            linear[i, a] = fmpq((-1) ** (i + a) * (1 + a + i), 3)
            for b in range(d):
                hessian[i, a, b] = fmpq(2 + i) if a == b else fmpq((-1) ** i, 2 + a + b)
    scales = (noise[0], noise[1] if personal else fmpq(0))
    start = np.array([fmpq(2 - a, 1 + a % 3) for a in range(shared + n * personal)], dtype=object)
    return FederatedQuadratic(hessian, linear, shared, Noise(law, *scales)), start


def subject(pair, given, rounds=2):
    """A pair's traced algorithm on a problem."""
    return Subject(pair.traced, Clients(given[0]), given[1], pair.values, rounds, SHOWN)


u, un, v, vn, uh, vh, hu, hv, au, av = (
    VectorSymbol(name, name)
    for name in ("u", "u_next", "v", "v_next", "uh", "vh", "hu", "hv", "au", "av")
)
past, S, xi, i = (VectorSymbol(name, name) for name in ("past", "S", "xi", "i"))


def definitions(n, m, steps):
    """As the proofs define them, in gamma."""
    gradient, mean = given(au, past), given(hu, past, xi)
    return {
        "E": n * steps * (sq(uh - u) + sq(vh - v)),
        "T_1u": -gamma * steps * ip(gradient, hu),
        "T_1v": -gamma * m * steps / n * ip(av, hv),
        "T_2u": gamma**2 * steps**2 * sq(mean),
        "T_2v": gamma**2 * steps**2 * m / n * sq(given(hv, past, xi, i)),
        "T_3u": n * steps**2 * sq(given(hu, past, xi, i) - mean),
        "Du_2": sq(un - u),
        "Dv_2": sq(vn - v),
        "X_u": ip(gradient, un - u),
        "X_v": ip(av, vn - v),
        "M_u": sq(given(un - u, past)),
        "M_v": sq(given(vn - v, past, i)),
    }
