"""What is seen of ladders of runs of random or rolling masks, and of every run of one."""

from dataclasses import replace

import sympy as sp

from fedbounds.facts import Fact
from fedbounds.theory.language.setups import RUN, Ending, Rungs, Says, Settled, Shown, Slope, View
from fedbounds.theory.language.symbols import K, T, eta, mu, sigma2, t
from fedbounds.theory.proof.vectors import ip, sq, vectors

from . import assumed, measured
from . import rolling_measured as rolling
from .measured_points import ones
from .names import CAPACITY_LADDERS, ROUNDS_LADDERS, STEPS_LADDER
from .symbols import D_opt, S_sub, g_Fp, p_mean, q_mean
from .symbols_rounds import first_stage, log_R
from .vectors import one

_I = ("i",)
_AWAY, _LOSS, _LOW = sp.Function("L_away"), sp.Function("L_F"), sp.Symbol("log_low")
_TERMS, _MOST_STAGES = 48, 16
ENDS = View(
    told="random masks on quadratics, where rounds start",
    algorithm="sub_models.ENDS",
    shown=Shown(
        draws={"mask": ("masks",), "xi": ("noise",)},
        indices={"i": ""},
        vectors={
            **dict.fromkeys(("x", "xo", "one", "ones"), ()),
            **dict.fromkeys(("hx", "ho", "go", "Vx", "Vo", "Vs", "keep"), _I),
        },
    ),
    quantities={
        **{name: measured.OF_ROUND[name] for name in ("D_opt", "g_Fp")},
        "L_F": measured.BESIDE_FULL["L_F"],
        "L_away": ip(measured.Vx - measured.Vo, one),
    },
    states=("D_opt", "L_F", "L_away"),
    constants={
        "dim": sq(ones),
        **{name: measured.CONSTANTS[name] for name in ("p_mean", "D_opt_0")},
        **measured.AT_OPTIMUM,
        **measured.GAP_AT_OPTIMUM,
    },
    assumptions={**dict.fromkeys((assumed.KEPT, assumed.BERNOULLI, Fact.UNCONSTRAINED), ())},
    takes=("keep", "K", "eta"),
    many=True,
)
# log_low <= ln R <= log_R, by the exponential series
_LAST = _LOW**_TERMS / sp.factorial(_TERMS) / (1 - _LOW / (_TERMS + 1))
_SERIES = [[x**k / sp.factorial(k) for k in range(_TERMS)] for x in (_LOW, log_R)]
TUNED = replace(
    ENDS,
    requires=(
        Says(T, ">=", sp.Add(*_SERIES[0], _LAST)),
        Says(T, "<=", sp.Add(*_SERIES[1])),
        Says(log_R - _LOW, "<=", sp.Rational(1, 2**16)),
        Says(eta * K * mu * p_mean * T, "==", 2 * log_R),
    ),
)
QUIET = replace(ENDS, requires=(Says(sigma2, "==", sp.Integer(0)),))
ALIKE = replace(ENDS, requires=(Says(sq(measured.keep), "==", p_mean**2),))
# after every stage, which lasts twice as long as the one before
_HALVED = sp.Mul(
    *(
        1 - sp.Min(1, sp.Max(0, t + 1 - first_stage * (2**stage - 1))) / 2
        for stage in range(1, _MOST_STAGES)
    )
)
STAGED = replace(
    ENDS,
    takes=(*ENDS.takes, "first_stage"),
    changing={"eta": eta * _HALVED},
    requires=(
        Says(first_stage, ">=", sp.Integer(1)),
        Says(T, "<=", first_stage * (2**_MOST_STAGES - 1)),
    ),
)

# ---- rolling masks: t counts epochs

