"""The affine map that a round is on quadratics, and every quantity as a quadratic form of it.

With x the state in coordinates centred at the minimiser and s_i the participation indicators,
one round is x+ = (A_0 + sum_i s_i C_i) (x, 1) + sum_i s_i G_i e_i with independent unit noise e_i.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.participation import draw_participants, inclusion
from fedbounds.algorithms.rules import rules_of
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, everyone
from fedbounds.problems.linear import is_exact, rational

from .drive import Driver, NoiseProbe, flatten, noise_response, response
from .memory import Each, Means, rules_with_memory
from .observe import Features, Form, Forms, forms, measured

Array = Any
_MOST_STATE = 1500  # second moments are dense: 18 MB each at this size


@dataclass(frozen=True, eq=False)
class Block:
    """A client's matrix C_i restricted to the rows and columns where it is not zero."""

    rows: np.ndarray
    columns: np.ndarray
    values: Array


@dataclass(frozen=True, eq=False)
class AffineRound:
    """One round as an affine map, and every quantity as a quadratic form.

    Attributes
    ----------
    absent : array, shape (D + 1, D + 1)
        A_0, with the constant coordinate last.
    total : array, shape (D + 1, D + 1)
        sum_i C_i.
    blocks : tuple of Block
        Each C_i, compressed.
    covariance : array, shape (D + 1, D + 1)
        sum_i G_i Cov(e_i) G_i', before weighting with P(i in S).
    single, pair : number
        P(i in S) and P(i and j in S).
    names, quadratic, constant
        Quantity q is <quadratic[q], M> + constant[q], with M = E (x, 1)(x, 1)'.
    spread : pair (quadratic, constant) or None
        Spread of a client's local points about their mean, summed over clients, where the carry
        remembers means: what they add to the lag.
    """

    absent: Array
    total: Array
    blocks: tuple[Block, ...]
    covariance: Array
    single: Any
    pair: Any
    names: tuple[str, ...]
    quadratic: Array
    constant: Array
    spread: tuple[Array, Any] | None


def driver_of(
    problem: FederatedQuadratic, algorithm: FedAvgP, memory: type[Each] | type[Means] | None = None
) -> Driver:
    """The centred problem with the algorithm's rules, with a memory on request."""
    rules = rules_of(algorithm) if memory is None else rules_with_memory(algorithm, memory)
    return Driver(problem.centred(), algorithm, rules)


def state_size(driver: Driver) -> int:
    """D: how many numbers are carried from round to round."""
    return len(flatten(driver.rest()))


def read_off(driver: Driver) -> AffineRound:
    """Drive the algorithm on basis states of a centred problem, and check that it is affine.

    Raises
    ------
    FedboundsError
        If the state is too large for dense second moments, or the round is not affine.
    """
    size = state_size(driver)
    if size > _MOST_STATE:
        raise FedboundsError(
            f"exact moments need a dense matrix of the state: its size is {size}, "
            f"at most {_MOST_STATE} is supported; use sampling"
        )
    with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the moments
        return _read_off(driver)


def _read_off(driver: Driver) -> AffineRound:
    problem, algorithm = driver.problem, driver.algorithm
    basis = driver.basis()
    seen = driver.seen(basis, driver.silent(basis))
    features = with_value(problem, basis, seen.features) | _point_spread(seen.points)
    absent = response(driver.states(driver.after(basis, seen.reached, ())))
    clients = range(problem.clients)
    moved = [
        response(driver.states(driver.after(basis, seen.reached, (i,)))) - absent for i in clients
    ]
    blocks = tuple(_compress(_border(matrix, 0)) for matrix in moved)
    bordered = _border(absent, 1)
    total = bordered * 0
    for block in blocks:
        total[np.ix_(block.rows, block.columns)] += block.values
    table = _table(driver, basis, features)
    constant = {name: bordered.sum() * 0 for name in table}
    covariance = bordered * 0
    spread_noise = bordered.sum() * 0
    for probe in driver.noises():
        noisy, pushed = _noisy(driver, probe)
        for name, quantity in table.items():
            constant[name] = constant[name] + _noise_part(quantity, noisy, probe.variance)
        spread_noise = spread_noise + _noise_part(_SPREAD, noisy, probe.variance)
        covariance[:-1, :-1] += (pushed * probe.variance) @ pushed.T
    number = rational if is_exact(problem.hessian) else float
    single, pair = (number(p) for p in inclusion(problem.clients, algorithm.participants))
    found = AffineRound(
        absent=bordered,
        total=total,
        blocks=blocks,
        covariance=covariance,
        single=single,
        pair=pair,
        names=tuple(table),
        quadratic=np.stack([quadratic(quantity, features) for quantity in table.values()]),
        constant=np.stack([constant[name] for name in table]),
        spread=(quadratic(_SPREAD, features), spread_noise) if isinstance(basis, Means) else None,
    )
    _check_affine(driver, found)
    return _with_increments(driver, found, features)


