"""Deep linear networks against lists of fractions, sample by sample and layer by layer."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import array_api_strict as strict
import deep_linear_oracle as oracle
import numpy as np
import pytest
from deep_linear_oracle import Network
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import cohort_of, deep_linear, everyone, to_float, to_namespace
from fedbounds.problems.deep_linear import DeepLinear
from fedbounds.problems.linear import solve
from fedbounds.problems.spectrum import Bracket
from fedbounds.verify.measure.clients import Clients

ROOTS = {(1, 3, 1): 1, (1, 2, 4): 2, (2, 2, 2): 2, (2, 4, 1): 2, (2, 1, 1): 1, (3, 2, 1): 2,
         (3, 3, 1): 3, (3, 1, 4): 2}  # fmt: skip
"""1/C of depth, width and outputs, where it is whole."""


def rationals(values):
    """Nested numbers, fractions among them, as an array of rationals."""
    return np.vectorize(lambda x: fmpq(x.numerator, x.denominator), otypes=[object])(
        np.array(values, dtype=object)
    )


def fractions(array):
    if isinstance(array, np.ndarray | list):
        return [fractions(x) for x in array]
    return Fraction(int(array.p), int(array.q))


@st.composite
def cases(draw, roots=tuple(ROOTS)):
    """A network as lists and as a problem; two models, of which the second may be a move."""
    depth, width, d_out = draw(st.sampled_from(roots))
    n, samples, d_in = (draw(st.integers(1, x)) for x in (2, 2, 3))
    halves = st.integers(-4, 4).map(lambda x: Fraction(x, 2))

    def some(count):
        return draw(st.lists(halves, min_size=count, max_size=count))

    clients = [[(some(d_in), some(d_out)) for _ in range(samples)] for _ in range(n)]
    network = Network(clients, depth, width, Fraction(1, ROOTS[depth, width, d_out]))
    size = sum(len(vec) * len(vec[0]) for vec in network.layers([0] * 100))
    return network, some(size), some(size), some(n * samples * d_out)


def problem_of(network):
    features, targets = ([[s[i] for s in own] for own in network.clients] for i in (0, 1))
    return DeepLinear(rationals(features), rationals(targets), network.depth, network.width)


def of_clients(own, name, *models):
    """What a function of the problem gives, of one model and row for each client."""
    n = own.clients
    rows = [rationals([x] * n if np.ndim(x) == 1 else x) for x in models]
    return fractions(getattr(own, name)(*rows, everyone(n, 1)))


def split(network, numbers):
    """One after another, as many for each client."""
    size = len(numbers) // len(network.clients)
    return [numbers[size * c : size * (c + 1)] for c in network.everyone]


def flat(layers):
    return [a for layer in layers for row in layer for a in row]


def agrees(own, network, w, v, r):
    """Names of what is not the oracle's, of a model w, a move v, and numbers r at outputs."""
    W, V, wrong, clients = network.layers(w), network.layers(v), set(), network.everyone
    later = [oracle.added(a, b) for a, b in zip(W, V, strict=True)]
    jacobians = [oracle.jacobian(network, w, c) for c in clients]
    wanted = {
        "residual": [network.xi(W, c) for c in clients],
        "value": [network.loss(W, c) for c in clients],
        "gradient": [flat(network.gradient(W, c)) for c in clients],
        "tangent": [oracle.applied(J, v) for J in jacobians],
        "cotangent": [
            oracle.applied(oracle.turned(J), x)
            for J, x in zip(jacobians, split(network, r), strict=True)
        ],
    }
    given = {"tangent": (v,), "cotangent": (split(network, r),)}
    for name, values in wanted.items():
        if of_clients(own, name, w, *given.get(name, ())) != values:
            wrong.add(name)
    terms = of_clients(own, "expansion", w, v)
    for c in clients:
        every = [by_degree(network, W, V, s, c) for s in range(network.depth + 1)]
        if terms[c] != every or terms[c][1] != network.first(W, V, c):
            wrong.add("expansion")
        if [sum(x) for x in zip(*terms[c], strict=True)] != oracle.vec(network.outputs(later, c)):
            wrong.add("expansion")
    if fractions(own.gram(rationals(w))) != network.gram(W, W):
        wrong.add("gram")
    return wrong


