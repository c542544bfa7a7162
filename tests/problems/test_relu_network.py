"""Networks of two layers against lists, differences, adjoints, balls and other libraries."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import sqrt

import array_api_strict as strict
import bridge
import numpy as np
import pytest
import relu_oracle as oracle
from flint import arb, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import cohort_of, everyone, relu_network, to_float, to_namespace
from fedbounds.problems.neural_kernels import gram
from fedbounds.problems.relu_network import ReluNetwork, indicators
from fedbounds.verify.measure.balls import Ball, balls
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.unknowns import Refused

SOME = np.array([[1, 0], [1, 1]])  # of two clients in two replicas
COHORTS = ((everyone(2, 2), (0, 0, 1, 1)), (cohort_of(SOME), (0, 1, 1)))


def networks(seed, m, kind=ReluNetwork, n_c=2, d=3):
    """A network of two clients, and models and directions of all; many w_r'x_j are 0."""
    rng = np.random.default_rng(seed)
    own = kind(
        bridge.exact(rng.integers(-2, 3, (2, n_c, d))),
        bridge.exact(rng.integers(-2, 3, (2, n_c))),
        bridge.exact(rng.choice([-1, 1], m)),
    )
    return own, *(bridge.exact(x) for x in rng.integers(-2, 3, (2, 4, m * d)))


def calls_of(problem, z, v, r, cohort):
    return (
        problem.gradient(z, cohort), problem.value(z, cohort), problem.residual(z, cohort),
        problem.tangent(z, v, cohort), problem.cotangent(z, r, cohort), problem.active(z, cohort),
    )  # fmt: skip


def agrees(own, z, v, exact=True):
    """Whether all is as on lists: equal, or to rounding where m is no square."""
    if not exact:
        own, z, v = to_float(own), z.astype(float), v.astype(float)
    root = Fraction(round(sqrt(own.width))) if exact else sqrt(own.width)
    lists = bridge.fractions if exact else np.ndarray.tolist
    signs, r = lists(own.signs), v[:, : own.samples]
    for cohort, clients in COHORTS:
        at, by, along = (x[: len(clients)] for x in (z, v, r))
        calls = calls_of(own, at, by, along, cohort)
        wanted = [[], [], [], [], [], []]
        for row, c in enumerate(clients):
            W, V = (lists(x[row].reshape(own.width, -1)) for x in (at, by))
            X, y = lists(own.features[c]), lists(own.targets[c])
            outputs = [oracle.output(W, signs, x, root) for x in X]
            # J'r is the slope at targets that r is missed by
            turned = [f - g for f, g in zip(outputs, lists(along[row]), strict=True)]
            wanted[2].append([f - t for f, t in zip(outputs, y, strict=True)])
            wanted[3].append([oracle.moved(W, V, signs, x, root) for x in X])
            wanted[1].append(oracle.loss(W, signs, (X, y), root))
            wanted[0].append(list(chain(*oracle.slope(W, signs, (X, y), root))))
            wanted[4].append(list(chain(*oracle.slope(W, signs, (X, turned), root))))
            wanted[5].append([[int(oracle.dot(w, x) >= 0) for w in W] for x in X])
        for found, those in zip(calls, wanted, strict=True):
            if found.shape != np.shape(those):
                return False
            if not (lists(found) == those if exact else np.allclose(found, those, atol=1e-12)):
                return False
    return True


@given(st.integers(0, 10**6), st.sampled_from([1, 4, 9]))
def test_all_is_as_on_lists(seed, m):
    assert agrees(*networks(seed, m))


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_floats_are_as_on_lists(seed, m):
    assert agrees(*networks(seed, m), exact=False)


@given(st.integers(0, 10**6), st.sampled_from([1, 4]))
def test_tangent_and_cotangent_are_adjoint(seed, m):
    own, z, v = networks(seed, m)
    r = v[:, : own.samples]
    for cohort, clients in COHORTS:
        at, by, along = (x[: len(clients)] for x in (z, v, r))
        left = (own.tangent(at, by, cohort) * along).sum(axis=1)
        assert (left == (own.cotangent(at, along, cohort) * by).sum(axis=1)).all()


@given(st.integers(0, 10**6))
def test_away_from_kinks_slopes_are_those_of_differences(seed):
    """Between kinks a loss is a quadratic, of which central differences are exact."""
    own, z, v = networks(seed, 4)
    z, v, both = z + fmpq(1, 7), v / 1000, everyone(2, 2)
    around = [own.active(z + v * k, both) for k in (-1, 0, 1)]
    assume((around[0] == around[1]).all() and (around[1] == around[2]).all())
    twice = own.value(z + v, both) - own.value(z - v, both)
    assert (twice == 2 * (own.gradient(z, both) * v).sum(axis=1)).all()
    moved = own.residual(z + v, both) - own.residual(z, both)
    assert (moved == own.tangent(z, v, both)).all()


