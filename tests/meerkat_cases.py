"""Set-ups of Meerkat that slow oracles know too, and what runs of them show."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import zeroth_order_oracle as oracle
from flint import fmpq
from hypothesis import strategies as st
from zeroth_order_oracle import Case, Closed

from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.setups.found import known_of, view_of

F = fmpq

# ---- set-ups: none of these Hessians is of rank one

A = ((F(2), F(1)), (F(1), F(3))), (F(1), F(-1))
B = ((F(1), F(-1, 2)), (F(-1, 2), F(1))), (F(0), F(2))
FLAT = ((F(1), F(2)), (F(2), F(4))), (F(-1), F(-2))  # of rank one: many minimisers
WIDE = [
    (((F(3), F(1), F(-1)), (F(1), F(2), F(1, 2)), (F(-1), F(1, 2), F(1))), (F(1), F(2), F(-1))),
    (((F(1), F(0), F(1, 3)), (F(0), F(2), F(-1)), (F(1, 3), F(-1), F(2))), (F(-2), F(0), F(1))),
    (((F(2), F(1), F(0)), (F(1), F(2), F(1)), (F(0), F(1), F(2))), (F(0), F(1, 2), F(3))),
]
W_2, W_3 = (F(1), F(-2)), (F(1), F(1, 2), F(-1))
HALF, THIRD, SMALL = F(1, 2), F(1, 3), F(1, 16)

CASES = {
    "one client, one step": Case((A,), W_2, (1, 1), SMALL, THIRD, 1),
    "one client, three steps, noise": Case((A,), W_2, (0, 1), SMALL, THIRD, 3, 0, HALF),
    "two clients, two steps": Case((A, B), W_2, (1, 1), SMALL, HALF, 2),
    "two clients, own directions, noise": Case((A, B), W_2, (1, 0), SMALL, THIRD, 2, 1, HALF),
    "two clients, one of them flat": Case((A, FLAT), W_2, (1, 1), SMALL, THIRD, 2, 1),
    "three clients, three steps, noise": Case(
        tuple(WIDE), W_3, (1, 0, 1), SMALL, THIRD, 3, 0, THIRD
    ),
    "three clients, own directions": Case(tuple(WIDE), W_3, (1, 1, 1), SMALL, F(2), 2, 1),
}
FEW = ("one client, one step", "one client, three steps, noise", "two clients, two steps",
       "two clients, own directions, noise")  # fmt: skip


def setup_of(case, view, rounds, **more):
    hessians, slopes = zip(*case.clients, strict=True)
    problem = Objective(
        "quadratics",
        (("hessians", hessians), ("slopes", slopes), ("noise", case.noise)),
    )  # fmt: skip
    given = {"mask": case.mask, "eta": case.eta, "epsilon": case.epsilon, "own": case.own}
    if view != "local steps":
        given["K"] = case.K
    given |= more
    return Setup("meerkat", view, Run(problem, case.start, tuple(given.items()), rounds))


def known(case, view, rounds, planted=None):
    setup = setup_of(case, view, rounds)
    own = view_of(setup)
    return known_of(setup, own if planted is None else replace(own, algorithm=planted))


def listed(array):
    return np.asarray(array).tolist()


@cache
def closed(case, view, rounds):
    return Closed(case).rounds(rounds) if view == "rounds" else Closed(case).steps(rounds)


def differing(case, view, rounds, planted=None):
    """Names of quantities whose series are not the oracle's."""
    found, wanted = known(case, view, rounds, planted), closed(case, view, rounds)
    return {name for name, values in wanted.items() if listed(found.series(name)) != values}


def case_of(setup):
    """A planned set-up as the oracle has it."""
    run, data = setup.run, dict(setup.run.problem.data)

    def exact(x):
        if isinstance(x, tuple | list):
            return tuple(map(exact, x))
        own = Fraction(str(x))
        return fmpq(own.numerator, own.denominator)

    clients = tuple(zip(exact(data["hessians"]), exact(data["slopes"]), strict=True))
    eta, epsilon, noise = map(
        exact, (run.parameter("eta"), run.parameter("epsilon"), data.get("noise", 0))
    )
    steps = run.parameter("K") or 1
    return Case(clients, exact(run.start), run.parameter("mask"), eta, epsilon, steps,
                run.parameter("own"), noise)  # fmt: skip


@st.composite
def cases(draw):
    """Convex quadratics with whole numbers under the root of their Hessians."""
    n, d, K = (draw(st.integers(1, 3)) for _ in range(3))
    small = st.integers(-2, 2)

    def client():
        root = [[F(draw(small)) for _ in range(d)] for _ in range(d)]
        H = oracle.matmul(root, oracle.turned(root))
        at = [F(draw(small)) for _ in range(d)]
        return tuple(map(tuple, H)), tuple(oracle.apply(H, at))  # its slope is in the range of H

    mask = draw(st.lists(st.integers(0, 1), min_size=d, max_size=d).filter(any))
    size = st.sampled_from([F(1, 8), F(1, 3), F(-2, 5), F(3)])
    start = tuple(F(draw(small)) for _ in range(d))
    return Case(tuple(client() for _ in range(n)), start, tuple(mask), draw(size), abs(draw(size)), K,
                draw(st.integers(0, 1)), draw(st.sampled_from([F(0), HALF])))  # fmt: skip