def by_degree(network, W, V, degree, c):
    """C times the sum of products with so many factors of V, times X_c."""
    more, most = (network.higher(W, V, least) for least in (degree, degree + 1))
    exactly = oracle.added(more, oracle.scaled(-1, most))
    return oracle.vec(oracle.scaled(network.C, oracle.matmul(exactly, network.X(c))))


@settings(deadline=None, max_examples=25)
@given(cases())
def test_all_is_as_lists_have_it(case):
    network, w, v, r = case
    assert agrees(problem_of(network), network, w, v, r) == set()


@settings(deadline=None, max_examples=15)
@given(cases())
def test_the_oracle_agrees_with_itself(case):
    """Outputs sample by sample, slopes of differences, and (13) as J J'."""
    network, w, _, _ = case
    W = network.layers(w)
    for c in network.everyone:
        each = [network.sample_output(W, x) for x, _ in network.clients[c]]
        assert oracle.turned(each) == network.outputs(W, c)
        for at, slope in enumerate(flat(network.gradient(W, c))):
            ends = [network.layers([x + s * (i == at) for i, x in enumerate(w)]) for s in (1, -1)]
            assert slope == (network.loss(ends[0], c) - network.loss(ends[1], c)) / 2
    J = oracle.jacobian(network, w, *network.everyone)
    assert network.gram(W, W) == oracle.matmul(J, oracle.turned(J))


@settings(deadline=None, max_examples=15)
@given(cases())
def test_terms_of_an_expansion_are_those_of_interpolation(case):
    network, w, v, _ = case
    n, L = len(network.clients), network.depth
    terms = of_clients(problem_of(network), "expansion", w, v)
    targets = [oracle.vec(network.Y(c)) for c in range(n)]
    for s in range(-1, L):  # L + 1 points fix a polynomial of degree L
        moved = [a + s * b for a, b in zip(w, v, strict=True)]
        for missed, y, own in zip(
            of_clients(problem_of(network), "residual", moved), targets, terms, strict=True
        ):
            value = [
                sum(s**i * x for i, x in enumerate(powers)) for powers in zip(*own, strict=True)
            ]
            assert value == [a + b for a, b in zip(missed, y, strict=True)]


@settings(deadline=None, max_examples=15)
@given(cases())
def test_gram_matrices_of_a_client_are_as_printed(case):
    """P(t, k, c) of (14), entry by entry, and what these are on numbers at outputs."""
    network, w, wkc, r = case
    own, clients = problem_of(network), network.everyone
    models = [wkc, w][: len(clients)]  # each client has its own
    found = own.crossed_gram(rationals([w]), rationals([models]))
    size = len(r)
    blocks = [
        network.gram(network.layers(w), network.layers(at), c)
        for c, at in zip(clients, models, strict=True)
    ]
    assert fractions(found.reshape(size, size)) == oracle.beside(*blocks)
    apart = rationals([split(network, r)])
    product = Clients(own).by_crossed_gram(rationals([w]), rationals([models]), apart)
    assert fractions(product.reshape(size)) == oracle.applied(oracle.beside(*blocks), r)


@settings(deadline=None, max_examples=15)
@given(cases())
def test_the_gram_matrix_of_a_client_is_what_tangent_of_cotangent_is(case):
    """P(t, k, c) of (14) of a residual: J(W) J_c(W_kc)' of it, on the samples of all clients."""
    network, w, wkc, r = case
    own = problem_of(network)
    backs = of_clients(own, "cotangent", wkc, split(network, r))
    for c, (back, apart) in enumerate(zip(backs, split(network, r), strict=True)):
        P = network.gram(network.layers(w), network.layers(wkc), c)
        found = of_clients(own, "tangent", w, back)
        assert [x for client in found for x in client] == oracle.applied(P, apart)


def test_rows_may_be_of_some_clients_only():
    clients = [[([Fraction(i + 1), Fraction(2)], [Fraction(i)])] for i in range(3)]
    network = Network(clients, 2, 4, Fraction(1, 2))
    models = [[Fraction(i + j) for j in range(12)] for i in range(3)]
    some = cohort_of(np.array([[1, 0], [0, 0], [1, 1]]))
    own = problem_of(network)
    for name in ("residual", "gradient"):
        found = fractions(getattr(own, name)(rationals(models), some))
        for row, c, w in zip(found, (0, 2, 2), models, strict=True):
            W = network.layers(w)
            assert row == (network.xi(W, c) if name == "residual" else flat(network.gradient(W, c)))


