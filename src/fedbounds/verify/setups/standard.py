"""What is measured of every run that is tried: the standard quantities, and those of its view."""

from collections.abc import Mapping
from typing import Any

from fedbounds.theory.language.setups import View
from fedbounds.theory.language.standard import INFIMUM, standard
from fedbounds.theory.language.symbols import n

from ..measure.answers import Asked
from ..measure.clients import Clients


def asked_of(view: View, problem: Clients, values: Mapping[str, Any]) -> Asked:
    """The standard quantities and those of the view.

    Parameters
    ----------
    values : mapping from symbol name to number
        Parameters and constants, of which definitions may speak.
    """
    infimum = problem.objective.infimum()
    own = standard(view.shown, infimum=infimum is not None, minimiser=problem.minimiser is not None)
    least = {} if infimum is None else {INFIMUM.name: infimum}
    known = {n.name: problem.clients, **values, **least}
    return Asked(view.functions, {**own, **view.quantities}, known)
