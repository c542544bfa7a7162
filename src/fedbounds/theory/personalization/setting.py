"""The paper's assumptions, and what its experiment leaves unsaid."""

from fedbounds.theory.catalogue import entry
from fedbounds.theory.setting import AssumptionClaim, Experiment
from fedbounds.vocabulary import Assumption

ASSUMPTION_21 = AssumptionClaim(entry("personalization/asm-2.1"), Assumption.SMOOTH)
ASSUMPTION_22 = AssumptionClaim(entry("personalization/asm-2.2"), Assumption.NOISE)
ASSUMPTION_23 = AssumptionClaim(entry("personalization/asm-2.3"), Assumption.DISSIMILARITY)
ASSUMPTION_BG = AssumptionClaim(entry("personalization/asm-BG"), Assumption.BOUNDED_GRADIENTS)

# section 5 states n = 10, gamma = 0.001, m = 9 and K = 25; the rest is open
EXPERIMENT = Experiment(
    entry("personalization/exp-setup"),
    stated=("n = 10 groups of MNIST", "gamma = 0.001", "m = 9", "K = 25"),
    unstated=(
        "weight rho of the regulariser",
        "dimensions d_u and d_v of the two blocks",
        "samples N per client",
        "rounds T",
        "outer step sizes eta_u and eta_v",
        "how ten digits become binary labels",
        "how the data are divided into groups",
        "how stochastic gradients are drawn",
        "which gradient norm is plotted",
    ),
)

CLAIMS = (ASSUMPTION_21, ASSUMPTION_22, ASSUMPTION_23, ASSUMPTION_BG, EXPERIMENT)
