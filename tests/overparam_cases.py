"""Set-ups of networks that a slow oracle knows too, and what runs of them show."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import isqrt

import deep_linear_oracle as oracle
import numpy as np
from deep_linear_oracle import Network

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.setups.found import known_of, view_of

F = Fraction


@dataclass(frozen=True)
class Case:
    """A network, its start and rounds of sets of clients, by their numbers; or m of them drawn."""

    network: Network
    start: tuple
    eta: Fraction
    K: int
    sets: tuple = ()
    m: int = 0
    T: int = 0

    @property
    def rounds(self):
        return self.T or len(self.sets)

    @property
    def setup(self):
        n = len(self.network.clients)
        features, targets = (
            tuple(tuple(tuple(map(str, s[i])) for s in own) for own in self.network.clients)
            for i in (0, 1)
        )
        data = {"features": features, "targets": targets,
                "depth": self.network.depth, "width": self.network.width}  # fmt: skip
        given = {"eta": str(self.eta), "K": self.K}
        if self.m:
            given["m"] = self.m
        else:
            given["schedule"] = tuple(tuple(int(c in s) for c in range(n)) for s in self.sets)
        objective = Objective("deep linear", tuple(data.items()))
        run = Run(objective, tuple(map(str, self.start)), tuple(given.items()), self.rounds)
        return Setup("overparam", "rounds, clients at random" if self.m else "rounds", run)

    @property
    def wanted(self):
        """Of every quantity, what it is in each round; of models also after the last."""
        return _wanted(self)


@cache
def _wanted(case):
    start, eta = list(case.start), case.eta
    if case.m:
        found, last = oracle.means(case.network, start, case.m, case.T, eta, case.K)
    else:
        sets = [case.sets[t % len(case.sets)] for t in range(case.rounds)]
        found, last = oracle.rounds(case.network, start, sets, eta, case.K)
    series = {name: [numbers[name] for numbers in found] for name in found[0]}
    return series | {name: [*series[name], value] for name, value in last.items()}


def case_of(setup):
    """A planned set-up whose C is rational, as the oracle has it."""
    run = setup.run
    data = {x: _exact(y) for x, y in run.problem.data}
    clients = tuple(
        tuple(zip(*own, strict=True)) for own in zip(data["features"], data["targets"], strict=True)
    )
    depth, width, outputs = int(data["depth"]), int(data["width"]), len(clients[0][0][1])
    root = isqrt(width ** (depth - 1) * outputs)
    assert root**2 == width ** (depth - 1) * outputs
    network, start = Network(clients, depth, width, F(1, root)), _exact(run.start)
    given = {"eta": F(run.parameter("eta")), "K": run.parameter("K"), "T": run.rounds}
    if run.parameter("m"):
        return Case(network, start, m=run.parameter("m"), **given)
    rows = run.parameter("schedule")
    sets = tuple(tuple(c for c, one in enumerate(row) if one) for row in rows)
    return Case(network, start, sets=sets, **given)


def _exact(numbers):
    """Nested numbers as fractions."""
    return tuple(map(_exact, numbers)) if isinstance(numbers, tuple) else F(numbers)


def fractions(array):
    if isinstance(array, np.ndarray | list):
        return [fractions(x) for x in array]
    return Fraction(int(array.p), int(array.q))


def known(case, planted=None):
    view = view_of(case.setup)
    return known_of(case.setup, view if planted is None else replace(view, algorithm=planted))


def shown(found, name):
    """A series, the rounds first: then layers or clients, then local steps."""
    return fractions(np.moveaxis(found.series(name), -1, 0))


def differing(case, planted=None):
    """Names of quantities that are not the oracle's."""
    found = known(case, planted)
    return {name for name, values in case.wanted.items() if shown(found, name) != values}


def _numbers(count, *pattern):
    """As many as are asked for, by going round a pattern."""
    return tuple(F(pattern[i % len(pattern)]) for i in range(count))


def _network(clients, depth, width, root):
    own = tuple(
        tuple((tuple(map(F, x)), tuple(map(F, y))) for x, y in samples) for samples in clients
    )
    return Network(own, depth, width, F(1, root))


ONE = _network([[((1, 2), (1,))], [((-1, 1), (2,))]], 1, 7, 1)
FREE = _network([[((1, 2, 0), (1,))], [((-1, 1, 1), (2,))]], 1, 7, 1)
TWO = _network(
    [[((1, 0), (1,))], [((1, 2), (-1,))], [((0, -1), (2,))]], 2, 4, 2
)  # more samples than entries
SAMPLES = _network(
    [[((1, 0, 0), (1,)), ((0, 2, 0), (0,))], [((1, 1, 1), (-1,)), ((0, 0, 1), (2,))]], 2, 4, 2
)
OUTPUTS = _network([[((1, 2), (1, 0))], [((0, 1), (2, -1))]], 2, 2, 2)
THREE = _network([[((1, 0), (1,))], [((1, -1), (2,))]], 3, 4, 4)
START_2, START_3 = (1, -1, "1/2", 0, 2), (1, "-1/2", 0, 1, "1/2", -1, 1)

CASES = {
    "one layer, free entries": Case(FREE, _numbers(3, 1, -1), F(1, 10), 2, ((0, 1), (1,))),
    "one layer": Case(ONE, _numbers(2, 1, -1), F(1, 10), 2, ((0, 1), (1,), (0,))),
    "one client": Case(TWO, _numbers(12, *START_2), F(1, 8), 2, ((1,), (1,))),
    "all, then some": Case(TWO, _numbers(12, *START_2), F(1, 8), 1, ((0, 1, 2), (0, 2), (1,))),
    "three steps": Case(TWO, _numbers(12, *START_2), F(1, 8), 3, ((1, 2), (0,))),
    "two samples": Case(SAMPLES, _numbers(16, *START_2), F(1, 16), 2, ((0, 1), (1,))),
    "two outputs": Case(OUTPUTS, _numbers(8, *START_2), F(1, 8), 2, ((1,), (0, 1))),
    "three layers": Case(THREE, _numbers(28, *START_3), F(1, 8), 2, ((0,), (0, 1))),
    "three layers, three steps": Case(THREE, _numbers(28, *START_3), F(1, 8), 3, ((1,),)),
    "in turns, again": Case(OUTPUTS, _numbers(8, *START_2), F(1, 8), 1, ((0,), (1,)), T=3),
}
RANDOM = {
    "one of two": Case(OUTPUTS, _numbers(8, *START_2), F(1, 8), 2, m=1, T=2),
    "two of three": Case(TWO, _numbers(12, *START_2), F(1, 8), 2, m=2, T=2),
    "one layer": Case(ONE, _numbers(2, 1, -1), F(1, 10), 2, m=1, T=2),
    "everyone": Case(THREE, _numbers(28, *START_3), F(1, 8), 1, m=2, T=2),
}

ROOT_2 = replace(_network([[((1, 2), (1,))], [((0, 1), (-1,))]], 2, 2, 1), C=0.5**0.5)
IRRATIONAL = Case(ROOT_2, _numbers(6, *START_2), F(1, 8), 2, ((0, 1), (1,)))
