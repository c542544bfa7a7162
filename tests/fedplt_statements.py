"""Values of F_k in FedPLT's analysis as products of vectors, written a second time."""

import sympy as sp

from fedbounds.theory.proof.vectors import ip
from fedbounds.theory.symbols import (
    F_att,
    F_gatt,
    F_glob,
    F_loc,
    F_opt,
    F_star,
    Lam_att,
    Lambda,
    t,
)

# values of F_k as vectors of one coordinate: Ek, E0 and Es are F_k less F_k* at W_k^t, W^t and W*,
# and gap is F* - F_k*
_Ek, _E0, _Es, _gap, _one = sp.symbols("Ek E0 Es gap one")
_attenuate = sp.Function("attenuate")


def _total(x: sp.Expr) -> sp.Expr:
    return ip(x, _one)


def _attenuated(x: sp.Expr) -> sp.Expr:
    return ip(_attenuate(x), _attenuate(_one))


VALUES = {
    F_loc(t): _total(_Ek),
    F_att(t): _attenuated(_Ek),
    F_opt(t): _total(_Ek - _Es),
    F_star(t): _total(_Es),
    F_glob(t): _total(_E0 - _gap),
    F_gatt(t): _attenuated(_E0 - _gap),
    Lam_att(t): _attenuated(_gap),
    Lambda: _total(_gap),
}
