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


class Index(StrEnum):
    """What a statement is quantified over."""

    RUN = "per run"
    ROUND = "per round t"
    CLIENT = "per round t and client i"
    STEP = "per round t, client i and local step k"
    RUNG = "per rung of a ladder"  # of instances that differ in one parameter
    POINT = "per choice of parameters"  # nothing is run


class Assumption(StrEnum):
    """Assumptions on a problem; a claim names those it uses."""

    SMOOTH = "smooth"  # block-Lipschitz gradients
    NOISE = "unbiased noise of bounded variance"
    DISSIMILARITY = "bounded gradient dissimilarity"
    BOUNDED_BELOW = "bounded below"
    BOUNDED_GRADIENTS = "bounded gradients"  # of the shared block, on average over clients
    # of partial training; W* is the minimiser of the global objective
    STRONGLY_CONVEX = "strongly convex clients"
    PL = "Polyak-Lojasiewicz"  # of the global objective, not of its clients
    INDEPENDENT = "noise independent over clients"
    GLOBAL_GRADIENT = "bounded global gradient"  # at the iterates
    LOCAL_GRADIENTS = "bounded client gradients"  # at the iterates
    ALIGNED = "positive masked alignment"
    ACUTE = "angles of both gradients with W - W* below 90 degrees"
    OBTUSE = "angles of both gradients with W - W* above 90 degrees"
    EQUAL_ATTENUATION = "equal attenuation"  # alpha of all clients, as min(1, sqrt(d r)) has it
    ALIGNED_COMPENSATED = "alignment of the compensated masked gradient"
    SINGLE_STEP = "one local step per round"
    VIRTUAL = "t counts local steps, with virtual aggregation at each"
    UNBIASED = "unbiased noise"
    BOUNDED_VARIANCE = "noise of bounded variance"
    GLOBAL_GRADIENT_EVERYWHERE = "bounded global gradient on all of R^d"
    ALIGNED_EVERYWHERE = "positive masked alignment on all of R^d"
    ALIGNED_OPEN = "positive masked alignment on an open set that contains the iterates"
    # what an instance of partial training is like
    LEAVES_OUT = "a mask that leaves out a coordinate"
    FULL_MASKS = "full masks"
    EQUAL_MASKS = "equal masks"
    SHARED_MINIMISER = "clients that share their minimiser"
    OWN_MINIMISERS = "clients with minimisers of their own"
    NOISY = "stochastic gradients"
    NOISELESS = "full gradients"
    # displays, taken as given: the step size of round t is constant, 1/(z(t+1)) or 2/(z(t+2))
    RECURSION = "recursion of the squared distance"
    RECURSION_DECAYING = "recursion of the squared distance, steps 1/(z(t+1))"
    RECURSION_LONGER = "recursion of the squared distance, steps 2/(z(t+2))"
    DECAYING_STEPS = "steps 1/(z(t+1))"
    STAYS = "a mean model that stays where it starts"
    # of sub-model training; l is the loss of one sample, W the domain
    CONVEX = "convex clients"
    BOUNDED_DOMAIN = "bounded domain"
    BOUNDED_MASKED_GRADIENTS = "bounded gradients at masked points"  # m o w, w in the domain
    KEPT = "masks that keep every coordinate with the client's probability"  # E m_i = p_i 1
    BERNOULLI = "masks with independent coordinates"
    COVERAGE = "uniform coverage"  # (1/S) sum_s m_{i,s} = q_i 1
    EQUAL_KEEP = "one keep probability for all clients"
    UNEQUAL_KEEP = "keep probabilities that differ by client"
    QUADRATIC = "quadratic clients"
    UNCONSTRAINED = "no constraint"  # the domain is R^d
    EPOCH_PROJECTION = "projection once per epoch"
    WHOLE_EPOCHS = "whole epochs"  # T is a multiple of S
    CONVEX_SAMPLES = "convex samples"
    SMOOTH_SAMPLES = "smooth samples"
    STRONGLY_CONVEX_SAMPLES = "strongly convex samples"
    LIPSCHITZ_SAMPLES = "Lipschitz samples"  # |l(w; z) - l(w'; z)| <= G ||w - w'|| on the domain
    INDEPENDENT_SAMPLES = "independent samples"  # of one law per client
    DATA_FREE_MASKS = "masks that do not depend on the data"
    SHARED_PARTITION = "one disjoint partition for all clients, shared permutation"
    OWN_PERMUTATIONS = "one disjoint partition for all clients, one permutation per client"
    OWN_PARTITIONS = "disjoint partitions that differ by client, shared permutation"
    OVERLAPPING_WINDOWS = "overlapping windows, shared permutation"
    SHARED_ORDER = "one permutation per epoch for all clients"
    OWN_ORDERS = "one permutation per epoch and client"


