"""Methods beside each other on problems whose constants are known: what is shown beside claims.

Every method has the best step size of a grid; every mask but that of all coordinates keeps two.
The gradient of the pre-training objective turns on a dial: at 0 it is that of the task, and at 1
it has the same entries in reverse order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from fedbounds.theory.language.contests import Contest, Tries
from fedbounds.theory.language.setups import Number, Objective, Run, Setup, numbers

from . import sines
from .gradip_setups import LABELS, labelled
from .ridges import Ridge

_EPSILON = "1/10"
_GRID = tuple(map(Fraction, ("1/4", "1/2", "1", "2")))  # times 1/(L(u+2))
_OFTEN, _SELDOM = (1, 3, 10, 30, 100, 300), (1, 3, 10, 30)  # rounds
_LOCAL_STEPS = 5


@dataclass(frozen=True)
class Diagonal:
    """Client k has sum_j h_kj (w_j - b_kj)^2 / 2, up to a constant.

    Attributes
    ----------
    curvatures, minimisers : tuples of tuples of numbers
        h_k and b_k.
    start : tuple of numbers
    """

    curvatures: tuple[tuple[Number, ...], ...]
    minimisers: tuple[tuple[Number, ...], ...]
    start: tuple[Number, ...]

    @property
    def data(self) -> tuple[tuple[str, object], ...]:
        """Hessians and slopes."""
        hessians = [
            [[h if i == j else 0 for j in range(len(own))] for i, h in enumerate(own)]
            for own in self.curvatures
        ]
        slopes = [[-x for x in row] for row in self._times(self.minimisers)]
        return ("hessians", numbers(hessians)), ("slopes", numbers(slopes))

    @property
    def gradients(self) -> list[list[Fraction]]:
        """Of every client at the start."""
        away = [
            [Fraction(w) - Fraction(x) for w, x in zip(self.start, own, strict=True)]
            for own in self.minimisers
        ]
        return self._times(away)

    @property
    def smoothness(self) -> Fraction:
        """L."""
        return max(Fraction(h) for own in self.curvatures for h in own)

    @property
    def least(self) -> Fraction:
        """f*, of the values that are computed."""
        slopes = self._means(self._times(self.minimisers))
        curved = self._means([[Fraction(h) for h in own] for own in self.curvatures])
        return -sum((b**2 / h for b, h in zip(slopes, curved, strict=True)), Fraction(0)) / 2

    def _times(self, rows: Sequence[Sequence[Number | Fraction]]) -> list[list[Fraction]]:
        pairs = zip(self.curvatures, rows, strict=True)
        return [[Fraction(h) * Fraction(x) for h, x in zip(*both, strict=True)] for both in pairs]

    @staticmethod
    def _means(rows: list[list[Fraction]]) -> list[Fraction]:
        return [sum(own, Fraction(0)) / len(rows) for own in zip(*rows, strict=True)]


TASK = Diagonal(
    ((6, "3/2", 3, "1/2"), (2, "5/2", 1, "3/2")),
    (("-3/4", 1, 0, "-5/2"), (0, "1/2", -1, "-3/2")),
    ("1/4", 1, "1/2", -2),
)
# three clients alike, and one whose minimiser is far
FAR = Diagonal(
    ((2, 1), (2, 1), (2, 1), ("5/2", "1/2")),
    ((0, 0), ("1/4", 0), (0, "1/4"), (-6, 6)),
    (1, 1),
)
Mask = tuple[int, ...]


def _largest(scores: Sequence[Fraction], kept: int) -> Mask:
    """The mask of the largest ones; of equal ones the first."""
    first = sorted(range(len(scores)), key=lambda j: (-scores[j], j))[:kept]
    return tuple(int(j in first) for j in range(len(scores)))


def _squares(rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    return [sum((x**2 for x in own), Fraction(0)) for own in zip(*rows, strict=True)]


def of_task(kept: int = 2) -> Mask:
    """By mean squared gradients of the clients."""
    return _largest(_squares(TASK.gradients), kept)


def of_pretraining(dial: Number) -> Mask:
    """By those of the pre-training objective."""
    by = Fraction(dial)
    turned = [
        [(1 - by) * x + by * y for x, y in zip(own, reversed(own), strict=True)]
        for own in TASK.gradients
    ]
    return _largest(_squares(turned), 2)


_BY_MAGNITUDE = _largest([abs(Fraction(x)) for x in TASK.start], 2)
_ALL = (1,) * len(TASK.start)
_ANY = tuple(
    tuple(int(j in kept) for j in range(len(_ALL))) for kept in combinations(range(len(_ALL)), 2)
)


def _setup(
    of: Diagonal, view: str, given: dict[str, object], rounds: int, chosen: dict[str, Number]
) -> Setup:
    run = Run(Objective("quadratics", of.data), of.start, tuple(given.items()), rounds)
    return Setup("meerkat", view, run, tuple(chosen.items()))


def _steps(smoothness: Fraction, kept: int) -> Iterator[str]:
    for factor in _GRID:
        yield str(factor / (smoothness * (kept + 2)))


@cache  # several methods and several contests run the same
def _masked(mask: Mask, eta: str, local_steps: int, rounds: int) -> Setup:
    given = {"mask": mask, "eta": eta, "epsilon": _EPSILON, "own": 0, "K": local_steps}
    return _setup(TASK, "what is reached", given, rounds, {})


def _tries(masks: Sequence[Mask], local_steps: int, rounds: int) -> Tries:
    """Step by step, of all masks alike."""
    return tuple(
        tuple(_masked(mask, eta, local_steps, rounds) for mask in masks)
        for eta in _steps(TASK.smoothness, sum(masks[0]))
    )


def _methods(name: str, local_steps: int, rounds: tuple[int, ...]) -> Contest:
    masks = {
        "Full-FedZO": (_ALL,),
        "task gradients": (of_task(),),
        "pre-training gradients, dial 1/4": (of_pretraining("1/4"),),
        "pre-training gradients, dial 1": (of_pretraining(1),),
        "weight magnitude": (_BY_MAGNITUDE,),
        "random, mean of all masks": _ANY,
    }
    ways = {way: (_tries(own, local_steps, rounds[-1]),) for way, own in masks.items()}
    return Contest(name, "rounds", rounds, ways, "f", "E f - f*")


_DIAL: tuple[Number, ...] = (0, "1/4", "1/2", "3/4", 1)
ONE_STEP = _methods("quadratics of four coordinates, T = 1", 1, _OFTEN)
SAME_STEPS = _methods(f"quadratics of four coordinates, T = {_LOCAL_STEPS}", _LOCAL_STEPS, _SELDOM)
TRANSFER = Contest(
    "quadratics of four coordinates, 10 rounds, T = 1",
    "dial of the pre-training objective",
    _DIAL,
    {
        "pre-training gradients": tuple(_tries((of_pretraining(x),), 1, 10) for x in _DIAL),
        **{
            way: (_tries(masks, 1, 10),) * len(_DIAL)
            for way, masks in (
                ("task gradients", (of_task(),)),
                ("weight magnitude", (_BY_MAGNITUDE,)),
                ("random, mean of all masks", _ANY),
            )
        },
    },
    "f",
    "E f - f*",
)
DENSITY = Contest(
    "quadratics of four coordinates, masks of task gradients, T = 1",
    "rounds",
    _OFTEN,
    {f"u = {u}": (_tries((of_task(u),), 1, _OFTEN[-1]),) for u in range(1, len(_ALL) + 1)},
    "f",
    "E f - f*",
)

# ---- noise: what a count of coordinates does where c stays

_LENGTHS = 3, 1  # every kept coordinate, and each of the five beside it


def _noisy(u: int) -> Ridge:
    """The share 9/14 in u of 6 u coordinates; L is 1 whatever u is."""
    along, mask = (_LENGTHS[0], *(_LENGTHS[1],) * 5) * u, (1, 0, 0, 0, 0, 0) * u
    size = sum(x * x for x in along)
    return Ridge("noise", along, mask, (f"1/{size}",), (0,), noise="1/10")


def _at_its_step(u: int, rounds: int) -> Tries:
    """At 1/(L(u+2)), the start as far from the minimiser whatever u is."""
    of = _noisy(u)
    size = Fraction(of.size)
    given = {"mask": of.mask, "eta": f"1/{u + 2}", "epsilon": _EPSILON, "own": 0, "K": 1}
    start = tuple(str(x / (of.along[0] * u)) for x in (size, *(Fraction(0),) * (len(of.mask) - 1)))
    run = Run(of.objective, start, tuple(given.items()), rounds)
    return ((Setup("meerkat", "what is reached", run),),)


_COUNTS = (1, 2, 3, 4)
COUNT = Contest(
    "a ridge with noise, c = 9/14, eta = 1/(L(u+2)), T = 1",
    "kept coordinates u",
    _COUNTS,
    {
        f"after {rounds} rounds": tuple(_at_its_step(u, rounds) for u in _COUNTS)
        for rounds in (3, 300)
    },
    "f",
    "E f - f*",
)

# ---- clients that are stopped

_STEPS_OF_ROUND = (1, 2, 4)
_ROUNDS = 10


@cache
def _with_stopped(stopped: Mask, eta: str, local_steps: int) -> Setup:
    given = {"mask": (1, 1), "eta": eta, "epsilon": _EPSILON, "own": 0, "K": local_steps}
    view = "what is reached, some clients stopped"
    return _setup(FAR, view, {**given, "stopped": stopped}, _ROUNDS, {})


def _stopping(every: Sequence[Mask], local_steps: int) -> Tries:
    return tuple(
        tuple(_with_stopped(own, str(Fraction(eta) * factor), local_steps) for own in every)
        for factor in (Fraction(1, 8), Fraction(1))
        for eta in _steps(FAR.smoothness, 2)
        if factor == 1 or local_steps > 1
    )


_ONE_OF = tuple(tuple(int(k == at) for k in range(4)) for at in range(4))
STOPPING = Contest(
    f"four quadratics, one of which is far from the others, {_ROUNDS} rounds",
    "local steps T",
    _STEPS_OF_ROUND,
    {
        way: tuple(_stopping(every, count) for count in _STEPS_OF_ROUND)
        for way, every in (
            ("nobody stopped", ((0,) * 4,)),
            ("the far client stopped", _ONE_OF[-1:]),
            ("one client stopped at random, mean of all", _ONE_OF),
        )
    },
    "f",
    "E f - f*",
)

# ---- factors: estimates


def _factors(eta: str, rounds: int) -> Setup:
    more = {"fixed": TASK.start, "rows": 2, "rank": 1, "alpha": 1}
    problem = Objective("factor pairs", (*TASK.data, *more.items()))
    given = {"mask": _ALL, "eta": eta, "epsilon": "1/1000", "own": 0, "K": 1}
    run = Run(problem, (0, 0, 1, -1), tuple(given.items()), rounds)
    return Setup("meerkat", "what factor pairs reach", run, (("f_depth", str(-TASK.least)),))


FACTORS = Contest(
    "the same as matrices of two rows, T = 1",
    "rounds",
    _SELDOM,
    {
        "LoRA-FedZO, rank 1": (
            tuple((_factors(eta, _SELDOM[-1]),) for eta in _steps(TASK.smoothness, 4)),
        )
    },
    "f",
    "E f - f*",
    replicas=1024,
)

# ---- who is flagged: estimates

_RULES = {"as printed": (0, 0), "latest steps": (1, 0), "latest steps, sizes": (1, 1)}
_CALIBRATED = {"calibration": 20, "initial": 5, "later": 5, "quiet": "1/2", "ratio": 2,
               "share": "1/2"}  # fmt: skip
_ALIKE = Ridge("labels", (1, 1), (1, 1), (1,), (0,))


def _calibrated(labels: tuple[Number, Number], rule: str, turned: Number = 0) -> Tries:
    """The gradient of f_p goes from -a, at 0, to one that is orthogonal to a, at 1."""
    latest, absolute = _RULES[rule]
    given = {
        **{"mask": _ALIKE.mask, "eta": str(_ALIKE.local_step), "epsilon": _EPSILON, "own": 0},
        **_CALIBRATED,
        **{"latest": latest, "absolute": absolute},
        "pretraining": (-1, str(2 * Fraction(turned) - 1)),
    }
    run = Run(labelled(_ALIKE, *labels), (0, 0), tuple(given.items()), 1)
    return ((Setup("meerkat", "who is flagged", run),),)


_RARER: tuple[Number, ...] = ("1/2", "1/5", "1/10", "1/26", 0)
_REPLICAS = 1024
OVER_LABELS = Contest(
    "gradients with the variance of labels 1 and -1, 20 steps",
    "share of the rarer label",
    _RARER,
    {rule: tuple(_calibrated(own, rule) for own in LABELS) for rule in _RULES},
    "flagged",
    "chance to be flagged",
    replicas=_REPLICAS,
    spread=1,
)
_TURNS: tuple[Number, ...] = (0, "1/2", 1)
OVER_TURNS = Contest(
    "one label, which is to be flagged, and balanced ones, which are not, 20 steps",
    "how far the pre-training gradient is turned",
    _TURNS,
    {
        f"{told}, {rule}": tuple(_calibrated(own, rule, x) for x in _TURNS)
        for told, own in (("one label", LABELS[-1]), ("balanced labels", LABELS[0]))
        for rule in ("as printed", "latest steps, sizes")
    },
    "flagged",
    "chance to be flagged",
    replicas=_REPLICAS,
    spread=1,
)

# ---- local steps after the first: estimates


def _grown(local_steps: int) -> Tries:
    """From where x^2 + 3 sin^2 x is concave; L is 8, and the other coordinate rests."""
    given = {"mask": (1, 0), "eta": "1/24", "epsilon": "1/1000", "own": 0, "K": local_steps}
    run = Run(sines.clients(1), ("11/7", 0), tuple(given.items()), 1)
    return ((Setup("meerkat", "how far local gradients grow", run, (("c_h", "1/10000"),)),),)


_MORE_STEPS = (1, 2, 4, 8)
GROWTH = Contest(
    "x^2 + 3 sin^2 x of one client, eta = 1/(L(u+2)), c = 1, c_h = 1/10000",
    "local steps T",
    _MORE_STEPS,
    {"one client": tuple(map(_grown, _MORE_STEPS))},
    "beyond",
    "left side of the chain after (9) less its right side",
    replicas=1024,
)

_METHODS = (ONE_STEP, FACTORS)
# definitions have no place of their own: what is chosen by scores stands beside what is said of it
SHOWN = {
    **dict.fromkeys(("meerkat/cs-chain", "meerkat/eq-10", "meerkat/eq-20"), (GROWTH,)),
    "meerkat/insights-2.1": (DENSITY, COUNT),
    "meerkat/rq1-same-T": (SAME_STEPS,),
    "meerkat/rq1-T1": _METHODS,
    "meerkat/rq1-density": (DENSITY,),
    "meerkat/rq1-mask": (TRANSFER, ONE_STEP),
    "meerkat/rq3": (STOPPING, OVER_LABELS, OVER_TURNS),
    "meerkat/rq2": (OVER_LABELS, OVER_TURNS),
}
