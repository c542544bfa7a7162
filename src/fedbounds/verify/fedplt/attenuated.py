"""One step with attenuations that are chosen: any number for which masking shortens as said."""

from dataclasses import replace
from typing import Any

import numpy as np

from fedbounds.errors import require
from fedbounds.problems import Evidence
from fedbounds.theory.fedplt.vectors import MEANS
from fedbounds.vocabulary import Assumption

from ..case import Found, find
from .findings import basic, family, of_problem, parameters, step_constants, with_values
from .guards import guarded
from .kinds import numbers
from .measured import constants, one_step
from .outcomes import Enumerated, free_outcomes
from .setups import Attenuated
from .values import evaluate, with_vectors

# statements that rest on the formula of alpha_r name others: they are refused
_QUANTITIES = ("A_24", "V_W", "F_loc", "F_att", "F_opt", "F_star", "F_glob", "F_gatt", "Lam_att")
_NAMED = ("eta", "L", "mu", "psi_max", "psi_min", "Lambda", "alpha_k", "rho_min", "nu_max")
_VECTORS = frozenset({"W", "Wk", "ax"})


@find.register
def _found(setup: Attenuated) -> Found:
    run = setup.run
    found = _with(free_outcomes(run.problem, run.algorithm, run.start.u, run.own), setup)
    values: dict[str, Any] = constants(run.problem, run.algorithm, found)
    series = {name: [value] for name, value in one_step(found, values["mu"]).items()}
    values |= _for_all(values, setup)
    arrays = {name: np.array(rows, dtype=object) for name, rows in series.items()}
    arrays = with_values(arrays, values)
    known = {name: values[name] for name in _NAMED if name in values}
    named = with_vectors(found, MEANS)
    equal = Evidence(False, "attenuations are chosen, not min(1, sqrt(d r_k))")
    return Found(
        family=family(run, f"one step from free vectors, alpha = {_listed(setup.attenuation)}"),
        parameters=parameters(run, known),
        series={name: arrays[name] for name in _QUANTITIES},
        constants=of_problem(known),
        evidence=basic(run) | {Assumption.EQUAL_ATTENUATION: equal},
        products=guarded(
            lambda node: np.array([evaluate(node, named, values).value], dtype=object),
            _VECTORS,
            noisy=bool(run.problem.noise.scale_u),
            means=False,
        ),
    )


def _with(found: Enumerated, setup: Attenuated) -> Enumerated:
    """With these attenuations.

    Raises
    ------
    FedboundsError
        If one lies outside [0, 1], or masking does not shorten a gradient by as much.
    """
    alpha = numbers(setup.attenuation, setup.run.problem.hessian)
    g = found.space.vectors["g"]
    long = ((found.factors["mask"] * g) ** 2).sum(axis=-1)
    most = (alpha**2).reshape(1, 1, -1, 1) * (g * g).sum(axis=-1)
    fits = bool((long <= most).all() and (alpha >= 0).all() and (alpha <= 1).all())
    require(fits, "attenuations", _listed(setup.attenuation), "in [0, 1], ||m o g|| <= alpha ||g||")
    return replace(found, factors={**found.factors, "attenuate": alpha.reshape(1, 1, -1, 1, 1)})


def _for_all(values: dict[str, Any], setup: Attenuated) -> dict[str, Any]:
    """alpha_k of the client that the conditions on all of them decide, and nu.

    Conditions (ii) and that on nu are hardest for the largest alpha. Condition (iii) is hardest
    for the smallest: where it fails there, no alpha_k is shown.
    """
    eta, L, psi_max, psi_min = (values[name] for name in ("eta", "L", "psi_max", "psi_min"))
    alpha = numbers(setup.attenuation, setup.run.problem.hessian)
    least = 1 + 2 * eta * psi_max**2 * min(alpha) ** 2 * L
    chosen = {"alpha_k": max(alpha)} if psi_min * setup.rho_min <= least else {}
    found = step_constants({**values, **chosen, "G^2": 0}, setup.rho_min)
    return chosen | {name: found[name] for name in ("rho_min", "nu_max") if name in found}


def _listed(attenuation: tuple[Any, ...]) -> str:
    return ", ".join(str(each) for each in attenuation)
