"""Where the iterates of all rounds of a run lie: exact points and boxes, from driving a round.

A round is affine in the model and in the noise; `local` and `server` of `fedplt_rows`, driven with
basis states and unit noises, give its matrices in rationals.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq

from fedbounds.algorithms import fedplt_rows
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.algorithms.fedplt_rows import FedPLT, shares
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational, solve

from ..enumeration import draw_of
from .exhibits import Exhibit, Steps

Array = np.ndarray
_ZERO, _ONE = fmpq(0), fmpq(1)
_EXPLICIT = 200  # rounds with a decaying step that are looked at one by one


@dataclass(frozen=True, eq=False)
class Box:
    """Models within ``radius`` of ``centre``, coordinate by coordinate.

    Attributes
    ----------
    client : int or None
        Whose local models they are; None for W^t.
    """

    centre: Array
    radius: Array
    client: int | None = None


@dataclass(frozen=True, eq=False)
class Iterates:
    """Boxes that contain every W^t and W_k^{t,s} of a run, for all t and all noises.

    Attributes
    ----------
    boxes : tuple of Box
        Each contains an iterate.
    shrinking : bool
        They are those of the first round; later ones are the same, scaled about W*, which is the
        minimiser of every F_k.
    open : bool
        The iterates lie inside of the boxes.
    """

    boxes: tuple[Box, ...]
    shrinking: bool = False
    open: bool = False


@dataclass(frozen=True, eq=False)
class _Round:
    """W^{t+1} and all W_k^{t,s} at a model; how they respond to it and to each unit noise.

    Arrays have the shape (1 + d + noises, d): the value, and responses. Local models are indexed
    by step and client.
    """

    after: Array
    local: tuple[tuple[Array, ...], ...]


def minimiser(problem: FederatedQuadratic, algorithm: FedPLT) -> Array:
    """W* = argmin sum_k c_k F_k."""
    c = np.array(shares(algorithm), dtype=object)
    hessian = np.tensordot(c, problem.hessian, 1)
    found = solve(hessian, -np.tensordot(c, problem.linear, 1)[:, None])
    assert found is not None
    answer: Array = found[:, 0]
    return answer


def one_round(problem: FederatedQuadratic, algorithm: FedPLT, W: Array) -> Array:
    """The model after one round with full gradients."""
    after: Array = _round(problem, algorithm, W, noise=False).after[0]
    return after


def iterates(exhibit: Exhibit) -> Iterates | str:
    """Of all rounds; a reason in words where they are not found."""
    if exhibit.steps is Steps.DECAYING:
        return "the step size depends on the alignment: see `decaying`"
    best = minimiser(exhibit.problem, exhibit.algorithm)
    if exhibit.start is not None:
        return _shrinking(exhibit, exhibit.start, best)
    centre = fixed_point(exhibit)
    if centre is None:
        return "a round without noise has no fixed point, or many"
    scale = rational(exhibit.problem.noise.scale_u)
    found = _round(exhibit.problem, exhibit.algorithm, centre, noise=scale != 0)
    d = len(centre)
    spread = abs(found.after[1 + d :]).sum(axis=0) * scale + exhibit.margin
    matrix = abs(found.after[1 : 1 + d].T)
    radius = solve(np.eye(d, dtype=int).astype(object) - matrix, spread[:, None])
    if radius is None or any(r < 0 for r in radius[:, 0]):
        return "no box around the fixed point is mapped into itself"
    return Iterates(tuple(_boxes(found, radius[:, 0], scale)), open=exhibit.margin > 0)


def fixed_point(exhibit: Exhibit) -> Array | None:
    """The model that a round with full gradients leads back to; None if there is not one."""
    d = exhibit.problem.shared_dimension
    origin = np.array([_ZERO] * d, dtype=object)
    found = _round(exhibit.problem, exhibit.algorithm, origin, noise=False)
    left = np.eye(d, dtype=int).astype(object) - found.after[1 : 1 + d].T
    if _singular(left):
        return None
    answer = solve(left, found.after[0][:, None])
    assert answer is not None
    W: Array = answer[:, 0]
    return W


def decaying(exhibit: Exhibit, first: fmpq) -> Iterates | str:
    """Of all rounds with steps ``first``/(t + 1), from the fixed point of one local step.

    A round with one local step is affine in the step size: a model that two step sizes lead back
    to stays for all of them.
    """
    if exhibit.algorithm.local_steps != 1 or exhibit.problem.noise.scale_u != 0:
        return "known for one local step with full gradients only"
    W = fixed_point(exhibit)
    if W is None:
        return "a round has no fixed point, or many"
    for step in (first, first / 2):
        algorithm = replace(exhibit.algorithm, inner_step_u=step)
        if (one_round(exhibit.problem, algorithm, W) != W).any():
            return "the fixed point depends on the step size"
    boxes = [Box(W, W * 0)]
    for t in range(_EXPLICIT):
        algorithm = replace(exhibit.algorithm, inner_step_u=first / (t + 1))
        ends = _round(exhibit.problem, algorithm, W, noise=False).local[-1]
        boxes += [Box(end[0], end[0] * 0, k) for k, end in enumerate(ends)]
    # later ends lie between W and those of the last round looked at
    spans = [(k, end[0] - W) for k, end in enumerate(ends)]
    boxes += [Box(W + moved / 2, abs(moved) / 2, k) for k, moved in spans]
    return Iterates(tuple(boxes))


def _singular(matrix: Array) -> bool:
    """Whether some column does not follow from the identity's."""
    identity = np.eye(len(matrix), dtype=int).astype(object)
    inverse = solve(matrix, identity)
    return inverse is None or bool((matrix @ inverse != identity).any())


