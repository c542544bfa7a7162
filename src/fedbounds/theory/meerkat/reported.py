"""What the text says of its experiments, against its own tables.

An average is over the seven tasks. Nothing is run: models and data are not ours.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Condition, Reading
from fedbounds.theory.language.symbols import K

from .points import NOTHING_RUN, at_most
from .symbols import (
    acc_full,
    acc_half,
    acc_LoRA,
    acc_magnitude,
    acc_meerkat,
    acc_task,
    acc_vp,
    mean_half,
    mean_magnitude,
    mean_meerkat,
    mean_task,
    tasks,
    u_ratio,
    wins_full,
    wins_LoRA,
    wins_magnitude,
)

_LOW = Condition(u_ratio, ">=", sp.Rational(1, 2000))
_OFTEN, _SELDOM = Condition(K, "==", sp.Integer(1)), Condition(K, ">=", sp.Integer(10))


SAME_STEPS = Claim(
    entry("meerkat/rq1-same-T"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("full", acc_full, acc_meerkat, _SELDOM),
        at_most("full, most tasks", tasks / 2, wins_full, _SELDOM),
        at_most("magnitude, many tasks", tasks / 2, wins_magnitude, _SELDOM),
        at_most("LoRA, many tasks", tasks / 2, wins_LoRA, _SELDOM),
        at_most("magnitude", acc_magnitude, acc_meerkat, _SELDOM),
        at_most("LoRA", acc_LoRA, acc_meerkat, _SELDOM),
    ),
    readings=(
        Reading("Full-FedZO, on average, as Acc in Tables 1 and 5", parts=("full",)),
        Reading("Full-FedZO, on more than half of the tasks", parts=("full, most tasks",)),
        Reading(
            "weight magnitude and LoRA, on more than half of the tasks",
            parts=("magnitude, many tasks", "LoRA, many tasks"),
        ),
        Reading(
            "weight magnitude and LoRA, on average, as the introduction has it",
            parts=("magnitude", "LoRA"),
        ),
    ),
)
ONE_STEP = Claim(
    entry("meerkat/rq1-T1"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("full", acc_full, acc_meerkat, _OFTEN),
        at_most("LoRA", acc_LoRA, acc_meerkat, _OFTEN),
        at_most("full, all tasks", tasks, wins_full, _OFTEN),
        at_most("LoRA, all tasks", tasks, wins_LoRA, _OFTEN),
    ),
    readings=(
        Reading("on average, Tables 8 to 10", parts=("full", "LoRA")),
        Reading("on every task, harsh", parts=("full, all tasks", "LoRA, all tasks")),
    ),
)
DENSITY = Claim(
    entry("meerkat/rq1-density"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("trend", mean_half, mean_meerkat, _LOW),
        at_most("low", acc_half, acc_meerkat, _LOW),
        at_most("lowest", mean_half, mean_meerkat),
    ),
    readings=(
        Reading(
            "no less than at density 0.5 down to 0.0005, averaged over models and data",
            parts=("trend",),
        ),
        Reading("the same down to 0.00005, the lowest of Table 7", parts=("lowest",)),
        Reading("for each model and data down to 0.0005, harsh", parts=("low",)),
    ),
)
MASKS = Claim(
    entry("meerkat/rq1-mask"),
    algorithms=NOTHING_RUN,
    parts=(
        at_most("magnitude", mean_magnitude, mean_meerkat),
        at_most("magnitude, each", acc_magnitude, acc_meerkat),
        at_most("task", mean_task, mean_meerkat),
        at_most("task, each", acc_task, acc_meerkat),
    ),
    readings=(
        Reading(
            "better than by weight magnitude and no worse than by task gradients, averaged over "
            "models, data and T", parts=("magnitude", "task"),
        ),
        Reading("better than by weight magnitude in every row of Table 1, \"consistently\"",
                parts=("magnitude, each",)),
        Reading("no worse than by task gradients in every row of Tables 12 and 13, harsh",
                parts=("task, each",)),
    ),
)  # fmt: skip
EARLY_STOPPING = Claim(
    entry("meerkat/rq3"),
    algorithms=NOTHING_RUN,
    parts=(at_most("average", acc_meerkat, acc_vp),),
    readings=(Reading("on average, in every row of Table 6", parts=("average",)),),
)

CLAIMS = (SAME_STEPS, ONE_STEP, DENSITY, MASKS, EARLY_STOPPING)
