"""Problems of plain data, with the constants that are known of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from fedbounds.errors import unknown_name
from fedbounds.facts import Constant, Fact
from fedbounds.problems import (
    CoupledCosine,
    Evidence,
    FactorPairs,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    to_float,
    to_rational,
)
from fedbounds.problems.constants import OF_BLOCKS, Constants, ConstantValue
from fedbounds.problems.deep_linear import DeepLinear
from fedbounds.problems.linear import is_positive_definite, rational
from fedbounds.problems.logistic import FederatedLogistic
from fedbounds.problems.logistic_data import federated_logistic
from fedbounds.problems.network_data import digit_samples, random_samples
from fedbounds.problems.noise import SILENT
from fedbounds.problems.pl_composed import ComposedBowls
from fedbounds.problems.problem import Problem, entries_of, split
from fedbounds.problems.relu_network import ReluNetwork
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.problems.ridge_powers import RidgePowers
from fedbounds.problems.sampled_regression import Loss, SampledRegression
from fedbounds.problems.sine import SineBowls
from fedbounds.problems.softmax import Softmax
from fedbounds.problems.spectrum import Bracket, largest_eigenvalue, smallest_eigenvalue
from fedbounds.problems.trilinear import Trilinear
from fedbounds.theory.language.setups import Objective
from fedbounds.vocabulary import Side

from .balls import Ball

Array = Any


class InBlocks(FederatedQuadratic):
    """A quadratic whose shared and personal blocks are told apart though one may be empty."""


@lru_cache(maxsize=64)  # of one plan, many runs are on the same problem
def objective(data: Objective) -> Any:
    """The problem that data stand for.

    Raises
    ------
    FedboundsError
        If there is no such family, or its arrays do not fit each other.
    """
    if data.family not in _FAMILIES:
        raise unknown_name("family of problems", data.family, _FAMILIES)
    return _FAMILIES[data.family](dict(data.data))


def exact(value: Any) -> Any:
    """Numbers as rationals: whole ones, "p/q", floats as what they are, nested as they are."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(value, tuple | list):
        return tuple(exact(entry) for entry in value)
    if isinstance(value, str):
        top, _, bottom = value.partition("/")
        return fmpq(int(top), int(bottom or 1))
    return rational(value)


def exact_array(value: Any) -> Array:
    """Nested numbers as an array of rationals."""
    return np.asarray(exact(value), dtype=object)


def _quadratics(data: Mapping[str, Any]) -> FederatedQuadratic:
    """1/2 x' H_k x + h_k' x; gradients may have noise of +-scale in every coordinate.

    The last ``personal`` coordinates are a client's own, with a noise of theirs; where that is
    said there are two blocks, though one may be empty. Slopes of the shared ones are ``apart``
    times as far from their mean as those that are given.
    """
    hessian, linear = exact_array(data["hessians"]), exact_array(data["slopes"])
    shared = int(hessian.shape[1]) - int(data.get("personal", 0))
    own, factor = linear[:, :shared], exact(data.get("apart", 1))
    linear[:, :shared] = own + (own - own.sum(axis=0) / len(own)) * (factor - 1)
    noise = _noise(data) if "noise" in data else SILENT
    kind = InBlocks if "personal" in data else FederatedQuadratic
    return kind(hessian, linear, shared, noise)


def _noise(data: Mapping[str, Any]) -> Noise:
    """Of both blocks; silent unless said, and signs."""
    scales = (exact(data.get(name, 0)) for name in ("noise", "personal_noise"))
    return Noise(NoiseLaw(data.get("law", NoiseLaw.RADEMACHER.value)), *scales)


def _cosines(data: Mapping[str, Any]) -> CoupledCosine:
    """1/2 u'Au + a_i'u + mu/2 ||v_i||^2 + s cos(w'u + q'v_i), with noise as quadratics have."""
    arrays = {x: exact_array(data[x]) for x in ("shared_hessian", "linear")}
    arrays |= {x: exact_array(data[x]) for x in ("shared_direction", "personal_direction")}
    numbers = {x: exact(data[x]) for x in ("personal_curvature", "amplitude")}
    return CoupledCosine(**arrays, **numbers, noise=_noise(data))