class Constant(StrEnum):
    """Constants of a problem together with its starting point."""

    SMOOTHNESS = "L"
    SMOOTHNESS_U = "L_u"
    SMOOTHNESS_V = "L_v"
    SMOOTHNESS_UV = "L_uv"
    STRONG_CONVEXITY = "mu"
    PL = "mu_PL"  # ||grad F||^2 >= 2 mu_PL (F - inf F)
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
    OWN_SQUARES = "O_2"  # sum_i E || X_i ||^2
    CROSS_PRODUCTS = "N_2"  # sum_{i != j} E <X_i, X_j>
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
    # per client i
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
    # per client i and local step k
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
    # of partial training
    DISTANCE = "D_W"  # E || W^t - W* ||^2
    LATE_DISTANCE = "D_late"  # D^(K+k) of the recursion of Case 2, met with equality
    VIRTUAL_DISTANCE = "D_1"  # E || W^t + Delta^t - W* ||^2 after one virtual step
    STEP_NOISE = "A_1"  # E || Delta - mean Delta ||^2
    NOISELESS_DISTANCE = "A_2"  # E || W - W* + mean Delta ||^2
    STEP_CROSS = "A_3"  # twice their inner product
    NOISELESS_STEP = "A_21"  # E || mean Delta ||^2
    STEP_SLOPE = "A_22"  # 2 E <W - W*, mean Delta>
    STEP_VALUES = "A_24"  # the terms of A_2 in values of F_k
    DIVERGENCE = "V_W"  # sum_k c_k E || W_k - W ||^2
    LOCAL_GAP = "F_loc"  # sum_k c_k (F_k(W_k) - F_k*)
    ATTENUATED_GAP = "F_att"  # sum_k c_k alpha_k^2 (F_k(W_k) - F_k*)
    UNWEIGHTED_GAP = "F_raw"  # sum_k alpha_k^2 (F_k(W_k) - F_k*)
    LOCAL_EXCESS = "F_opt"  # sum_k c_k (F_k(W_k) - F_k(W*))
    ALIGNED_EXCESS = "b_rho"  # sum_k c_k rho_k b_k
    OPTIMUM_GAP = "F_star"  # sum_k c_k (F_k(W*) - F_k*)
    GLOBAL_GAP = "F_glob"  # F(W) - F*
    ATTENUATED_GLOBAL_GAP = "F_gatt"  # sum_k c_k alpha_k^2 (F_k(W) - F*)
    ATTENUATED_HETEROGENEITY = "Lam_att"  # sum_k c_k alpha_k^2 (F* - F_k*)
    COORDINATE_UPDATE = "U_coord"  # one coordinate of sum_k c_k m_k U_k
    # of partial training, per client
    OWN_GAP = "F_own"  # F_k(W_k) - F_k*
    GLOBAL_GAP_K = "F_bar"  # F_k(W) - F_k*
    EXCESS_K = "b_own"  # b_k = F_k(W_k) - F_k(W*) + (mu/2) || W_k - W* ||^2
    HETEROGENEITY_K = "F_gap"  # F* - F_k*
    COSINE_GRADIENT = "cos_g"  # of the angle between grad F_k and W - W*
    COSINE_MASKED = "cos_m"  # of the angle between the masked gradient and W - W*
    SIGN_PROJECTION = "sgn_3"  # of ||m_k o g|| / ||g||
    # of sub-model training: of a point w, or of a pair x, y, of the domain, counted by t
    MASKED_SLOPE = "I_xy"  # <grad F_p(x) - grad F_p(y), x - y>
    PAIR_DISTANCE = "D_xy"  # || x - y ||^2
    PAIR_GRADIENTS = "G_xy"  # || grad F_p(x) - grad F_p(y) ||^2
    MASK_GAP = "Dl_w"  # || grad F_p(w) - grad F(w) ||^2
    MASK_GAP_PAIR = "Dl_pp"  # || grad F_p(w) - grad F_p'(w) ||^2
    MISSED_GRADIENTS = "G_miss"  # (1/N) sum_i (1 - p_i) || grad f_i(w) ||
    POINT_NORM = "w_2"  # || w ||^2
    POINT_ABSOLUTE = "w_1"  # || w ||_1
    MASKED_GRADIENT_MAX = "G_w2"  # largest || grad f_i(m o w) ||^2 over clients and masks
    QUADRATIC_ERROR = "Eq_2"  # mean over i of || grad F_i - closed form ||^2
    QUADRATIC_SIZE = "Sq_2"  # mean over i of || grad F_i ||^2
    STATIONARY_ERROR = "Es_2"  # of the identity between grad F and grad F_p of quadratics
    GRADIENT_FULL = "g_F"  # E || grad F(w) ||^2
    GRADIENT_MASKED = "g_Fp"  # E || grad F_p(w) ||^2
    LOSS_HAT = "L_hat"  # E F(w^) - F(w*), w^ one projected step from w
    LOSS_FULL = "L_F"  # E F(w) - F(w*)
    LOSS_MASKED = "L_Fp"  # E F_p(w) - inf F_p
    DISTANCE_FULL = "D_full"  # E || w - w* ||^2
    # of sub-model training: of a round, or of an epoch of rolling masks
    DISTANCE_MASKED = "D_opt"  # E || w^r - w*(p) ||^2
    MASKED_DRIFT = "V_bar"  # sum_k (1/N) sum_i E || y_{i,k} - x ||^2
    MASKED_GRADIENTS = "H_x"  # (1/N) sum_i E || grad h_i(x) ||^2
    BREGMAN = "D_br"  # E of the Bregman gap of F_p at w*(p)
    DISSIMILARITY_AT = "B2_x"  # (1/N) sum_i E || grad F_i(x) - grad F_p(x) ||^2
    MASK_VARIANCE_AT = "nu2_x"  # (1/N) sum_i E || grad h_i(x) - grad F_i(x) ||^2
    LOCAL_ERROR = "Ev_2"  # masked local iterates against m o y
    LOCAL_SIZE = "Sv_2"
    AVERAGE_ERROR = "Ea_2"  # server's average against the mean of the y_i^K
    AVERAGE_SIZE = "Sa_2"
    RECOVER_ERROR = "Er_2"  # against local SGD
    RECOVER_SIZE = "Sr_2"
    SLOPE_MASKED = "X_U"  # E <x - x*, U>, U the sum of all averaged gradients less that of x*
    STEP_MASKED = "U_2"  # E || U ||^2
    SCALED_EXCESS = "Z_ex"  # (D_opt - floor) / contraction^t
    DISSIMILARITY_ROLLING_AT = "B_M2_x"  # (1/NS) sum || grad h_is(x) - grad F_M(x) ||^2
    RECURSION_ERROR = "Rc_2"  # sum_s E || w_{s+1} less what Lemma 9 says ||^2
    RECURSION_SIZE = "Rs_2"  # sum_s E || w_{s+1} - x ||^2
    HESSIAN_SQUARE = "Hz_2"  # sum_s E || H_s (w_s - x) ||^2
    HESSIAN_FORM = "Hz_x"  # sum_s E <H_s (w_s - x), w_s - x>
    UNROLLED_ERROR = "Un_2"  # E || w_S less what Lemma 10 says ||^2
    UNROLLED_SIZE = "Us_2"  # E || w_S - x ||^2
    WEIGHTED_SUM = "A_sum"  # || sum_s A_s alpha_pi(s) ||, per permutation
    WHOLE_SUM = "A_all"  # || sum_s alpha_pi(s) ||
    PARTIAL_SUMS = "A_part"  # sum_s || sum_{t<s} alpha_pi(t) ||
    WEIGHT_CHANGES = "A_diff"  # || sum_s (A_{s+1} - A_s) sum_{t<=s} alpha_pi(t) ||
    # of draws without replacement
    DRAWN_SUM = "Dr_2"  # E || sum of the drawn - m mean ||^2
    OUTLYING = "P_out"  # probability that their mean is far off
    # of sub-model training: of coupled runs after t rounds
    RUN_DISTANCE = "dl_w"  # E || w^r - w'^r ||
    RUN_DISTANCE_MEAN = "dl_mean"  # its mean over changed samples
    SAMPLE_GRADIENTS = "G_pair"  # of the changed sample, summed over the steps of a round
    STABILITY = "st_max"  # largest over i, j of the stability of Definition 4
    STABILITY_MEAN = "st_mean"
    GENERALIZATION = "gen"  # E [F_pop - F_S] at the output
    EXCESS_RISK = "ex_w"  # E F_pop(w^r) - E min F_S
    EXCESS_RISK_HAT = "ex_hat"
    # of sub-model training: of two algorithms side by side
    ROLLING_DISTANCE = "D_roll"
    RANDOM_DISTANCE = "D_rand"
    ROLLING_LOSS = "L_roll"
    RANDOM_LOSS = "L_rand"
    STATIC_LOSS = "L_stat"
    UNHELD_ERROR = "Eu_2"  # coordinates that nobody holds against their start
    UNHELD_SIZE = "Su_2"
    GAP_RANDOM = "tg_rand"  # E [F_test - F_train]
    GAP_SCALED = "tg_scaled"  # the same at p w
    GAP_FULL = "tg_full"
    # of sub-model training: of a rung
    RESIDUAL = "R_p"  # F(w*(p)) - F(w*)
    MISSING_SHARE = "q_miss"  # 1 - p
    DISSIMILARITY_POINT = "B2_fix"
    DISSIMILARITY_SUP = "B2_sup"
    SAMPLING_VARIANCE = "vr_s"
    MASK_VARIANCE = "vr_m"
    ALL_VARIANCE = "vr_all"
    LOCAL_STEPS = "K_r"
    LEADING_ERROR = "G_lead"
    RUNG_DISTANCE = "D_r"  # E || w^R - w*(p) ||^2
    RUNG_RATE = "ln2_r"  # (ln R)^2 / R
    RUNG_AWAY = "A_r"  # | E F(w^R) - F(w*(p)) |
    RUNG_LOSS = "F_r"  # E F(w^R) - F(w*)
    RUNG_ROUNDS = "R_r"
    CAPACITY_LOSS = "L_r"
    CAPACITY_LOSS_LIMIT = "L_lim"
    RUNG_RUN_DISTANCE = "dl_r"
    RUNG_RUN_DISTANCE_LIMIT = "dl_lim"
    # of a rung
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
