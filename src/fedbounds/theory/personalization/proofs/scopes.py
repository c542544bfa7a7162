"""The vectors that the proofs speak of, and the random objects that each depends on.

In the scope of a round: u, v at its start; uh, vh the virtual local iterates; hu, hv a client's
gradients there, au, av at the start, nu after the round, wu at (u^t, v_i^{t+1}); Yu, Yv the noise
of the stochastic gradients; du, dv the increments. For Scaffold-P also the control variates ci,
noise-free di, the iterates al, be of the last participation with gradient eu and noise Wh.
A step's scope fixes client i and step k: old and new are the samples before step k, and of it.
"""

from fedbounds.facts import Fact
from fedbounds.theory.checker.data import Scope
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import eta_u, eta_v, gamma, gamma_u, gamma_v
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import vectors

u, v, uh, vh, u1, v1, up, vp = vectors(
    {
        "u": "u^t",
        "v": "v_i^t",
        "uh": r"\hat u_{i,k}^t",
        "vh": r"\hat v_{i,k}^t",
        "u1": "u^{t+1}",
        "v1": "v_i^{t+1}",
        "up": r"\hat u_{i,k+1}^t",
        "vp": r"\hat v_{i,k+1}^t",
    }
)
hu, hv, au, av, nu, wu, gu = vectors(
    {
        "hu": r"\nabla_uf_i(\hat u_{i,k}^t,\hat v_{i,k}^t)",
        "hv": r"\nabla_vf_i(\hat u_{i,k}^t,\hat v_{i,k}^t)",
        "au": r"\nabla_uf_i(u^t,v_i^t)",
        "av": r"\nabla_vf_i(u^t,v_i^t)",
        "nu": r"\nabla_uf_i(u^{t+1},v_i^{t+1})",
        "wu": r"\nabla_uf_i(u^t,v_i^{t+1})",
        "gu": r"\nabla_uf(u^t,\mathbf v^t)",
    }
)
Yu, Yv, du, dv = vectors(
    {
        "Yu": r"\hat Y_{i,k}^t",
        "Yv": r"\hat Z_{i,k}^t",
        "du": r"\Delta u^t",
        "dv": r"\Delta v_i^t",
    }
)
last_u, last_v, fu, fv = vectors(
    {
        "last_u": r"\hat u_{i,K}^t",
        "last_v": r"\hat v_{i,K}^t",
        "fu": r"g_u^t",
        "fv": r"g_{v,i}^t",
    }
)
al, be, al1, be1, eu, Wh, ci, di, c, d = vectors(
    {
        "al": r"\alpha_{i,k}^{t-1}",
        "be": r"\beta_{i,k}^{t-1}",
        "al1": r"\alpha_{i,k}^t",
        "be1": r"\beta_{i,k}^t",
        "eu": r"\nabla_uf_i(\alpha_{i,k}^{t-1},\beta_{i,k}^{t-1})",
        "Wh": r"\hat W_{i,k}^t",
        "ci": "c_i^t",
        "di": "d_i^t",
        "c": "c^t",
        "d": "d^t",
    }
)

value00, value01, value11 = vectors(
    {
        "value00": r"\mathbb Ef(u^t,\mathbf v^t)",
        "value01": r"\mathbb Ef(u^t,\mathbf v^{t+1})",
        "value11": r"\mathbb Ef(u^{t+1},\mathbf v^{t+1})",
    }
)

FEDAVG, SCAFFOLD = "FedAvg-P", "Scaffold-P"
INCREMENTS = "any increments"  # du and dv_i are whatever the algorithm makes of its draws

_SOURCES = ("past", "S", "xi", "i", "k")
_ALL = ("past", "xi", "i", "k")
_AFTER = ("past", "S", "xi", "i")
_ROUND = (
    ("u", ("past",)),
    ("v", ("past", "i")),
    *((name, _ALL) for name in ("uh", "vh", "hu", "hv", "Yu", "Yv")),
    *((name, ("past", "i")) for name in ("au", "av")),
    *((name, _AFTER) for name in ("nu", "wu")),
)
_GRADIENTS = (
    ("hu", "u", "uh", "vh"),
    ("hv", "v", "uh", "vh"),
    ("au", "u", "u", "v"),
    ("av", "v", "u", "v"),
    ("nu", "u", "u1", "v1"),
    ("wu", "u", "u", "v1"),
)
_NOISES = (("Yu", "sigma_u2"), ("Yv", "sigma_v2"))
_VALUES = (("value00", "u", "v"), ("value01", "u", "v1"), ("value11", "u1", "v1"))
# du and dv are written with the effective step size gamma
STEP_OF_U = Condition(gamma, "==", gamma_u * eta_u)
STEP_OF_V = Condition(gamma, "==", gamma_v * eta_v)
UNBIASED = need(("Yu", "Yv"), Fact.NOISE)
NEED_U, NEED_V = need(("du",), under=(STEP_OF_U,)), need(("dv",), under=(STEP_OF_V,))
_STEP_V = ("dv", "-gamma*K*given(present(hv + Yv), past, S, xi, i)")

