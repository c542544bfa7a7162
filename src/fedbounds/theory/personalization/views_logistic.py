"""What is seen of runs on logistic losses: as of other runs, but gradients are of minibatches."""

from dataclasses import replace

from sympy import Integer, Symbol

from fedbounds.theory.language.setups import Says, View

from . import views_fedavg, views_scaffold

OF = "logistic losses, "
_ABOVE = Says(Symbol("f_inf"), "<=", Integer(0))  # no loss is negative, whatever F_0 is said to be


def _sampled(view: View, algorithm: str) -> View:
    """The same on minibatches, every one of which is listed."""
    shown = replace(view.shown, draws={"S": view.shown.draws["S"], "xi": ("batch",)})
    told = view.told.replace("quadratics", "logistic losses")
    other = replace(view, told=told, algorithm=algorithm, shown=shown)
    return replace(other, requires=(_ABOVE,), moments=False)


VIEWS = {
    f"{OF}rounds": _sampled(views_fedavg.ROUNDS, "personal_averaging.SAMPLED"),
    f"{OF}Scaffold-P, rounds": _sampled(views_scaffold.ROUNDS, "personal_scaffold.SAMPLED"),
}