@pytest.mark.parametrize(
    ("features", "targets", "across"),  # the last is orthogonal to all samples
    [
        ([[1, -1], [2, 1], [0, 1]], [[1, 2]], [2, -1, 3]),
        ([[1, 2, 0], [2, 4, 1], [0, 0, 1]], [[1, 2, -1]], [2, -1, 1]),  # which depend on each other
        ([[1, -1], [2, 1], [0, 1]], [[1, 2], [0, 1]], [2, -1, 3]),  # C is 1/sqrt(2)
    ],
)
def test_the_nearest_fit_misses_no_sample_and_moves_along_samples(features, targets, across):
    own = given_as(features, targets)
    start = rationals([[1, -1, 3] * own.outputs, [0, 2, 1] * own.outputs])
    assert own.has_nearest_fit
    found = own.nearest_fit(start)
    for row, away in zip(found, found - start, strict=True):
        missed = own.residual(np.stack([row] * own.clients), everyone(own.clients, 1))
        for x in [*missed.reshape(-1), *(away.reshape(own.outputs, -1) @ rationals(across))]:
            assert x == 0 if isinstance(x, fmpq) else x.contains(0) and x.rad() < 1e-10


@pytest.mark.parametrize(("outputs", "depth", "width"), [(1, 2, 4), (4, 3, 4), (1, 1, 1)])
def test_the_linear_fit_misses_no_sample_and_is_orthogonal_to_what_moves_no_output(
    outputs, depth, width
):
    own = given_as([[1, 2], [0, 1]], [[1, 2]] * outputs, depth, width)
    clients = everyone(own.clients, 1)
    start = rationals([(3 * i + i * i) % 7 - 2 for i in range(own.shared_dimension)])
    first, move = own.linear_fit(start), rationals(np.arange(own.shared_dimension))

    def outputs_of(v):
        both = (np.stack([x] * own.clients) for x in (start, v))
        return own.tangent(*both, clients)

    every = np.stack([start] * own.clients)
    assert not (own.residual(every, clients) + outputs_of(first - start)).any()
    # less what is in the range of J', the move changes no output
    back = solve(own.gram(start), outputs_of(move).reshape(-1, 1)).reshape(own.clients, -1)
    still = move - own.cotangent(every, back, clients).sum(axis=0)
    assert not outputs_of(still).any()
    assert still @ (first - start) == 0


def test_without_a_linear_fit_there_is_none():
    """Of two targets of one sample; and of outputs with a root in them."""
    twice = given_as([[1, 1]], [[1, 0]], 2, 4)
    root = given_as([[1, 2]], [[1, 2]], 2, 3)
    for own in (twice, root):
        assert own.linear_fit(rationals([1] * own.shared_dimension)) is None


def with_zeros(own, z):
    """The same model with all outputs of inner layers, of which those that are not kept are 0."""
    full = replace(own, kept=None)
    found = []
    for (rows, columns), weight in zip(full.shapes, own.layers(z), strict=True):
        wide = rationals(np.zeros((len(z), rows, columns), int))
        wide[:, : weight.shape[1], : weight.shape[2]] = weight
        found.append(wide.reshape(len(z), -1))
    return full, np.concatenate(found, axis=1)


@pytest.mark.parametrize("depth", [2, 3])
def test_what_is_not_kept_is_zero_and_stays_so(depth):
    own = replace(given_as([[1, 2], [0, 1]], [[1, -1]], depth, 4), kept=3)
    start = rationals([[(3 * i + i * i) % 7 - 2 for i in range(own.shared_dimension)]])
    full, wide = with_zeros(own, start)
    clients = everyone(own.clients, 1)

    def every(one, z):
        return np.concatenate([z] * one.clients)

    for name in ("gram", "numbers"):
        one, other = getattr(own, name)(start[0]), getattr(full, name)(wide[0])
        assert np.all(one == other) if name == "gram" else one == other
    slope = own.gradient(every(own, start), clients)
    assert (with_zeros(own, slope)[1] == full.gradient(every(full, wide), clients)).all()
    after, late = start - slope[:1], wide - full.gradient(every(full, wide), clients)[:1]
    assert own.spectra(after[0], start[0]) == full.spectra(late[0], wide[0])
    assert own.away(after[0], start[0]) == full.away(late[0], wide[0])


