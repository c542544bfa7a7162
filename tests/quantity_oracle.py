"""Every quantity of the lemmas by brute force, for Scaffold-P and FedAvg-P: plain lists, exact.

Written from the statement sheet (table 1, definitions 3.1 and 4.1, section 5). Every set of
participants and every sign of every client's noise is walked through, the initial draws included;
nothing is averaged by theory. Nothing here imports fedbounds.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

from history_oracle import (
    Path,
    Run,
    State,
    after,
    average,
    correction,
    path_of,
    starts,
    total,
)
from oracles import Vector, dot, minus, plus, sign_patterns, square, times

Key = tuple[Any, ...]  # a quantity's name, then its client, then its local step

# ---- before their expectations


def of_a_state(run: Run, state: State) -> dict[Key, Any]:
    """Whatever the state fixes."""
    found: dict[Key, Any] = {}
    n = run.one * len(run.clients)
    slopes = [run.objective.gradient(i, state.u, state.v[i]) for i in run.clients]
    found["f",] = sum(run.objective.value(i, state.u, state.v[i]) for i in run.clients) / n
    found["G_u",] = square(average(run, [grad_u for grad_u, _ in slopes]))
    found["G_v",] = sum(square(grad_v) for _, grad_v in slopes) / n
    found["B",] = sum(square(grad_u) for grad_u, _ in slopes)
    for i in run.clients:
        found["g_ui", i], found["g_vi", i] = map(square, slopes[i])
        for k in run.local_steps:
            found["A_ik", i, k] = square(minus(state.alpha[i][k], state.u))
            found["Bt_ik", i, k] = square(minus(state.beta[i][k], state.v[i]))
        found["C_i", i] = sum(found["A_ik", i, k] + found["Bt_ik", i, k] for k in run.local_steps)
    found["C",] = sum(found["C_i", i] for i in run.clients)
    return found | of_the_controls(run, state) if run.corrected else found


def noise_free_controls(run: Run, state: State) -> list[Vector]:
    """d_i^t."""
    return [
        average(
            run,
            [
                run.objective.gradient(i, state.alpha[i][k], state.beta[i][k])[0]
                for k in run.local_steps
            ],
        )
        for i in run.clients
    ]


def of_the_controls(run: Run, state: State) -> dict[Key, Any]:
    found: dict[Key, Any] = {}
    free = noise_free_controls(run, state)
    error = minus(state.mean, average(run, free))
    mean = average(run, state.own)
    found["cd_2",] = square(error)
    found["c_2",], found["cbar_2",] = square(state.mean), square(mean)
    found["ccbar",] = dot(state.mean, mean)
    for i in run.clients:
        # the stochastic gradients of the last participation, met once more
        met = average(run, [plus(free[i], state.past[i][k]) for k in run.local_steps])
        found["cd_i", i] = square(minus(state.own[i], free[i]))
        found["c_i2", i], found["h_i2", i] = square(state.own[i]), square(met)
        found["ch_i", i] = dot(state.own[i], met)
    every = [state.past[i][k] for i in run.clients for k in run.local_steps]
    found["What_2",] = sum(square(x) for x in every)
    found["What_sum",] = square(total(run, every, len(state.u)))
    return found


def of_the_paths(run: Run, state: State, paths: Sequence[Path]) -> dict[Key, Any]:
    """What everybody's virtual iterates fix, whoever takes part: table 1, section 5."""
    n, m = len(run.clients), run.steps.m
    found: dict[Key, Any] = {}
    sums_u, sums_v = [], []
    for i, path in enumerate(paths):
        for k, (u_k, v_k) in enumerate(path.points):
            found["Eu_ik", i, k] = square(minus(u_k, state.u))
            found["Ev_ik", i, k] = square(minus(v_k, state.v[i]))
            found["E_ik", i, k] = found["Eu_ik", i, k] + found["Ev_ik", i, k]
        sums_u.append(total(run, [grad_u for grad_u, _ in path.exact], len(state.u)))
        sums_v.append(total(run, [grad_v for _, grad_v in path.exact], len(state.v[i])))
        found["s_vi", i] = square(sums_v[i])
    everything = total(run, sums_u, len(state.u))
    found["E",] = sum(found["E_ik", i, k] for i in run.clients for k in run.local_steps)
    slopes = [run.objective.gradient(i, state.u, state.v[i]) for i in run.clients]
    mean_slope = average(run, [grad_u for grad_u, _ in slopes])
    found["T_1u",] = -run.gamma * dot(mean_slope, everything) / n
    sloped = sum(dot(slopes[i][1], sums_v[i]) for i in run.clients)
    found["T_1v",] = -run.gamma * m * sloped / n**2
    found["T_2u",] = run.gamma**2 * square(everything) / n**2
    found["T_2v",] = run.gamma**2 * m * sum(map(square, sums_v)) / (run.one * n**2)
    mean = times(run.one / n, everything)
    found["T_3u",] = sum(square(minus(sums_u[i], mean)) for i in run.clients)
    if run.corrected:
        free = noise_free_controls(run, state)
        lifted = times(run.steps.K, average(run, free))
        found["S_3u",] = sum(
            square(minus(plus(minus(sums_u[i], times(run.steps.K, free[i])), lifted), mean))
            for i in run.clients
        )
    return found


