"""Where E f - f* settles, over step sizes, local steps and shares that a mask keeps; contests."""

from collections.abc import Iterable
from fractions import Fraction

import sympy as sp

from fedbounds.theory.language.setups import Family, Setup
from fedbounds.theory.language.symbols import K, eta

from . import contests, minibatches
from .ridges import RIDGES, Ridge
from .setups import settling
from .sizes import FLOOR_ONCE, FLOOR_SEVERAL, NOISE, OF_q
from .symbols import c, mu_PL

_COUNTS = (2, 3, 4, 5, 6)
_OFTEN = FLOOR_ONCE / (eta * c * mu_PL)
_PRINTED = NOISE / (eta * K * OF_q)  # the last term of (17)
_SEVERAL = 2 * FLOOR_SEVERAL / (eta * K * c * mu_PL)


def _of(told: str) -> Ridge:
    return next(own for own in RIDGES if own.told == told)


def _over(
    name: str, over: sp.Symbol, setups: Iterable[tuple[str, Setup]], bound: sp.Expr, told: str
) -> Family:
    values, every = zip(*setups, strict=True)
    return Family(
        name=name,
        over=over,
        values=values,
        setups=every,
        quantity="f",
        bound=bound,
        power=bound,
        large=over == K,
        told=("limit of E f - f*", told),
    )


def _of_steps(of: Ridge) -> Iterable[tuple[str, Setup]]:
    for at in range(7):
        step = of.local_step / 2**at
        yield str(step), settling(of, step, 1)


def _of_counts(of: Ridge, step: Fraction) -> Iterable[tuple[str, Setup]]:
    for count in _COUNTS:
        yield str(count), settling(of, step, count)


def _of_shares() -> Iterable[tuple[str, Setup]]:
    """One of many coordinates is kept, L and mu are 1."""
    for others in (1, 2, 4, 8):
        along = (2, *(1,) * others)
        curvature = (f"1/{4 + others}",) * 2
        of = Ridge("noise", along, (1, *(0,) * others), curvature, noise="1/10")
        yield str(of.c), settling(of, of.local_step / 4, 1)


_NOISE, _UNLIKE = _of("noise"), _of("own curvatures and minimisers")
FLOORS = (
    _over("noise, one local step", eta, _of_steps(_NOISE), _OFTEN, "floor, corrected, T = 1"),
    _over("noise", K, _of_counts(_NOISE, _NOISE.short_step(6)), _PRINTED, "floor of (17)"),
    _over("own curvatures and minimisers, full gradients", K,
          _of_counts(_UNLIKE, _UNLIKE.short_step(6)), _SEVERAL, "floor, corrected"),
    _over("noise, one of many coordinates kept", c, _of_shares(), _OFTEN,
          "floor, corrected, T = 1"),
)  # fmt: skip

_OF_FLOORS = (
    "meerkat/thm-2.1-O", "meerkat/thm-2.1-explicit", "meerkat/thm-2.1-explicit/corrected",
)  # fmt: skip
SHOWN = {**dict.fromkeys(_OF_FLOORS, FLOORS), **contests.SHOWN, **minibatches.SHOWN}