ROUND = Scope(
    sources=_SOURCES,
    atoms=_ROUND,
    centred=(("Yu", "xi"), ("Yv", "xi")),
    derived=(
        ("du", "-gamma*K*n/m*given(present(hu + Yu), past, S, xi)"),
        _STEP_V,
        ("u1", "u + du"),
        ("v1", "v + dv"),
    ),
    gradients=_GRADIENTS,
    noises=_NOISES,
    differences=("Yu", "Yv"),
    values=_VALUES,
    sampled=True,
    needs=(UNBIASED, NEED_U, NEED_V),
)

SCAFFOLD_ROUND = Scope(
    sources=_SOURCES,
    atoms=(*_ROUND, *((name, ("past", "i", "k")) for name in ("al", "be", "eu", "Wh"))),
    centred=(("Yu", "xi"), ("Yv", "xi")),
    derived=(
        ("di", "given(eu, past, i)"),
        ("ci", "given(eu + Wh, past, i)"),
        ("c", "given(ci, past)"),
        ("d", "given(di, past)"),
        ("du", "-gamma*K*n/m*given(present(hu + Yu - ci + c), past, S, xi)"),
        _STEP_V,
        ("u1", "u + du"),
        ("v1", "v + dv"),
        ("al1", "present(uh) + al - present(al)"),
        ("be1", "present(vh) + be - present(be)"),
    ),
    gradients=(*_GRADIENTS, ("eu", "u", "al", "be")),
    noises=(*_NOISES, ("Wh", "sigma_u2")),
    differences=("Yu", "Yv", "Wh"),
    values=_VALUES,
    sampled=True,
    needs=(UNBIASED, NEED_U, NEED_V),
)

ANY_ROUND = Scope(
    sources=_SOURCES,
    atoms=(*_ROUND, ("du", ("past", "S", "xi")), ("dv", _AFTER)),
    derived=(("u1", "u + du"), ("v1", "v + dv")),
    gradients=_GRADIENTS,
    values=_VALUES,
)

_FIXED = (
    *((name, ("past",)) for name in ("u", "v", "au", "av")),
    *((name, ("past", "old")) for name in ("uh", "vh", "hu", "hv")),
    *((name, ("past", "old", "new")) for name in ("Yu", "Yv")),
)
_STEP_GRADIENTS = _GRADIENTS[:4]

STEP = Scope(
    sources=("past", "old", "new"),
    atoms=_FIXED,
    centred=(("Yu", "new"), ("Yv", "new")),
    derived=(("up", "uh - gamma_u*(hu + Yu)"), ("vp", "vh - gamma_v*(hv + Yv)")),
    gradients=_STEP_GRADIENTS,
    noises=_NOISES,
    needs=(UNBIASED,),
)

SCAFFOLD_STEP = Scope(
    sources=("past", "old", "new"),
    atoms=(*_FIXED, *((name, ("past",)) for name in ("ci", "di", "c", "d", "gu"))),
    centred=(("Yu", "new"), ("Yv", "new")),
    derived=(("up", "uh - gamma_u*(hu + Yu - ci + c)"), ("vp", "vh - gamma_v*(hv + Yv)")),
    gradients=_STEP_GRADIENTS,
    noises=_NOISES,
    needs=(UNBIASED,),
)

# the iterates before the first local step, and the memory before the first round
FIRST_STEP, FIRST_ROUND = "first local step", f"first round of {SCAFFOLD}"

SCOPES = {
    FIRST_STEP: Scope(
        sources=("past", "i"),
        atoms=(("u", ("past",)), ("v", ("past", "i"))),
        derived=(("uh", "u"), ("vh", "v")),
    ),
    FIRST_ROUND: Scope(
        sources=("i", "k"), atoms=(("u", ()), ("v", ("i",))), derived=(("al", "u"), ("be", "v"))
    ),
    FEDAVG: ROUND,
    SCAFFOLD: SCAFFOLD_ROUND,
    INCREMENTS: ANY_ROUND,
    f"step of {FEDAVG}": STEP,
    f"step of {SCAFFOLD}": SCAFFOLD_STEP,
}
