"""Constants of claims about coupled runs: of every sample's loss, and means over data sets."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import ctx, fmpq

from fedbounds.algorithms import rolling_masks
from fedbounds.algorithms.random_masks import RandomMasks
from fedbounds.problems import everyone
from fedbounds.problems.constrained import minimise_quadratic
from fedbounds.problems.domain import Box, project
from fedbounds.problems.linear import is_positive_definite, rational
from fedbounds.problems.masked import dissimilarity_at, mask_variance, masked_value
from fedbounds.problems.masked_forms import corners
from fedbounds.problems.masked_laws import Bernoulli, Law, Rolling
from fedbounds.problems.sampled_regression import SampledRegression
from fedbounds.problems.spectrum import smallest_eigenvalue, square_root
from fedbounds.problems.submodel_constants import dissimilarity_form, variance_form

from .frame import Frame, at_optimum
from .stability_data import DataSets, Masked, SampleLaw
from .stability_huber import breakpoints, masked_infimum
from .stability_quantities import empirical_values, population_values, series, squares
from .stability_runs import JointRun

Array = Any
Numbers = dict[str, Any]
_ZERO = fmpq(0)


def law_of(algorithm: Masked) -> Law:
    """The law of the masks in a round."""
    if isinstance(algorithm, RandomMasks):
        return Bernoulli(tuple(rational(p) for p in algorithm.keep))
    return Rolling(algorithm.masks)


def smoothness(sets: DataSets) -> Any:
    """L of every sample of every data set."""
    return max(problem.smoothness() for problem in sets.problems)


def strong_convexity(sets: DataSets) -> Any:
    """mu of every sample of every data set."""
    return min(problem.strong_convexity() for problem in sets.problems)


def clients_convexity(sets: DataSets) -> Any:
    """mu of every client's loss on every data set, from below: at least that of the samples."""
    own = strong_convexity(sets)
    if own > 0 or sets.problems[0].loss.threshold is not None:
        return own
    matrices = (matrix for problem in sets.problems for matrix in problem.quadratic().hessian)
    return min(smallest_eigenvalue(matrix).lower for matrix in matrices)


def masks_numbers(algorithm: Masked, mu: Any) -> Numbers:
    """Of the masks; rho_bar from above, within 2^-60, where its root is not rational."""
    eta, steps = algorithm.inner_step_u, algorithm.local_steps
    found: Numbers = {"K": steps, "eta": eta}
    if not isinstance(algorithm, RandomMasks):
        return found | {"S_sub": algorithm.epoch}
    keep = [rational(p) for p in algorithm.keep]
    n = len(keep)
    found["p_mean"] = sum(keep, _ZERO) / n
    found["p_spread"] = sum((square_root(p * (1 - p)).upper for p in keep), _ZERO) / n
    if mu > 0:
        kept = 1 - (1 - eta * mu) ** (2 * steps)
        if kept >= 0:
            found["rho_bar"] = sum((square_root(1 - p * kept).upper for p in keep), _ZERO) / n
    return found


def shares(algorithm: Masked) -> tuple[str, tuple[Any, ...]]:
    """p_i or q_i, with the name of the symbol."""
    if isinstance(algorithm, RandomMasks):
        return "p_own", tuple(rational(p) for p in algorithm.keep)
    return "q_own", rolling_masks.coverage(algorithm)


def lipschitz(sets: DataSets, algorithm: Masked, run: JointRun) -> Any:
    """G: all samples' gradients at all m o w, over the domain and what the run leaves it for.

    From above; None where they are not bounded.
    """
    loss, domain = sets.problems[0].loss, algorithm.domain
    sizes = [
        square_root(square).upper
        for problem in sets.problems
        for square in squares(problem.features).reshape(-1)
    ]
    if isinstance(domain, Box):
        return _over_box(sets, _hull(domain, run))
    if loss.threshold is None or loss.ridge != 0:
        return None
    return max(sizes) * loss.threshold


def _hull(domain: Box, run: JointRun) -> list[tuple[fmpq, fmpq]]:
    """The smallest box with the domain, the origin and all w^t."""
    points = [states.points.reshape(-1, states.points.shape[2]) for states in run.states]
    every = np.concatenate(points)
    bounds = domain.bounds(every.shape[1])
    return [
        (min(low, _ZERO, column.min()), max(high, _ZERO, column.max()))
        for (low, high), column in zip(bounds, every.T, strict=True)
    ]


def _over_box(sets: DataSets, bounds: list[tuple[fmpq, fmpq]]) -> Any:
    """Squares: convex, largest at a vertex. Huber's: the threshold's and the ridge's shares."""
    loss, vertices = sets.problems[0].loss, np.stack(corners(bounds))
    most = []
    for problem in sets.problems:
        features = problem.features.reshape(-1, 1, vertices.shape[1])
        if loss.threshold is None:
            slopes = loss.gradients(features, problem.targets.reshape(-1, 1), vertices[None])
            most.append(square_root(squares(slopes).max()).upper)
        else:
            reach = square_root(squares(vertices).max()).upper
            size = square_root(squares(features).max()).upper
            most.append(size * loss.threshold + loss.ridge * reach)
    return max(most)


# ---- means over data sets


@dataclass(frozen=True, eq=False)
class Visited:
    """Points of one data set: w^r before a round, and all virtual iterates too."""

    server: Array
    every: Array


