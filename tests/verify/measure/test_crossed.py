"""Rows in pairs: what they make is what plain rows make, and what depends on one kind stays small."""

from dataclasses import replace
from itertools import product

import array_api_compat.numpy as xp
import numpy as np
import pytest
from each import each
from personal_runs import pairs, problem, subject

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.verify.measure.crossed import Crossed
from fedbounds.verify.measure.driven_run import in_floats
from fedbounds.verify.measure.driving import STATE, Driving, Rows

A, B, N, D = 3, 4, 2, 5


def crossed(first, second, *shape):
    data = np.random.default_rng(7).standard_normal((first, second, *shape))
    return Crossed(data, (A, B))


ONE, OTHER, BOTH = (lambda: crossed(1, B, N, D)), (lambda: crossed(A, 1, N)), (
    lambda: crossed(A, B, N, D))  # fmt: skip
KEPT = {
    "a sum": lambda x, y, z: (x + x * 2 - x / 3, (1, B)),
    "both kinds": lambda x, y, z: (x * y[:, :, None], (A, B)),
    "entries": lambda x, y, z: (x[:, 1, None, ...], (1, B)),
    "a sum over clients": lambda x, y, z: (xp.sum(x, axis=1), (1, B)),
    "a sum over coordinates": lambda x, y, z: (x.sum(axis=-1), (1, B)),
    "joined": lambda x, y, z: (xp.concat([x, z], axis=2), (A, B)),
    "joined of one kind": lambda x, y, z: (xp.concat([x, x], axis=-1), (1, B)),
    "stacked": lambda x, y, z: (xp.stack([x, x * 2], axis=2), (1, B)),
    "moved": lambda x, y, z: (xp.permute_dims(x, (0, 2, 1)), (1, B)),
    "reshaped": lambda x, y, z: (xp.reshape(x, (x.shape[0], N * D)), (1, B)),
    "a matrix": lambda x, y, z: (x @ np.arange(1.0, D * D + 1).reshape(D, D), (1, B)),
    "plain rows": lambda x, y, z: (x + np.arange(A * B * N * D).reshape(A * B, N, D), (A, B)),
    "one plain row": lambda x, y, z: (x + np.ones((1, N, D)), (1, B)),
    "as many plain rows as columns": lambda x, y, z: (y * np.arange(N), (A, 1)),
}  # fmt: skip
WHOLE = {
    "a row": lambda x, y, z: x[1],
    "a sum over rows": lambda x, y, z: xp.sum(x, axis=0),
    "everything": lambda x, y, z: xp.sum(x),
    "rows and clients": lambda x, y, z: xp.reshape(x, (A * B * N, D)),
    "clients first": lambda x, y, z: xp.permute_dims(x, (1, 0, 2)),
    "another function": lambda x, y, z: xp.where(x > 0, x, z),
    "rows joined": lambda x, y, z: xp.concat([x, z], axis=0),
    "a product of rows": lambda x, y, z: y @ np.ones((N, A * B)),
}


def plain(x):
    return x.whole() if isinstance(x, Crossed) else x


@each("name", [*KEPT, *WHOLE])
def test_operations_are_those_of_plain_rows(name):
    given = ONE(), OTHER(), BOTH()
    do = KEPT.get(name) or (lambda *x: (WHOLE[name](*x), None))
    (found, kept), (wanted, _) = do(*given), do(*map(plain, given))
    np.testing.assert_allclose(plain(found), wanted, rtol=1e-13)
    assert found.shape == wanted.shape
    if kept is not None:
        assert found.data.shape[:2] == kept


def driving(algorithm, cohort=2):
    pair = replace(pairs(cohort, 2)["Scaffold-P"], traced=algorithm)
    return Driving(in_floats(subject(pair, problem(3, 2, 1), 2)))


@each("algorithm", [personal_averaging.ROUNDS, personal_averaging.OBSERVED,
                    personal_scaffold.ROUNDS, personal_scaffold.AVERAGING],
      told=lambda x: x.name)  # fmt: skip
