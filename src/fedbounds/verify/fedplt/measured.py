"""Constants, quantities and premises of FedPLT's analysis, measured on enumerated outcomes.

Each is computed from the arrays as its symbol is described, not as a proof defines it, so that
definitions are checked like every other step.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import FedPLT, compensation, shares, untrained
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import is_exact

from ..outcome_values import _mean
from .kinds import eigenvalues, numbers, root
from .outcomes import Enumerated
from .values import alignment


@dataclass(frozen=True)
class Premises:
    """What is assumed of the models of a run, as sharply as it holds there.

    Attributes
    ----------
    aligned : float or None
        Smallest rho_k; None where a ratio is not positive, or not defined.
    compensated : (least, largest) or None
        Where rho_min may lie if <psi o m o g, x> >= psi_min rho_min <g, x> with x = W_k - W*.
    local, wide : float
        Largest squared gradient of an F_k, and of F.
    """

    aligned: float | None
    compensated: tuple[float, float] | None
    local: float
    wide: float


def joined(every: Iterable[Premises]) -> Premises:
    """What holds throughout: alignments of the last, and the largest gradients."""
    *_, last = listed = list(every)
    local, wide = (max(getattr(p, name) for p in listed) for name in ("local", "wide"))
    return Premises(last.aligned, last.compensated, local, wide)


def premises(found: Enumerated) -> Premises:
    """Of all models at which gradients are taken, and of W_k."""
    vectors = found.space.vectors
    local, wide = (float((vectors[name] ** 2).sum(axis=-1).max()) for name in ("gs", "Gs"))
    products = [
        [
            (factor * vectors[gradient] * (vectors[model] - vectors["Wstar"])).sum(axis=-1).ravel()
            for factor in (
                1.0,
                found.factors["mask"],
                found.factors["mask"] * found.factors["comp"],
            )
        ]
        for gradient, model in (("g", "Wk"), ("gs", "Ws"))
        if gradient in vectors
    ]
    whole, masked, compensated = (np.concatenate(each) for each in zip(*products, strict=True))
    least = None
    if whole.all() and (masked / whole).min() > 0:
        least = float((masked / whole).min())
    return Premises(least, _interval(whole * _psi(found).min(), compensated), local, wide)


def _psi(found: Enumerated) -> np.ndarray:
    """Compensation factors of the coordinates that are trained."""
    trained = found.factors["mask"].reshape(-1, found.factors["mask"].shape[-1]).any(axis=0)
    factors: np.ndarray = found.factors["comp"].reshape(-1)[trained]
    return factors


def _interval(whole: np.ndarray, part: np.ndarray) -> tuple[float, float] | None:
    """All positive numbers r with part >= r whole; None if there is none, or all are."""
    up, down = whole > 0, whole < 0
    if not up.any() or (part[whole == 0] < 0).any():
        return None
    largest = float((part[up] / whole[up]).min())
    least = float((part[down] / whole[down]).max()) if down.any() else 0.0
    return None if largest <= 0 or least > largest else (max(least, 0.0), largest)


def constants(problem: FederatedQuadratic, algorithm: FedPLT, found: Enumerated) -> dict[str, Any]:
    """Constants of the problem and the algorithm by the names of their symbols."""
    like = problem.hessian
    lowest, highest = extreme_curvatures(problem)
    c = numbers(shares(algorithm), like)
    kept = [x for i, x in enumerate(compensation(algorithm)) if i not in untrained(algorithm)]
    psi = numbers(kept, like).tolist()
    scale, eta, tau = numbers(
        [problem.noise.scale_u, algorithm.inner_step_u, algorithm.local_steps], like
    ).tolist()
    alpha = found.factors["attenuate"].reshape(-1)
    return {
        "eta": eta,
        "tau": tau,
        "L": highest,
        "mu": lowest,
        "sigma^2": problem.shared_dimension * scale**2,
        "psi_max": max(psi),
        "psi_min": min(psi),
        "Gamma": (c * alpha**2).sum(),
        "Gamma_2": (c**2 * alpha**2).sum(),
        "Lambda": mean(found, found.space.vectors["gap"][..., 0]),
        **({"alpha_k": alpha[0]} if (alpha == alpha[0]).all() else {}),
    }


def extreme_curvatures(problem: FederatedQuadratic) -> tuple[Any, Any]:
    """mu and L: the least and the largest eigenvalue of any Hessian.

    Raises
    ------
    FedboundsError
        If the Hessians are rational and an eigenvalue is not.
    """
    found: list[Any] = np.linalg.eigvalsh(problem.hessian.astype(float)).reshape(-1).tolist()
    if is_exact(problem.hessian):
        found = [value for hessian in problem.hessian for value in eigenvalues(hessian)]
    return min(found), max(found)


# ---- quantities


def one_step(found: Enumerated, mu: Any) -> dict[str, Any]:
    """Quantities of a step from W^t and W_k^t; not b_rho where a rho_k is not defined."""
    v, alpha = found.space.vectors, found.factors["attenuate"][..., 0]
    c = found.space.weights[2].reshape(1, 1, -1, 1)
    step, quiet, far = v["D"], v["Db"], v["W"] - v["Wstar"]
    own, at_W, best, gap = (v[name][..., 0] for name in ("Ek", "E0", "Es", "gap"))
    excess = own - best + mu / 2 * _square(v["Wk"] - v["Wstar"])
    ratio = alignment(found)[..., None]
    rows = {
        "D_W": _square(far),
        "D_1": _square(far + step),
        "A_1": _square(step - quiet),
        "A_2": _square(far + quiet),
        "A_3": 2 * ((step - quiet) * (far + quiet)).sum(axis=-1),
        "A_21": _square(quiet),
        "A_22": 2 * (far * quiet).sum(axis=-1),
        "V_W": _square(v["Wk"] - v["W"]),
        "F_loc": own,
        "F_att": alpha**2 * own,
        "F_raw": alpha**2 * own / c,
        "F_opt": own - best,
        "F_star": best,
        "F_glob": at_W - gap,
        "F_gatt": alpha**2 * (at_W - gap),
        "Lam_att": alpha**2 * gap,
        **({"b_rho": ratio * excess} if (ratio == ratio).all() else {}),
    }
    return {name: mean(found, array) for name, array in rows.items()}


def a_round(found: Enumerated) -> dict[str, Any]:
    """Of a round; D_1 where the analysis's step from its end is there, F_att where values are."""
    v = found.space.vectors
    rows = {"D_W": v["W"] - v["Wstar"], "V_W": v["Wk"] - v["W"]}
    if "W1" in v:
        rows["D_1"] = v["W1"] - v["Wstar"]
    quantities = {name: mean(found, _square(array)) for name, array in rows.items()}
    if "Ek" in v:
        alpha = found.factors["attenuate"][..., 0]
        quantities["F_att"] = mean(found, alpha**2 * v["Ek"][..., 0])
    return quantities