loud, turns = vectors({"loud": r"\sigma\max_{i,s}m_{i,s}", "turns": "S"})
_S_SUB = {"S_sub": ip(turns, one)}
EPOCHS = View(
    told="rolling masks on quadratics, where epochs start",
    algorithm="rolling_models.ENDS",
    shown=Shown(
        draws={"perm": ("order",), "xi": ("noise",)},
        indices={"i": "", "s": "", "sub-model": ""},
        vectors={
            **dict.fromkeys(("x", "xo", "one", "ones", "turns", "loud"), ()),
            **dict.fromkeys(("go", "Vx", "Vo", "Vs", "kept", "uneven"), _I),
            "ho": ("i", "s"),
            "ao": ("sub-model",),
        },
    ),
    quantities={name: ENDS.quantities[name] for name in ("D_opt", "L_F")},
    states=("D_opt", "L_F"),
    constants={
        "dim": sq(ones),
        **_S_SUB,
        **rolling.AT_OPTIMUM,
        **{name: rolling.CONSTANTS[name] for name in ("q_mean", "D_opt_0")},
        "sigma^2": sq(loud),
        **measured.GAP_AT_OPTIMUM,
    },
    assumptions={
        **rolling.OF_MASKS,
        **rolling.OF_ORDERS,
        **rolling.PROJECTED_ONCE,
        Fact.UNCONSTRAINED: (),
    },
    takes=("sub_models", "orders", "K", "eta"),
    many=True,
    requires=rolling.ORDERS,
)
EPOCHS_ALIKE = replace(
    EPOCHS,
    # one number of all rungs: what counts of it differs
    constants={name: is_ for name, is_ in EPOCHS.constants.items() if name != "sigma^2"},
    requires=(*EPOCHS.requires, Says(sq(rolling.kept), "==", q_mean**2)),
)
EPOCHS_STAGED = replace(
    EPOCHS,
    takes=(*EPOCHS.takes, "first_stage"),
    changing=STAGED.changing,
    requires=(*EPOCHS.requires, *STAGED.requires),
)
VIEWS = {
    "ends of runs, p alike": ALIKE,
    "ends of runs in stages": STAGED,
    "ends of epochs, q alike": EPOCHS_ALIKE,
    "ends of epochs in stages": EPOCHS_STAGED,
    "ends of runs, tuned": TUNED,
    "ends of runs, full gradients": QUIET,
}

RUNGS = {
    "over R": Rungs(
        told="random masks on quadratics over R",
        runs=ROUNDS_LADDERS[0],
        over="R",
        values=T,
        varies=("rounds", "eta", "log_R", "log_low"),
        series={
            "D_r": Ending(D_opt(t)),
            "A_r": sp.Abs(Ending(_AWAY(t))),
            "ln2_r": _LOW**2 / T,
        },
        first={"R_least": T, "log_R": log_R},
        fitted="D_r",
        power="-1",
    ),
    "over stages": Rungs(
        told="random masks on quadratics over stages",
        runs=ROUNDS_LADDERS[0],
        over="R",
        values=T,
        varies=("rounds",),
        series={"F_r": Ending(_LOSS(t)), "R_r": T},
        hidden=("R_r",),
    ),
    "over stages of epochs": Rungs(
        told="rolling masks on quadratics over stages",
        runs=ROUNDS_LADDERS[1],
        over="R",
        values=S_sub * T,
        varies=("rounds",),
        series={"F_r": Ending(_LOSS(t)), "R_r": S_sub * T},
        hidden=("R_r",),
    ),
    "over q": Rungs(
        told="rolling masks on quadratics over the capacity",
        runs=CAPACITY_LADDERS[1],
        over="q",
        values=q_mean,
        varies=("sub_models", "rounds"),
        series={"L_r": Ending(_LOSS(t)), "L_lim": Settled(_LOSS(t), RUN)},
        alike=(S_sub * T,),
    ),
    "over p": Rungs(
        told="random masks on quadratics over the capacity",
        runs=CAPACITY_LADDERS[0],
        over="p",
        values=p_mean,
        varies=("keep",),
        series={"L_r": Ending(_LOSS(t)), "L_lim": Settled(_LOSS(t), RUN)},
    ),
    "over K": Rungs(
        told="random masks on quadratics over K",
        runs=STEPS_LADDER[0],
        over="K",
        values=K,
        varies=("K",),
        series={"K_r": K, "G_lead": Slope(g_Fp(t), eta) / K},
        fitted="G_lead",
        power="-1",
        hidden=("K_r",),
    ),
}
