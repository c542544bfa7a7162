"""An objective of one's own: functions and constants that a file states.

What a file states is believed only as far as it says why: a bare number is an estimate, which
never yields a firm verdict. Every statement is also put to random points, which may refute it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.facts import Constant, Fact
from fedbounds.problems import Evidence, Noise, NoiseLaw, Start
from fedbounds.problems.cohort import Cohort
from fedbounds.problems.constants import Constants, ConstantValue, not_known
from fedbounds.vocabulary import Provenance, Side

Array = Any
_LOWER = frozenset({Constant.STRONG_CONVEXITY, Constant.PL})
_POINTS, _REACH, _STEP = 64, 3.0, 1e-6
_SLACK = 1e-5  # relative, of finite differences


@dataclass(frozen=True, eq=False)
class Objective:
    """f_i of n clients, given by functions on models of shape (rows, n, d); made by `objective`."""

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
    personal_dimension: int = field(default=0, init=False)

    def gradient(self, z: Array, cohort: Cohort) -> Array:
        """Gradients at the rows, client by client; see `Problem.gradient`."""
        n, d = self.clients, self.shared_dimension
        models = np.swapaxes(z.reshape(n, -1, d), 0, 1)
        return np.swapaxes(self.gradients(models), 0, 1).reshape(z.shape)

    def value(self, z: Array, cohort: Cohort) -> Array:
        """Values at the rows."""
        n, d = self.clients, self.shared_dimension
        models = np.swapaxes(z.reshape(n, -1, d), 0, 1)
        return np.swapaxes(self.values(models), 0, 1).reshape(-1)

    def infimum(self) -> float | None:
        """As stated."""
        return None if self.least is None else float(self.least.value)

    def constants(self, start: Start) -> Constants:
        """Those stated, the noise's variance, and the gap at the start where inf f is stated."""
        found = dict(self.stated)
        found[Constant.VARIANCE_U] = ConstantValue(
            self.shared_dimension * float(self.noise.scale_u) ** 2
        )
        if self.least is not None:
            rows = np.stack([start.u] * self.clients)[None]
            gap = float(self.values(rows).mean()) - self.least.value
            found[Constant.INITIAL_GAP] = replace(self.least, value=gap, side=Side.UPPER)
        return found

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
    """An objective of one's own, in floats.

    Parameters
    ----------
    gradient : function
        Models of shape (rows, n, d) to grad f_i at each, same shape.
    value : function
        The same models to f_i, shape (rows, n).
    constants : mapping from symbol to number, or to (number, "exact" or "certified")
        L, mu and the like. A bare number is an estimate. "certified": the file vouches that the
        number is admissible.
    assumptions : strings
        Words of `fedbounds.facts.Fact` that the file vouches for.
    infimum : number, or (number, "exact" or "certified"), or None
        A lower bound of f, attained or not, for the gap f. A bare number is an estimate too.
    minimiser : sequence, or (sequence, "exact" or "certified"), or None
        x*, shape (d,), for the distance D_W and for quantities of the file's own, which may ask
        for it.
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
    stated: Constants = {}
    for name, number in (constants or {}).items():
        if name not in known:
            raise unknown_name("constant", name, known)
        stated[known[name]] = _stated(known[name], number)
    for word in assumptions:
        if word not in words:
            raise unknown_name("assumption", word, words)
    least = None if infimum is None else _stated(Constant.INITIAL_GAP, infimum)
    best, vouched = minimiser, minimiser is None
    if isinstance(minimiser, tuple) and len(minimiser) == 2 and isinstance(minimiser[1], str):
        best, vouched = minimiser[0], _provenance(minimiser[1]) is not Provenance.ESTIMATE
    estimated = {} if vouched else {"D_W": "a minimiser that is stated"}
    if least is not None and least.provenance is Provenance.ESTIMATE:
        estimated["f"] = "an infimum that is stated"
    found = Objective(
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
    _put_to_points(found)
    return found


def _stated(name: Constant, number: Any) -> ConstantValue:
    value, word = number if isinstance(number, tuple) else (number, Provenance.ESTIMATE.value)
    provenance = _provenance(word)
    exact = provenance is Provenance.EXACT
    side = Side.BOTH if exact else Side.LOWER if name in _LOWER else Side.UPPER
    return ConstantValue(float(value), provenance, side)


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
        lowest, least = np.asarray(found.values(common)).mean(axis=1).min(), found.least.value
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
    stated = found.stated.get(name)
    if stated is None:
        return
    wrong = seen > stated.value * (1 + _SLACK) if above else seen < stated.value * (1 - _SLACK)
    if wrong:
        word = "at least" if above else "at most"
        raise FedboundsError(f"{name.value} is {stated.value}; two points show {word} {seen:.6g}")