@pytest.mark.parametrize("kept", [0, 5, -1])
def test_what_is_kept_is_among_the_width(kept):
    with pytest.raises(FedboundsError, match="outputs of inner layers that are kept"):
        replace(given_as([[1]], [[1]], 2, 4), kept=kept)


def test_data_without_a_fit_have_no_nearest_one():
    for own in (given_as([[1, 2]], [[1, 0]]), given_as([[1, 2]], [[1, 2]], 2, 1)):
        assert not own.has_nearest_fit
        with pytest.raises(FedboundsError, match="depth L of a network whose nearest fit"):
            own.nearest_fit(rationals([[0] * own.shared_dimension]))


@pytest.mark.parametrize(
    ("X", "Y", "depth", "width", "least"),
    [
        ([[1, 0], [0, 1]], [[1, 2]], 1, 1, 0),
        ([[1, 2]], [[1, 1]], 1, 1, None),  # no fit
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], 2, 1, None),  # which one neuron does not have
        ([[1, 0], [0, 1]], [[1, 0], [0, 1]], 2, 2, 0),
    ],
)
def test_the_least_loss_is_known_where_there_is_a_fit_that_the_width_admits(
    X, Y, depth, width, least
):
    own = given_as(X, Y, depth, width)
    assert own.infimum() == least
    assert to_float(own).infimum() is None


# ---- rounds in which no model of a client is formed

PRESENT = np.array([[1, 0], [1, 1]])
WEIGHTS = rationals([[1, 0], [Fraction(1, 2), Fraction(1, 2)]])


def averages(network, models, eta, steps):
    """Of every row, the mean of where its clients of `PRESENT` get, and residuals before."""
    found = []
    for w, present in zip(models, PRESENT, strict=True):
        clients = [c for c in network.everyone if present[c]]
        ends = [
            flat(oracle.local_models(network, network.layers(w), c, eta, steps)[-1])
            for c in clients
        ]
        mean = [sum(own) / Fraction(len(ends)) for own in zip(*ends, strict=True)]
        found.append((mean, [network.xi(network.layers(w), c) for c in network.everyone]))
    return [list(own) for own in zip(*found, strict=True)]


@pytest.mark.parametrize("shape", ROOTS)
@pytest.mark.parametrize("steps", [1, 3])
def test_averages_are_those_of_models_of_every_client(shape, steps):
    depth, width, d_out = shape
    network, w, v, _ = numbered(depth, width, d_out)
    eta = Fraction(1, 4)
    own, models = problem_of(network), rationals([w, v])
    found = own.averaged(models, WEIGHTS, eta=fmpq(1, 4), steps=steps)
    assert [fractions(x) for x in found] == averages(network, [w, v], eta, steps)
    together = Clients(own).averaged(models, rationals(PRESENT), fmpq(1, 4), steps)
    assert all((a == b).all() for a, b in zip(found, together, strict=True))


def forgotten(found, samples, move):
    """Planted: what earlier steps moved later layers is forgotten."""
    return found


def of_the_last_step(old, new):
    """Planted: of later layers only the last step counts."""
    return new


def of_everyone(inputs, slopes, shares):
    """Planted: the mean is over all clients."""
    return RIGHT(inputs, slopes, shares * 0 + fmpq(1, shares.shape[1]))


RIGHT = deep_linear.mean_move


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("_less", forgotten), ("_beside", of_the_last_step), ("mean_move", of_everyone)],
)
def test_planted_errors_of_averages_are_caught(monkeypatch, name, wrong):
    network, w, v, _ = numbered(3, 3, 1)
    monkeypatch.setattr(deep_linear, name, wrong)
    found = problem_of(network).averaged(rationals([w, v]), WEIGHTS, eta=fmpq(1, 4), steps=3)
    assert [fractions(x) for x in found] != averages(network, [w, v], Fraction(1, 4), 3)


