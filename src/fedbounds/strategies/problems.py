"""Problems inside an assumption class, built so that the assumptions hold: none is rejected.

One function per family draws a problem from small whole numbers. `OFFERS` says which assumptions
a family can be built to satisfy; where it has a choice, the function looks at what is wanted.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError, require
from fedbounds.facts import Fact
from fedbounds.problems import (
    ComposedBowls,
    CoupledCosine,
    FederatedLogistic,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Problem,
    RidgeLogistic,
    SineBowls,
    Start,
)
from fedbounds.problems.masked_quadratic import masked_quadratic

from .masks import mask_laws
from .ranges import Array, Range, as_numbers, bounds_of, counts, number, whole

Wanted = frozenset[str]
_KNOWN = frozenset[str](Fact)
_ALWAYS = frozenset({Fact.SMOOTH, Fact.NOISE})
_DEFINITE = frozenset({Fact.BOUNDED_BELOW, Fact.STRONGLY_CONVEX, Fact.PL})
_LOSS = _ALWAYS | {Fact.DISSIMILARITY, Fact.BOUNDED_BELOW}

OFFERS: dict[type, Wanted] = {
    FederatedQuadratic: _LOSS | _DEFINITE,
    RidgeLogistic: _LOSS | _DEFINITE,
    SineBowls: _LOSS | {Fact.PL},
    ComposedBowls: _LOSS | _DEFINITE,
    CoupledCosine: _LOSS,
    FederatedLogistic: _LOSS | {Fact.BOUNDED_GRADIENTS},
}
_BOTH_BLOCKS = frozenset({FederatedQuadratic, CoupledCosine, FederatedLogistic})


def problems(
    assumptions: Collection[str] = (),
    *,
    clients: Range = (1, 3),
    dimension: Range = (1, 2),
    personal_dimension: Range = 0,
    exact: bool = False,
    families: Collection[type] = tuple(OFFERS),
) -> st.SearchStrategy[Problem]:
    """Problems for which ``satisfies(assumption).holds`` is True for each assumption.

    Parameters
    ----------
    assumptions : collection of str
        Facts that problems answer: `fedbounds.facts.Fact`.
        Smooth, noise, dissimilarity, bounded below, bounded gradients, strongly convex, PL.
    clients, dimension, personal_dimension : int or (int, int)
        n, d_u and d_v, or their least and largest values.
    exact : bool
        In rationals (quadratics only), instead of float64.
    families : collection of types
        Only these; by default quadratics, logistic losses with and without a ridge, sine bowls,
        composed bowls and coupled cosines.

    Raises
    ------
    FedboundsError
        If no family can satisfy them together, or a range is empty; it names the assumption.
    """
    for word in assumptions:
        require(word in _KNOWN, "assumption", word, "a fact of fedbounds.facts")
    wanted = frozenset(assumptions)
    spans = bounds_of("clients", clients), bounds_of("dimension", dimension, 0)
    personal = bounds_of("personal_dimension", personal_dimension, 0)
    require(spans[1][1] + personal[1] >= 1, "largest dimensions (d_u, d_v)", (0, 0), "not both 0")
    fitting = [family for family in OFFERS if family in families and wanted <= OFFERS[family]]
    if not fitting:
        raise FedboundsError(_refusal(wanted, families))
    able = [
        family
        for family in fitting
        if (not exact or family is FederatedQuadratic)
        and (personal[0] == 0 or family in _BOTH_BLOCKS)
        and (personal[1] >= 1 or family is not CoupledCosine)
        and (spans[1][1] >= 1 or family in _BOTH_BLOCKS - {CoupledCosine})
    ]
    names = ", ".join(family.__name__ for family in fitting)
    asked = f"exact = {exact}, dimension = {dimension}, personal_dimension = {personal_dimension}"
    require(
        bool(able), "what was asked of " + names, asked, "sizes and numbers that one of them has"
    )
    return _one_of(able, wanted, (*spans, personal), exact)


def _refusal(wanted: Wanted, families: Collection[type]) -> str:
    known = frozenset().union(*(OFFERS[family] for family in OFFERS if family in families))
    asked = ", ".join(sorted(str(assumption) for assumption in wanted))
    missing = sorted(str(assumption) for assumption in wanted - known)
    why = f"none satisfies {', '.join(missing)}" if missing else "none satisfies all of them"
    offered = ", ".join(sorted(str(assumption) for assumption in known))
    return f"no family of problems is {asked}: {why}; expected some of {offered}"


@st.composite
def _one_of(
    draw: st.DrawFn,
    families: list[type],
    wanted: Wanted,
    spans: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
    exact: bool,
) -> Any:
    family = draw(st.sampled_from(families))
    clients, shared, personal = spans
    if family not in _BOTH_BLOCKS:
        personal = (0, 0)
    if family in (RidgeLogistic, SineBowls, ComposedBowls, CoupledCosine):
        shared = (max(shared[0], 1), shared[1])
    if family is CoupledCosine:
        personal = (max(personal[0], 1), personal[1])
    n, d_v = draw(counts(clients)), draw(counts(personal))
    d_u = draw(counts((shared[0] if d_v else max(shared[0], 1), max(shared[1], 0 if d_v else 1))))
    return _FAMILIES[family](draw, n, d_u, d_v, wanted, exact)


# ---- families, from whole numbers


def definite(draw: st.DrawFn, size: int) -> Array:
    """A positive definite matrix of integers: L D L' with D of ones and twos; simplest: I."""
    lower = np.eye(size, dtype=np.int64) + np.tril(whole(draw, (size, size), -1, 1), -1)
    return lower * whole(draw, (size,), 1, 2) @ lower.T