def test_a_round_is_that_of_every_row_by_itself(algorithm):
    found = driving(algorithm)
    random = np.random.default_rng(3)
    states, units = random.standard_normal((5, found.size)), found.units(None)
    noise = {at: random.standard_normal((5, *x.shape[1:])) for at, x in units.items()}
    asked = {"uh", "hv", "nu", "present"}
    after, shown = found.crossed(Rows(states, noise), asked)
    for at, row in product(range(1 + len(found.entries)), range(5)):
        own = {x: y[row : row + 1] for x, y in noise.items()}
        own |= found.present(at - 1, 1) if at else {}
        ((alone, seen),) = found.run([Rows(states[row : row + 1], own)], asked)
        np.testing.assert_allclose(after[at, row], alone[0], rtol=1e-12, atol=1e-14)
        assert seen.keys() == shown.keys()
        for name, value in seen.items():
            one = shown[name][at if len(shown[name]) > 1 else 0, row]
            np.testing.assert_allclose(one, value[0], rtol=1e-12, atol=1e-14)
    assert len(shown["uh"]) == 1 < len(shown["present"])


@pytest.mark.parametrize("cohort", [2, 3])
def test_groups_of_inputs_are_bounded_at_least_as_each_by_itself(cohort):
    """Sums of squares of what rounding did to single responses, without presence."""
    found = driving(personal_scaffold.ROUNDS, cohort)
    centre = np.ones(found.size)
    bounds, _ = found.wrong(centre, 1.0)
    none, absent = np.full(1, -1), np.zeros(1)
    origin = found._bounds(np.zeros((1, found.size)), none, absent)
    for name in ("hu", "uh", STATE):
        squares = sum(
            (found._bounds(unit[None], none, absent)[name].wrong + origin[name].wrong)[0] ** 2
            for unit in np.eye(found.size)
        )
        assert (np.sqrt(squares) <= bounds[name][1] * (1 + 1e-12)).all(), name
        at_centre = found._bounds(centre[None], none, absent)[name].wrong[0]
        assert (at_centre <= bounds[name][0] * (1 + 1e-12)).all(), name


@each("algorithm", [personal_averaging.ROUNDS, personal_scaffold.AVERAGING], told=lambda x: x.name)
def test_what_presence_adds_is_bounded_at_least_as_entry_by_entry(algorithm):
    """Each part's response to each unit state: a difference of four runs, summed over the law."""
    found = driving(algorithm)
    none, centre = np.full(1, -1), np.ones(found.size)
    laws = np.eye(len(found.entries))
    zero, nobody = np.zeros((1, found.size)), np.zeros(1)

    def bound(states, presents):
        return found._bounds(states, none, presents)[STATE].wrong[0]

    squares = 0.0
    for at in range(found.size):
        unit = np.eye(found.size)[at : at + 1]
        fixed = bound(unit, nobody) + bound(zero, nobody)
        squares += (
            sum(
                bound(unit, law[None]) + bound(zero, law[None]) + fixed
                for law, client in zip(laws, found.entries, strict=True)
                if at in found.columns[client]
            )
            ** 2
        )
    base, more = (found.wrong(centre, root)[0][STATE][1] for root in (0.0, 1.0))
    assert (squares > 0).any()
    assert (np.sqrt(squares) <= (more - base) * (1 + 1e-12)).all()


@pytest.mark.parametrize("cohort", [2, 3])
def test_noises_in_groups_are_bounded_at_least_as_one_by_one(cohort):
    together, alone = (driving(personal_scaffold.ROUNDS, cohort) for _ in range(2))
    assert any(len(own) > 1 for own in together._noise_groups)
    vars(alone)["_noise_groups"] = [[at] for at in range(len(alone.inner))]
    centre = np.ones(alone.size)
    one, other = (x.wrong(centre, 1.0)[0] for x in (alone, together))
    assert any(one[name][2].any() for name in one)
    for name in one:
        assert (one[name][2] <= other[name][2] * (1 + 1e-12)).all(), name
