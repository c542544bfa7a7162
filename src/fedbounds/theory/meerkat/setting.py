"""The paper's assumptions, and what its experiments leave unsaid.

The experiments fine-tune language models of one to three thousand million parameters.
"""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.setting import AssumptionClaim, Experiment

from . import assumed

_SAMPLES = Reading("of the gradients of samples, as printed")
_CLIENTS = Reading("of the gradients of clients, as the proof of (10) uses it")

B_1 = AssumptionClaim(entry("meerkat/B.1"), Fact.SMOOTH)
B_2 = AssumptionClaim(entry("meerkat/B.2"), Fact.PL)
B_3 = AssumptionClaim(entry("meerkat/B.3"), assumed.HETEROGENEITY)
B_4 = AssumptionClaim(entry("meerkat/B.4"), Fact.NOISE)
B_5 = AssumptionClaim(entry("meerkat/B.5"), assumed.OPTIMA)
B_6 = AssumptionClaim(
    entry("meerkat/B.6"),
    assumed.SPARSE_SAMPLES,
    (_SAMPLES, _CLIENTS),
    ((_CLIENTS.name, assumed.SPARSE),),
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
GRADIP = Experiment(entry("meerkat/gradip-phenomenon"), _STATED, _UNSTATED)
RQ_2 = Experiment(
    entry("meerkat/rq2"), _STATED, (*_UNSTATED, "what tells trajectories apart: no test is named")
)

CLAIMS = (B_1, B_2, B_3, B_4, B_5, B_6, GRADIP, RQ_2)
