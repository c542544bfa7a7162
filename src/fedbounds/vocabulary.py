"""The names every part of fedbounds shares. Enumerations only: no SymPy, no NumPy.

A member's value is the word that is printed, stored in records and typed by users.
"""

from enum import StrEnum


class Kind(StrEnum):
    """What sort of claim it is; fixes which verdicts it may get."""

    DEFINITION = "definition"  # listed, never judged
    ASSUMPTION = "assumption"  # satisfied by these families, or unsatisfiable
    IDENTITY = "identity"  # left = right
    INEQUALITY = "inequality"  # left <= right: lemma, display, theorem, corollary
    EQUIVALENCE = "equivalence"  # algorithm A reduces to algorithm B, on equal draws
    SCALING = "scaling"  # how a measured number depends on a parameter
    ORDERING = "ordering"  # which of two measured numbers is larger
    COMPARISON = "comparison"  # bound against bound
    FEASIBLE = "feasible"  # conditions and assumptions can hold together
    EXPERIMENT = "experiment"  # a figure or set-up to reproduce


class Source(StrEnum):
    """How far the text we judge is the authors' own."""

    VERBATIM = "verbatim"
    RESTORED = "restored"  # damaged in the text we have; restored by us from context
    RECONSTRUCTED = "reconstructed"  # missing; a verdict on it says nothing about its authors


class Relation(StrEnum):
    """How a statement relates its two sides."""

    AT_MOST = "<="
    EQUAL = "=="


class Index(StrEnum):
    """What a statement is quantified over."""

    RUN = "per run"
    ROUND = "per round t"


class Assumption(StrEnum):
    """Assumptions on a problem; a claim names those it uses."""

    SMOOTH = "smooth"  # block-Lipschitz gradients
    NOISE = "unbiased noise of bounded variance"
    DISSIMILARITY = "bounded gradient dissimilarity"
    BOUNDED_BELOW = "bounded below"


class Constant(StrEnum):
    """Constants of a problem together with its starting point."""

    SMOOTHNESS = "L"
    SMOOTHNESS_U = "L_u"
    SMOOTHNESS_V = "L_v"
    SMOOTHNESS_UV = "L_uv"
    STRONG_CONVEXITY = "mu"
    VARIANCE_U = "sigma_u^2"
    VARIANCE_V = "sigma_v^2"
    DISSIMILARITY = "b^2"
    INITIAL_GAP = "F_0"
    INITIAL_GRADIENTS = "B_0"
    INITIAL_GRADIENT = "G_0"


class Provenance(StrEnum):
    """How a number was obtained. An estimate never yields a firm verdict."""

    EXACT = "exact"
    CERTIFIED = "certified"
    ESTIMATE = "estimate"


class Side(StrEnum):
    """On which side of the true constant a stated value lies."""

    BOTH = "both"  # the smallest (or largest) admissible value itself
    UPPER = "upper"
    LOWER = "lower"


class Quantity(StrEnum):
    """What is measured, one number per round. The expectation over all randomness is meant."""

    GAP = "f"  # E f(u^t, v^t) - inf f, or E f(u^t, v^t) where f is unbounded below
    GRADIENT_U = "G_u"
    GRADIENT_V = "G_v"
    T_1U = "T_1u"
    T_1V = "T_1v"
    T_2U = "T_2u"
    T_2V = "T_2v"
    T_3U = "T_3u"
    DRIFT = "E"
    GRADIENTS = "B"
    SAMPLE_MEAN = "S_2"  # E || (1/m) sum of participants' vectors ||^2
    POPULATION_MEAN = "X_2"  # E || mean of all vectors ||^2
    SPREAD = "D_2"  # sum_i E || X_i - mean ||^2


class Method(StrEnum):
    """How quantities were measured."""

    RATIONAL = "exact rationals"
    MOMENTS = "exact moments"  # float64, one linear recursion, no sampling
    ENUMERATION = "enumeration"  # every outcome of the randomness, float64
    SAMPLING = "sampling"


class Verdict(StrEnum):
    """What one instance says about one statement."""

    NOT_VIOLATED = "not violated"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
    NOT_APPLICABLE = "not applicable"
    OUTSIDE = "outside conditions"
    DIVERGED = "diverged"


class StatementStatus(StrEnum):
    """First axis of a standing: what measurement says of the statement."""

    REFUTED = "refuted"
    SURVIVED = "survived"
    UNTESTED = "untested"


class ProofStatus(StrEnum):
    """Second axis of a standing: what replay says of the paper's proof."""

    PROVED = "proved"
    PROVED_BY_SOLVER = "proved by solver"
    PROVED_OTHERWISE = "proved otherwise"
    GAP = "gap"
    CONTRADICTORY = "contradictory premises"
    OPEN = "open"


class Standing(StrEnum):
    """The word printed for a claim; computed from the two axes, never written down."""

    CONFIRMED = "confirmed"
    CONFIRMED_BY_SOLVER = "confirmed*"
    PROVED_OTHERWISE = "proved otherwise"
    GAP = "gap"
    TESTED = "tested"
    REFUTED = "refuted"
    UNSATISFIABLE = "unsatisfiable"
    OPEN = "open"
    CONFLICT = "conflict"