@given(st.integers(0, 10**6), st.sampled_from([2, 4]))
def test_balls_contain_what_floats_find(seed, m):
    own, z, v = networks(seed, m)
    assert own.irrational == (m == 2)
    both, r = everyone(2, 2), v[:, : own.samples]
    for kind in (balls, np.vectorize(arb, otypes=[object])):
        at, by, along = (kind(x) for x in (z, v, r))
        calls = (
            lambda p, z, v, r: p.gradient(z, both),
            lambda p, z, v, r: p.value(z, both),
            lambda p, z, v, r: p.tangent(z, v, both),
            lambda p, z, v, r: p.cotangent(z, r, both),
        )
        for call in calls:
            near = call(to_float(own), *(x.astype(float) for x in (z, v, r)))
            for x, y in zip(call(own, at, by, along).reshape(-1), near.reshape(-1), strict=True):
                ball = x.ball if isinstance(x, Ball) else x
                assert abs(float(ball.mid()) - y) + float(ball.rad()) < 1e-9


def stepped(own, z, shares, eta, steps):
    """Every client's gradient steps from each model, one after the other; and what it misses."""
    ends, missed = [], []
    for c in range(own.clients):
        alone = cohort_of(np.array([[int(i == c)] * len(z) for i in range(own.clients)]))
        y = z
        missed.append(own.residual(y, alone))
        for _ in range(steps):
            y = y - own.gradient(y, alone) * eta
        ends.append(y)
    return sum(y * shares[:, c : c + 1] for c, y in enumerate(ends)), np.stack(missed, axis=1)


@pytest.mark.parametrize(("m", "copies"), [(4, 1), (4, 9), (1, 4)])
def test_averages_are_those_of_models_of_every_client(m, copies, monkeypatch):
    own, z, _ = networks(5, m)
    own, shares = (
        replace(own, copies=copies),
        bridge.exact(np.array([[1, 0], [0, 1], [1, 1], [3, 1]])),
    )
    shares = shares / shares.sum(axis=1)[:, None]
    wanted = stepped(own, z, shares, fmpq(1, 3), 3)

    def same():
        found = own.averaged(z, shares, eta=fmpq(1, 3), steps=3)
        return all((a == b).all() for a, b in zip(found, wanted, strict=True))

    assert same()
    right = relu_network.mean_move
    monkeypatch.setattr(relu_network, "mean_move", lambda a, b, c: right(a, b, c * 0 + fmpq(1, 2)))
    assert not same()  # planted: the mean is over all clients


def of_rows(own, z, v, r):
    """What does not depend on how many neurons are one row, of everyone's rows."""
    cohort = COHORTS[0][0]
    back = own.cotangent(z, r, cohort)

    def by_sample(found):
        return found.reshape(len(found), own.samples, -1).sum(axis=2)

    return {
        "residual": own.residual(z, cohort),
        "tangent": own.tangent(z, v, cohort),
        "slopes": (back * back).sum(axis=1),
        "gram": gram(own, z[0]),
        "neurons": by_sample(own.neurons(z, cohort)),
        "tangent of neurons": by_sample(own.tangent_neurons(z, v, cohort)),
        "near": by_sample(own.near(z, cohort, radius=fmpq(1, 2))) * fmpq(1, own.rows),
        "farthest": own.distances(v).max(axis=1),
    }


def differing(few, many, z, v):
    """Of nine equal neurons each, which are a third as long."""
    long, short = (
        np.repeat(x.reshape(len(x), -1, 3), 9, axis=1).reshape(len(x), -1) / fmpq(3) for x in (z, v)
    )
    r = v[:, :2]
    one, other = of_rows(few, z, v, r), of_rows(many, long, short, r)
    return {name for name, found in one.items() if not (found == other[name]).all()}


class Alone(ReluNetwork):
    """Planted: neurons of a row count as one."""

    root = 1


class Near(ReluNetwork):
    """Planted: how near they are, of all together."""

    def near(self, z, cohort, *, radius):
        return super().near(z, cohort, radius=radius / 3)


def test_one_row_is_as_many_equal_neurons():
    missed = set()
    for seed, m in ((1, 1), (2, 4), (3, 4)):
        own, z, v = networks(seed, m)
        many = replace(own, signs=np.repeat(own.signs, 9))
        few = replace(own, copies=9)
        assert (few.width, few.shared_dimension) == (many.width, m * 3)
        assert not differing(few, many, z, v)
        for kind in (Alone, Near):
            wrong = kind(own.features, own.targets, own.signs)
            object.__setattr__(wrong, "copies", 9)
            missed |= differing(wrong, many, z, v)
    assert {"residual", "slopes", "near"} <= missed


