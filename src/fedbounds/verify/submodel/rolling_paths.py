"""What happens within an epoch: deviations, the recursion of Lemma 9 and its unrolled form.

Rounds are taken without projection. Quantities of Lemma 10 have a row per start and order; norms
are rationals where their squares have rational roots, and balls of many digits elsewhere.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fedbounds.algorithms.rolling_masks import RollingMasks
from fedbounds.problems import FederatedQuadratic, everyone
from fedbounds.problems.domain import project
from fedbounds.problems.spectrum import square_root

from .frame import Objective, squares
from .rolling_epochs import Epoch
from .rounds_enumerated import EnumeratedRound

Array = Any
_BITS = 512  # of norms that are not rational


@dataclass(frozen=True, eq=False)
class Path:
    """An epoch of an algorithm on a problem."""

    problem: FederatedQuadratic
    algorithm: RollingMasks
    masked: Objective
    epoch: Epoch

    @cached_property
    def masks(self) -> Array:
        """m_{i, pi(s)} as numbers, shape (S, n, rows, d)."""
        masks = np.stack([found.masks for found in self.epoch.rounds])
        return np.asarray((fmpq(0), fmpq(1)), dtype=object)[masks.astype(int)]

    @cached_property
    def points(self) -> Array:
        """w_0 = x, ..., w_S before any projection, shape (S + 1, rows, d)."""
        last = self.epoch.rounds[-1]
        end = last.after if self.algorithm.domain is None else _average(last, self.problem.clients)
        return np.stack([*(found.before for found in self.epoch.rounds), end])

    @cached_property
    def hessians(self) -> Array:
        """H_s = (1/n) sum_i D A_i D, shape (S, rows, d, d)."""
        both = self.masks[..., :, None] * self.masks[..., None, :]
        found: Array = (both * self.problem.hessian[:, None]).sum(axis=1) / self.problem.clients
        return found

    @cached_property
    def slopes(self) -> Array:
        """alpha_{pi(s)} = (1/n) sum_i grad h_i(x), shape (S, rows, d)."""
        return np.stack([self._mean_gradient(m, self.epoch.start) for m in self.masks])

    @cached_property
    def drifts(self) -> Array:
        """e_s + n_s, shape (S, rows, d)."""
        n, steps = self.problem.clients, self.algorithm.local_steps
        found = []
        for masks, each in zip(self.masks, self.epoch.rounds, strict=True):
            noise = (masks * (each.noisy - each.gradients)).sum(axis=(0, 1)) / n
            along = [self._mean_gradient(masks, y) for y in each.virtual[:-1]]
            found.append(noise + sum(along) - self._mean_gradient(masks, each.before) * steps)
        return np.stack(found)

    @cached_property
    def weights(self) -> Array:
        """A_s = (I - eta K H_{S-1}) ... (I - eta K H_{s+1}), shape (S, rows, d, d)."""
        last = np.broadcast_to(_identity(self.points.shape[2]), self.hessians.shape[1:])
        found = [last]
        for hessian in self.hessians[:0:-1]:
            found.append(found[-1] - found[-1] @ hessian * self._step)
        return np.stack(found[::-1])

    @property
    def _step(self) -> Any:
        return self.algorithm.inner_step_u * self.algorithm.local_steps

    def _mean_gradient(self, masks: Array, points: Array) -> Array:
        """(1/n) sum_i m_i o grad f_i(m_i o w)."""
        n, rows, d = masks.shape
        own = (masks * points).reshape(-1, d)
        slope = self.problem.gradient(own, everyone(n, rows)).reshape(masks.shape)
        return (masks * slope).sum(axis=0) / n


def of_lemmas(path: Path) -> dict[str, Array]:
    """V_bar and the quantities of Lemmas 9 and 10 that are expectations: a number per row."""
    eta, x, points = path.algorithm.inner_step_u, path.epoch.start, path.points
    n, apart = path.problem.clients, path.points[:-1] - path.epoch.start
    turned = _times(path.hessians, apart)
    pulled = path.slopes * path._step + path.drifts * eta
    recursion = points[1:] - x - (apart - turned * path._step) + pulled
    unrolled = points[-1] - x + _times(path.weights, pulled).sum(axis=0)
    return {
        "V_bar": sum(squares(r.virtual[:-1] - x).sum(axis=(0, 1)) / n for r in path.epoch.rounds),
        "Rc_2": squares(recursion).sum(axis=0),
        "Rs_2": squares(points[1:] - x).sum(axis=0),
        "Hz_2": squares(turned).sum(axis=0),
        "Hz_x": (turned * apart).sum(axis=(0, 2)),
        "Un_2": squares(unrolled),
        "Us_2": squares(points[-1] - x),
    }


def of_outcomes(path: Path) -> dict[str, list[Any]]:
    """Norms of Lemma 10: a number per start and order."""
    first: dict[tuple[int, ...], int] = {}
    order, state = path.epoch.order, path.epoch.rounds[0].state
    for row in range(order.shape[1]):
        first.setdefault((int(state[row]), *order[:, row].reshape(-1).tolist()), row)
    rows = list(first.values())
    slopes, weights = path.slopes[:, rows], path.weights[:, rows]
    sums = np.cumsum(slopes, axis=0)
    changes = _times(weights[1:] - weights[:-1], sums[:-1]).sum(axis=0)
    whole = path.masked.gradient(path.epoch.start[rows]) * path.algorithm.epoch
    nothing = fmpq(0)
    return {
        "A_sum": _norms(_times(weights, slopes).sum(axis=0)),
        "A_all": _norms(whole),
        "A_part": [sum(own, nothing) for own in zip(*map(_norms, sums[:-1]), strict=True)]
        or [nothing] * len(rows),
        "A_diff": _norms(changes + whole * 0),
    }


def of_virtual(path: Path) -> dict[str, Array]:
    """What virtual iterates claim, summed over the rounds of the epoch."""
    algorithm, problem, epoch = path.algorithm, path.problem, path.epoch
    rows: dict[str, list[Array]] = {"Ev_2": [], "Sv_2": [], "Ea_2": [], "Sa_2": []}
    for s, (masks, found) in enumerate(zip(path.masks, epoch.rounds, strict=True)):
        own = _own_iterates(problem, algorithm, masks, found)
        off = (found.virtual - found.before) * (1 - masks)
        average = _average(found, problem.clients)
        if algorithm.project_each_round or s + 1 == algorithm.epoch:
            average = project(algorithm.domain, average)
        rows["Ev_2"].append((squares(masks * found.virtual - own) + squares(off)).sum(axis=(0, 1)))
        rows["Sv_2"].append(squares(found.virtual).sum(axis=(0, 1)))
        rows["Ea_2"].append(squares(found.after - average))
        rows["Sa_2"].append(squares(found.after))
    return {name: sum(values) for name, values in rows.items()}


def _average(found: EnumeratedRound, clients: int) -> Array:
    return found.virtual[-1].sum(axis=0) / clients


def _own_iterates(
    problem: FederatedQuadratic, algorithm: RollingMasks, masks: Array, found: EnumeratedRound
) -> Array:
    """The clients' own models, run by themselves on the same noise: shape (K + 1, n, rows, d)."""
    n, rows, d = masks.shape
    cohort = everyone(n, rows)
    own = [masks * found.before]
    for gradient, noisy in zip(found.gradients, found.noisy, strict=True):
        slope = problem.gradient(own[-1].reshape(-1, d), cohort).reshape(masks.shape)
        slope = slope + (noisy - gradient)
        own.append(own[-1] - masks * slope * algorithm.inner_step_u)
    return np.stack(own)


def _times(matrices: Array, vectors: Array) -> Array:
    """Matrix times vector on the last axes."""
    return (matrices * vectors[..., None, :]).sum(axis=-1)


def _identity(d: int) -> Array:
    return np.array([[fmpq(int(a == b)) for a in range(d)] for b in range(d)], dtype=object)


def _norms(rows: Array) -> list[Any]:
    """Norms of the rows."""
    return [norm_from(square) for square in squares(rows)]


def norm_from(square: fmpq) -> Any:
    """The root: rational where it is, else a ball."""
    found = square_root(square)
    if found.lower == found.upper:
        return found.lower
    before = ctx.prec
    try:
        ctx.prec = _BITS
        return arb(square).sqrt()
    finally:
        ctx.prec = before
