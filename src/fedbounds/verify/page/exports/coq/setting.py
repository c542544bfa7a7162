"""What the lemmas of one book are written with."""

from collections.abc import Mapping
from dataclasses import dataclass

from fedbounds.theory.checker.data import Statement, Theory

from .statements import own_variables


@dataclass(frozen=True)
class Setting:
    """What lemmas of one book are written with.

    Attributes
    ----------
    theory : Theory
    earlier : dict from id to statement
    names : dict from id to the name of its proposition
    """

    theory: Theory
    earlier: Mapping[str, Statement]
    names: Mapping[str, str]


def applied(setting: Setting, step: str, theory: Theory) -> str:
    """A step's proposition, of its variables."""
    found = own_variables(theory, setting.earlier[step])
    return f"{setting.names[step]} {found.arguments(theory)}".strip()
