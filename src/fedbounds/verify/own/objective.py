"""An objective of one's own: functions and constants that a file states.

What a file states is believed only as far as it says why: a bare number is an estimate, which
never yields a firm verdict. Every statement is also put to random points, which may refute it.

The functions are asked for rationals where gradients are affine, for balls where they are not.
Where they answer neither, values are floats whose error nobody knows: estimates.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.facts import Constant, Fact
from fedbounds.problems import Evidence, Noise, NoiseLaw, Start
from fedbounds.problems.cohort import Cohort
from fedbounds.problems.constants import Constants, ConstantValue, not_known
from fedbounds.problems.linear import rational
from fedbounds.vocabulary import Provenance, Side

from ..measure.balls import Ball, balls, enclosed, precise
from ..measure.unknowns import Refused, Unknown, variables
from .entries import through

Array = Any
_LOWER = frozenset({Constant.STRONG_CONVEXITY, Constant.PL})
_POINTS, _REACH, _STEP = 64, 3.0, 1e-6
_CONVEX = frozenset({Fact.CONVEX, Fact.STRONGLY_CONVEX})
_SLACK = 1e-5  # relative, of finite differences
_PIECES = 64  # points that tell whether gradients are affine in pieces
_FINE, _SPARE = 40, 20  # binary digits of these, and how many more their images may have
_TRIED = 3  # points at which functions are asked for exact numbers
_SMALL = fmpq(1, 2**40)  # a step of differences, whose error is about its square
_TRUNCATED = 1e-23  # of the size of a function, that error and more
_DIFFERS = 1e-18  # relative: less than the rounding of a float
_SHORT = 12  # digits: a float of more was computed, and its last ones are not believed
_LAST = fmpq(1, 2**48)


@dataclass(frozen=True, eq=False)
class Objective:
    """f_i of n clients, given by functions on models of shape (rows, n, d); made by `objective`.

    Attributes
    ----------
    exact : bool
        Whether it is asked for rationals or balls.
    irrational : bool
        Whether for balls.
    rounded : str
        Why it is neither; empty otherwise.
    told : str
        What tables call it.
    """

    clients: int
    shared_dimension: int
    gradients: Callable[[Array], Array]
    values: Callable[[Array], Array]
    stated: Constants
    assumed: frozenset[Fact]
    least: ConstantValue | None
    minimiser: Array | None
    estimated: Mapping[str, str]
    noise: Noise
    exact: bool = False
    irrational: bool = False
    rounded: str = ""
    told: str = "own objective"
    personal_dimension: int = field(default=0, init=False)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Gradients at the rows, client by client; see `Problem.gradient`."""
        n, d = self.clients, self.shared_dimension
        models = np.swapaxes(z.reshape(n, -1, d), 0, 1)
        return np.swapaxes(self._asked(self.gradients, models), 0, 1).reshape(z.shape)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Values at the rows."""
        n, d = self.clients, self.shared_dimension
        models = np.swapaxes(z.reshape(n, -1, d), 0, 1)
        return np.swapaxes(self._asked(self.values, models), 0, 1).reshape(-1)

    def _asked(self, function: Callable[[Array], Array], models: Array) -> Array:
        found = through(function, models)
        return balls(found) if self.irrational and models.dtype == object else found

    def infimum(self) -> Any:
        """As stated."""
        return None if self.least is None else self._number(self.least.value)

    def _number(self, value: fmpq) -> Any:
        return value if self.exact else int(value.p) / int(value.q)

    def constants(self, start: Start) -> Constants:
        """Those stated, the noise's variance, and the gap at the start where inf f is stated."""
        found = {
            name: replace(own, value=self._number(own.value)) for name, own in self.stated.items()
        }
        found[Constant.VARIANCE_U] = ConstantValue(self.shared_dimension * self.noise.scale_u**2)
        if self.least is not None:
            rows = np.stack([start.u] * self.clients)[None]
            values = self._asked(self.values, rows).reshape(-1)
            gap = enclosed(sum(values[1:], values[0]) / self.clients - self.infimum())
            how = self.least.provenance if self.exact else Provenance.ESTIMATE
            found[Constant.INITIAL_GAP] = ConstantValue(gap, how, Side.UPPER)
        return found

    def in_floats(self, why: str) -> "Objective":
        """The same in floats, which are estimates; and why it is not better known."""
        noise = Noise(self.noise.law, float(self.noise.scale_u), 0.0)
        best = None if self.minimiser is None else _middles(self.minimiser)
        return replace(
            self, exact=False, irrational=False, rounded=why, noise=noise, minimiser=best
        )

    def satisfies(self, assumption: str) -> Evidence:
        """What the file states."""
        if assumption in self.assumed:
            return Evidence(True, "stated by the file")
        return not_known(assumption)