def quadratic_of(
    draw: st.DrawFn,
    n: int,
    d_u: int,
    d_v: int,
    wanted: Wanted,
    exact: bool,
) -> FederatedQuadratic:
    """A quadratic of these sizes."""
    size = d_u + d_v
    hessian = np.zeros((n, size, size), dtype=np.int64)
    alike = Fact.DISSIMILARITY in wanted
    common = definite(draw, d_u)
    for own in hessian:
        if alike:
            own[:d_u, :d_u], own[d_u:, d_u:] = common, definite(draw, d_v)
        else:
            own[:] = definite(draw, size)
    if not wanted & _DEFINITE and draw(st.booleans()):
        hessian = -hessian
    linear = whole(draw, (n, size), -3, 3)
    numbers = as_numbers(hessian, exact), as_numbers(linear, exact)
    return FederatedQuadratic(*numbers, d_u, _noise(draw, exact))


def _noise(draw: st.DrawFn, exact: bool) -> Noise:
    """Two-point noise, or Gaussian in floats; simplest: none."""
    laws = (NoiseLaw.RADEMACHER,) if exact else (NoiseLaw.RADEMACHER, NoiseLaw.GAUSSIAN)
    scales = (number(draw(st.integers(0, 2)), exact) for _ in range(2))
    return Noise(draw(st.sampled_from(laws)), *scales)


def _cosine(
    draw: st.DrawFn, n: int, d_u: int, d_v: int, wanted: Wanted, exact: bool
) -> CoupledCosine:
    directions = [as_numbers(whole(draw, (d,), -1, 1), False) for d in (d_u, d_v)]
    directions[1][0] = 1.0  # q is not zero
    return CoupledCosine(
        shared_hessian=as_numbers(definite(draw, d_u), False),
        linear=as_numbers(whole(draw, (n, d_u), -3, 3), False),
        personal_curvature=float(draw(st.integers(1, 2))),
        amplitude=float(draw(st.integers(1, 2))),
        shared_direction=directions[0],
        personal_direction=directions[1],
        noise=_noise(draw, False),
    )


