"""Who contends: both algorithms, with the theorems that promise their rounds."""

from dataclasses import replace

from fedbounds.theory.language.contenders import Contender
from fedbounds.theory.language.setups import View
from fedbounds.theory.language.symbols import K, eta_u, eta_v, gamma, m

from . import views_ladders

PARAMETERS = {
    **{"cohort": m, "K": K, "gamma_u": gamma / eta_u, "gamma_v": gamma / eta_v},
    **{"eta_u": eta_u, "eta_v": eta_v},
}


def _contender(name: str, claim: str, module: str) -> Contender:
    view: View = views_ladders.VIEWS[f"{name}, where runs settle"]
    shown = replace(view.shown, draws={"S": view.shown.draws["S"], "xi": ("batch",)})
    return Contender(
        name,
        f"personalization/{claim}",
        gamma,
        view,
        replace(view, algorithm=f"{module}.BATCHES", shown=shown),
        PARAMETERS,
        "outer steps at the theorems' smallest: eta_u = sqrt(m), eta_v = sqrt(n/m)",
    )


CONTENDERS = (
    _contender("FedAvg-P", "thm-3.7", "personal_averaging"),
    _contender("Scaffold-P", "thm-4.5", "personal_scaffold"),
)