def objective(
    *,
    clients: int,
    dimension: int,
    gradient: Callable[[Array], Array],
    value: Callable[[Array], Array],
    constants: Mapping[str, Any] | None = None,
    assumptions: Sequence[str] = (),
    infimum: Any = None,
    minimiser: Any = None,
    noise: float = 0.0,
) -> Objective:
    """An objective of one's own.

    Functions that answer arrays of exact numbers as they answer floats, by sums, products, powers,
    comparisons and ``np.sqrt``, ``exp``, ``log``, ``tanh``, ``sin``, ``cos``, are known to within a
    ball, or exactly; a float in them is the number that it is. Values of others are estimates.

    Parameters
    ----------
    gradient : function
        Models of shape (rows, n, d) to grad f_i at each, same shape.
    value : function
        The same models to f_i, shape (rows, n).
    constants : mapping from symbol to number, or to (number, "exact" or "certified")
        L, mu and the like. A bare number is an estimate. "certified": the file vouches that the
        number is admissible. A float of many digits is moved a little to the safe side.
    assumptions : strings
        Words of `fedbounds.facts.Fact` that the file vouches for.
    infimum : number, or (number, "exact" or "certified"), or None
        A lower bound of f, attained or not, for the gap f. A bare number is an estimate too.
    minimiser : sequence, or (sequence, "exact" or "certified"), or None
        x*, shape (d,), for the distance D_W and for quantities of the file's own, which may ask
        for it. Where it is rounded, and strong convexity is vouched for, it is a ball.
    noise : float
        Standard deviation of every coordinate of the Rademacher gradient noise.

    Raises
    ------
    FedboundsError
        If gradients and values disagree, or points refute a stated constant.
    """
    require(clients >= 1, "clients n", clients, "at least 1")
    require(dimension >= 1, "dimension d", dimension, "at least 1")
    known = {name.value: name for name in Constant}
    words = {word.value: word for word in Fact}
    for own in (*(constants or {}).values(), infimum):
        number = own[0] if isinstance(own, tuple) else own
        finite = number is None or math.isfinite(number)
        require(finite, "what is stated", number, "a finite number")
    stated: Constants = {}
    for name, number in (constants or {}).items():
        if name not in known:
            raise unknown_name("constant", name, known)
        stated[known[name]] = _stated(known[name], number)
    for word in assumptions:
        if word not in words:
            raise unknown_name("assumption", word, words)
    least = None if infimum is None else _stated(Constant.INITIAL_GAP, infimum, below=True)
    best, vouched = minimiser, minimiser is None
    if isinstance(minimiser, tuple) and len(minimiser) == 2 and isinstance(minimiser[1], str):
        best, vouched = minimiser[0], _provenance(minimiser[1]) is not Provenance.ESTIMATE
    estimated = {} if vouched else {"D_W": "a minimiser that is stated"}
    if least is not None and least.provenance is Provenance.ESTIMATE:
        estimated["f"] = "an infimum that is stated"
    plain = Objective(
        clients,
        dimension,
        gradient,
        value,
        stated,
        frozenset(words[word] for word in assumptions),
        least,
        None if best is None else np.asarray(best, dtype=np.float64),
        estimated,
        Noise(NoiseLaw.RADEMACHER, float(noise), 0.0),
    )
    _put_to_points(plain)
    with precise():
        return _known_exactly(plain, rational(noise), None if best is None else _rationals(best))


def _stated(name: Constant, number: Any, *, below: bool = False) -> ConstantValue:
    value, word = number if isinstance(number, tuple) else (number, Provenance.ESTIMATE.value)
    provenance = _provenance(word)
    lower = below or name in _LOWER
    moved = _to_safe_side(value, lower=lower)
    exact = provenance is Provenance.EXACT
    side = Side.BOTH if exact else Side.LOWER if name in _LOWER else Side.UPPER
    return ConstantValue(moved, provenance, side)


def _to_safe_side(value: Any, *, lower: bool) -> fmpq:
    """A float as what was typed or as what it is, the weaker of both; a long one with a margin."""
    own = rational(value)
    if not isinstance(value, float):
        return own
    typed = Decimal(repr(float(value))).normalize()
    both = (own, rational(Fraction(typed)))
    margin = abs(own) * _LAST if len(typed.as_tuple().digits) > _SHORT else fmpq(0)
    return min(both) - margin if lower else max(both) + margin