_SPREAD = (Form("point spread", "point spread", 1),)


def _table(driver: Driver, carry: Any, features: Features) -> dict[str, Forms]:
    problem, algorithm = driver.problem, driver.algorithm
    table = {"f": value_form(problem, algorithm)} | forms(problem, algorithm)
    if isinstance(carry, Means):
        # the spread of the points about their means is added round by round
        steps = algorithm.local_steps + problem.linear.sum() * 0
        table["C"] = (Form("mean lag", "mean lag", steps),)
    return measured(table, features)


def _point_spread(points: list[Array]) -> Features:
    """Each local point minus the mean of its client's points."""
    mean = sum(points[1:], start=points[0]) / len(points)
    return {"point spread": np.concatenate([point - mean for point in points], axis=0)}


def _border(matrix: Array, corner: int) -> Array:
    last = matrix[:1] * 0
    last[0, -1] = last[0, -1] + corner
    return np.concatenate([matrix, last], axis=0)


def _compress(matrix: Array) -> Block:
    used = matrix != 0
    rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
    return Block(rows, columns, matrix[np.ix_(rows, columns)])


def _noisy(driver: Driver, probe: NoiseProbe) -> tuple[Features, Array]:
    """Features under unit noises at one client, and the responses of the state if it took part."""
    seen = driver.seen(probe.carry, probe.drawn)
    features = with_value(driver.problem, probe.carry, seen.features) | _point_spread(seen.points)
    after = driver.states(driver.after(probe.carry, seen.reached, (probe.client,)))
    return features, noise_response(after)


def _noise_part(quantity: Forms, features: Features, variance: Array) -> Any:
    total = 0
    for form in quantity:
        left, right = (
            noise_response(features[name].transpose(0, 2, 1)) for name in (form.left, form.right)
        )
        total = total + ((left * right).sum(axis=(0, 1)) * variance).sum() * form.weight
    return total


def quadratic(quantity: Forms, features: Features) -> Array:
    """The matrix of a quantity as a quadratic form of (x, 1)."""
    total = None
    for form in quantity:
        left, right = (feature_matrix(features[name]) for name in (form.left, form.right))
        product = left.T @ right
        matrix = (product + product.T) * form.weight / 2
        total = matrix if total is None else total + matrix
    return total


def feature_matrix(feature: Array) -> Array:
    """Shape (clients x coordinates, D + 1): response columns, then the value at the origin."""
    return response(feature.transpose(0, 2, 1).reshape(-1, feature.shape[1]))


def value_form(problem: FederatedQuadratic, algorithm: FedAvgP) -> Forms:
    """f minus its infimum, with the features of `with_value`."""
    one = algorithm.inner_step_u / algorithm.inner_step_u
    return (Form("point", "half slope", one / problem.clients),)


def with_value(problem: FederatedQuadratic, carry: Any, features: Features) -> Features:
    """Add features whose product is f minus its infimum (f itself if there is none)."""
    n, replicas, _ = carry.v.shape
    u = np.broadcast_to(carry.u[None], (n, *carry.u.shape))
    z = np.concatenate([u, carry.v], axis=2)
    curvature = problem.curvature(z.reshape(n * replicas, -1), everyone(n, replicas))
    # at the minimiser the mean slope vanishes, so f - inf f has no linear term
    slope = problem.linear * (0 if problem.minimiser is not None else 1)
    half = curvature.reshape(n, replicas, -1) / 2 + slope[:, None, :]
    return features | {"point": z, "half slope": half}