def _shrinking(exhibit: Exhibit, start: Array, best: Array) -> Iterates | str:
    """A start from which every round moves straight towards the minimiser of every F_k."""
    problem, algorithm = exhibit.problem, exhibit.algorithm
    away = start - best
    slopes = problem.hessian @ best + problem.linear
    moved = one_round(problem, algorithm, start) - best
    live = [i for i, x in enumerate(away) if x != 0]
    if problem.noise.scale_u != 0 or (slopes != slopes * 0).any() or not live:
        return "known for full gradients and clients that share a minimiser, away from it"
    factor = moved[live[0]] / away[live[0]]
    if (moved != away * factor).any() or not 0 < factor < 1:
        return "the first round does not move straight towards W*"
    found = _round(problem, algorithm, start, noise=False)
    return Iterates(tuple(_boxes(found, start * 0, _ZERO, start)), shrinking=True)


def _boxes(found: _Round, radius: Array, scale: fmpq, centre: Array | None = None) -> Iterator[Box]:
    """The box of W^t, and those of the local models that start in it."""
    d = len(radius)
    yield Box(found.after[0] if centre is None else centre, radius)
    for row in found.local[1:]:
        for k, values in enumerate(row):
            reach = abs(values[1 : 1 + d].T) @ radius
            yield Box(values[0], reach + abs(values[1 + d :]).sum(axis=0) * scale, k)


def _round(problem: FederatedQuadratic, algorithm: FedPLT, W: Array, noise: bool) -> _Round:
    """One round at W, at its neighbours along each coordinate, and with each unit noise."""
    n, d, steps = problem.clients, len(W), algorithm.local_steps
    count = 1 + d + (n * steps * d if noise else 0)
    states = np.stack([W] * count)
    drawn_noise = np.full((count, n, steps, d if noise else 0), _ZERO, dtype=object)
    for i in range(d):
        states[1 + i, i] += _ONE
    if noise:
        flat = drawn_noise[1 + d :].reshape(n * steps * d, -1)
        for number in range(n * steps * d):
            flat[number, number] = _ONE
        drawn_noise[1 + d :] = flat.reshape(n * steps * d, n, steps, d)
    carry = Carry(states, np.full((n, count, 0), _ZERO, dtype=object))
    drawn = draw_of(np.ones((n, count)), drawn_noise)
    seen: list[Array] = []

    def visit(s: int, z: Array, gradient: Array, noisy: Array) -> None:
        seen.append(z)

    last = fedplt_rows.local(problem, algorithm, carry, drawn, visit)
    after = fedplt_rows.server(algorithm, carry, drawn, last).u
    rows = [z.reshape(n, count, d) for z in (*seen, last)]
    return _Round(_responses(after), tuple(tuple(map(_responses, row)) for row in rows))


def _responses(values: Array) -> Array:
    """The value, and by how much each change changes it."""
    return np.concatenate([values[:1], values[1:] - values[:1]])