def _trilinear(data: Mapping[str, Any]) -> Trilinear:
    return Trilinear(**{name: exact(value) for name, value in data.items()})


def _regression(data: Mapping[str, Any]) -> SampledRegression:
    """Samples (a, y) of every client, with squares or Huber's loss, and a ridge."""
    threshold = exact(data["threshold"]) if "threshold" in data else None
    loss = Loss(exact(data.get("ridge", 0)), threshold)
    return SampledRegression(exact_array(data["features"]), exact_array(data["targets"]), loss)


def _logistic(data: Mapping[str, Any]) -> RidgeLogistic:
    """log(1 + exp(-x'w)) of the samples x of every client, and a ridge."""
    features = exact_array(data["features"])
    n, samples, _ = features.shape
    labels, nothing = np.array([[fmpq(1)] * samples] * n), np.empty((n, samples, 0), dtype=object)
    return RidgeLogistic(FederatedLogistic(features, nothing, labels, 0), exact(data["ridge"]))


def _logistic_blocks(data: Mapping[str, Any]) -> FederatedLogistic:
    """log(1 + exp(-(a'u + b'v_i))) of the samples (a, b) of client i, in batches; a regulariser."""
    shared, personal = (exact_array(data[x]) for x in ("shared", "personal"))
    labels = np.full(shared.shape[:2], fmpq(1), dtype=object)
    batch = int(data["batch"]) if "batch" in data else None
    return FederatedLogistic(shared, personal, labels, exact(data["regulariser"]), batch)


def _random_logistic(data: Mapping[str, Any]) -> FederatedLogistic:
    """The same of random samples: sizes and a seed."""
    sizes = {name: int(data[name]) for name in ("clients", "samples", "batch", "seed")}
    found = federated_logistic(
        **sizes,
        shared_dimension=int(data["shared"]),
        personal_dimension=int(data["personal"]),
        heterogeneity=float(exact(data["heterogeneity"])),
        regularisation=float(exact(data["regulariser"])),
    )
    own = to_rational(found)
    return replace(own, regularisation=exact(data["regulariser"]))


def _sine_bowls(data: Mapping[str, Any]) -> SineBowls:
    return SineBowls(*(exact_array(data[x]) for x in ("rotation", "weights", "centres")))


def _composed_bowls(data: Mapping[str, Any]) -> ComposedBowls:
    matrix, targets = (exact_array(data[x]) for x in ("matrix", "targets"))
    return ComposedBowls(matrix, targets, exact(data["curvature"]), exact(data["bend"]))


def _relu(data: Mapping[str, Any]) -> ReluNetwork:
    """Samples of every client; the sign of every neuron, and how many equal ones there are."""
    features, targets = exact_array(data["features"]), exact_array(data["targets"])
    copies = int(data.get("copies", 1))
    return ReluNetwork(features, targets, exact_array(data["signs"]), copies)


def _deep_linear(data: Mapping[str, Any]) -> DeepLinear:
    """Samples of every client; depth and width; of inner outputs, how many are kept, if not all."""
    features, targets = exact_array(data["features"]), exact_array(data["targets"])
    kept = int(data["kept"]) if "kept" in data else None
    return DeepLinear(features, targets, int(data["depth"]), int(data["width"]), kept)


def _digits(data: Mapping[str, Any]) -> tuple[Any, Any]:
    """Samples of images, and what is wanted of each."""
    sizes = {name: int(data[name]) for name in ("clients", "samples", "side", "classes", "seed")}
    features, targets = digit_samples(**sizes)
    return features, targets


