"""The vectors that the claims speak of, and what their masked forms stand for.

W is W^t, Wk is W_k^t, Wn is W^{t+1}; g and g0 are grad F_k at W_k^t and at W^t, noise is the
stochastic minus the exact gradient. Before a vector, m stands for the client's mask, p for the
compensation vector, a for the attenuation alpha_k and s for the share c_k: pmg = psi o m_k o g.
Ws, gs and ns belong to local step s of a round. The client k has probability c_k and the step s
is uniform, so that sq(x) = sum_k c_k ||x_k||^2 and given(x, past, xi) = sum_k c_k x_k.
"""

import sympy as sp

from fedbounds.theory.proof.vectors import vectors

W, Wk, Wstar, Wn = vectors(
    {"W": "W^t", "Wk": "W_k^t", "Wstar": "W^*", "Wn": "W^{t+1}"},
)
g, g0, mg, pmg, ag = vectors(
    {
        "g": r"\nabla F_k(W_k^t)",
        "g0": r"\nabla F_k(W^t)",
        "mg": r"(m_k\odot\nabla F_k(W_k^t))",
        "pmg": r"(\psi\odot m_k\odot\nabla F_k(W_k^t))",
        "ag": r"\alpha_{r_k}\nabla F_k(W_k^t)",
    }
)
noise, mn, pmn, an, smn, san = vectors(
    {
        "noise": r"\varepsilon_k^t",
        "mn": r"(m_k\odot\varepsilon_k^t)",
        "pmn": r"(\psi\odot m_k\odot\varepsilon_k^t)",
        "an": r"\alpha_{r_k}\varepsilon_k^t",
        "smn": r"c_k(m_k\odot\varepsilon_k^t)",
        "san": r"c_k\alpha_{r_k}\varepsilon_k^t",
    }
)
U, Ub, mUb, aUb, delta, mdelta, adelta, smdelta, sadelta = vectors(
    {
        "U": "U_k^t",
        "Ub": r"\bar U_k^t",
        "mUb": r"(m_k\odot\bar U_k^t)",
        "aUb": r"\alpha_{r_k}\bar U_k^t",
        "delta": r"\delta_k^t",
        "mdelta": r"(m_k\odot\delta_k^t)",
        "adelta": r"\alpha_{r_k}\delta_k^t",
        "smdelta": r"c_k(m_k\odot\delta_k^t)",
        "sadelta": r"c_k\alpha_{r_k}\delta_k^t",
    }
)
D, Db, W1 = vectors(
    {
        "D": r"\Delta^t",
        "Db": r"\bar\Delta^t",
        "W1": r"(W^t-\eta\psi\odot\textstyle\sum_kc_km_k\odot\nabla\ell(W_k^t))",
    },
)
gs, mgs, pmgs, ags, Gs, ns, mns, pmns, ans = vectors(
    {
        "gs": r"\nabla F_k(W_k^{t,s})",
        "mgs": r"(m_k\odot\nabla F_k(W_k^{t,s}))",
        "pmgs": r"(\psi\odot m_k\odot\nabla F_k(W_k^{t,s}))",
        "ags": r"\alpha_{r_k}\nabla F_k(W_k^{t,s})",
        "Gs": r"\nabla F(W_k^{t,s})",
        "ns": r"\varepsilon_k^{t,s}",
        "mns": r"(m_k\odot\varepsilon_k^{t,s})",
        "pmns": r"(\psi\odot m_k\odot\varepsilon_k^{t,s})",
        "ans": r"\alpha_{r_k}\varepsilon_k^{t,s}",
    }
)
ax, wx, wg0, rg, aone, saone, anyv, mv = vectors(
    {
        "ax": r"\alpha_{r_k}(W_k^t-W^t)",
        "wx": r"\sqrt{\gamma_k^t}(W_k^t-W^t)",
        "wg0": r"\sqrt{\gamma_k^t}\nabla F_k(W^t)",
        "rg": r"\rho_k^t\nabla F_k(W_k^t)",
        "aone": r"\alpha_{r_k}",
        "saone": r"c_k\alpha_{r_k}",
        "anyv": "v",
        "mv": r"(m_k\odot v)",
    }
)
(s,) = vectors({"s": "s"})

_mask, _comp, _share, _attenuate = (
    sp.Function(name) for name in ("mask", "comp", "share", "attenuate")
)
_one = sp.Symbol("one")

# every vector that is another one masked, compensated, weighted or attenuated; `Ws` to `ns` are
# functions of the local step
MEANS = {
    mg: _mask(g),
    pmg: _comp(_mask(g)),
    ag: _attenuate(g),
    mn: _mask(noise),
    pmn: _comp(_mask(noise)),
    an: _attenuate(noise),
    smn: _share(_mask(noise)),
    san: _share(_attenuate(noise)),
    mUb: _mask(Ub),
    aUb: _attenuate(Ub),
    mdelta: _mask(delta),
    adelta: _attenuate(delta),
    smdelta: _share(_mask(delta)),
    sadelta: _share(_attenuate(delta)),
    mgs: _mask(gs),
    pmgs: _comp(_mask(gs)),
    ags: _attenuate(gs),
    mns: _mask(ns),
    pmns: _comp(_mask(ns)),
    ans: _attenuate(ns),
    ax: _attenuate(Wk - W),
    aone: _attenuate(_one),
    saone: _share(_attenuate(_one)),
}