def _known_exactly(plain: Objective, scale: fmpq, best: Array | None) -> Objective:
    """In rationals or in balls, if its functions answer these; else in floats, with the reason."""
    noise = Noise(plain.noise.law, scale, fmpq(0))
    rational_ones = _is_affine(plain) or _is_affine_in_pieces(plain)
    given = replace(plain, exact=True, noise=noise, irrational=not rational_ones)
    try:
        found = given if best is None else _with_minimiser(given, best)
        _try_exactly(found)
    except Exception as error:  # whatever a user's function does not do with such numbers
        return plain.in_floats(f"values in floats ({error})")
    return found


def _is_affine(plain: Objective) -> bool:
    """Whether gradients are polynomials of degree one, and values are polynomials."""
    n, d = plain.clients, plain.shared_dimension
    named = variables({"y": (1, n, d)}, ())
    point = named.state()["y"]
    try:
        slopes, heights = through(plain.gradients, point), through(plain.values, point)
    except Exception:  # whatever it does not do with unknowns
        return False
    polynomials = [entry for entry in slopes.reshape(-1) if isinstance(entry, Unknown)]
    every = [*slopes.reshape(-1), *heights.reshape(-1)]
    return named.degree(polynomials) <= 1 and all(isinstance(x, Unknown | fmpq) for x in every)


def _is_affine_in_pieces(plain: Objective) -> bool:
    """Whether gradients of rationals are rationals of hardly more digits, as those of Huber's are.

    Whatever the pieces are, runs stay in rationals then; and if other points are another matter,
    numbers of many digits become balls.
    """
    points = _rationals(np.round(_points(plain) * 2**_FINE) / 2**_FINE)
    try:
        slopes, heights = through(plain.gradients, points), through(plain.values, points)
    except Exception:  # whatever it does not do with them
        return False
    every = [*slopes.reshape(-1), *heights.reshape(-1)]
    short = all(isinstance(x, fmpq) and x.q.bit_length() <= 2 * _FINE + _SPARE for x in every)
    return short and all(x.q.bit_length() <= _FINE + _SPARE for x in slopes.reshape(-1))


def _points(plain: Objective) -> Array:
    random = np.random.default_rng(1)
    return random.uniform(-_REACH, _REACH, (_PIECES, plain.clients, plain.shared_dimension))


def _try_exactly(found: Objective) -> None:
    """Raise unless exact values agree with floats, and gradients with differences of values."""
    n, d = found.clients, found.shared_dimension
    random = np.random.default_rng(0)
    floats = np.round(random.uniform(-_REACH, _REACH, (_TRIED, n, d)) * 2**20) / 2**20
    points = _rationals(floats)
    points = balls(points) if found.irrational else points
    slopes, heights = found._asked(found.gradients, points), found._asked(found.values, points)
    for exact, rounded in (
        (slopes, found.gradients(floats)), (heights, found.values(floats))
    ):  # fmt: skip
        require(exact.shape == np.shape(rounded), "shape", exact.shape, f"{np.shape(rounded)}")
        if not np.allclose(_middles(exact), rounded, rtol=1e-6, atol=1e-6):
            raise Refused("its functions give other values for exact numbers than for floats")
    size = 1 + abs(_middles(slopes)).max() + abs(_middles(heights)).max()
    for at in range(d):
        moved = [points.copy() for _ in range(2)]
        for own, sign in zip(moved, (1, -1), strict=True):
            own[:, :, at] = own[:, :, at] + sign * _SMALL
        ahead, behind = (found._asked(found.values, own) for own in moved)
        off = enclosed((ahead - behind) / (2 * _SMALL) - slopes[:, :, at]).reshape(-1)
        allowed = abs(_middles(slopes[:, :, at])) * _DIFFERS + size * _TRUNCATED
        if any(abs(arb(x)) > most for x, most in zip(off, allowed.reshape(-1), strict=True)):
            raise Refused("its gradient is that of its value up to rounding only")


