"""The vectors of a round and of an epoch, and the random objects that each depends on.

A round: x = w^t, y a virtual iterate at a uniform local step k of a uniform client i, hx, hy and
ho the client's masked gradients at x, y and x*, nz the noise at y. Pn, Pd and Ph are sums over the
steps before k, of noise, of hy - hx and of hx; so y = x - eta (Pn + Pd + Ph).
An epoch: the same with a uniform round s; sums run over all rounds before s, averaged over
clients, and over the client's own steps before k. hx - ho sums to Pt; ho to Pa (earlier rounds)
and Pk (own steps); hx to Qa and Qk. Order: perm is the permutation, or all of them.
"""

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.proof.text import need, text
from fedbounds.theory.proof.vectors import vectors
from fedbounds.theory.submodel.bounds import MASK_GAP_BOUND
from fedbounds.theory.submodel.names import RANDOM, ROLLING
from fedbounds.theory.submodel.rolling_theorems import ROLLING_GAP_BOUND

from .. import assumed

x, xo, xn, y, Um, wf = vectors(
    {
        "x": "x",
        "xo": "x_*",
        "xn": "x^+",
        "y": "y_{i,k}",
        "Um": "U",
        "wf": r"(x-\eta\textstyle\sum_k\bar g_k)",
    }
)
hx, hy, ho, nz = vectors(
    {
        "hx": r"\nabla h_i(x)",
        "hy": r"\nabla h_i(y_{i,k})",
        "ho": r"\nabla h_i(x_*)",
        "nz": "n_{i,k}",
    }
)
Pn, Pd, Ph, Pt, Pa, Pk, Qa, Qk = vectors(
    {
        "Pn": r"\textstyle\sum_{<k}n",
        "Pd": r"\textstyle\sum_{<k}(\nabla h(y)-\nabla h(x))",
        "Ph": r"k\nabla h_i(x)",
        "Pt": r"\textstyle\sum_{<(s,k)}(\nabla h(x)-\nabla h(x_*))",
        "Pa": r"K\textstyle\sum_{t<s}a_{\pi(t)}",
        "Pk": r"k\nabla h_i(x_*)",
        "Qa": r"K\textstyle\sum_{t<s}\alpha_{\pi(t)}",
        "Qk": r"k\nabla h_i(x)",
    }
)
ws, hw, wv, Hz, Aw, Az, AHz, Aa, Aen, wS, drawn, unit, moved = vectors(
    {
        "ws": "w_s",
        "hw": r"\nabla h_i(w_s)",
        "wv": "w_{s+1}",
        "Hz": "H_s(w_s-x)",
        "Aw": "A_s(w_{s+1}-x)",
        "Az": "A_s(w_s-x)",
        "AHz": "A_sH_s(w_s-x)",
        "Aa": r"A_s\alpha_{\pi(s)}",
        "Aen": "A_s(e_s+n_s)",
        "wS": "w_S",
        "drawn": "v_j",
        "unit": r"\tfrac1{b_i}(\nabla F_i(w)-\nabla f_i(w))",
        "moved": r"(\nabla F_p(w)-\nabla F(w))",
    }
)
# values of the objective, as far as they are compared
Fx, Fy, Fo, Fn = vectors(
    {
        "Fx": r"\mathbb Eh_i(x)",
        "Fy": r"\mathbb Eh_i(y_{i,k})",
        "Fo": r"\mathbb Eh_i(x_*)",
        "Fn": r"\mathbb EF_p(x^+)",
    }
)
mask, perm, s = vectors({"mask": "m", "perm": r"\pi", "s": "s"})

ROUND, EPOCH, FREE_EPOCH = "a masked round", "an epoch", "an epoch, nonconvex"
WITHIN, UNROLLED, DRAWN = "a round of an epoch", "an epoch unrolled", "draws"
GAP, GAP_ROLLING = "a masked gap", "a masked gap, rolling masks"


def at_optimum(scope: str) -> str:
    """The scope of a masked gap at the minimiser, where another one is at an iterate."""
    return f"{scope}, at the minimiser"


_UNPROJECTED = (assumed.EPOCH_PROJECTION,)
_VALUES = (("Fx", "x", ""), ("Fy", "y", ""), ("Fo", "xo", ""), ("Fn", "xn", ""))


