"""Softmax clients whose local steps are on minibatches: what is planned of them, and shown.

Three classes, whose features stand around means of their own. Of the six samples of a client all
have one label, or one has another one, or all labels are as frequent: then a model can tell them
apart, or it cannot, as half of the samples stand where those of another class do. A minibatch is
two samples, drawn with replacement. f_p has one sample at each mean, and its gradient at 0 is
rational: there every class has the chance 1/3. The mask keeps the three largest entries of it.

No expectation of such a step is exact: a cross-entropy is no polynomial, and under Gaussian
directions its argument is not bounded. Claims count that reason; estimates are shown beside them.
"""

from fractions import Fraction

from fedbounds.theory.language.contests import Contest
from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup

_MEANS = (2, 0), (-1, 2), (-1, -2)
_AROUND = (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)
# the class at whose mean each sample stands, and its label
_BALANCED = (0, 1, 2, 0, 1, 2)
CLIENTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "one label": ((0,) * 6, (0,) * 6),
    "one sample in six of another label": ((1, *(0,) * 5), (1, *(0,) * 5)),
    "balanced labels": (_BALANCED, _BALANCED),
    "balanced labels, half of them elsewhere": (_BALANCED, (0, 1, 2, 1, 2, 0)),
}
_BATCH, _STEPS = 2, 100
# of the class with mean m: the mean over f_p of (1/3 - its indicator) x, and the means sum to 0
PRETRAINING = tuple(str(Fraction(-x, 3)) for mean in _MEANS for x in mean)
MASK, ONE_KEPT = (1, 0, 0, 1, 0, 1), (1, 0, 0, 0, 0, 0)
_ETA = "2/25"  # 1/(L(u+2)) with u = 3 and L = 5/2, which is no less than that of any client


def softmax(client: str) -> Objective:
    """The samples of one of them."""
    places, labels = CLIENTS[client]
    features = tuple(
        tuple(x + y for x, y in zip(_MEANS[place], own, strict=True))
        for place, own in zip(places, _AROUND, strict=True)
    )
    data = {"features": (features,), "labels": (labels,), "classes": len(_MEANS), "batch": _BATCH}
    return Objective("softmax", tuple(data.items()))


def on_minibatches(client: str, steps: int, mask: tuple[int, ...] = MASK) -> Setup:
    """Local steps with scores, from a model that knows nothing."""
    given = {"mask": mask, "epsilon": "1/10", "own": 0, "eta": _ETA, "pretraining": PRETRAINING}
    run = Run(softmax(client), (0,) * len(mask), tuple(given.items()), steps)
    return Setup("meerkat", "local steps on minibatches", run)


PLANNED = tuple(
    Planned(
        f"softmax, {client}: a step on a minibatch",
        on_minibatches(client, 1, ONE_KEPT),
        quick=True,
        steps=False,
    )
    for client in CLIENTS
)
_SHOWN_AT: tuple[Number, ...] = (1, 3, 10, 30, _STEPS - 1)


def _over_steps(quantity: str, told: str) -> Contest:
    return Contest(
        "softmax clients, minibatches of two samples",
        "local steps",
        _SHOWN_AT,
        {client: (((on_minibatches(client, _STEPS),),),) for client in CLIENTS},
        quantity,
        told,
        replicas=512,
    )


NORMS, SCORES = (
    _over_steps(*both) for both in (("g_k2", "E ||grad f_k||^2"), ("GradIP_2", "E GradIP^2"))
)
SHOWN = {
    "meerkat/norm-dynamics": (NORMS,),
    "meerkat/gradip-phenomenon": (SCORES, NORMS),
}