def test_averages_in_balls_contain_those_of_every_client():
    own = given_as([[1, 2], [2, -1]], [[1, 2], [0, 1]], 2, 3)  # C is no rational
    clients, x = Clients(own), rationals([[1, -1, 2, 0, 1, 1, -1, 2, 1, 0, 2, 1]])
    found, missed = clients.averaged(x, rationals([[1, 0]]), fmpq(1, 8), 2)
    y = clients.spread(x)
    for _ in range(2):
        y = y - clients.gradient(y) * fmpq(1, 8)
    for a, b in ((found, y[:, 0, :]), (missed, clients.residual(x))):
        assert all(p.ball.overlaps(q.ball) for p, q in zip(a.flat, b.flat, strict=True))
        assert all(float(p.ball.rad()) < 1e-6 for p in a.flat)


def test_gram_matrices_of_clients_need_little_beside_themselves():
    """Neither a model of each client again, nor products of one layer after another."""
    rng = np.random.default_rng(0)
    own = DeepLinear(rng.standard_normal((4, 8, 50)), rng.standard_normal((4, 8, 10)), 3, 64)
    ys = rng.standard_normal((1, 4, own.shared_dimension))
    tracemalloc.start()
    size = own.crossed_gram(ys[:, 0, :], ys).nbytes
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size <= peak <= 5 * size


# ---- planted errors


class Turned(DeepLinear):
    """Planted: W in place of W', where layers are square."""

    def layers(self, z):
        first, *others = super().layers(z)
        return [first, *(np.swapaxes(x, 1, 2) if x.shape[1] == x.shape[2] else x for x in others)]


class Exchanged(DeepLinear):
    """Planted: factors of the Kronecker products the other way round."""

    def gram(self, start):
        before, after = self._products(start)
        pairs = zip(before, reversed(after), strict=True)
        return sum(np.kron(w @ w.T, x @ x.T) for x, w in pairs) / self.square


class Shifted(DeepLinear):
    """Planted: W^{L:i} where W^{L:i+1} belongs."""

    def _products(self, start):
        before, after = super()._products(start)
        return before, [*after[1:], after[0]]


class Unscaled(DeepLinear):
    """Planted: C forgets the outputs."""

    scale = fmpq(1, 3)


class Untrained(DeepLinear):
    """Planted: the last layer does not move."""

    def cotangent(self, z, r, cohort):
        found = super().cotangent(z, r, cohort)
        found[:, -self.layer_sizes[-1] :] *= 0
        return found


class OfAnother(DeepLinear):
    """Planted: residuals on the samples of another client."""

    def residual(self, z, cohort):
        return np.roll(super().residual(z, cohort), 1, axis=0)


PLANTED = {
    Turned: {"residual", "value", "gradient", "tangent", "cotangent", "expansion", "gram"},
    Exchanged: {"gram"},
    Shifted: {"gram"},
    Unscaled: {"residual", "value", "gradient", "tangent", "cotangent", "expansion"},
    Untrained: {"gradient", "cotangent"},
    OfAnother: {"residual", "value", "gradient"},
}


def numbered(depth, width, d_out, d_in=2):
    """Two clients with two samples each; a model, a move and numbers at outputs."""
    rng = np.random.default_rng(0)

    def some(count):
        return [Fraction(int(x)) for x in rng.integers(-3, 4, count)]

    clients = [[(some(d_in), some(d_out)) for _ in range(2)] for _ in range(2)]
    network = Network(clients, depth, width, Fraction(1, ROOTS[depth, width, d_out]))
    size = len(flat(network.layers([0] * 1000)))
    return network, some(size), some(size), some(4 * d_out)


@pytest.mark.parametrize("kind", PLANTED, ids=lambda kind: kind.__name__)
def test_planted_errors_are_caught(kind):
    network, w, v, r = numbered(3, 3, 1) if kind is Turned else numbered(2, 2, 2)
    own = problem_of(network)
    assert agrees(own, network, w, v, r) == set()
    wrong = kind(own.features, own.targets, own.depth, own.width)
    assert agrees(wrong, network, w, v, r) == PLANTED[kind]


