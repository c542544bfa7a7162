"""Objectives whose constants are known. Arrays; no algorithm."""

from .arrays import to_float, to_namespace, to_rational
from .cohort import Cohort, cohort_of, everyone
from .constants import Constants, ConstantValue, Evidence
from .coupled_cosine import CoupledCosine
from .families import coupled_cosine, federated_quadratic
from .logistic import FederatedLogistic
from .logistic_data import digits_logistic, federated_logistic
from .noise import SILENT, Noise, NoiseLaw
from .problem import Problem, Start
from .quadratic import FederatedQuadratic
from .vectors import ClientVectors

__all__ = [
    "SILENT",
    "ClientVectors",
    "Cohort",
    "ConstantValue",
    "Constants",
    "CoupledCosine",
    "Evidence",
    "FederatedLogistic",
    "FederatedQuadratic",
    "Noise",
    "NoiseLaw",
    "Problem",
    "Start",
    "cohort_of",
    "coupled_cosine",
    "digits_logistic",
    "everyone",
    "federated_logistic",
    "federated_quadratic",
    "to_float",
    "to_namespace",
    "to_rational",
]
