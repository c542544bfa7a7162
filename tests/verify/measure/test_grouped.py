"""Products by groups of rows are those of full matrices."""

from dataclasses import replace

import numpy as np
import pytest
from each import each
from flint import fmpq
from personal_runs import pairs, problem, subject

from fedbounds.verify.measure.driven_errors import roots
from fedbounds.verify.measure.driven_run import DrivenRun, driven_run
from fedbounds.verify.measure.grouped import grouped, paired

RANDOM = np.random.default_rng(11)
OWNERS = {
    "shared and own": [None, None, 0, 0, 1, 1, 2, 2],
    "fields of clients apart": [None, 0, 1, 2, None, 0, 1, 2],
    "one client": [None, 0, 0, None],
    "no shared entry": [0, 1, 0, 1],
    "nothing but shared": [None] * 4,
}


def sparse(owners, meets):
    """Full in shared rows; own rows meet shared and own entries, and whatever else is told."""
    found = RANDOM.standard_normal((len(owners),) * 2)
    for row, client in enumerate(owners):
        for column, other in enumerate(owners):
            if None not in (client, other) and client != other and not meets(row, column):
                found[row, column] = 0.0
    return found


MEETS = {
    "its own": lambda row, column: False,
    "all": lambda row, column: True,
    "some one more": lambda row, column: (row + 2 * column) % 7 == 0,
}


@each("case", [(owners, meets) for owners in OWNERS for meets in MEETS])
def test_a_product_by_groups_is_that_of_the_matrix(case):
    owners = OWNERS[case[0]]
    matrix, other = sparse(owners, MEETS[case[1]]), RANDOM.standard_normal((len(owners), 3))
    found = grouped(matrix, owners)
    np.testing.assert_allclose(found.times(other), matrix @ other, atol=1e-13)


def test_rows_of_a_client_are_few():
    owners = [None] * 3 + [c for c in range(8) for _ in range(2)]
    found = grouped(sparse(owners, MEETS["its own"]), owners)
    assert sum(own.values.size for own in found.groups) == 3 * 19 + 8 * 2 * 5
    of_shared = np.diag([1.0] * 3 + [0.0] * 16)
    assert [own.values.shape for own in grouped(of_shared, owners).groups] == [(1, 3, 3)]


def test_clients_of_different_numbers_of_rows_are_refused():
    """Rows that go on with zeros would write the first row anew."""
    with pytest.raises(ValueError, match=r"differ in number: \[2, 1\]"):
        grouped(np.eye(4), [None, 0, 0, 1])


@each("count", [1, 5, 200])
def test_pairs_of_blocks_are_summed(count):
    size = 9
    blocks = [
        (np.array([0, 2, 5]), np.array([0, 1]), RANDOM.standard_normal((3, 2))),
        (np.array([1]), np.array([0, 7, 8]), RANDOM.standard_normal((1, 3))),
        (np.array([8, 3]), np.array([4]), RANDOM.standard_normal((2, 1))),
    ]
    every = [(k % 3, (k * k + 1) % 3, float(k) - 2.5) for k in range(count)]
    half = RANDOM.standard_normal((size, size))
    wanted, full = np.zeros((size, size)), []
    for rows, columns, values in blocks:
        full.append(np.zeros((size, size)))
        full[-1][np.ix_(rows, columns)] = values
    for one, other, weight in every:
        wanted += weight * full[one] @ (half @ half.T) @ full[other].T
    found = paired(size, blocks, every).around(half @ half.T)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert paired(size, blocks, ()) is None


COHORTS = {"one": 1, "two": 2, "all": 3, "a list": ((1, 0, 0), (1, 1, 0), (0, 1, 2))}


@each("name, cohort", [(name, x) for name in ("FedAvg-P", "Scaffold-P") for x in COHORTS])
def test_a_round_and_its_adjoint_are_those_of_full_matrices(name, cohort):
    pair = pairs(1, 2)[name]
    pair = replace(pair, values={**pair.values, "cohort": COHORTS[cohort]})
    found = driven_run(subject(pair, problem(3, 2, 1), 2)).driven
    full = []
    for part in found.parts:
        full.append(np.zeros((found.size, found.size)))
        part.add_to(full[-1], 1.0)
    n = len(full)
    second, means = found.law.second.reshape(n, n), found.law.means.reshape(-1)
    half = RANDOM.standard_normal((found.size, found.size))
    moment, state = half @ half.T, (half @ half.T)[1:, 1:]
    after = found.absent @ moment @ found.absent.T + found.noise
    back = found.absent.T[1:, 1:] @ state @ found.absent[1:, 1:]
    for a in range(n):
        once = found.absent @ moment @ full[a].T * means[a]
        after = after + once + once.T
        once = found.absent[1:, 1:].T @ state @ full[a][1:, 1:] * means[a]
        back = back + once + once.T
        for b in range(n):
            after = after + second[a, b] * full[a] @ moment @ full[b].T
            back = back + second[a, b] * full[a][1:, 1:].T @ state @ full[b][1:, 1:]
    np.testing.assert_allclose(found.after(moment), after, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.averaged.adjoint(state), back, rtol=1e-11, atol=1e-11)


def test_roots_bound_every_entry_of_moments_that_rounding_left_indefinite():
    half = RANDOM.standard_normal((3, 6, 4))
    moments = half @ half.transpose(0, 2, 1)
    moments[1, 2] = moments[1, :, 2] = 0.0
    moments[1, 2, 4] = moments[1, 4, 2] = 3.0  # beside a 0 on the diagonal
    moments[2, 0, 1] *= 50
    moments[2, 1, 0] *= 50
    found = roots(moments)
    assert (abs(moments) <= found[:, :, None] * found[:, None, :]).all()
    assert np.allclose(found[0] ** 2, np.diagonal(moments[0]), rtol=1e-5)


def test_what_a_presence_changes_leaves_less_rounding_than_what_it_adds():
    """Long outer steps: who is absent leaves -3 u, which every presence gives back."""
    pair = pairs(1, 2)["FedAvg-P"]
    values = {**pair.values, "cohort": 1, "eta_u": 4, "gamma_u": fmpq(1, 64)}
    exact = subject(replace(pair, values=values), problem(3, 2, 1), 20)
    run = driven_run(exact)
    law = replace(run.driven.law, total=None)
    other = DrivenRun(exact, replace(run.driven, law=law))
    assert run.driven.averaged.stays
    assert not other.driven.averaged.stays
    scale = abs(other.moments).max()
    np.testing.assert_allclose(run.moments, other.moments, atol=1e-12 * scale)
    assert run.errors.square[-1] < other.errors.square[-1]
    wrong = DrivenRun(exact, replace(run.driven, law=replace(law, total=1 + 1e-6)))
    assert abs(wrong.moments - other.moments).max() > 1e-9 * scale
