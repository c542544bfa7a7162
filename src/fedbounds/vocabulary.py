"""The names every part of fedbounds shares. Enumerations only: no SymPy, no NumPy.

A member's value is the word that is printed, stored in records and typed by users.
"""

from enum import StrEnum

from .facts import Constant as Constant
from .facts import Fact


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


class Index(StrEnum):
    """What a statement is quantified over."""

    RUN = "per run"
    ROUND = "per round t"
    CLIENT = "per round t and client i"
    STEP = "per round t, client i and local step k"
    RUNG = "per rung of a ladder"  # of instances that differ in one parameter
    POINT = "per choice of parameters"  # nothing is run


Assumption = Fact  # until the engines that ask for it here are gone


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
    STEP_U = "Du_2"  # E || u^{t+1} - u^t ||^2
    STEP_V = "Dv_2"  # client mean of E || v_i^{t+1} - v_i^t ||^2
    SLOPE_U = "X_u"  # E <grad_u f, Delta u>
    SLOPE_V = "X_v"  # client mean of E <grad_v f_i, Delta v_i>
    MEAN_STEP_U = "M_u"  # E || E(Delta u | past) ||^2
    MEAN_STEP_V = "M_v"  # client mean of E || E(Delta v_i | past) ||^2
    PARTICIPANTS_U = "P_u"  # E || (gamma/m) sum of participants' noise-free u-gradients ||^2
    FOLLOWED_U = "I_u"  # E || g_u ||^2, g_u the increment that the participants' gradients make
    FOLLOWED_V = "I_v"
    FOLLOWED_STEP_U = "J_u"  # E <g_u, Delta u>
    FOLLOWED_STEP_V = "J_v"
    NOISE_SUM = "Y_sum"  # E || sum over participants and steps of the u-noise ||^2
    NOISE_SQUARES = "Y_2"  # sum over i, k of E || Y_{i,k} ||^2
    S_3U = "S_3u"
    LAG = "C"  # distance of the last participation's iterates, summed over i, k
    CONTROL_ERROR = "cd_2"  # E || c - d ||^2
    OWN_CONTROLS = "W_own"  # E || sum_{i,k} 1_{i in S} (c_i - d_i) ||^2
    MEAN_CONTROLS = "W_mean"  # E || sum_{i,k} 1_{i in S} (c - d) ||^2
    PAST_NOISE = "W_2"  # sum_{i,k} E || W_{i,k} ||^2
    PAST_NOISE_ALL = "What_2"  # sum_{i,k} E || What_{i,k} ||^2
    PAST_NOISE_SUM = "What_sum"  # E || sum_{i,k} What_{i,k} ||^2
    CONTROL = "c_2"  # E || c ||^2
    CONTROL_MEAN = "cbar_2"  # E || (1/n) sum_i c_i ||^2
    CONTROL_BOTH = "ccbar"  # E <c, (1/n) sum_i c_i>
    GRADIENT_UI = "g_ui"  # E || grad_u f_i ||^2
    GRADIENT_VI = "g_vi"  # E || grad_v f_i ||^2
    MEAN_STEP_VI = "M_vi"  # E || E(Delta v_i | past) ||^2
    STEP_VI = "Dv_i"  # E || Delta v_i ||^2
    SUM_VI = "s_vi"  # E || sum_k grad_v f_i at the virtual iterates ||^2
    CONTROL_ERROR_I = "cd_i"  # E || c_i - d_i ||^2
    LAG_I = "C_i"  # sum_k C_{i,k}
    CONTROL_I = "c_i2"  # E || c_i ||^2
    PAST_GRADIENT_I = "h_i2"  # E || mean stochastic u-gradient of i's last participation ||^2
    CONTROL_PAST_I = "ch_i"  # E <c_i, that mean>
    DRIFT_IK = "E_ik"
    DRIFT_U_IK = "Eu_ik"  # E || u_{i,k} - u ||^2
    DRIFT_V_IK = "Ev_ik"
    NOISE_IK = "Y_ik"  # E || Y_{i,k} ||^2
    LAG_U_IK = "A_ik"  # E || alpha_{i,k}^{t-1} - u^t ||^2
    LAG_V_IK = "Bt_ik"  # E || beta_{i,k}^{t-1} - v_i^t ||^2
    OLD_LAG_U_IK = "A_old"  # E || alpha_{i,k}^{t-2} - u^t ||^2, t >= 1
    OLD_LAG_V_IK = "Bt_old"
    NEW_LAG_U_IK = "A_new"  # E || alpha_{i,k}^t - u^t ||^2
    NEW_LAG_V_IK = "Bt_new"
    RETURN_U_IK = "U_ik"  # E || u_{i,k}^{t-1} - u^t ||^2, t >= 1
    RETURN_V_IK = "V_ik"
    PLATEAU = "P"  # what G_u + (m/n) G_v tends to
    PLATEAU_U = "P_G_u"  # what G_u tends to
    PLATEAU_SUM = "P_sum"  # what G_u + G_v tends to
    RATE = "rho"  # factor per round at which the second moments approach their limit


class Method(StrEnum):
    """How quantities were measured."""

    RATIONAL = "exact rationals"
    MOMENTS = "exact moments"  # float64, one linear recursion, no sampling
    ENUMERATION = "enumeration"  # every outcome of the randomness, float64
    BALLS = "exact balls"  # every outcome, in balls that contain the numbers
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