def _random_samples(data: Mapping[str, Any]) -> tuple[Any, Any]:
    """Samples whose extreme singular values are given; targets are those of a linear map."""
    names = ("clients", "samples", "inputs", "outputs", "seed")
    sizes: dict[str, Any] = {name: int(data[name]) for name in names}
    least, largest = (float(exact(data[name])) for name in ("least", "largest"))
    return random_samples(**sizes, least=least, largest=largest)


def _deep_linear_of(
    samples: Callable[[Mapping[str, Any]], tuple[Any, Any]],
) -> Callable[[Mapping[str, Any]], DeepLinear]:
    """Of samples that are made from sizes and a seed; depth and width."""

    def made(data: Mapping[str, Any]) -> DeepLinear:
        return to_rational(DeepLinear(*samples(data), int(data["depth"]), int(data["width"])))

    return made


def _relu_of(
    samples: Callable[[Mapping[str, Any]], tuple[Any, Any]],
) -> Callable[[Mapping[str, Any]], ReluNetwork]:
    """The same samples; targets are the first output, or of classes 1 and -1: neurons of +-1."""

    def made(data: Mapping[str, Any]) -> ReluNetwork:
        features, targets = samples(data)
        of_output = np.sign(targets.shape[2] / 2 - 0.5 - np.arange(targets.shape[2]))
        one = targets[..., 0] if targets.shape[2] == 1 else targets @ of_output
        signs = np.tile((1.0, -1.0), int(data["neurons"]) // 2)
        return to_rational(ReluNetwork(features, one, signs))

    return made


def _factor_pairs(data: Mapping[str, Any]) -> FactorPairs:
    """Quadratics of a matrix of so many rows, from a fixed one on, moved by thin factors."""
    of_matrices = _quadratics(data)
    fixed, alpha = exact_array(data["fixed"]), exact(data["alpha"])
    return FactorPairs(of_matrices, fixed, int(data["rows"]), int(data["rank"]), alpha)


def _ridge_powers(data: Mapping[str, Any]) -> RidgePowers:
    """Of h_k s^2/2 + q_k s^4/4; gradients may have noise +-scale times a."""
    along, curvatures, quartics = (
        exact_array(data[x]) for x in ("along", "curvatures", "quartics")
    )
    noise = _noise(data) if "noise" in data else SILENT
    return RidgePowers(along, curvatures, quartics, noise)


def _softmax(data: Mapping[str, Any]) -> Softmax:
    """Features of every client's samples, and the number of the class of each; batches."""
    labels = np.array(data["labels"], dtype=np.int64)
    classes, batch = int(data["classes"]), int(data["batch"])
    return Softmax(exact_array(data["features"]), labels, classes, batch)


_FAMILIES: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "composed bowls": _composed_bowls,
    "coupled cosines": _cosines,
    "deep linear": _deep_linear,
    "deep linear on digits": _deep_linear_of(_digits),
    "deep linear on random samples": _deep_linear_of(_random_samples),
    "factor pairs": _factor_pairs,
    "logistic": _logistic,
    "logistic in blocks": _logistic_blocks,
    "quadratics": _quadratics,
    "random logistic": _random_logistic,
    "regression": _regression,
    "ReLU": _relu,
    "ReLU on digits": _relu_of(_digits),
    "ReLU on random samples": _relu_of(_random_samples),
    "ridge powers": _ridge_powers,
    "sine bowls": _sine_bowls,
    "softmax": _softmax,
    "trilinear": _trilinear,
}


# ---- what is known of them

_OF_FORM = (
    Fact.SMOOTH,
    Fact.QUADRATIC,
    Fact.CONVEX,
    Fact.STRONGLY_CONVEX,
)
_OF_SAMPLES = (
    Fact.SMOOTH_SAMPLES,
    Fact.CONVEX_SAMPLES,
    Fact.STRONGLY_CONVEX_SAMPLES,
)
_OF_NOISE = (Fact.NOISE, Fact.UNBIASED, Fact.BOUNDED_VARIANCE, Fact.NOISELESS)
_OF_STARTS = frozenset(
    {Constant.INITIAL_GAP, Constant.INITIAL_GRADIENTS, Constant.INITIAL_GRADIENT}
)


