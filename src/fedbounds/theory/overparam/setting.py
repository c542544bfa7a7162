"""What the paper's experiments leave unsaid; networks are 500 wide, on FMNIST and MNIST.

They are not repeated. That the mean loss falls as more clients take part is looked at where clients
are drawn uniformly and means are exact, on small data.
"""

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Claim, Reading
from fedbounds.theory.language.setting import Experiment

from .names import MORE_CLIENTS
from .rates import MEAN_LOSS

_STATED = (
    "FMNIST and MNIST, three classes a client; depth 3 or two-layer ReLU, width 500",
    "step size 0.0005, K of 5, 10 and 15, N of 20, 40 and 80, |S|/N of 0.1, 0.5 and 1; 5 trials",
)
_UNSTATED = (
    "number of rounds T",
    "labels and outputs of the networks, and which samples each client has",
    "whether S_t is drawn anew in each round, and without replacement",
    "seeds of data, starts and clients",
)
SETTINGS = Experiment(entry("overparam/exp-settings"), _STATED, _UNSTATED)
FASTER = Claim(
    entry("overparam/exp-1"),
    algorithms=MORE_CLIENTS,
    experiment=Experiment(
        entry("overparam/exp-1"), _STATED, _UNSTATED, (Reading("the experiments themselves"),)
    ),
    parts=(MEAN_LOSS,),
    readings=(
        Reading("one layer, clients drawn uniformly: the mean loss is no larger with more of them",
                parts=(MEAN_LOSS.name,)),
    ),
)  # fmt: skip
AGREES = Experiment(
    entry("overparam/exp-2"), _STATED,
    (*_UNSTATED, "of which of its factors the agreement is, and how it is told"),
)  # fmt: skip

CLAIMS = (SETTINGS, FASTER, AGREES)
