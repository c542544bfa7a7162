"""The virtual path is the clients' own; Algorithm 3 is Algorithm 2 with one local step."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.equivalences import Equivalence, Named, Pair, Shapes
from fedbounds.theory.language.symbols import K, d_v, eta, m, n

_ZERO, _ONE = sp.Integer(0), sp.Integer(1)
_SHAPES = Shapes(most=2, blocks=((2, 0),), steps={eta: sp.Rational(1, 3)}, rounds=2,
                 convex=True)  # fmt: skip
_STATES, _DRAWS = {"x": "x"}, {"z": "z", "noise": "noise"}
# m has no meaning here
_ALL = (Condition(d_v, "==", _ZERO), Condition(m, "==", n))


def _meerkat(name: str, algorithm: str, steps: sp.Expr = K) -> Named:
    given = {"mask": (_ZERO, _ONE), "epsilon": sp.Rational(1, 10), "own": _ZERO}
    return Named(name, algorithm, {**given, "eta": eta, "K": steps})


_PRINTED = _meerkat("Meerkat", "sparse_zeroth_order.WHOLE")
_VIRTUAL = _meerkat("Meerkat, virtual path", "virtual_path.VIRTUAL")
_LISTED = _meerkat("Meerkat, virtual path as listed", "virtual_path.LISTED")


def _pair(
    name: str, told: str, general: Named, special: Named, reading: str,
    *conditions: Condition,
) -> Pair:  # fmt: skip
    return Pair(
        name, told, general, special, _STATES, _DRAWS, (*_ALL, *conditions), reading=reading
    )


REPLAY = Equivalence(
    entry("meerkat/alg-2"),
    shapes=_SHAPES,
    pairs=(
        _pair(
            "virtual path",
            "the mean of clients' models, and that of paths replayed from scalars and seeds",
            _PRINTED, _VIRTUAL, "the last local model is averaged; values at w + eps z, w - eps z",
        ),
        _pair(
            "as listed",
            "the same with the second value at w - 2 eps z",
            _meerkat("Meerkat, clients as listed", "virtual_path.LISTED_CLIENTS"), _LISTED,
            "the second value is at w_k^t - 2 eps z, as listed",
        ),
        _pair(
            "listed scalars",
            "the scalars of the listing are those of (1)",
            _PRINTED, _LISTED, "the listing's scalars are those of (1)",
        ),
        _pair(
            "last step",
            "w_k^T is averaged, where the listing goes on to w_k^{T+1}",
            _PRINTED, _meerkat("Meerkat, w_k^T averaged", "virtual_path.LAST_UNUSED"),
            "the server averages w_k^T, as listed",
        ),
    ),
)  # fmt: skip
OFTEN = Equivalence(
    entry("meerkat/alg-3"),
    shapes=_SHAPES,
    pairs=(
        _pair(
            "one local step", "T = 1",
            _PRINTED, _meerkat("Meerkat, high frequency", "virtual_path.HIGH_FREQUENCY", _ONE),
            "as printed", Condition(K, "==", _ONE),
        ),
    ),
)  # fmt: skip

CLAIMS = (REPLAY, OFTEN)
