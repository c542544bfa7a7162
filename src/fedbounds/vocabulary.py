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
    OURS = "ours"  # what is true instead of a printed claim, or sharper than it


class Relation(StrEnum):
    """How a statement relates its two sides."""

    AT_MOST = "<="
    EQUAL = "=="
    BELOW = "<"


BROKEN = {"<=": ">", "==": "!=", "<": ">="}  # how sides stand that break a relation
SIGNS = {"<=": r"\le", ">=": r"\ge", "==": "=", "<": "<", ">": ">"}  # of relations, in LaTeX


class Index(StrEnum):
    """What a statement is quantified over."""

    RUN = "per run"
    ROUND = "per round t"
    CLIENT = "per round t and client i"
    STEP = "per round t, client i and local step k"
    RUNG = "per rung of a ladder"  # of instances that differ in one parameter
    POINT = "per choice of parameters"  # nothing is run
    START = "per problem with random starts"  # a probability over these; nothing is run


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


class Method(StrEnum):
    """How quantities were measured."""

    RATIONAL = "exact rationals"
    MOMENTS = "exact moments"  # float64, one linear recursion, no sampling
    ENUMERATION = "enumeration"  # every outcome of the randomness, float64
    BALLS = "exact balls"  # every outcome, in balls that contain the numbers
    CONFIDENCE = "confidence bound"  # of a probability, by independent events that are counted
    SAMPLING = "sampling"
    EXPONENTS = "exact exponents"  # of bounds along rays of parameters
    CONSTANTS = "constants of the family"
    DESCRIPTION = "the paper's description"


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
    CONDITIONAL = "proved from givens"
    GAP = "gap"
    CONTRADICTORY = "contradictory premises"
    OPEN = "open"


class Severity(StrEnum):
    """What the weakest proved correction changes, least first."""

    TYPO = "typo"  # the relation
    CONSTANT = "constant"
    CONDITION = "condition"
    RATE = "rate"


class Standing(StrEnum):
    """The word printed for a claim; computed from the two axes, never written down."""

    CONFIRMED = "confirmed"
    CONFIRMED_BY_SOLVER = "confirmed*"
    PROVED_OTHERWISE = "proved otherwise"
    CONDITIONAL = "proved from givens"  # something is supposed, and named
    GAP = "gap"
    TESTED = "tested"
    REFUTED = "refuted"
    UNSATISFIABLE = "unsatisfiable"
    OPEN = "open"
    CONFLICT = "conflict"
    # of an assumption, and of an experiment
    SATISFIABLE = "satisfiable"
    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    NOT_REPRODUCIBLE = "not reproducible as stated"
