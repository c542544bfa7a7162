"""What a run shows, in exact rationals: constants, quantities, and evidence for assumptions.

What is left out is as deliberate as what is there. ||W_k - W||^2 of one client and its mean over
clients are the same formula, and so are the distances of rounds and of local steps: a statement is
refused where a number that it names is missing, instead of being judged on what it does not mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq

from fedbounds.algorithms.fedplt_rows import compensation, shares, untrained
from fedbounds.errors import FedboundsError
from fedbounds.problems import Constants, ConstantValue, Evidence
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Assumption, Constant

from ..case import Found, find
from ..instance import Products
from .analysis import Analysis, alone, analysed, products
from .guards import guarded
from .measured import mean, of_one_client
from .setups import Analysed, Run, Shows, View
from .visited import alignments, chosen, gradient_bounds

Array = Any


_OF_A_STEP = frozenset(
    {"eta", "L", "mu", "sigma^2", "psi_max", "psi_min", "Gamma", "Gamma_2", "Lambda", "alpha_k"}
    | {"rho_min", "nu_max"}
)
_OF_ONE = frozenset({"eta", "L", "mu", "sigma^2", "psi_max", "psi_min", "alpha_k", "c_k", "d_k"})


@dataclass(frozen=True)
class _Shown:
    """What statements may name: constants, quantities, vectors."""

    constants: frozenset[str]
    series: frozenset[str] | None  # None: all
    vectors: frozenset[str] = frozenset()


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STEP = _Shown(
    _OF_A_STEP,
    None,
    _names("W Wk Wstar D Db mdelta smdelta sadelta adelta mUb aUb pmg mg rg ax"),
)
# the noise of a step, and of a whole round, have one name
_EACH = _Shown(_OF_ONE, _names("F_own F_bar F_gap"), _names("W Wk Wstar g g0 delta pmg anyv mv"))
_SHOWN = {
    (View.FREE, Shows.STEP): _STEP,
    (View.STEPS, Shows.STEP): _STEP,
    (View.FREE, Shows.CLIENTS): _EACH,
    (View.STEPS, Shows.CLIENTS): _EACH,
    (View.FREE, Shows.CLIENT): _Shown(
        _OF_ONE | _names("norm_g norm_x norm_y cos_1 cos_2 cos_3 rho_k psi_i w_i"),
        _names("F_own F_bar F_gap cos_g cos_m sgn_3 U_coord"),
        _names("W Wk Wstar g pmg anyv mv"),
    ),
    # V_W of local steps would be taken for that of rounds
    (View.STEPS, Shows.DISTANCES): _Shown(_OF_A_STEP | _names("tau G^2 j"), _names("D_W")),
    (View.ROUNDS, Shows.DISTANCES): _Shown(
        _OF_A_STEP | _names("tau G^2 z B_step w_gap D_0"), _names("D_W D_1 V_W")
    ),
    # with alpha_k, ||W_k - W||^2 would be taken for that of one client
    (View.STEPS, Shows.VECTORS): _Shown(
        _names("eta tau psi_max sigma^2 Gamma G^2 j"), frozenset(), _names("W Wk")
    ),
    # W_k^t after a round is nearer to W* than W^t: Jensen's inequality is asked of local steps
    (View.ROUNDS, Shows.VECTORS): _Shown(
        _names("eta tau psi_max psi_min Gamma Gamma_2 sigma^2 L"),
        _names("F_att"),
        _names("W Wk Wstar D Db"),
    ),
    (View.ROUNDS, Shows.CLIENTS): _Shown(
        _names("eta tau sigma^2 G^2 alpha_k"), frozenset(), _names("W Wk gs ns mgs mns")
    ),
}

_WITH_MEANS = {(View.STEPS, Shows.STEP), (View.ROUNDS, Shows.VECTORS)}  # of W_k^t over clients


@find.register
def _found(setup: Analysed) -> Found:
    if (setup.view, setup.shows) not in _SHOWN:
        raise FedboundsError(f"{setup.view.value}: {setup.shows.value} are not shown")
    shown, analysis = _SHOWN[setup.view, setup.shows], analysed(setup.run, setup.view)
    constants = _constants(setup, analysis)
    clients = [alone(analysis, k) for k in range(setup.run.problem.clients)]
    if setup.shows is Shows.CLIENTS:
        series = _of_each(clients)
        constants |= _shared(setup.run)
    elif setup.shows is Shows.CLIENT:
        clients = [clients[setup.client]]
        own, series = _of_one(setup, analysis)
        constants = constants | own
    else:
        series, clients = with_values(analysis.series, constants), []
    known = {name: constants[name] for name in shown.constants & constants.keys()}
    if setup.free is not None:
        known = _of_all_coordinates(known)
    return Found(
        family=family(setup.run, setup.view.value),
        parameters=parameters(setup.run, known),
        series={n: s for n, s in series.items() if shown.series is None or n in shown.series},
        constants=of_problem(known),
        evidence=_evidence(setup, analysis, constants) | _angles(series),
        products=_products(setup, analysis, shown, clients) if shown.vectors else None,
    )


def _angles(series: Mapping[str, Array]) -> dict[Assumption, Evidence]:
    """On which side of 90 degrees both angles are, in every round, of one client."""
    if not {"cos_g", "cos_m"} <= series.keys():
        return {}
    cosines = [x for name in ("cos_g", "cos_m") for x in series[name].reshape(-1)]
    told = f"{len(cosines)} cosines, {sum(x > 0 for x in cosines)} of them positive"
    return {
        Assumption.ACUTE: Evidence(all(x > 0 for x in cosines), told),
        Assumption.OBTUSE: Evidence(all(x < 0 for x in cosines), told),
    }


def _products(
    setup: Analysed, analysis: Analysis, shown: _Shown, clients: list[Analysis]
) -> Products:
    """Over all clients, or of those listed, one row each."""
    noisy = bool(setup.run.problem.noise.scale_u)

    def measure(node: sp.Expr) -> Array:
        if not clients:
            return products(analysis, node)
        return np.stack([products(each, node) for each in clients])

    means = (setup.view, setup.shows) in _WITH_MEANS
    return guarded(measure, shown.vectors, noisy=noisy, means=means)


def family(run: Run, what: str) -> str:
    """What was run, in a few words."""
    n, d = run.problem.clients, run.problem.shared_dimension
    nobody = ", ".join(map(str, untrained(run.algorithm)))
    told = f", nobody trains coordinate {nobody}" if nobody else ""
    return f"FedPLT, {what}: n={n} d={d} tau={run.algorithm.local_steps}{told}"


def parameters(run: Run, known: Mapping[str, Any]) -> dict[str, Any]:
    """All but the constants of the problem."""
    own = {name.value for name in of_problem(known)}
    named = {name: value for name, value in known.items() if name not in own}
    return {"n": run.problem.clients, "T": run.count, **named}


def of_problem(known: Mapping[str, Any]) -> Constants:
    """L and mu: the extreme eigenvalues themselves."""
    names = (Constant.SMOOTHNESS, Constant.STRONG_CONVEXITY)
    return {name: ConstantValue(known[name.value]) for name in names if name.value in known}


# ---- constants


def _constants(setup: Analysed, analysis: Analysis) -> dict[str, Any]:
    """Those of the run, and rho_min, G^2 and what the paper makes of them."""
    values = dict(analysis.constants)
    if setup.free is not None:
        free = rational(setup.free)
        values["psi_max"] = max(values["psi_max"], abs(free))
        values["psi_min"] = min(values["psi_min"], free)
    seen, tau = analysis.visited, setup.run.algorithm.local_steps
    values["G^2"] = seen.wide if setup.gradients is Assumption.GLOBAL_GRADIENT else seen.local
    values["D_0"] = analysis.series["D_W"][0]
    if tau > 1:
        values["j"] = fmpq(tau - 1)  # the most local steps that may have been done
    rho_min = chosen(setup.rho_min, seen)
    if rho_min is not None:
        values |= step_constants(values, rho_min)
    return values


def _of_all_coordinates(known: Mapping[str, Any]) -> dict[str, Any]:
    """With the names that extremes of psi over all coordinates have."""
    found = {x: y for x, y in known.items() if x not in ("psi_max", "psi_min")}
    if "psi_max" in known:
        found["psi_sup"] = known["psi_max"]
    if "psi_min" in known:
        least = known["psi_min"]
        found |= {"psi_inf": least} if least > 0 else {"w_free": -least}
    return found


def step_constants(values: Mapping[str, Any], rho_min: Any) -> dict[str, Any]:
    """rho_min, and nu, z and B with it, as far as these have the sign that they are said to have.

    Every alpha_k is the same.
    """
    eta, L, mu, psi_max, psi_min = (values[x] for x in ("eta", "L", "mu", "psi_max", "psi_min"))
    z = mu * psi_min * rho_min
    found = {"rho_min": rho_min, "z": z}
    if eta * z < 1:
        found["w_gap"] = 1 / eta - z
    if "alpha_k" not in values:
        return found
    bracket = 2 * psi_max**2 * values["alpha_k"] ** 2 * (1 - eta * L) + psi_min * rho_min
    if bracket <= 0:
        return found
    moved = 2 * values["tau"] ** 2 * (values["G^2"] + values["sigma^2"]) * values["Gamma"]
    spread = 2 * L * bracket * values["Lambda"]
    noise = values["sigma^2"] * psi_max**2 * values["Gamma"]
    return found | {"nu_max": bracket, "B_step": moved + spread + noise}


def with_values(series: Mapping[str, Array], constants: Mapping[str, Any]) -> dict[str, Array]:
    """With A_{2.4}, by its definition in Step 4.3."""
    if "rho_min" not in constants or "F_opt" not in series:
        return dict(series)
    eta, L, psi_max, psi_min = (constants[x] for x in ("eta", "L", "psi_max", "psi_min"))
    curved = 4 * (eta * psi_max) ** 2 * L * series["F_att"]
    return {**series, "A_24": curved - 2 * eta * psi_min * constants["rho_min"] * series["F_opt"]}


# ---- single clients


def _of_each(clients: list[Analysis]) -> dict[str, Array]:
    """Gaps of every client, shape (n, rounds)."""
    names = {"F_own": "Ek", "F_bar": "E0", "F_gap": "gap"}
    found = {}
    for name, vector in names.items():
        rows = [
            [mean(each, each.space.vectors[vector][..., 0]) for each in client.every]
            for client in clients
        ]
        found[name] = np.array(rows, dtype=object)
    return found


def _shared(run: Run) -> dict[str, Any]:
    """Share and number of coordinates, where they are those of every client."""
    values = {
        "c_k": set(shares(run.algorithm)),
        "d_k": {fmpq(sum(mask)) for mask in run.algorithm.masks},
    }
    return {name: found.pop() for name, found in values.items() if len(found) == 1}


def _of_one(setup: Analysed, analysis: Analysis) -> tuple[dict[str, Any], dict[str, Array]]:
    """Numbers of one client, and of one coordinate that somebody trains."""
    algorithm, k, i = setup.run.algorithm, setup.client, setup.coordinate
    (found,) = alone(analysis, k).every
    known, quantities = of_one_client(found, analysis.constants["mu"])
    c, psi = shares(algorithm), compensation(algorithm)
    (whole,) = analysis.every
    update = mean(whole, whole.space.vectors["D"][..., i]) / psi[i]
    held = sum((x for x, mask in zip(c, algorithm.masks, strict=True) if mask[i]), fmpq(0))
    known |= {"c_k": c[k], "d_k": fmpq(sum(algorithm.masks[k]))}
    known |= {"alpha_k": found.factors["attenuate"].item()}
    if held:
        known |= {"psi_i": psi[i], "w_i": held}
    series = {name: np.array([[value]], dtype=object) for name, value in quantities.items()}
    return known, series | {"U_coord": np.array([update], dtype=object)}


# ---- assumptions


def _evidence(
    setup: Analysed, analysis: Analysis, constants: Mapping[str, Any]
) -> dict[Assumption, Evidence]:
    run, seen = setup.run, analysis.visited
    evidence = basic(run) | alignments(constants.get("rho_min"), seen)
    evidence |= gradient_bounds(constants["G^2"], seen)
    single, tau = setup.view is not View.FREE, run.algorithm.local_steps
    evidence[Assumption.SINGLE_STEP] = Evidence(single and tau == 1, f"tau is {tau}")
    steps = setup.view is View.STEPS
    evidence[Assumption.VIRTUAL] = Evidence(steps, setup.view.value)
    if steps:
        asked = "asked of rounds of the algorithm; here t counts local steps"
        evidence[Assumption.GLOBAL_GRADIENT] = Evidence(None, asked)
    equal = "alpha_k" in analysis.constants
    evidence[Assumption.EQUAL_ATTENUATION] = Evidence(equal, "every alpha_k is min(1, sqrt(d r_k))")
    return evidence


def basic(run: Run) -> dict[Assumption, Evidence]:
    """What a strongly convex quadratic with additive noise satisfies."""
    spectrum = Evidence(True, "L and mu are the extreme eigenvalues of the Hessians")
    noise = Evidence(True, "additive noise +-s in each coordinate: unbiased, of variance d s^2")
    full = Evidence(run.problem.noise.scale_u == 0, "sigma = 0")
    shared = Evidence(not run.dependent, "one noise for all" if run.dependent else "independent")
    return {
        Assumption.SMOOTH: spectrum,
        Assumption.STRONGLY_CONVEX: spectrum,
        Assumption.NOISE: noise,
        Assumption.NOISELESS: full,
        Assumption.INDEPENDENT: shared,
    }