def of_a_round(
    run: Run, state: State, paths: Sequence[Path], subset: Sequence[int], later: State
) -> dict[Key, Any]:
    """What the participants fix."""
    n, m, d_u = len(run.clients), run.steps.m, len(state.u)
    found: dict[Key, Any] = {}
    step_u = minus(later.u, state.u)
    step_v = [minus(later.v[i], state.v[i]) for i in run.clients]
    slopes = [run.objective.gradient(i, state.u, state.v[i]) for i in run.clients]
    found["Du_2",] = square(step_u)
    found["X_u",] = dot(average(run, [grad_u for grad_u, _ in slopes]), step_u)
    found["Dv_2",] = sum(map(square, step_v)) / (run.one * n)
    found["X_v",] = sum(dot(slopes[i][1], step_v[i]) for i in run.clients) / (run.one * n)
    steps_u, free_u, noise = [], [], []
    found["I_v",] = found["J_v",] = run.one * 0
    for i in run.clients:
        found["Dv_i", i] = square(step_v[i])
        for k in run.local_steps:
            found["Y_ik", i, k] = square(paths[i].noise_u[k]) if i in subset else run.one * 0
        if i not in subset:
            continue
        for k in run.local_steps:
            steps_u.append(plus(paths[i].noisy[k][0], correction(run, state, i)))
            free_u.append(paths[i].exact[k][0])
            noise.append(paths[i].noise_u[k])
        own = total(run, [grad_v for _, grad_v in paths[i].noisy], len(state.v[i]))
        stated_v = times(-run.gamma, own)
        found["I_v",] += square(stated_v)
        found["J_v",] += dot(stated_v, step_v[i])
    stated_u = times(-run.gamma / m, total(run, steps_u, d_u))
    found["I_u",], found["J_u",] = square(stated_u), dot(stated_u, step_u)
    found["P_u",] = square(times(run.gamma / m, total(run, free_u, d_u)))
    found["Y_sum",] = square(total(run, noise, d_u))
    found["Y_2",] = sum(found["Y_ik", i, k] for i in run.clients for k in run.local_steps)
    if not run.corrected:
        return found
    for i in run.clients:
        for k in run.local_steps:
            found["A_new", i, k] = square(minus(later.alpha[i][k], state.u))
            found["Bt_new", i, k] = square(minus(later.beta[i][k], state.v[i]))
    return found | _of_the_participants_controls(run, state, subset)


def _of_the_participants_controls(run: Run, state: State, subset: Sequence[int]) -> dict[Key, Any]:
    d_u = len(state.u)
    free = noise_free_controls(run, state)
    errors = [minus(state.own[i], free[i]) for i in subset for _ in run.local_steps]
    error = minus(state.mean, average(run, free))
    past = [state.past[i][k] for i in subset for k in run.local_steps]
    return {
        ("W_own",): square(total(run, errors, d_u)),
        ("W_mean",): square(total(run, [error for _ in errors], d_u)),
        ("W_2",): sum(map(square, past)),
    }


def of_the_next_round(
    run: Run, state: State, paths: Sequence[Path], later: State
) -> dict[Key, Any]:
    """Quantities of round t + 1 that look back at round t."""
    found: dict[Key, Any] = {}
    for i in run.clients:
        for k in run.local_steps:
            u_k, v_k = paths[i].points[k]
            found["A_old", i, k] = square(minus(state.alpha[i][k], later.u))
            found["Bt_old", i, k] = square(minus(state.beta[i][k], later.v[i]))
            found["U_ik", i, k] = square(minus(u_k, later.u))
            found["V_ik", i, k] = square(minus(v_k, later.v[i]))
    return found


# ---- expectations


def expectations(run: Run, u: Vector, v: Sequence[Vector], rounds: int) -> list[dict[Key, Any]]:
    """Exact expectations of every quantity in rounds 0, ..., ``rounds`` - 1."""
    states = starts(run, u, v)
    found: list[dict[Key, Any]] = [{} for _ in range(rounds + 1)]
    for t in range(rounds):
        following: dict[State, Any] = {}
        for state, weight in states.items():
            _add(found[t], of_a_state(run, state), weight)
            mean_u: Vector = [run.one * 0] * len(state.u)
            mean_v: list[Vector] = [[run.one * 0] * len(v_i) for v_i in state.v]
            for share, paths in _walks(run, state):
                _add(found[t], of_the_paths(run, state, paths), weight * share)
                subsets = list(combinations(run.clients, run.steps.m))
                for subset in subsets:
                    p = share / len(subsets)
                    later = after(run, state, paths, subset)
                    _add(found[t], of_a_round(run, state, paths, subset, later), weight * p)
                    _add(found[t + 1], of_the_next_round(run, state, paths, later), weight * p)
                    following[later] = following.get(later, 0) + weight * p
                    mean_u = plus(mean_u, times(p, minus(later.u, state.u)))
                    mean_v = [
                        plus(mean_v[i], times(p, minus(later.v[i], state.v[i])))
                        for i in run.clients
                    ]
            _add(found[t], _of_the_mean_step(run, mean_u, mean_v), weight)
        states = following
    return found[:rounds]


def _of_the_mean_step(run: Run, mean_u: Vector, mean_v: Sequence[Vector]) -> dict[Key, Any]:
    """Squares of E(Delta u | past) and E(Delta v_i | past), the past being the state."""
    found: dict[Key, Any] = {("M_vi", i): square(mean_v[i]) for i in run.clients}
    found["M_v",] = sum(map(square, mean_v)) / (run.one * len(mean_v))
    return found | {("M_u",): square(mean_u)}


def _walks(run: Run, state: State) -> Iterator[tuple[Any, tuple[Path, ...]]]:
    """Everybody's paths under every noise of everybody, each with its probability."""
    own = [
        [path_of(run, state, i, noise) for noise in sign_patterns(run.scales, run.steps.K)]
        for i in run.clients
    ]
    for paths in product(*own):
        yield run.one / len(own[0]) ** len(own), paths


def _add(into: dict[Key, Any], values: dict[Key, Any], weight: Any) -> None:
    for key, value in values.items():
        into[key] = into.get(key, weight * 0) + weight * value
