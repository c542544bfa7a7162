"""The affine map that a round is on quadratics, read off by driving the algorithm itself.

With x the state in coordinates centred at the minimiser and s_i the participation indicators,
one round is x+ = (A_0 + sum_i s_i C_i) (x, 1) + sum_i s_i G_i e_i with independent unit noise e_i.
The matrices come from running `local` and `server` on basis states with weights 0 and unit
vectors; nothing about FedAvg-P is repeated here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fedbounds.algorithms import fedavg_p
from fedbounds.algorithms.fedavg_p import Draw, FedAvgP
from fedbounds.algorithms.participation import draw_participants
from fedbounds.algorithms.rules import rules_of
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Start, everyone
from fedbounds.problems.linear import is_exact
from fedbounds.vocabulary import Quantity

from .observe import Features, Form, forms, observe

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
    names, quadratic, constant
        Quantity q is <quadratic[q], M> + constant[q], with M = E (x, 1)(x, 1)'.
    """

    absent: Array
    total: Array
    blocks: tuple[Block, ...]
    covariance: Array
    names: tuple[Quantity, ...]
    quadratic: Array
    constant: Array


def state_size(problem: FederatedQuadratic, algorithm: FedAvgP) -> int:
    """D: how many numbers an algorithm carries from round to round."""
    return len(flatten(rest(problem, algorithm)))


def check_size(problem: FederatedQuadratic, algorithm: FedAvgP) -> None:
    """Raise if the state is too large for dense second moments."""
    size = state_size(problem, algorithm)
    if size > _MOST_STATE:
        raise FedboundsError(
            f"exact moments need a dense matrix of the state: its size is {size}, "
            f"at most {_MOST_STATE} is supported; use sampling"
        )


def read_off(problem: FederatedQuadratic, algorithm: FedAvgP) -> AffineRound:
    """Drive the algorithm on basis states of a centred problem, and check that it is affine.

    Raises
    ------
    FedboundsError
        If the state is too large for dense second moments, or the round is not affine.
    """
    check_size(problem, algorithm)
    with np.errstate(over="ignore", invalid="ignore"):  # divergence shows in the moments
        return _read_off(problem, algorithm)


def _read_off(problem: FederatedQuadratic, algorithm: FedAvgP) -> AffineRound:
    probe = _basis(problem, algorithm)
    features, reached = observe(problem, algorithm, probe, _silent(problem, probe, None))
    features = _with_value(problem, probe, features)
    absent = _response(_server(problem, algorithm, probe, reached, None))
    blocks = []
    for client in range(problem.clients):
        moved = _response(_server(problem, algorithm, probe, reached, client)) - absent
        blocks.append(_compress(_border(moved, 0)))
    bordered = _border(absent, 1)
    total = bordered * 0
    for block in blocks:
        total[np.ix_(block.rows, block.columns)] += block.values
    covariance = bordered * 0
    table = {Quantity.GAP: _value_form(problem, algorithm)} | forms(problem, algorithm)
    constant = {name: probe.u.sum() * 0 for name in table}
    for client, variance, noisy in _noise_probes(problem, algorithm):
        seen, pushed = observe(problem, algorithm, noisy.carry, noisy.drawn)
        seen = _with_value(problem, noisy.carry, seen)
        for name, form in table.items():
            constant[name] = constant[name] + _noise_part(form, seen, variance)
        moved = _response(_server(problem, algorithm, noisy.carry, pushed, client))[:, :-1]
        covariance[:-1, :-1] += (moved * variance) @ moved.T
    result = AffineRound(
        absent=bordered,
        total=total,
        blocks=tuple(blocks),
        covariance=covariance,
        names=tuple(table),
        quadratic=np.stack([_quadratic(form, features) for form in table.values()]),
        constant=np.stack([constant[name] for name in table]),
    )
    _check_affine(problem, algorithm, result)
    return result


def flatten(carry: Any) -> Array:
    """State vectors, shape (D, R): the carry's arrays in order, client by client."""
    blocks = []
    for field in fields(carry):
        array = getattr(carry, field.name)
        blocks += [array.T] if array.ndim == 2 else [own.T for own in array]
    return np.concatenate(blocks, axis=0)


def _unflatten(template: Any, states: Array) -> Any:
    """The carry of these states, in the shapes of a template's arrays."""
    found, at = {}, 0
    for field in fields(template):
        shape = getattr(template, field.name).shape
        size = shape[-1]
        own = [states[at + i * size : at + (i + 1) * size].T for i in range(_owners(shape))]
        found[field.name] = own[0] if len(shape) == 2 else np.stack(own)
        at += size * _owners(shape)
    return type(template)(**found)