def in_blocks(problem: Problem) -> bool:
    """Whether its coordinates are told apart as shared and personal ones."""
    return bool(problem.personal_dimension) or isinstance(problem, InBlocks)


def every_constant(problem: Problem, start: Array) -> Constants:
    """What a problem tells; of quadratics L and mu are extreme eigenvalues, exact or certified.

    With personal blocks, L is the largest norm of the blocks of a Hessian. Of a start there are the
    gap and the gradients there.
    """
    found = dict(problem.constants(split(problem, start)))
    if not isinstance(problem, FederatedQuadratic):
        return found
    return found | _of_curvature(problem) | _of_mean_curvature(problem)


def constants(problem: Problem, start: Array | None = None) -> Constants:
    """Those that papers speak of: of one block, L and mu; mu if it is positive."""
    if not isinstance(problem, FederatedQuadratic):
        return _told(problem, start if in_blocks(problem) else None)
    found = _of_curvature(problem)
    if found[Constant.STRONG_CONVEXITY].value <= 0:
        del found[Constant.STRONG_CONVEXITY]
    return found | _told(problem, start) if in_blocks(problem) else found


def _of_curvature(problem: FederatedQuadratic) -> Constants:
    lowest, largest = _ends(problem)
    found = {Constant.STRONG_CONVEXITY: lowest}
    if not in_blocks(problem):
        found[Constant.SMOOTHNESS] = max(largest, _turned(lowest), key=lambda c: c.value)
    return found


@lru_cache(maxsize=64)
def _of_mean_curvature(problem: FederatedQuadratic) -> Constants:
    """mu_PL, the least eigenvalue of the mean Hessian; of none that is definite, nothing."""
    mean = problem.hessian.sum(axis=0) / problem.clients
    if in_blocks(problem) or not is_positive_definite(mean):
        return {}
    return {Constant.PL: _extremes(mean)[0]}


def _told(problem: Problem, start: Array | None = None) -> Constants:
    """Its constants; without a start, those that do not depend on one."""
    point = np.full(entries_of(problem), fmpq(0), dtype=object) if start is None else start
    if hasattr(problem, "of_curvature"):  # what is certified in floats
        found: Constants = to_float(problem).of_curvature()
        return found
    own = problem.constants(split(problem, point))
    return {x: y for x, y in own.items() if start is not None or x not in _OF_STARTS}


@lru_cache(maxsize=64)  # constants, facts and step sizes of a set-up ask for the same
def _ends(problem: FederatedQuadratic) -> tuple[ConstantValue, ConstantValue]:
    ends = [_extremes(hessian) for hessian in problem.hessian]
    lowest = min((low for low, _ in ends), key=lambda c: c.value)
    return lowest, max((high for _, high in ends), key=lambda c: c.value)


def _turned(lowest: ConstantValue) -> ConstantValue:
    """Its negative."""
    side = Side.UPPER if lowest.side is Side.LOWER else lowest.side
    return replace(lowest, value=-lowest.value, side=side)


def _extremes(matrix: Array) -> tuple[ConstantValue, ConstantValue]:
    rows, columns = matrix.shape
    entries = [rational(x) for x in matrix.reshape(-1)]
    _, factors = fmpq_mat(rows, columns, entries).charpoly().factor()
    if all(factor.degree() == 1 for factor, _ in factors):
        every = [-factor[0] / factor[1] for factor, _ in factors]
        return ConstantValue(min(every)), ConstantValue(max(every))
    return smallest_eigenvalue(matrix).below(), largest_eigenvalue(matrix).above()


def sizes(problem: Any) -> dict[str, Any]:
    """Numbers of clients and of coordinates, and the variance of a client's stochastic gradient."""
    return _counts(problem) | {"sigma^2": _variance(problem)}


def _counts(problem: Problem) -> dict[str, Any]:
    d_u, d_v = problem.shared_dimension, problem.personal_dimension
    return {"n": fmpq(problem.clients), "d_u": fmpq(d_u), "d_v": fmpq(d_v)}


