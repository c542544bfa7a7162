"""What holds with probability 1 - delta over the start: Lemma A.1."""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Part, Reading
from fedbounds.theory.language.setups import Says
from fedbounds.theory.language.starts import Event
from fedbounds.vocabulary import Index

from . import names
from .measured import EVENT as SPECTRA
from .sizes import AT_LEAST_ONE, START_LOSS
from .symbols import (
    R_0,
    C_l,
    C_w,
    chance,
    d_out,
    depth,
    fail_62,
    fail_66,
    fail_a1,
    fail_a1s,
    fail_loss,
    fail_spectra,
    mid_0,
    perp_most,
    radius,
    s_max2,
    s_min2,
    samples,
    unsure,
    width,
)

_MIDDLE = Says(mid_0, "<=", C_l**2 * depth)
_LOSS, _LOSS_SQUARED = (Says(R_0, "<=", 2 * bound) for bound in (START_LOSS, START_LOSS**2))
_TOLD = "starts with N(0, 1) entries"


def _event(failing: sp.Symbol, *says: Says) -> Event:
    return Event(_TOLD, names.STARTS[0], says, failing)


EVENTS = {
    "spectra": _event(fail_spectra, *SPECTRA),
    "loss": _event(fail_loss, _LOSS),
    "all": _event(fail_a1, *SPECTRA, _MIDDLE, _LOSS),
    "all, B squared": _event(fail_a1s, *SPECTRA, _MIDDLE, _LOSS_SQUARED),
    "few change sign": Event(
        _TOLD, names.RELU_STARTS[0], (Says(unsure, "<=", 4 * radius),), fail_66
    ),
    "few change sign, of (62)": Event(
        _TOLD, names.RELU_STARTS[0], (Says(perp_most, "<=", 4 * samples * radius),), fail_62
    ),
}
_WIDE = Condition(width, ">=", C_w * depth * s_max2**2 * d_out * START_LOSS / s_min2**3)


# m = Omega(a) gives 0.2 from 1/sqrt(m) if Omega hides at least the square of five
_LARGE = Condition(C_w, ">=", sp.Integer(25))


def _part(name: str, failing: sp.Symbol, least: Condition = _LARGE) -> Part:
    return Part(
        name=name, left=failing, right=chance, index=Index.START, algorithm=names.STARTS[0],
        conditions=(least, _WIDE),
    )  # fmt: skip


STARTS = Claim(
    entry("overparam/lemma-a1"),
    algorithms=names.STARTS,
    parts=(
        _part("all", fail_a1),
        _part("B squared", fail_a1s),
        _part("spectra", fail_spectra),
        _part("loss", fail_loss),
        _part("any constant", fail_a1, AT_LEAST_ONE),
    ),
    readings=(
        Reading("all of it at once, of the loss at most B; 25 or more in Omega, as its 0.2 asks",
                parts=("all",)),
        Reading("of the loss at most B^2, as printed", parts=("B squared",)),
        Reading("the spectra alone", parts=("spectra",)),
        Reading("the loss alone", parts=("loss",)),
        Reading("all of it at once; 1 or more in Omega, harsh", parts=("any constant",)),
    ),
)  # fmt: skip
CLAIMS = (STARTS,)