def _rounds(
    sources: tuple[str, ...], iterate: str, steps: str, gone: str, own: tuple[str, ...]
) -> Scope:
    """What a round and an epoch share; ``gone`` and ``own`` are what hx depends on."""
    at_x = ("past", *own)
    before = {"Pn": sources, "Pd": sources, "Pt": sources, "Ph": (*at_x, "k"), "Qk": (*at_x, "k")}
    before |= {"Pa": (gone, "s"), "Pk": (*own, "k"), "Qa": ("past", gone, "s")}
    used = [name for name in before if name in iterate]
    mean = f"given(hy + nz, past, {gone}, xi)"
    unbiased = need(("nz", "Pn"), Fact.NOISE)
    return Scope(
        sources=sources,
        atoms=(
            ("x", ("past",)),
            ("xo", ()),
            ("xn", ("past", gone, "xi")),
            ("hx", at_x),
            ("ho", own),
            ("hy", sources),
            ("nz", sources),
            *((name, before[name]) for name in used),
        ),
        centred=(("nz", "xi"), ("Pn", "xi")),
        derived=(
            ("y", f"x - eta*({iterate})"),
            # over an epoch, the mean of ho is grad F_M(x*) for every permutation
            ("Um", f"{steps}*({mean} - {'given(ho)' if gone == 'mask' else 'given(ho, perm)'})"),
            ("wf", f"x - eta*{steps}*{mean}"),
        ),
        values=_VALUES,
        algorithm=RANDOM if gone == "mask" else ROLLING,
        # y adds up the steps of earlier rounds too
        needs=(unbiased,) if gone == "mask" else (unbiased, need(("y",), *_UNPROJECTED)),
    )


_ROUND = ("past", "mask", "xi", "i", "k")
_EPOCH = ("past", "perm", "xi", "i", "s", "k")
_OF_EPOCH = ("perm", "i", "s")
_ALL_STEPS = "S_sub*K"

# of round s from w_s, where the mean over clients and steps is `given(., past, perm, xi, s)`
_WITHIN = Scope(
    sources=_EPOCH,
    atoms=(
        ("x", ("past",)),
        ("ws", ("past", "perm", "xi", "s")),
        ("hx", ("past", *_OF_EPOCH)),
        ("hw", ("past", "perm", "xi", "i", "s")),
        ("hy", _EPOCH),
        ("nz", _EPOCH),
    ),
    derived=(
        ("wv", "ws - eta*K*given(hy + nz, past, perm, xi, s)"),
        # the mean value theorem, of the mean over clients
        ("Hz", "given(hw - hx, past, perm, xi, s)"),
    ),
    algorithm=ROLLING,
    needs=(need(("wv",), *_UNPROJECTED),),
)
# A_s (w_{s+1} - x) from Lemma 9; A_s (I - eta K H_s) = A_{s-1}, so that sums over s telescope
_UNROLLED = Scope(
    sources=("past", "perm", "xi", "s"),
    atoms=(
        ("x", ("past",)),
        *((name, ("past", "perm", "xi", "s")) for name in ("Az", "AHz", "Aa", "Aen")),
    ),
    derived=(
        ("Aw", "Az - eta*K*AHz - eta*K*Aa - eta*Aen"),
        ("wS", "x + S_sub*given(Aw - Az + eta*K*AHz, past, perm, xi)"),
    ),
    algorithm=ROLLING,
    needs=(need(("Aw", "wS"), *_UNPROJECTED),),
)


def _gap(bound: sp.Expr, masks: str) -> Scope:
    """Client i in proportion to its bound b_i, of mean ``bound``; `unit` is its gap over b_i.

    Where b_i is zero there is no gap, by what b_i bounds.
    """
    bounded = (assumed.BOUNDED_DOMAIN, assumed.BOUNDED_MASKED_GRADIENTS)
    return Scope(
        sources=("past", "i"),
        atoms=(("unit", ("past", "i")),),
        derived=(("moved", f"({text(bound)})*given(unit, past)"),),
        needs=(need(("moved",), Fact.SMOOTH, masks, *bounded),),
    )


SCOPES = {
    ROUND: _rounds(_ROUND, "Pn + Pd + Ph", "K", "mask", ("mask", "i")),
    EPOCH: _rounds(_EPOCH, "Pn + Pd + Pt + Pa + Pk", _ALL_STEPS, "perm", _OF_EPOCH),
    FREE_EPOCH: _rounds(_EPOCH, "Pn + Pd + Qa + Qk", _ALL_STEPS, "perm", _OF_EPOCH),
    WITHIN: _WITHIN,
    UNROLLED: _UNROLLED,
    DRAWN: Scope(sources=("S", "i"), atoms=(("drawn", ("i",)),), sampled=True),
    GAP: _gap(MASK_GAP_BOUND, assumed.KEPT),
    at_optimum(GAP): _gap(MASK_GAP_BOUND, assumed.KEPT),
    GAP_ROLLING: _gap(ROLLING_GAP_BOUND, assumed.COVERAGE),
    at_optimum(GAP_ROLLING): _gap(ROLLING_GAP_BOUND, assumed.COVERAGE),
}
# what holds everywhere: m <= n, steps k run from 0 to K - 1, mu <= L, and shares are at most 1
ALWAYS = (
    ("m", "<=", "n"),
    ("k", "<=", "K - 1"),
    ("mu", "<=", "L"),
    ("p_mean", "<=", "1"),
    ("q_mean", "<=", "1"),
)
