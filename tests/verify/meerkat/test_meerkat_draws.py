"""Rounds of Meerkat on given directions and noise are the oracle's, equal and not close."""

import numpy as np
import zeroth_order_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from meerkat_cases import cases, listed, setup_of
from traced_rounds import run

from fedbounds.verify.measure.contract import one_step
from fedbounds.verify.measure.trace import subject_of
from fedbounds.verify.setups.found import view_of


def of_clients(case, array):
    """One row for each client, of directions that may be shared."""
    return listed(array) if len(array) == case.n else listed(array) * case.n


@settings(deadline=None, max_examples=40)
@given(cases(), st.integers(0, 1000))
def test_rounds_on_given_directions_are_the_oracles(case, seed):
    subject = subject_of(setup_of(case, "rounds", 2).run, view_of(setup_of(case, "rounds", 2)))
    found = run(subject, rows=2, seed=seed)
    for t, drawn in enumerate(found.draws):
        assert drawn["z"].shape == (2, case.n if case.own else 1, case.K, case.d)
        shown = one_step(
            subject.algorithm, subject.problem, subject.parameters(t), found.states[t], drawn
        )[1]
        for row in range(2):
            zs, w = of_clients(case, drawn["z"][row]), listed(found.states[t]["x"][row])
            assert all(oracle.masked(case.mask, z) == z for each in zs for z in each)
            after, models, estimates = oracle.one_round(
                case.clients, w, zs, listed(drawn["noise"][row]), case.epsilon, case.eta
            )
            assert listed(found.states[t + 1]["x"][row]) == after
            wanted = {
                "w": w, "w_next": after, "ests": estimates,
                "ys": [path[:-1] for path in models],
                "reached": [path[-1] for path in models],
                "gs": [
                    [oracle.gradient(own, y) for y in path[:-1]]
                    for own, path in zip(case.clients, models, strict=True)
                ],
                "g0": [oracle.gradient(own, w) for own in case.clients],
                "values": [oracle.value(own, w) for own in case.clients],
                "lows": [oracle.lowest(own) for own in case.clients],
                "mask": list(case.mask), "ones": [1] * case.d, "one": 1,
            }  # fmt: skip
            assert {name: listed(shown[name][row]) for name in wanted} == wanted
            f, best = oracle.averaged(case.clients), listed(shown["w_star"][row])
            assert oracle.gradient(f, best) == [0] * case.d
            assert sum(shown["at_star"][row]) / case.n == oracle.lowest(f)
            for own, point in zip(case.clients, listed(shown["best"][row]), strict=True):
                assert oracle.gradient(own, point) == [0] * case.d


@settings(deadline=None, max_examples=40)
@given(cases(), st.integers(0, 1000))
def test_local_steps_on_given_directions_are_the_oracles(case, seed):
    setup = setup_of(case, "local steps", 3)
    subject = subject_of(setup.run, view_of(setup))
    found = run(subject, rows=1, seed=seed)
    each = [of_clients(case, drawn["z"][0]) for drawn in found.draws]
    for k, client in enumerate(case.clients):
        zs = [zs[k][0] for zs in each]
        noise = [listed(drawn["noise"][0, k, 0]) for drawn in found.draws]
        path, _ = oracle.local_steps(client, list(case.start), zs, noise, case.epsilon, case.eta)
        assert [listed(state["y"][0, k]) for state in found.states] == path
        assert [listed(state["x"][0]) for state in found.states] == [list(case.start)] * 4


@settings(deadline=None, max_examples=40)
@given(cases())
def test_minimisers_that_are_shown_are_the_nearest_to_zero(case):
    problem = subject_of(setup_of(case, "rounds", 1).run, view_of(setup_of(case, "rounds", 1)))
    own, every = problem.problem, [*case.clients, oracle.averaged(case.clients)]
    for (H, h), point in zip(every, [*own.bests, own.nearest_best], strict=True):
        flat = np.array(H).astype(float), np.array(h).astype(float)
        nearest = -np.linalg.pinv(flat[0], rcond=1e-11) @ flat[1]
        np.testing.assert_allclose(point.astype(float), nearest, atol=1e-8)