def _with_minimiser(found: Objective, best: Array) -> Objective:
    """The minimiser exactly, or in a ball that strong convexity gives; else it is an estimate."""
    point = balls(best) if found.irrational else best
    slope = found._asked(found.gradients, np.stack([point] * found.clients)[None])
    mean = slope.sum(axis=1)[0] / found.clients
    if not found.irrational and not any(mean):
        return replace(found, minimiser=best)
    if found.irrational and _rests(found, best) and _CONVEX & {*found.assumed}:
        return replace(found, minimiser=point)
    mu = found.stated.get(Constant.STRONG_CONVEXITY)
    vouched = Fact.STRONGLY_CONVEX in found.assumed and mu is not None
    if vouched and mu is not None and mu.provenance is not Provenance.ESTIMATE and mu.value > 0:
        error = sum((abs(x) for x in balls(mean)), Ball(arb(0))) / mu.value
        around = Ball(arb(0, error.ball.abs_upper()))
        return replace(found, minimiser=balls(best) + around, irrational=True)
    why = {"D_W": "a minimiser that is stated up to rounding"}
    return replace(found, minimiser=best, estimated={**why, **found.estimated})


def _rests(found: Objective, best: Array) -> bool:
    """Whether the gradient is 0 there, for certain: functions in pieces have exact values."""
    slope = through(found.gradients, np.stack([best] * found.clients)[None])
    exact = all(isinstance(x, fmpq) for x in slope.reshape(-1))
    return exact and not any(slope.sum(axis=1)[0])


def _rationals(numbers: Any) -> Array:
    return np.frompyfunc(rational, 1, 1)(np.asarray(numbers, dtype=object)).astype(object)


def _middles(numbers: Array) -> Array:
    """Floats near exact numbers and balls."""

    def middle(x: Any) -> float:
        if isinstance(x, Ball):
            return float(x.ball.mid())
        return int(x.p) / int(x.q) if isinstance(x, fmpq) else float(x)

    return np.frompyfunc(middle, 1, 1)(np.asarray(numbers)).astype(np.float64)


def _provenance(word: Any) -> Provenance:
    words = [p.value for p in Provenance]
    if word not in words:
        raise unknown_name("provenance", str(word), words)
    return Provenance(word)


def _put_to_points(found: Objective) -> None:
    """Refuse what random points refute; that they do not is no proof."""
    random = np.random.default_rng(0)
    shape = (_POINTS, found.clients, found.shared_dimension)
    x, y = (random.uniform(-_REACH, _REACH, shape) for _ in range(2))
    slopes = [np.asarray(found.gradients(z)) for z in (x, y)]
    heights = np.asarray(found.values(x))
    require(slopes[0].shape == shape, "shape of the gradients", slopes[0].shape, f"{shape}")
    require(heights.shape == shape[:2], "shape of the values", heights.shape, f"{shape[:2]}")
    along = random.standard_normal(shape)
    ends = [np.asarray(found.values(x + sign * _STEP * along)) for sign in (1, -1)]
    measured, own = (ends[0] - ends[1]) / (2 * _STEP), (slopes[0] * along).sum(axis=2)
    if np.any(abs(measured - own) > 1e-4 * (1 + abs(own))):
        raise FedboundsError("gradient and value of the objective disagree at a random point")
    apart = ((x - y) ** 2).sum(axis=2)
    steep = np.sqrt((((slopes[0] - slopes[1]) ** 2).sum(axis=2) / apart).max())
    bent = ((((slopes[0] - slopes[1]) * (x - y)).sum(axis=2)) / apart).min()
    _refuse(found, Constant.SMOOTHNESS, steep, above=True)
    _refuse(found, Constant.STRONG_CONVEXITY, bent, above=False)
    common = np.repeat(x[:, :1], found.clients, axis=1)
    if found.least is not None:
        lowest = np.asarray(found.values(common)).mean(axis=1).min()
        least = float(found.infimum())
        require(lowest >= least - 1e-9, "infimum", least, f"at most {lowest:.6g}")
    if found.minimiser is not None:
        at = found.minimiser
        require(at.shape == (found.shared_dimension,), "shape of the minimiser", at.shape, "(d,)")
        there = np.stack([at] * found.clients)[None]
        slope = np.asarray(found.gradients(there)).mean(axis=1)
        size = 1 + abs(slopes[0]).max()
        require(
            abs(slope).max() <= _SLACK * size, "minimiser", at.tolist(),
            f"a point where the mean gradient vanishes; it is {slope[0].tolist()}",
        )  # fmt: skip


def _refuse(found: Objective, name: Constant, seen: float, *, above: bool) -> None:
    if name not in found.stated:
        return
    value = float(found._number(found.stated[name].value))
    wrong = seen > value * (1 + _SLACK) if above else seen < value * (1 - _SLACK)
    if wrong:
        word = "at least" if above else "at most"
        raise FedboundsError(f"{name.value} is {value}; two points show {word} {seen:.6g}")
