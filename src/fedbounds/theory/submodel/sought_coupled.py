"""Coupled runs: where instances are searched."""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.sought import Counts, Seeking, Sought, Steps
from fedbounds.theory.language.symbols import L

from . import assumed
from . import sought_shapes as shapes
from .names import COUPLED
from .stability_setups import Loss, Shape, problem_of, setup_of, setup_of_pair

_TOLD = frozenset(("p_mean", "rho_bar", "q_mean", "B2", "nu2", "Phi", "sigma^2", "B_M2"))
_STEPS = Steps(largest={"eta": 4 / L}, told=_TOLD)
_MOST = 7  # of masks and draws of a run, each of two outcomes


def _counts(samples: tuple[int, ...], clients: tuple[int, ...], every: int) -> tuple[Counts, ...]:
    """Of so few outcomes; ``every`` is the number of data sets' bits of a sample."""
    found = []
    for n, d, S, own, steps, rounds in product(
        clients, (1, 2), (1, 2), samples, (1, 2), (1, 2, 3, 4, 6)
    ):
        bits = n * (d + steps * (own - 1)) * rounds + every * n * own
        if bits <= _MOST and not rounds % S:
            found.append({"n": n, "d": d, "S_sub": S, "n_s": own, "K": steps, "T": rounds})
    return tuple(sorted(found, key=lambda x: (x["n"] * x["d"] * x["K"] * x["T"], x["S_sub"])))


def _loss(seek: Seeking) -> Loss:
    """Squares, with a ridge or not, or Huber's where gradients are to be bounded."""
    ridge = seek.choice(("0", "1/10", "1")) if seek.choice((False, True)) else "0"
    huber = assumed.LIPSCHITZ_SAMPLES in seek.assumptions or seek.choice((False, False, True))
    if Fact.STRONGLY_CONVEX_SAMPLES in seek.assumptions or not huber:
        return Loss(ridge)
    return Loss(0, str(seek.size("1/10", 10)))


def _rows(seek: Seeking, pool: int) -> Any:
    """(features..., target) of every sample; features are short and whole, targets may be far."""
    counts = seek.counts()
    far = seek.size("1/10", 100)
    return tuple(
        tuple(
            (*(seek.choice((1, 1, -1, 2, 0) if at else (1, -1, 2)) for at in range(counts["d"])),
             str(far * shapes.signed(seek)))
            for _ in range(pool)
        )
        for _ in range(counts["n"])
    )  # fmt: skip


def _coupled(pair: bool, rolling: bool, seek: Seeking) -> Setup:
    counts = seek.counts()
    n, d, own = (counts[x] for x in ("n", "d", "n_s"))
    keep: Any = shapes.chances(seek, n)
    if rolling:
        keep = shapes.sub_models(seek, n, d, counts["S_sub"], covering=True)
    shape = Shape(
        "searched", _rows(seek, own + 1 if pair else 2), keep, _loss(seek), own, counts["K"],
        counts["T"], None, shapes.point(seek, d),
    )  # fmt: skip
    eta = Fraction(str(seek.steps(problem_of(shape), shape.start)["eta"]))
    return setup_of_pair(shape, eta) if pair else setup_of(shape, eta)


SOUGHT = tuple(
    Sought(
        COUPLED[0],
        _counts((1, 2), (1, 2), 0) if pair else _counts((1, 2), (1,), 1),
        _STEPS,
        partial(_coupled, pair, rolling),
        view=f"{'two' if pair else 'all'} data sets{', rolling masks' if rolling else ''}",
    )
    for pair, rolling in product((True, False), (False, True))
)