def _logistic(
    draw: st.DrawFn, n: int, d_u: int, d_v: int, wanted: Wanted, exact: bool
) -> FederatedLogistic:
    return _loss(draw, n, d_u, d_v, draw(st.sampled_from((0.0, 0.125, 1.0))))


def _loss(draw: st.DrawFn, n: int, d_u: int, d_v: int, ridge: float) -> FederatedLogistic:
    samples = draw(st.integers(1, 3))
    features = as_numbers(whole(draw, (n, samples, d_u + d_v), -2, 2), False)
    labels = 1.0 - 2.0 * as_numbers(whole(draw, (n, samples), 0, 1), False)
    batch = draw(st.sampled_from((None, 1, 2)))
    return FederatedLogistic(features[:, :, :d_u], features[:, :, d_u:], labels, ridge, batch)


def _ridge(
    draw: st.DrawFn, n: int, d_u: int, d_v: int, wanted: Wanted, exact: bool
) -> RidgeLogistic:
    loss = _loss(draw, n, d_u, 0, 0.0)
    return RidgeLogistic(loss, draw(st.sampled_from((1.0, 0.125))))


def _sine(draw: st.DrawFn, n: int, d_u: int, d_v: int, wanted: Wanted, exact: bool) -> SineBowls:
    alike, shared = Fact.DISSIMILARITY in wanted, Fact.PL in wanted
    weights = 1 + whole(draw, (1 if alike else n, d_u), 0, 1)
    centres = whole(draw, (1 if shared else n, d_u), -2, 2)
    rows = np.ones((n, 1))
    return SineBowls(
        np.eye(d_u), rows * as_numbers(weights, False), rows * as_numbers(centres, False),
        _noise(draw, False),
    )  # fmt: skip


def _composed(
    draw: st.DrawFn, n: int, d_u: int, d_v: int, wanted: Wanted, exact: bool
) -> ComposedBowls:
    if Fact.STRONGLY_CONVEX in wanted:
        matrix = definite(draw, d_u)
    else:
        matrix = whole(draw, (1, d_u), -1, 1)  # flat along its kernel
        matrix[0, 0] = 1
    return ComposedBowls(
        matrix=as_numbers(matrix, False),
        targets=as_numbers(whole(draw, (n, len(matrix)), -2, 2), False),
        curvature=float(draw(st.integers(1, 2))),
        bend=float(draw(st.integers(0, 2))),
        noise=_noise(draw, False),
    )


_FAMILIES: dict[type, Callable[..., Any]] = {
    FederatedQuadratic: quadratic_of,
    CoupledCosine: _cosine,
    FederatedLogistic: _logistic,
    RidgeLogistic: _ridge,
    SineBowls: _sine,
    ComposedBowls: _composed,
}


# ---- what goes with a problem


@st.composite
def masked_quadratics(
    draw: st.DrawFn, *, clients: Range = (1, 3), dimension: Range = (1, 3), exact: bool = False
) -> FederatedQuadratic:
    """Objectives F_p of sub-model training: strongly convex quadratics under a law of masks.

    Masks hold every coordinate with positive probability, so that F_p is strongly convex too. It
    has no noise.

    Parameters and errors are those of `problems`.
    """
    spans = bounds_of("clients", clients), bounds_of("dimension", dimension)
    n, d = (draw(counts(span)) for span in spans)
    law = draw(mask_laws(n, d, kinds=("independent", "windows")))
    wanted = frozenset({Fact.STRONGLY_CONVEX})
    return masked_quadratic(quadratic_of(draw, n, d, 0, wanted, exact), law)


@st.composite
def starts(draw: st.DrawFn, problem: Problem) -> Start:
    """Starts of small whole numbers, exact where the problem is."""
    exact = isinstance(problem, FederatedQuadratic) and problem.hessian.dtype == object
    shapes = (problem.shared_dimension,), (problem.clients, problem.personal_dimension)
    u, v = (as_numbers(whole(draw, shape, -2, 2), exact) for shape in shapes)
    return Start(u, v)