def _owners(shape: tuple[int, ...]) -> int:
    return 1 if len(shape) == 2 else shape[0]


def rest(problem: FederatedQuadratic, algorithm: FedAvgP) -> Any:
    """The carry, one replica, of a noise-free start at the origin of a centred problem."""
    zero = problem.linear * 0
    d_u = problem.shared_dimension
    return rules_of(algorithm).init(problem, algorithm, Start(zero[0, :d_u], zero[:, d_u:]), 1)


def _shifted(problem: FederatedQuadratic, algorithm: FedAvgP, states: Array) -> Any:
    """The carry at these states, measured from `rest`."""
    origin = rest(problem, algorithm)
    return _unflatten(origin, flatten(origin) + states)


def _basis(problem: FederatedQuadratic, algorithm: FedAvgP) -> Any:
    """Replica j < D is the j-th basis state, replica D the origin."""
    size = state_size(problem, algorithm)
    states = np.eye(size, size + 1, dtype=problem.hessian.dtype)
    return _shifted(problem, algorithm, states + problem.linear.sum() * 0)


def _silent(problem: FederatedQuadratic, carry: Any, noise: Array | None) -> Draw:
    replicas = carry.u.shape[0]
    present = np.ones((problem.clients, replicas), dtype=carry.u.dtype)
    return Draw(present=present, noise=noise, cohort=everyone(problem.clients, replicas))


def _server(
    problem: FederatedQuadratic,
    algorithm: FedAvgP,
    carry: Any,
    reached: Array,
    client: int | None,
) -> Array:
    """States after the server step when only ``client`` takes part (None: nobody)."""
    drawn = _silent(problem, carry, None)
    present = drawn.present * 0
    if client is not None:
        present[client] = present[client] + 1
    moved = rules_of(algorithm).server(algorithm, carry, replace(drawn, present=present), reached)
    return flatten(moved) - flatten(rest(problem, algorithm))


def _response(states: Array) -> Array:
    """Columns: response to each basis direction, then the value at the origin."""
    return np.concatenate([states[:, :-1] - states[:, -1:], states[:, -1:]], axis=1)


def _border(matrix: Array, corner: int) -> Array:
    last = matrix[:1] * 0
    last[0, -1] = last[0, -1] + corner
    return np.concatenate([matrix, last], axis=0)


def _compress(matrix: Array) -> Block:
    used = matrix != 0
    rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
    return Block(rows, columns, matrix[np.ix_(rows, columns)])


@dataclass(frozen=True, eq=False)
class _Probe:
    carry: Any
    drawn: Draw