def _with_increments(driver: Driver, found: AffineRound, features: Features) -> AffineRound:
    """Add E ||Delta u||^2 and its kin: squares and slopes of the round's own map."""
    n, d_u = driver.problem.clients, driver.problem.shared_dimension
    last = d_u + n * driver.problem.personal_dimension
    size = found.absent.shape[0]
    still = np.eye(size, dtype=found.absent.dtype) + found.absent * 0
    mean = found.absent + found.total * found.single - still
    rows = {"u": slice(0, d_u), "v": slice(d_u, last)}
    weight = {"u": found.single / found.single, "v": found.single / found.single / n}
    squares, means, slopes, noise = {}, {}, {}, {}
    for block, at in rows.items():
        conditional = mean[at].T @ mean[at]
        own = found.total[at].T @ found.total[at] * (found.pair - found.single * found.single)
        square = conditional + own
        for client in found.blocks:
            chosen = (client.rows >= at.start) & (client.rows < at.stop)
            values = client.values[chosen]
            where = np.ix_(client.columns, client.columns)
            square[where] += values.T @ values * (found.single - found.pair)
        squares[block] = square * weight[block]
        means[block] = conditional * weight[block]
        noise[block] = found.covariance[at, at].trace() * found.single * weight[block]
        gradient = "mean gradient u" if block == "u" else "gradient v"
        product = feature_matrix(features[gradient]).T @ mean[at] * weight[block]
        slopes[block] = (product + product.T) / 2
    nothing = found.single * 0
    added = {
        "Du_2": (squares["u"], noise["u"]),
        "Dv_2": (squares["v"], noise["v"]),
        "M_u": (means["u"], nothing),
        "M_v": (means["v"], nothing),
        "X_u": (slopes["u"], nothing),
        "X_v": (slopes["v"], nothing),
    }
    return replace(
        found,
        names=(*found.names, *added),
        quadratic=np.concatenate([found.quadratic, np.stack([q for q, _ in added.values()])]),
        constant=np.concatenate([found.constant, np.stack([c for _, c in added.values()])]),
    )


def only(found: AffineRound, names: frozenset[str]) -> AffineRound:
    """The same round with the quantities of these names."""
    kept = [i for i, name in enumerate(found.names) if name in names]
    return replace(
        found,
        names=tuple(found.names[i] for i in kept),
        quadratic=found.quadratic[kept],
        constant=found.constant[kept],
    )


def _check_affine(driver: Driver, found: AffineRound) -> None:
    """Compare with real rounds on random states and participants, and superpose noise.

    Replica 0 is the origin without noise, 1 and 2 are random, 3 is the sum of 1 and 2: an affine
    round maps it to the sum of their images minus that of the origin.
    """
    problem, algorithm = driver.problem, driver.algorithm
    rng = np.random.Generator(np.random.SFC64(0))
    exact, zero = is_exact(problem.hessian), problem.linear.sum() * 0
    kind = problem.hessian.dtype

    def superposed(shape: tuple[int, ...]) -> Array:
        pair = rng.integers(-8, 9, (*shape, 2)).astype(kind) + zero
        return np.concatenate([pair[..., :1] * 0, pair, pair.sum(axis=-1, keepdims=True)], axis=-1)

    n = problem.clients
    states = superposed((state_size(driver),))
    carry = driver.shifted(states)
    d = problem.shared_dimension + problem.personal_dimension
    noise = superposed((algorithm.local_steps, n, d)).transpose(0, 1, 3, 2)
    present = np.repeat(draw_participants(rng, n, algorithm.participants, 1), 4, axis=1)
    present = present.astype(int).astype(object) if exact else present

    def images(noise_rows: Array | None) -> Array:
        drawn = replace(driver.silent(carry, noise_rows), present=present)
        return driver.states(driver.rules.step(problem, algorithm, carry, drawn))

    noisy = images(noise.reshape(algorithm.local_steps, n * 4, d))
    defect = noisy[:, 3] - noisy[:, 1] - noisy[:, 2] + noisy[:, 0]
    bordered = np.concatenate([states, np.ones((1, 4), dtype=kind)], axis=0)
    predicted = found.absent @ bordered
    for client, block in enumerate(found.blocks):
        part = block.values @ bordered[block.columns]
        predicted[block.rows] = predicted[block.rows] + part * present[client]
    error = max(abs(images(None) - predicted[:-1]).max(), abs(defect).max())
    # long outer steps magnify the rounding of a round
    outer = 1.0 + float(algorithm.outer_step_u) + float(algorithm.outer_step_v)
    # so do control variates, which divide a difference of iterates by K gamma_u
    inner = 1.0
    if isinstance(algorithm, ScaffoldP):
        inner += 1.0 / float(algorithm.local_steps * algorithm.inner_step_u)
    allowed = 0 if exact else 1e-13 * outer * inner * (1.0 + abs(noisy).max())
    if error > allowed:
        raise FedboundsError(
            f"a round is not affine in state, noise and participation (error {float(error):.3g}); "
            "exact moments do not apply, use sampling"
        )
