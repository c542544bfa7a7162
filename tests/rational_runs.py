"""The small planned runs of one-engine set-ups as instances of the other engine, in rationals.

Float instances are replayed in rationals there, and searches look among such instances.
"""

from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.theory.personalization.setups import PLANNED
from fedbounds.verify.instance import Instance
from fedbounds.verify.measure.objectives import exact, exact_array, objective
from fedbounds.vocabulary import Method

_STEPS = ("gamma_u", "gamma_v", "eta_u", "eta_v")


def rational_instances(kind, *, quick=False):
    """Of FedAvg-P or Scaffold-P, in the order of the plan."""
    view = "Scaffold-P, rounds" if kind is ScaffoldP else "rounds"
    for one in PLANNED:
        if one.judged and one.setup.view == view and (one.quick or not quick):
            run, p = one.setup.run, dict(one.setup.run.parameters)
            problem = objective(run.problem)
            steps = (exact(p[name]) for name in _STEPS)
            algorithm = kind(p["cohort"], p["K"], *steps)
            start = problem.split(exact_array(run.start))
            yield Instance(one.name, problem, algorithm, run.rounds, Method.RATIONAL, start)