# ---- array libraries, and balls


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_strict_array_library_gives_the_same_and_what_is_exact(depth):
    rng = np.random.default_rng(depth)
    features, targets = (rationals(rng.integers(-3, 4, (3, 2, d)).tolist()) for d in (3, 4))
    exact = DeepLinear(features, targets, depth, {1: 1, 2: 4, 3: 2}[depth])
    floats = to_float(exact)
    models = rng.integers(-2, 3, (2, 2, 3, exact.shared_dimension))
    apart = rng.integers(-2, 3, (2, 3, 8))
    there = Clients(to_namespace(floats, strict), strict)
    for name in ("residual", "value", "gradient", "tangent", "expansion", "cotangent"):
        more = {"tangent": (models[1],), "expansion": (models[1],), "cotangent": (apart,)}
        given = [x.astype(float) for x in (models[0], *more.get(name, ()))]
        wanted = getattr(Clients(floats), name)(*given)
        found = getattr(there, name)(*map(strict.asarray, given))
        assert isinstance(found, type(strict.asarray(1)))
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-12, atol=1e-12)
        exactly = getattr(Clients(exact), name)(*(rationals(x.astype(int)) for x in given))
        np.testing.assert_allclose(wanted, exactly.astype(float), rtol=1e-12, atol=1e-12)


@settings(deadline=None, max_examples=10)
@given(st.sampled_from([(1, 1, 2), (2, 2, 1), (2, 3, 2), (3, 3, 2)]), st.integers(0, 1000))
def test_balls_contain_what_is_irrational(sizes, seed):
    """Where C is no rational: the oracle with a C of 300 bits; floats are as near as they can be."""
    (depth, width, d_out), rng = sizes, np.random.default_rng(seed)
    features, targets = (rationals(rng.integers(-3, 4, (2, 2, d)).tolist()) for d in (2, d_out))
    own = DeepLinear(features, targets, depth, width)
    assert own.irrational
    assert not to_float(own).irrational
    model = rng.integers(-2, 3, (1, own.shared_dimension))
    balls, near = Clients(own), Clients(to_float(own))
    with ctx.workprec(300):
        C = 1 / arb(width ** (depth - 1) * d_out).sqrt()
    every = zip(features.tolist(), targets.tolist(), strict=True)
    network = Network([list(zip(*own, strict=True)) for own in every], depth, width, C)
    W = network.layers([fmpq(int(x)) for x in model[0]])
    for name in ("residual", "gradient"):
        found = getattr(balls, name)(rationals(model.tolist()))[0]
        floats = getattr(near, name)(model.astype(float))[0]
        for c in range(2):
            with ctx.workprec(300):
                exact = network.xi(W, c) if name == "residual" else flat(network.gradient(W, c))
            for ball, wanted, number in zip(found[c], exact, floats[c], strict=True):
                assert ball.ball.contains(wanted)
                assert float(ball.ball.mid()) == pytest.approx(number, rel=1e-10, abs=1e-10)
                assert float(ball.ball.rad()) < 1e-10


# ---- sizes and spectra, by hand


def given_as(X, Y, depth=1, width=1):
    """One sample for each client: columns of X, and what is wanted of each."""
    features, targets = (
        [[column] for column in zip(*rows, strict=True)]
        for rows in (np.array(X, dtype=object), np.array(Y, dtype=object))
    )
    return DeepLinear(rationals(features), rationals(targets), depth, width)


def told(own, *layers):
    """Numbers at a start; brackets of exact numbers as these."""
    start = None if not layers else rationals([x for W in layers for row in W for x in row])
    found = own.numbers(start)
    return {
        name: x.lower if isinstance(x, Bracket) and x.lower == x.upper else x
        for name, x in found.items()
    }


def test_numbers_of_one_layer():
    own = given_as([[1, 0], [0, 2], [0, 0]], [[1, 1]])
    sizes = {"depth": 1, "width": 1, "d_out": 1, "rank": 2}
    data = {"s_min2": 1, "s_max2": 4, "X_F2": 5, "w_star2": fmpq(5, 4)}
    assert told(own) == sizes | data
    of_start = {"P_min": 1, "P_max": 4, "low_0": 1, "high_0": 1, "R_0": 5}  # (3 - 1)^2 + (2 - 1)^2
    assert told(own, [[3, 1, 4]]) == sizes | data | of_start
    both = given_as([[1, 0], [0, 2]], [[1, 4], [0, 6]])  # W* = [[1, 2], [0, 3]]
    square = told(both)["w_star2"]
    assert float(square.lower) == pytest.approx(7 + 40**0.5)
    assert told(both, [[0, 0]] * 2)["P_max"] == 2  # over the number of outputs


