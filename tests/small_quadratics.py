"""Small instances in fractions, and their expectations by brute force."""

from fractions import Fraction as F

import bridge
import numpy as np
import oracles
from history_oracle import Run as Walked
from quantity_oracle import expectations

from fedbounds.theory.language.setups import Objective, Run, Setup


def steps(m, K, gamma=F(1, 5), eta_u=F(1), eta_v=F(1)):
    """Step sizes with gamma_u eta_u = gamma_v eta_v = gamma."""
    return oracles.Steps(m, K, gamma / eta_u, gamma / eta_v, eta_u, eta_v)


def scalar_blocks(A, C, D, a, d):
    """d_u = d_v = 1: one number per client and block."""
    hessian = [[[A_i, C_i], [C_i, D_i]] for A_i, C_i, D_i in zip(A, C, D, strict=True)]
    return oracles.Quadratic(1, hessian, [list(pair) for pair in zip(a, d, strict=True)])


OWN_CURVATURE = scalar_blocks(
    A=[F(1), F(3, 2), F(2)], C=[F(1, 2), F(-1), F(1, 3)], D=[F(1), F(2), F(3, 4)],
    a=[F(1), F(-2), F(3)], d=[F(0), F(1), F(-1)],
)  # fmt: skip
TWO = scalar_blocks(
    A=[F(1), F(2)], C=[F(1, 2), F(-2, 3)], D=[F(1), F(3, 2)], a=[F(1), F(-1, 2)], d=[F(1, 3), F(2)]
)
SHARED_ONLY = oracles.Quadratic(
    2,
    [
        [[F(2), F(1, 2)], [F(1, 2), F(1)]],
        [[F(1), F(0)], [F(0), F(3)]],
        [[F(1), F(-1)], [F(-1), F(2)]],
    ],
    [[F(1), F(0)], [F(-1), F(2)], [F(1, 2), F(-3)]],
)
PERSONAL_ONLY = oracles.Quadratic(0, SHARED_ONLY.hessian, SHARED_ONLY.linear)
WIDE = oracles.Quadratic(
    1,
    [
        [[F(2), F(1, 2), F(1, 3)], [F(1, 2), F(1), F(1, 4)], [F(1, 3), F(1, 4), F(3, 2)]],
        [[F(1), F(-1, 3), F(0)], [F(-1, 3), F(2), F(1, 2)], [F(0), F(1, 2), F(1)]],
    ],
    [[F(1), F(-1), F(2)], [F(0), F(1, 2), F(-1, 3)]],
)
UNBOUNDED = scalar_blocks(
    A=[F(1), F(-2)], C=[F(1, 2), F(1)], D=[F(1), F(1)], a=[F(1), F(2)], d=[F(0), F(-1)]
)


# quantities of the sheet's table 1 and definition 3.1
TABLE_ONE = ("f", "G_u", "G_v", "B", "T_1u", "T_1v", "T_2u", "T_2v", "T_3u", "E")


def start_of(objective):
    """Distinct small fractions."""
    d_u, n = objective.d_u, objective.clients
    d_v = len(objective.linear[0]) - d_u
    u = [F(1, 1 + p) for p in range(d_u)]
    return u, [[F(i + 1, 2 + p) for p in range(d_v)] for i in range(n)]


def setup(objective, steps, scales, rounds, *, corrected, view="", start=None, law="rademacher"):
    """The same as a set-up of FedAvg-P, or of Scaffold-P."""
    u, v = start_of(objective) if start is None else start
    data = {"hessians": objective.hessian, "slopes": objective.linear, "personal": len(v[0])}
    data |= {"noise": scales[0], "personal_noise": scales[1], "law": law}
    parameters = {"cohort": steps.m, "K": steps.K}
    parameters |= {x: getattr(steps, x) for x in ("gamma_u", "gamma_v", "eta_u", "eta_v")}
    begun = [*u, *(x for own in v for x in own)]
    run = Run(
        Objective("quadratics", tuple(data.items())), begun, tuple(parameters.items()), rounds
    )
    named = view or ("Scaffold-P, rounds" if corrected else "rounds")
    return Setup("personalization", named, run)


# ---- expectations by brute force


def spread(objective, scales):
    """The standard deviation of every coordinate of the joint noise."""
    d_v = len(objective.linear[0]) - objective.d_u
    return [scales[0]] * objective.d_u + [scales[1]] * d_v


def quick(data):
    """The same in rationals, on which the oracles run ten times as fast as on fractions."""
    if isinstance(data, oracles.Quadratic):
        return oracles.Quadratic(data.d_u, quick(data.hessian), quick(data.linear))
    if isinstance(data, oracles.Steps):
        m, K, *sizes = vars(data).values()
        return oracles.Steps(m, K, *quick(sizes))
    if isinstance(data, list | tuple):
        return [quick(x) for x in data]
    return bridge.rational(data)


def history(objective, steps, scales, rounds, *, corrected):
    """Expectations of rounds 0, ..., ``rounds`` by brute force: {name: {(i, k): [per round]}}."""
    run = Walked(*map(quick, (objective, steps, spread(objective, scales))), corrected)
    u, v = quick(start_of(objective))
    found = {}
    for t, seen in enumerate(expectations(run, u, v, rounds + 1)):
        for (name, *at), value in seen.items():
            row = found.setdefault(name, {}).setdefault(tuple(at), [F(0)] * (rounds + 1))
            row[t] = bridge.fraction(value)
    return found


def by_place(name, series):
    """A series of the package as {(i, k): [per round]}, (i,) per client and () of the whole.

    None where there is no number: what looks back has none in round 0.
    """
    plain = np.frompyfunc(lambda x: None if x != x else bridge.fraction(x), 1, 1)
    with np.errstate(invalid="ignore"):  # what ran before may have left that flag behind
        rows = plain(series).tolist()
    if series.ndim == 1:
        return {(): rows}
    n, steps, _ = series.shape
    places = {(i, k): rows[i][k] for i in range(n) for k in range(steps)}
    per_client = name in PER_CLIENT
    return {(i,): row for (i, _), row in places.items()} if per_client else places


PER_CLIENT = ("g_ui", "g_vi", "M_vi", "Dv_i", "s_vi", "cd_i", "C_i", "c_i2", "h_i2", "ch_i")
