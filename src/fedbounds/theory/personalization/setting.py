"""The paper's assumptions, and what its experiment leaves unsaid."""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.setting import AssumptionClaim, Experiment

ASSUMPTION_21 = AssumptionClaim(entry("personalization/asm-2.1"), Fact.SMOOTH)
# printed: "each xi_i is independent of each other for any i"; the proofs' conditional expectations
# need samples that are independent over k and t too, as our problems' are
ASSUMPTION_22 = AssumptionClaim(
    entry("personalization/asm-2.2"),
    Fact.NOISE,
    (
        Reading("as printed: samples independent over clients"),
        Reading("as the proofs use it: independent over local steps and rounds too"),
    ),
)
ASSUMPTION_23 = AssumptionClaim(entry("personalization/asm-2.3"), Fact.DISSIMILARITY)
ASSUMPTION_BG = AssumptionClaim(entry("personalization/asm-BG"), Fact.BOUNDED_GRADIENTS)

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