def test_numbers_of_two_layers():
    """P is 1/m (||W^2||^2 X'X + (W^1 X)' W^1 X); units are m, and m times those of X."""
    found = told(given_as([[2, 0], [0, 4]], [[1, 1]], 2, 2), [[2, 0], [0, 3]], [[1, 2]])
    # squares: 5/2 of W^2; of W^1 X 16/2 over 4, and 144/2 over 16
    assert (found["low_0"], found["high_0"]) == (2, fmpq(9, 2))
    assert (found["P_min"], found["P_max"]) == (fmpq(5 * 4 + 16, 2), fmpq(5 * 16 + 144, 2))
    found = told(given_as([[1, 0], [0, 4]], [[1, 1]], 2, 2), [[3, 0], [0, 2]], [[1, 2]])
    # 5/2 of W^2 is the largest; the least is 64/2 over 16
    assert (found["low_0"], found["high_0"]) == (fmpq(5, 2), fmpq(5, 2))


def test_numbers_of_three_layers():
    """P is 1/m^2 (||W^3 W^2||^2 X'X + ||W^3||^2 (W^1 X)' W^1 X + (W^2 W^1 X)' W^2 W^1 X)."""
    own = given_as([[1, 0], [0, 1]], [[1, 1]], 3, 2)
    found = told(own, [[2, 0], [0, 3]], [[1, 0], [0, 2]], [[1, 1]])
    assert (found["P_min"], found["P_max"]) == (fmpq(5 + 8 + 4, 4), fmpq(5 + 18 + 36, 4))
    # W^3: 2/2; W^3 W^2: 5/4; W^1 X: 4/2 and 9/2; W^2 W^1 X: 4/4 and 36/4
    assert (found["low_0"], found["high_0"]) == (1, 9)
    found = told(own, [[2, 0], [0, 3]], [[1, 0], [0, 2]], [[4, 5]])
    assert (found["low_0"], found["high_0"]) == (1, fmpq(16 + 100, 4))


def test_what_is_missed_at_the_start_of_outputs_with_a_root_is_between_two_ends():
    """Of outputs w_2 w_1 x/sqrt(2) and a target of 1: 9/2 - 3 sqrt(2) + 1."""
    missed = told(given_as([[1]], [[1]], 2, 2), [[1], [2]], [[1, 1]])["R_0"]
    lower, upper = (fmpq(11, 2) - x for x in (missed.upper, missed.lower))
    assert lower**2 < 18 < upper**2
    assert float(upper - lower) < 1e-15


def test_more_outputs_than_units_leave_a_singular_value_of_zero():
    own = given_as([[1]], [[1], [1]], 2, 1)
    found = told(own, [[1]], [[1], [1]])
    assert (found["low_0"], found["high_0"]) == (0, 2)


def test_numbers_of_samples_that_depend_on_each_other():
    own = told(given_as([[1, 2]], [[3, 6]]), [[5]])
    assert (own["rank"], own["s_min2"], own["s_max2"], own["w_star2"]) == (1, 0, 5, 9)
    assert (own["P_min"], own["P_max"]) == (0, 5)
    assert "w_star2" not in told(given_as([[1, 2]], [[1, 1]]))
    found = told(given_as([[1, 2]], [[1, 1]], 2, 1), [[2]], [[3]])
    assert (found["low_0"], found["high_0"]) == (9, 9)  # of W^2 alone, and 20/5 of W^1 X


