"""The paper's assumptions."""

from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import Reading
from fedbounds.theory.language.setting import AssumptionClaim

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

CLAIMS = (B_1, B_2, B_3, B_4, B_5, B_6)
