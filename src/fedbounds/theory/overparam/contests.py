"""Training losses over who takes part, as Section V has them, on networks that are smaller.

Depth 3, N = 20, K = 5 and the shares 0.1, 0.5 and 1 are the paper's, and so are means over random
starts and three classes a client. Other numbers are ours: the width, three samples a client, 20
rounds and the step size. Digits are those of scikit-learn, as 28 x 28 pixels; a ReLU network, which
has one output, tells the first five from the others.
"""

from functools import cache

from fedbounds.theory.language.contests import Contest, Tries
from fedbounds.theory.language.setups import Objective, Run, Setup

_STEPS, _ROUNDS, _REPLICAS = 5, 20, 128
SHARES = {2: "a tenth", 10: "half", 20: "all"}
_SIZES = {"clients": 20, "samples": 3, "seed": 0}
_DIGITS = {**_SIZES, "side": 28, "classes": 3}
_RANDOM = {**_SIZES, "inputs": 64, "outputs": 10, "least": 1, "largest": 4}
_TOLD = "mean training loss (1)"


def _objective(family: str, data: dict[str, int], **more: int) -> Objective:
    return Objective(family, tuple({**data, **more}.items()))


_WIDE = 16
_LAYERS = {"depth": 3, "width": _WIDE}
_FROM_FIRST = _WIDE**2 + _WIDE * 10  # entries of the other two layers
DIGITS = _objective("deep linear on digits", _DIGITS, **_LAYERS), 784 * _WIDE + _FROM_FIRST
RANDOM = _objective("deep linear on random samples", _RANDOM, **_LAYERS), 64 * _WIDE + _FROM_FIRST
RELU_DIGITS = _objective("ReLU on digits", _DIGITS, neurons=_WIDE), 784 * _WIDE
RELU_RANDOM = (
    _objective("ReLU on random samples", _RANDOM | {"outputs": 1}, neurons=_WIDE), 64 * _WIDE,
)  # fmt: skip


@cache  # losses and rates are of the same runs
def trained(of: tuple[Objective, int], step: str, count: int) -> Setup:
    """So many of 20 clients are drawn in each round; entries of starts are Gaussian."""
    problem, entries = of
    given = {"eta": step, "K": _STEPS, "m": count}
    run = Run(problem, (0,) * entries, tuple(given.items()), _ROUNDS)
    return Setup("overparam", "training loss", run)


def _tries(of: tuple[Objective, int], step: str, count: int) -> Tries:
    return ((trained(of, step, count),),)


def _losses(told: str, of: tuple[Objective, int], step: str) -> Contest:
    ways = {f"{share} of 20 clients": (_tries(of, step, m),) for m, share in SHARES.items()}
    name = f"{told}, K = {_STEPS}, eta = {step}"
    return Contest(name, "rounds", (1, 2, 5, 10, 20), ways, "loss", _TOLD, replicas=_REPLICAS)


def _rates(told: str, of: tuple[Objective, int], step: str) -> Contest:
    """Beside what factors of `rate-forms` say, to first order in the step size."""
    counts = tuple(SHARES)
    return Contest(
        f"{told}, K = {_STEPS}, eta = {step}, {_ROUNDS} rounds",
        "clients a round",
        counts,
        {"trained": tuple(_tries(of, step, m) for m in counts)},
        "loss",
        "fitted rate over that of all clients",
        replicas=_REPLICAS,
        rates=True,
        beside={
            "(a), 1/|S|": tuple(f"20/{m}" for m in counts),
            "(b) to (e), |S|": tuple(f"{m}/20" for m in counts),
            "corrected, whatever |S|": (1,) * len(counts),
        },
    )


_EVERY = (
    ("three layers on digits", DIGITS, "1/200"),
    ("three layers on random samples", RANDOM, "1/20"),
    ("ReLU on digits", RELU_DIGITS, "1/1000"),
    ("ReLU on random samples", RELU_RANDOM, "1/50"),
)
LOSSES = tuple(_losses(*one) for one in _EVERY)
RATES = tuple(_rates(*one) for one in _EVERY)
