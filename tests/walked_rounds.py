"""Rounds of FedAvg-P and Scaffold-P on sampled draws, walked through by a slow oracle too.

What differs is told: states with all that is remembered, and what local steps showed.
"""

from dataclasses import replace

import numpy as np
import oracles
from history_oracle import Run, State, after, average, frozen, path_of, plus
from special_case_oracles import quadratic, subject_of
from traced_rounds import run

from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import FederatedQuadratic


def objective_of(problem):
    """The oracle's."""
    assert isinstance(problem, FederatedQuadratic)
    return oracles.Quadratic(
        problem.shared_dimension, problem.hessian.tolist(), problem.linear.tolist()
    )


def steps_of(p):
    return oracles.Steps(p["cohort"], p["K"], *(p[x] for x in ("gamma_u", "gamma_v")),
                         *(p[x] for x in ("eta_u", "eta_v")))  # fmt: skip


def begun(walked, start, n, past, K):
    """The oracle's state before round 0, of the noise of the initial gradients, client by step."""
    d_u = walked.objective.d_u
    d_v = len(walked.objective.linear[0]) - d_u
    u, v = start[:d_u].tolist(), start[d_u:].reshape(n, d_v).tolist()
    here, there = [[u] * K] * n, [[own] * K for own in v]
    if not walked.corrected:
        return State(*map(frozen, (u, v, (), (), here, there, ())))
    own = []
    for i in range(n):
        slope = walked.objective.gradient(i, u, v[i])[0]
        own.append(average(walked, [plus(slope, past[i][k]) for k in range(K)]))
    return State(*map(frozen, (u, v, own, average(walked, own), here, there, past)))


def walk(kind, algorithm, *, n=3, m=2, K=2, blocks=(2, 1), rounds=3, rows=2, seed=0):
    """What differs between a traced algorithm and the oracle: (round, name), names of states.

    Fields that the algorithm does not keep are not looked at.
    """
    problem = quadratic(n, *blocks, seed=seed)
    seen = []

    def step(problem, p, state, drawn, see):
        shown = {}

        def look(**named):
            shown.update(named)
            see(**named)

        result = algorithm.step(problem, p, state, drawn, look)
        seen.append((drawn, shown))
        return result

    looked = Algorithm(algorithm.init, algorithm.draw, step, algorithm.name)
    one = replace(subject_of(kind, problem, n, m, K, rounds=rounds, seed=seed), algorithm=looked)
    found = run(one, rows=rows, seed=seed)
    shown = [next(x for own, x in seen if _same(own, drawn)) for drawn in found.draws]
    walked = Run(objective_of(problem), steps_of(one.values), [1] * sum(blocks), kind[0] == "S")
    wrong = set()
    for r in range(rows):
        past = None
        if walked.corrected:
            past = (found.initial[0][r] * problem.noise.scale_u).tolist()
        state = begun(walked, one.start, n, past, K)
        _compare(found.states[0], r, state, 0, wrong)
        for t in range(rounds):
            drawn = {name: own[r] for name, own in found.draws[t].items()}
            noise = np.concatenate([drawn["xi_u"], drawn["xi_v"]], axis=2).tolist()
            paths = [path_of(walked, state, i, noise[i]) for i in range(n)]
            _compare_paths(shown[t], r, paths, t, wrong)
            state = after(walked, state, paths, np.flatnonzero(drawn["present"] == 1).tolist())
            _compare(found.states[t + 1], r, state, t + 1, wrong)
    return wrong


def _same(one, other):
    """Whether draws are those: rows are also asked for by themselves, and in other orders."""
    return all(
        one[name].shape == own.shape and (one[name] == own).all() for name, own in other.items()
    )


def _compare(states, r, state, t, wrong):
    wanted = {"u": state.u, "v": state.v, "ci": state.own, "c": state.mean}
    wanted |= {"al": state.alpha, "be": state.beta, "Wh": state.past}
    for name in states.keys() & wanted.keys():
        own = states[name][r]
        expected = np.array(wanted[name], dtype=object)
        if own.ndim == 2 and expected.ndim == 3:  # means over local steps are kept
            expected = expected.sum(axis=1) / expected.shape[1]
        if own.shape != expected.shape or (own != expected).any():
            wrong.add((t, name))


def _compare_paths(shown, r, paths, t, wrong):
    wanted = {
        **{x: [[own[b] for own in path.points[:-1]] for path in paths]
           for b, x in enumerate(("uh", "vh"))},
        **{x: [[own[b] for own in path.points] for path in paths]
           for b, x in enumerate(("um", "vm"))},
        **{x: [[own[b] for own in path.exact] for path in paths]
           for b, x in enumerate(("hu", "hv"))},
        "xu": [path.noise_u for path in paths],
    }  # fmt: skip
    for name, expected in wanted.items():
        if name in shown:
            own, array = shown[name][r], np.array(expected, dtype=object)
            if own.shape != array.shape or (own != array).any():
                wrong.add((t, name))
