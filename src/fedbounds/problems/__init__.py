"""Objectives whose constants are known. Arrays; no algorithm."""

from .arrays import to_float, to_namespace, to_rational
from .cohort import Cohort, cohort_of, everyone
from .constants import Constants, ConstantValue, Evidence
from .coupled_cosine import CoupledCosine
from .domain import Ball, Box
from .factor_pairs import FactorPairs
from .families import coupled_cosine, federated_quadratic
from .least_squares import rank_deficient_least_squares
from .logistic import FederatedLogistic
from .logistic_data import digits_logistic, federated_logistic
from .low_rank import LowRank
from .masked_laws import Bernoulli, Rolling
from .noise import SILENT, Noise, NoiseLaw
from .pl_composed import ComposedBowls
from .problem import Problem, Start
from .quadratic import FederatedQuadratic
from .ridge_logistic import RidgeLogistic
from .sampled_regression import SampledRegression
from .sine import SineBowls, sine_bowls
from .softmax import Softmax, pretraining, softmax_clients
from .strongly_convex import ConvexCohort, strongly_convex_cohort

__all__ = [
    "SILENT",
    "Ball",
    "Bernoulli",
    "Box",
    "Cohort",
    "ComposedBowls",
    "ConstantValue",
    "Constants",
    "ConvexCohort",
    "CoupledCosine",
    "Evidence",
    "FactorPairs",
    "FederatedLogistic",
    "FederatedQuadratic",
    "LowRank",
    "Noise",
    "NoiseLaw",
    "Problem",
    "RidgeLogistic",
    "Rolling",
    "SampledRegression",
    "SineBowls",
    "Softmax",
    "Start",
    "cohort_of",
    "coupled_cosine",
    "digits_logistic",
    "everyone",
    "federated_logistic",
    "federated_quadratic",
    "pretraining",
    "rank_deficient_least_squares",
    "sine_bowls",
    "softmax_clients",
    "strongly_convex_cohort",
    "to_float",
    "to_namespace",
    "to_rational",
]
