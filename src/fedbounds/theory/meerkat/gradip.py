"""What the text says of GradIP in its experiments, on problems whose constants are known.

The experiments fine-tune language models of one to three thousand million parameters: they are not
repeated here. Of their words, "decays to zero" is that E GradIP^2 does, at the step size of Theorem
B.9; a client of one label is one whose samples have one gradient; and "near zero" is a share of
order 1/u of what the norms allow.
"""

import sympy as sp

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Part, Reading
from fedbounds.theory.language.setting import Experiment
from fedbounds.theory.language.symbols import t
from fedbounds.vocabulary import Index, Relation

from .local import WITHOUT_VARIANCE, limit
from .names import FEWER_LABELS, SCORED, SURE_MODEL
from .symbols import (
    GradIP_2,
    est_one,
    falls_1,
    falls_2,
    lim_est2,
    lim_GradIP2,
    lim_mean2,
    noise_m2,
    pre_2,
    pre_m2,
    u,
)

_STATED = (
    "models LLaMA-3.2-1B, Qwen2-1.5b and Gemma2-2b",
    "10 clients, batches of 16",
    "density 0.5% and 100 local steps",
)
_UNSTATED = (
    "step size of each run, in a range that is printed, and epsilon",
    "which samples of C4 give the pre-training gradient, and how many",
    "which client is shown of several",
    "seeds of directions and of data",
)
_REPORTED = (Reading("the experiments themselves"),)


def _of_step(name: str, left: sp.Expr, right: sp.Expr, trivial: sp.Expr | None = None) -> Part:
    return Part(name=name, left=left, right=right, algorithm=SCORED[0], trivial=trivial)


_KEPT = pre_m2 * noise_m2  # what GradIP keeps of variance at a minimiser
_DECAYS = limit("decays", lim_GradIP2, sp.Integer(0), Relation.EQUAL, WITHOUT_VARIANCE)
_STAYS = limit("stays", _KEPT, lim_GradIP2, Relation.AT_MOST)


def _sharper(name: str, fall: sp.FunctionClass, algorithm: str) -> Part:
    """From rung to rung the rarer label has a smaller share."""
    return Part(name=name, left=fall(t), right=fall(t + 1), index=Index.RUNG, algorithm=algorithm)


_SHARP = (
    _sharper("sharper", falls_2, FEWER_LABELS[0]),
    _sharper("sharper, signed", falls_1, FEWER_LABELS[0]),
    _sharper("sharper, sure", falls_2, SURE_MODEL[0]),
)
PHENOMENON = Claim(
    entry("meerkat/gradip-phenomenon"),
    algorithms=(*SCORED, *FEWER_LABELS, *SURE_MODEL),
    experiment=Experiment(entry("meerkat/gradip-phenomenon"), _STATED, _UNSTATED, _REPORTED),
    parts=(
        _DECAYS,
        _STAYS,
        _of_step("cosine", GradIP_2(t), 3 * pre_2 * est_one(t) / (u + 2), pre_2 * est_one(t)),
        _of_step("mirrors, below", pre_m2 * est_one(t), (u + 2) * GradIP_2(t)),
        _of_step("mirrors, above", (u + 2) * GradIP_2(t), 3 * pre_m2 * est_one(t)),
        Part(
            name="mirrors exactly",
            left=GradIP_2(t) * est_one(0),
            right=GradIP_2(0) * est_one(t),
            relation=Relation.EQUAL,
            algorithm=SCORED[0],
        ),
        limit("norm", lim_est2, sp.Integer(0), Relation.EQUAL, WITHOUT_VARIANCE),
        limit("norm of all", lim_est2, sp.Integer(0), Relation.EQUAL),
        *_SHARP,
    ),
    readings=(
        Reading("GradIP of a single-label client decays to zero", parts=("decays",)),
        Reading(
            "GradIP of an IID client fluctuates persistently: its square keeps what the variance "
            "of samples gives it",
            parts=("stays",),
        ),
        Reading(
            "the cosine stays near zero in both: the mean square is at most 3/(u+2) of what the "
            "norms allow",
            parts=("cosine",),
        ),
        Reading(
            "the norm of the estimate mirrors GradIP: mean squares are within a factor 3",
            parts=("mirrors, below", "mirrors, above"),
        ),
        Reading("the norm mirrors GradIP, in one proportion for all steps, harsh",
                parts=("mirrors exactly",)),
        Reading("the norm decays under Non-IID, as Section 3.2 has it", parts=("norm",)),
        Reading("the norm decays under Non-IID and IID, as the caption of Figure 8 has it",
                parts=("norm of all",)),
        Reading("early over late squares: the fall grows with imbalance", parts=("sharper",)),
        Reading("early over late means of signed GradIP: the fall grows with imbalance",
                parts=("sharper, signed",)),
        Reading("the fall grows with imbalance where the model is sure of the usual label, harsh",
                parts=("sharper, sure",)),
    ),
)  # fmt: skip
TOLD_APART = Claim(
    entry("meerkat/rq2"),
    algorithms=(*SCORED, *FEWER_LABELS),
    experiment=Experiment(
        entry("meerkat/rq2"),
        _STATED,
        (*_UNSTATED, "what tells trajectories apart: no test is named"),
        _REPORTED,
    ),
    parts=(
        _DECAYS,
        _STAYS,
        limit("means", _KEPT, lim_mean2, Relation.AT_MOST),
        _SHARP[0],
    ),
    readings=(
        Reading(
            "by squares: they tend to 0 without variance of samples, and do not with it",
            parts=("decays", "stays"),
        ),
        Reading(
            "by means of signed GradIP, of which Algorithm 1 takes a quotient: with variance they "
            "do not tend to 0",
            parts=("means",),
        ),
        Reading("the more so the larger the imbalance", parts=("sharper",)),
    ),
)

CLAIMS = (PHENOMENON, TOLD_APART)