@pytest.mark.parametrize("copies", [0, 2, -1])
def test_copies_are_a_square(copies):
    own, *_ = networks(1, 4)
    with pytest.raises(FedboundsError, match="copies of a neuron"):
        replace(own, copies=copies)


def test_clients_ask_for_balls_where_m_is_no_square():
    own, z, _ = networks(0, 2)
    found = Clients(own).gradient(z[:2].reshape(1, 2, -1))
    near = to_float(own).gradient(z[:2].astype(float), everyone(2, 1))
    middles = np.vectorize(lambda x: float(x.ball.mid()))(found[0])
    np.testing.assert_allclose(middles, near, atol=1e-12)
    square, z, _ = networks(0, 4)
    found = Clients(square).gradient(z[:2].reshape(1, 2, -1))
    assert all(isinstance(x, fmpq) for x in found.reshape(-1))


def test_a_sign_that_a_ball_does_not_decide_is_refused():
    own, z, _ = networks(0, 4)
    for width, wrong in ((0, None), (1, FedboundsError)):
        at = np.vectorize(lambda x, width=width: arb(x, width), otypes=[object])(z)
        for call in (own.gradient, own.value, own.residual, own.active):
            for kind, error in ((lambda x: x, wrong), (balls_of, wrong and Refused)):
                if error is None:
                    call(kind(at), everyone(2, 2))
                    continue
                with pytest.raises(error):
                    call(kind(at), everyone(2, 2))
    zero = np.array([arb(0), arb(1), arb(-1)], dtype=object)
    assert indicators(zero).tolist() == [1, 1, 0]
    for unknown in (arb(0, 1), arb("nan")):
        with pytest.raises(FedboundsError, match="sign is known"):
            indicators(np.array([unknown], dtype=object))


def balls_of(arbs):
    return np.frompyfunc(Ball, 1, 1)(arbs)


# ---- planted errors


class Unscaled(ReluNetwork):
    """Planted: without m^(-1/2)."""

    def _shrunk(self, x):
        return x


class Twice(ReluNetwork):
    """Planted: 1/m where m^(-1/2) belongs."""

    def _shrunk(self, x):
        return x / self.width


class Elsewhere(ReluNetwork):
    """Planted: the derivative at the direction, not at the model."""

    def tangent(self, z, v, cohort):
        return super().tangent(v, v, cohort)


class Unsigned(ReluNetwork):
    """Planted: all a_r are 1."""

    def _signs(self, like):
        return super()._signs(like) ** 2


class Transposed(ReluNetwork):
    """Planted: W column by column."""

    def _products(self, z, cohort):
        turned = z.reshape(len(z), self.inputs, self.width).swapaxes(1, 2)
        return super()._products(turned.reshape(z.shape), cohort)


class Shifted(ReluNetwork):
    """Planted: the targets of the other client."""

    def _missed(self, products, on, cohort):
        other = ReluNetwork(self.features, self.targets[::-1], self.signs)
        return ReluNetwork._missed(other, products, on, cohort)


class Open(ReluNetwork):
    """Planted: the derivative 0 at the kink, which the paper's is not."""

    def active(self, z, cohort):
        return super().active(z, cohort) - (super().active(-z, cohort) * super().active(z, cohort))


@pytest.mark.parametrize("kind", [Unscaled, Twice, Elsewhere, Unsigned, Transposed, Shifted, Open])
def test_planted_errors_are_caught(kind):
    assert agrees(*networks(3, 4))
    assert not agrees(*networks(3, 4, kind))


# ---- array libraries


def agree_on(xp, kind, to_host=np.asarray):
    own, z, v = networks(5, 3)
    own, z, v = to_float(own), z.astype(float), v.astype(float)
    there = to_namespace(own, xp)
    for present in (np.ones((2, 2)), SOME):
        own_cohort, cohort = cohort_of(present), cohort_of(present, xp)
        host = [x[: own_cohort.bounds[-1]] for x in (z, v, v[:, : own.samples])]
        found = calls_of(there, *(xp.asarray(x) for x in host), cohort)
        for one, other in zip(found, calls_of(own, *host, own_cohort), strict=True):
            assert isinstance(one, kind)
            np.testing.assert_allclose(to_host(one), other, atol=1e-12)
    assert there.satisfies(Fact.SMOOTH) == own.satisfies(Fact.SMOOTH)


def test_the_strict_array_library_gives_the_same():
    agree_on(strict, type(strict.zeros(1)))


@pytest.mark.gpu
def test_cupy_gives_the_same():
    import cupy

    agree_on(cupy, cupy.ndarray, cupy.asnumpy)