def _variance(problem: Any) -> fmpq:
    if hasattr(problem, "variance"):
        return rational(problem.variance)
    scale_u, scale_v = rational(problem.noise.scale_u), rational(problem.noise.scale_v)
    found: fmpq = problem.shared_dimension * scale_u**2 + problem.personal_dimension * scale_v**2
    return found


def values(problem: Problem, start: Array | None = None) -> dict[str, Any]:
    """Numbers of a problem by name: the constants, sizes and the variance of a gradient."""
    found = {name.value: rational(c.value) for name, c in constants(problem, start).items()}
    counts = _counts(problem)
    found |= counts if in_blocks(problem) else {"n": counts["n"]}
    if isinstance(problem, FederatedQuadratic) and problem.noise is not SILENT:
        found["sigma^2"] = _variance(problem)
    own = problem.numbers(start) if hasattr(problem, "numbers") else {}
    return found | {name: between(value) for name, value in own.items()}


def between(value: Any) -> Any:
    """An exact number, or the ball that spans a bracket."""
    if isinstance(value, arb):
        return Ball(value)
    if not isinstance(value, Bracket):
        return value
    if value.lower == value.upper:
        return value.lower
    return Ball(arb(value.lower).union(arb(value.upper)))


def evidence(problem: Problem) -> dict[str, Evidence]:
    """All that it says of itself, decided or not known."""
    return {fact: problem.satisfies(fact) for fact in Fact}


def facts(problem: Problem, given: Mapping[str, Any] | None = None) -> dict[str, Evidence]:
    """What quadratics satisfy, and their additive noise where gradients have any.

    What is no quadratic tells itself what it satisfies.

    Parameters
    ----------
    given : mapping from constant to number
        Constants that are said to be admissible: no less than L, no more than mu.
    """
    if not isinstance(problem, FederatedQuadratic):
        blocks = OF_BLOCKS if in_blocks(problem) else ()
        always = {name: problem.satisfies(name) for name in (*_OF_FORM, *blocks)}
        asked = {name: problem.satisfies(name) for name in (*_OF_SAMPLES, *_OF_NOISE, Fact.PL)}
        return {x: y for x, y in asked.items() if y.holds is not None} | always
    lowest = rational(_ends(problem)[0].value)
    largest = rational(constants(problem)[Constant.SMOOTHNESS].value)
    told = f"smallest eigenvalue {lowest}"
    mu, L = (given or {}).get("mu", lowest), (given or {}).get("L", largest)
    found: dict[str, Evidence] = {
        Fact.SMOOTH: Evidence(bool(largest <= L), f"{_smooth(problem)} against L = {L}"),
        Fact.QUADRATIC: Evidence(True, "quadratics"),
        Fact.CONVEX: Evidence(bool(lowest >= 0), told),
        Fact.STRONGLY_CONVEX: Evidence(bool(0 < mu <= lowest), f"{told} against mu = {mu}"),
    }
    if in_blocks(problem):
        found |= {name: problem.satisfies(name) for name in OF_BLOCKS - found.keys() - {Fact.NOISE}}
    if problem.noise is SILENT:
        return found
    silent = not (problem.noise.scale_u or problem.noise.scale_v)
    noise = Evidence(True, "additive noise +-s in each coordinate: unbiased, of variance d s^2")
    return found | {
        Fact.NOISE: noise,
        Fact.UNBIASED: noise,
        Fact.BOUNDED_VARIANCE: noise,
        Fact.NOISELESS: Evidence(silent, f"sigma is {problem.noise.scale_u} a coordinate"),
        Fact.NOISY: Evidence(not silent, f"sigma is {problem.noise.scale_u} a coordinate"),
    }


def _smooth(problem: FederatedQuadratic) -> str:
    if in_blocks(problem):
        return "the largest norm of the blocks of the Hessians"
    return "the largest |eigenvalue| of the Hessians"