def visited(run: JointRun, number: int) -> Visited:
    """The points that occur on a data set, each once."""
    d = run.states[0].points.shape[2]
    server = [states.points[number] for states in run.states[:-1]]
    local = [found.virtual[number].reshape(-1, d) for found in run.rounds]
    return Visited(_distinct(server), _distinct(server + local))


def _distinct(arrays: list[Array]) -> Array:
    rows = dict.fromkeys(tuple(row) for array in arrays for row in array.tolist())
    return np.array(list(rows), dtype=object)


def noise_variance(problem: SampledRegression, points: Array) -> fmpq:
    """sigma^2: the largest E ||m o (grad f_i(m o w; xi) - grad f_i(m o w))||^2 over these w.

    It is convex in w where losses are squares, so that it bounds their convex hull.
    """
    d, n = points.shape[1], problem.clients
    found = [_ZERO]
    for mask in product((_ZERO, fmpq(1)), repeat=d):
        kept = points * np.array(mask, dtype=object)
        exact = problem.gradient(np.concatenate([kept] * n), everyone(n, len(kept)))
        every = problem.loss.gradients(
            problem.features[:, :, None, :], problem.targets[:, :, None], kept[None, None]
        )
        away = (every - exact.reshape(n, 1, len(kept), d)) * np.array(mask, dtype=object)
        found.append((squares(away).sum(axis=1) / problem.samples).max())
    return max(found)


def means_over_data(sets: DataSets, algorithm: Masked, run: JointRun) -> Numbers:
    """sigma^2, nu^2, B^2 and Phi, or B_M^2: of one data set each, then the mean.

    nu^2 and B^2 are the largest values at the w^r of rounds that are run; of Huber's losses on the
    line, the suprema over R.
    """
    law = law_of(algorithm)
    rows = [_of_data(problem, law, run, at) for at, problem in enumerate(sets.problems)]
    return _mean(sets, rows)


def _of_data(problem: SampledRegression, law: Law, run: JointRun, number: int) -> Numbers:
    points = visited(run, number)
    start = run.states[0].points[number]
    names = ("nu2", "B2") if isinstance(law, Bernoulli) else ("B_M2", "B_M2")
    if problem.loss.threshold is not None:
        if problem.shared_dimension > 1 or problem.loss.ridge != 0:
            return {}
        ends = np.array(breakpoints(problem), dtype=object)[:, None]
        values = [(mask_variance(problem, law, w), dissimilarity_at(problem, law, w)) for w in ends]
        lowest, noise = masked_infimum(problem, law), noise_variance(problem, ends)
        drop = masked_value(problem, law, start[0]) - lowest
    else:
        quadratic = problem.quadratic()
        spread, apart = variance_form(quadratic, law), dissimilarity_form(quadratic, law)
        values = [(spread.at(w), apart.at(w)) for w in points.server]
        noise = noise_variance(problem, points.every)
        masked = Frame(quadratic, law, None)
        if not is_positive_definite(quadratic.hessian.sum(axis=0)):
            return {"sigma^2": noise}
        drop = masked.masked.value(start)[0]
    found = {"sigma^2": noise, "Phi": drop}
    if names[0] != names[1]:
        return found | {name: max(own) for name, own in zip(names, zip(*values, strict=True),
                                                            strict=True)}  # fmt: skip
    return found | {"B_M2": max(a + b for a, b in values)}


def _mean(sets: DataSets, rows: list[Numbers]) -> Numbers:
    """The mean over data sets of what all of them have."""
    common = set(rows[0]).intersection(*rows)
    return {
        name: sum(
            (row[name] * chance for row, chance in zip(rows, sets.chances, strict=True)), _ZERO
        )
        for name in sorted(common)
    }


def risk(
    sets: DataSets, laws: tuple[SampleLaw, ...], algorithm: RandomMasks, run: JointRun, start: Array
) -> tuple[Numbers, dict[str, Array]]:
    """What Corollary 1 needs of strongly convex clients: means over data sets, and excess risks."""
    law, domain = law_of(algorithm), algorithm.domain
    smooth = smoothness(sets)
    rows, last, projected = [], [_ZERO] * len(run.states), [_ZERO] * len(run.states)
    for number, problem in enumerate(sets.problems):
        quadratic = problem.quadratic()
        frame = Frame(quadratic, law, domain)
        best = frame.masked.minimiser
        rows.append(at_optimum(frame) | {"D_opt_0": squares(start - best)})
        whole = quadratic.hessian.sum(axis=0), quadratic.linear.sum(axis=0)
        lowest = empirical_values(problem, minimise_quadratic(*whole, domain).point[None])[0]
        chance = sets.chances[number]
        for t, states in enumerate(run.states):
            points = states.points[number]
            moved = project(domain, points - frame.masked.gradient(points) / smooth)
            for risks, at in ((last, points), (projected, moved)):
                above = population_values(laws, problem.loss, at) - lowest
                risks[t] += (above * states.chance).sum() * chance
    found = _mean(sets, rows)
    if domain is not None:
        found["W_sup"] = Frame(sets.problems[0].quadratic(), law, domain).constants()["W_sup"]
    return found, {"ex_w": series(last), "ex_hat": series(projected)}


def upper(number: Any) -> fmpq:
    """A rational at least as large as a rational or a narrow ball, within a relative 2^-100."""
    if isinstance(number, fmpq | int):
        return fmpq(number)
    with ctx.workprec(512):
        scaled = (number * fmpq(2**200)).upper().ceil()
    found = scaled.unique_fmpz()
    assert found is not None
    return fmpq(found, fmpq(2**200).p)