def of_one_client(found: Enumerated, mu: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Numbers and quantities of one client at one W and one W_k, without those not defined.

    Lengths that are not rational are left out where vectors are.
    """
    v = {name: array[0, 0, 0, 0] for name, array in found.space.vectors.items()}
    mask = found.factors["mask"][0, 0, 0, 0]
    x, g, masked = v["Wk"] - v["Wstar"], v["g"], mask * v["g"]
    norms = {"norm_g": g, "norm_x": v["W"] - v["Wk"], "norm_y": x, "masked": masked}
    lengths = {name: root((array * array).sum()) for name, array in norms.items()}
    own, at_W, best, gap = (v[name][0] for name in ("Ek", "E0", "Es", "gap"))
    quantities = {
        "F_own": own,
        "F_bar": at_W,
        "F_gap": gap,
        "b_own": own - best + mu / 2 * (x * x).sum(),
    }
    known = {name: each for name, each in lengths.items() if each is not None}
    length = known.pop("masked", None)
    whole, part = (g * x).sum(), (masked * x).sum()
    if length and known.get("norm_g") and known.get("norm_y"):
        quantities["cos_g"] = whole / (known["norm_g"] * known["norm_y"])
        quantities["cos_m"] = part / (length * known["norm_y"])
        known |= {
            "cos_1": abs(quantities["cos_g"]),
            "cos_2": abs(quantities["cos_m"]),
            "cos_3": length / known["norm_g"],
        }
    if whole * part > 0:
        known["rho_k"] = part / whole
    if g.any():  # cos theta_3 is 0 where the gradient lies outside of the mask
        kept = (masked * masked).sum()
        quantities["sgn_3"] = kept / kept if kept else kept
    return known, quantities


def series(quantities: dict[str, Any], t: int) -> dict[str, np.ndarray]:
    """Quantities of one time t."""
    found = {}
    for name, value in quantities.items():
        exact = isinstance(value, fmpq)
        if exact or np.isfinite(value):
            found[name] = np.full(t + 1, np.nan, dtype=object if exact else float)
            found[name][t] = value
    return found


def distance(found: Enumerated, model: str = "W") -> Any:
    """E ||W - W*||^2 of W^t, or of ``Wn``."""
    vectors = found.space.vectors
    return mean(found, _square(vectors[model] - vectors["Wstar"]))


def _square(array: np.ndarray) -> np.ndarray:
    total: np.ndarray = (array * array).sum(axis=-1)
    return total


def mean(found: Enumerated, array: np.ndarray) -> Any:
    """Expectation of a number with one axis per source."""
    return _mean(array[..., None], found.space, ()).item()