def test_brackets_of_quotients_hold_what_is_irrational():
    """X'X has (3 -+ sqrt(5))/2, and (W^1 X)' W^1 X is diag(1, 4)."""
    own = given_as([[1, 1], [0, 1]], [[1, 1]], 2, 2)
    first = [[1, -1], [0, 2]]
    low = told(own, first, [[2, 0]])["low_0"]  # (3 + sqrt(5))/4, where W^2 has 2
    assert (4 * low.lower - 3) ** 2 < 5 < (4 * low.upper - 3) ** 2
    high = told(own, first, [[1, 0]])["high_0"]  # 3 - sqrt(5), where W^2 has 1/2
    assert (3 - high.upper) ** 2 < 5 < (3 - high.lower) ** 2
    for own in (low, high):
        assert float(own.upper - own.lower) < 1e-10


@settings(deadline=None, max_examples=10)
@given(cases([(1, 2, 4), (2, 2, 2), (3, 2, 1)]))
def test_spectra_are_near_those_of_floats(case):
    network, w, _, _ = case
    found, W = told(problem_of(network), *network.layers(w)), network.layers(w)

    def ends(matrix):
        own = np.linalg.eigvalsh(np.array(matrix, dtype=float))
        return own[0], own[-1]

    X, L, m = network.X(*network.everyone), network.depth, network.width
    data = ends(oracle.matmul(oracle.turned(X), X))
    lows, highs = [], []
    for i in range(1, L):
        last = network.chain(W, L, L - i + 1)
        low, high = ends(oracle.matmul(last, oracle.turned(last)))
        lows, highs = [*lows, low / m**i], [*highs, high / m**i]
        made = oracle.matmul(network.chain(W, i, 1), X)
        low, high = ends(oracle.matmul(oracle.turned(made), made))
        if data[0] > 1e-9:
            lows.append(low / m**i / data[0])
        if data[1] > 0:
            highs.append(high / m**i / data[1])
    wanted = {"s": data, "P": ends(network.gram(W, W))}
    missed = float(oracle.square(network.xi(W, *network.everyone)))
    wanted = {"s_min2": data[0], "s_max2": data[1], "P_min": wanted["P"][0],
              "P_max": wanted["P"][1], "low_0": min(lows, default=1),
              "high_0": max(highs, default=1), "R_0": missed}  # fmt: skip
    for name, number in wanted.items():
        own = found[name]
        lower, upper = (own.lower, own.upper) if isinstance(own, Bracket) else (own, own)
        assert float(lower) == pytest.approx(number, rel=1e-6, abs=1e-8)
        assert float(upper) == pytest.approx(number, rel=1e-6, abs=1e-8)


# ---- what is refused, and what is known

DATA = np.ones((2, 3, 4)), np.ones((2, 3, 1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.ones((2, 3)), DATA[1], 2, 4), "axes of the features is 2"),
        ((DATA[0], np.ones((2, 3)), 2, 4), "axes of the targets is 2"),
        ((DATA[0], np.ones((3, 2, 1)), 2, 4), "clients and samples of the targets"),
        ((np.ones((2, 0, 4)), np.ones((2, 0, 1)), 2, 4), "shapes of the data"),
        ((DATA[0], np.ones((2, 3, 0)), 2, 4), "shapes of the data"),
        ((*DATA, 0, 4), "depth L is 0"),
        ((*DATA, 2, 0), "width m is 0"),
        ((DATA[0], rationals(DATA[1].astype(int)), 2, 4), "numbers of the targets"),
    ],
)
def test_wrong_data_are_refused(given, message):
    with pytest.raises(FedboundsError, match=message):
        DeepLinear(*given)


@pytest.mark.parametrize("entries", [19, 21])
def test_a_model_of_another_size_is_refused(entries):
    own = DeepLinear(*DATA, 2, 4)
    assert own.shared_dimension == sum(own.layer_sizes) == 20
    with pytest.raises(FedboundsError, match=f"entries of a model is {entries}; expected 20"):
        own.gradient(np.zeros((2, entries)), everyone(2, 1))


def test_what_is_known_of_it():
    one, two = DeepLinear(*DATA, 1, 4), DeepLinear(*DATA, 2, 4)
    for own in (one, two):
        assert own.satisfies(Fact.NOISELESS).holds is True
        assert own.satisfies(Fact.STRONGLY_CONVEX).holds is None
        assert own.constants(None) == {}
    for fact in (Fact.QUADRATIC, Fact.CONVEX, Fact.SMOOTH):
        assert one.satisfies(fact).holds is True
        assert two.satisfies(fact).holds is None
