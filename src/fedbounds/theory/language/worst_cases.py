"""Of which runs the worst case over all functions is asked: plain data of a theory."""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class WorstCases:
    """Runs without noise whose iterates are combinations of gradients, with known factors.

    Attributes
    ----------
    runs : str
        What claims call the algorithm.
    view : str
        In which they are measured, and their quantities defined.
    parameters : mapping from the algorithm's parameters to formulas
        In n, m, K, gamma, eta_u and eta_v.
    """

    runs: str
    view: str
    parameters: Mapping[str, sp.Expr]