def _noise_probes(
    problem: FederatedQuadratic, algorithm: FedAvgP
) -> Iterator[tuple[int, Array, _Probe]]:
    """For each client: replica (k, j) puts unit noise into step k, coordinate j; the last none."""
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    scales = problem.noise.scales(d_u, d_v)
    live = [j for j, scale in enumerate(scales) if scale != 0]
    if not live:
        return
    n, steps, d = problem.clients, algorithm.local_steps, d_u + d_v
    count = steps * len(live)
    zero = problem.linear.sum() * 0
    variance = np.array([zero + scales[j] ** 2 for _ in range(steps) for j in live])
    still = rest(problem, algorithm)
    carry = _unflatten(still, np.repeat(flatten(still), count + 1, axis=1))
    for client in range(n):
        noise = np.zeros((steps, n, count + 1, d), dtype=problem.hessian.dtype) + zero
        for index in range(count):
            noise[index // len(live), client, index, live[index % len(live)]] += 1
        drawn = _silent(problem, carry, noise.reshape(steps, n * (count + 1), d))
        yield client, variance, _Probe(carry, drawn)


def initial_probes(
    problem: FederatedQuadratic, algorithm: FedAvgP
) -> Iterator[tuple[Array, Array]]:
    """Unit noise of the initial draw, client by client, with its variances; none for FedAvg-P."""
    if rules_of(algorithm).init_draw is fedavg_p.init_draw:
        return
    for _, variance, probe in _noise_probes(problem, algorithm):
        yield np.append(variance, variance[0] * 0), probe.drawn.noise


def drift_by_step(problem: FederatedQuadratic, algorithm: FedAvgP) -> tuple[Array, Array]:
    """E_{i,k} as sums of squares: responses, shape (n, K, d, D + 1), and noise, shape (n, K)."""
    probe = _basis(problem, algorithm)
    still = observe(problem, algorithm, probe, _silent(problem, probe, None))[0]["drift"]
    drift = _steps(problem, algorithm, still)
    response = np.concatenate([drift[..., :-1] - drift[..., -1:], drift[..., -1:]], axis=-1)
    noise = (response * response).sum(axis=(2, 3)) * 0
    for _, variance, noisy in _noise_probes(problem, algorithm):
        seen = observe(problem, algorithm, noisy.carry, noisy.drawn)[0]["drift"]
        moved = _steps(problem, algorithm, seen)
        moved = moved[..., :-1] - moved[..., -1:]
        noise = noise + ((moved * moved).sum(axis=2) * variance).sum(axis=-1)
    return response, noise


def _steps(problem: FederatedQuadratic, algorithm: FedAvgP, drift: Array) -> Array:
    """The drift feature as (clients, steps, coordinates, replicas), step 0 included."""
    n, steps = problem.clients, algorithm.local_steps
    _, replicas, d = drift.shape
    first = np.zeros((1, n, replicas, d), dtype=drift.dtype)
    later = drift.reshape(-1, n, replicas, d)[: steps - 1]
    return np.concatenate([first, later]).transpose(1, 0, 3, 2)


def _noise_part(form: Form, features: Features, variance: Array) -> Any:
    left, right = _noise_response(features[form.left]), _noise_response(features[form.right])
    return ((left * right).sum(axis=(0, 2)) * variance).sum() * form.weight


def _noise_response(feature: Array) -> Array:
    return feature[:, :-1] - feature[:, -1:]


def _quadratic(form: Form, features: Features) -> Array:
    left, right = _feature_matrix(features[form.left]), _feature_matrix(features[form.right])
    product = left.T @ right
    return (product + product.T) * form.weight / 2


def _feature_matrix(feature: Array) -> Array:
    """Shape (clients x coordinates, D + 1): response columns, then the value at the origin."""
    rows = feature.transpose(0, 2, 1).reshape(-1, feature.shape[1])
    return _response(rows)


def _value_form(problem: FederatedQuadratic, algorithm: FedAvgP) -> Form:
    gamma = algorithm.inner_step_u
    return Form("point", "half slope", gamma / gamma / problem.clients)


def _with_value(problem: FederatedQuadratic, carry: Any, features: Features) -> Features:
    """Add features whose product is f minus its infimum (f itself if there is none)."""
    n, replicas, _ = carry.v.shape
    u = np.broadcast_to(carry.u[None], (n, *carry.u.shape))
    z = np.concatenate([u, carry.v], axis=2)
    curvature = problem.curvature(z.reshape(n * replicas, -1), everyone(n, replicas))
    # at the minimiser the mean slope vanishes, so f - inf f has no linear term
    slope = problem.linear * (0 if problem.minimiser is not None else 1)
    half = curvature.reshape(n, replicas, -1) / 2 + slope[:, None, :]
    return features | {"point": z, "half slope": half}


def _check_affine(problem: FederatedQuadratic, algorithm: FedAvgP, found: AffineRound) -> None:
    """Compare with real rounds on random states and participants, and superpose noise.

    Replica 0 is the origin without noise, 1 and 2 are random, 3 is the sum of 1 and 2: an affine
    round maps it to the sum of their images minus that of the origin.
    """
    rng = np.random.Generator(np.random.SFC64(0))
    exact, zero = is_exact(problem.hessian), problem.linear.sum() * 0
    kind = problem.hessian.dtype

    def superposed(shape: tuple[int, ...]) -> Array:
        pair = rng.integers(-8, 9, (*shape, 2)).astype(kind) + zero
        return np.concatenate([pair[..., :1] * 0, pair, pair.sum(axis=-1, keepdims=True)], axis=-1)

    n, origin = problem.clients, flatten(rest(problem, algorithm))
    states = superposed((len(origin),))
    carry = _shifted(problem, algorithm, states)
    d = problem.shared_dimension + problem.personal_dimension
    noise = superposed((algorithm.local_steps, n, d)).transpose(0, 1, 3, 2)
    present = np.repeat(draw_participants(rng, n, algorithm.participants, 1), 4, axis=1)
    present = present.astype(int).astype(object) if exact else present

    def images(noise_rows: Array | None) -> Array:
        drawn = replace(_silent(problem, carry, noise_rows), present=present)
        return flatten(rules_of(algorithm).step(problem, algorithm, carry, drawn)) - origin

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
    allowed = 0 if exact else 1e-13 * outer * (1.0 + abs(noisy).max())
    if error > allowed:
        raise FedboundsError(
            f"a round is not affine in state, noise and participation (error {float(error):.3g}); "
            "exact moments do not apply, use sampling"
        )
