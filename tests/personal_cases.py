"""Runs of FedAvg-P and Scaffold-P on quadratics, as cases: in rationals, or in floats."""

from dataclasses import replace
from fractions import Fraction

from flint import fmpq

from fedbounds.theory.language.setups import Objective, Planned, Run, Setup
from fedbounds.verify.measure.objectives import exact_array, objective, values
from fedbounds.verify.setups.edges import _Admitting, _inside
from fedbounds.verify.setups.plan import case_of

VIEWS = {"FedAvg-P": "rounds", "Scaffold-P": "Scaffold-P, rounds"}
# eigenvalues 1 and 1/4, by a reflection
_TURNED = (("13/25", "-9/25"), ("-9/25", "73/100"))


def quadratics(hessians, slopes, *, noise=0, personal_noise=None, personal=1, **more):
    """Of every client a Hessian and a slope; the last coordinates are its own."""
    data = {"hessians": hessians, "slopes": slopes, "personal": personal, "noise": noise}
    data |= {"personal_noise": noise if personal_noise is None else personal_noise}
    data |= more
    return Objective("quadratics", tuple(data.items()))


def alike(n=3, *, seed=0, shared=2, top=1, lowest="1/10", **noise):
    """One or two shared and one personal coordinate, one Hessian for all.

    So gradients differ by constants. L is ``top`` where one coordinate is shared, else 1, but for
    rounding above; ``lowest`` is the curvature of the personal coordinate.
    """
    block = _TURNED if shared == 2 else ((top,),)
    hessian = (*((*row, 0) for row in block), (*[0] * shared, lowest))
    entries = range(shared + 1)
    slopes = [[(3 * i + 5 * a + 2 * seed) % 7 - 3 for a in entries] for i in range(n)]
    return quadratics([hessian] * n, slopes, **noise)


def coupled(n=3, **noise):
    """Two shared coordinates and a personal one, curvatures of each client's own, coupled blocks."""

    def entry(i, a, b):
        return f"{3 - (i + a) % 3}/3" if a == b else f"{(-1) ** (i + a + b)}/{8 + i + a + b}"

    hessians = [[[entry(i, a, b) for b in range(3)] for a in range(3)] for i in range(n)]
    return quadratics(hessians, [[(2 * i + 3 * a) % 5 - 2 for a in range(3)] for i in range(n)],
                      **noise)  # fmt: skip


def sizes(m, K, gamma, eta_u=1, eta_v=1):
    """Parameters with gamma = gamma_u eta_u = gamma_v eta_v, all exact."""
    effective, outer_u, outer_v = (Fraction(x) for x in (gamma, eta_u, eta_v))
    steps = {"gamma_u": effective / outer_u, "gamma_v": effective / outer_v}
    steps |= {"eta_u": outer_u, "eta_v": outer_v}
    return {"cohort": m, "K": K, **{name: str(value) for name, value in steps.items()}}


def run(problem, parameters, rounds, start=None):
    """A run; it starts at ones."""
    data = dict(problem.data)
    d, n, own = len(data["slopes"][0]), len(data["slopes"]), data["personal"]
    every = (1,) * (d - own + n * own) if start is None else tuple(start)
    return Run(problem, every, tuple(parameters.items()), rounds)


def at_edge(theorem, problem, m, K, rounds, start):
    """A run with step sizes at the edge of a theorem's conditions, just inside."""
    counts = {"n": len(dict(problem.data)["slopes"]), "m": m, "K": K, "T": rounds}
    known = values(objective(problem), exact_array(start)) | {x: fmpq(y) for x, y in counts.items()}
    floats = {name: float(value) for name, value in known.items()}
    found = _inside(theorem, theorem.schedules[0], known, floats, _completed, _Admitting())
    steps = (found[name] for name in ("gamma", "eta_u", "eta_v"))
    return run(problem, sizes(m, K, *steps), rounds, start)


def _completed(steps):
    inner = {f"gamma_{b}": steps["gamma"] / steps[f"eta_{b}"] for b in ("u", "v")}
    return {**steps, **inner}


def case(of_run, *, rule="FedAvg-P", floats=True, name="here", many=False):
    """As a case; with ``many`` nothing of clients one by one."""
    view = VIEWS[rule] + (" of many clients" if many else "")
    setup = Setup("personalization", view, of_run)
    return case_of(Planned(name, setup, floats=floats), "")


def changed(of_run, **parameters):
    """The run with other parameters."""
    return replace(of_run, parameters=tuple({**dict(of_run.parameters), **parameters}.items()))
