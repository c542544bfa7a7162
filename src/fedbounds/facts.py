"""What a problem can say of itself: the facts that claims assume, and the constants it computes.

A value is the word that is printed, stored in records and typed by users. What else a claim assumes
is a name of its own theory, decided where that theory says how.
"""

from enum import StrEnum


class Fact(StrEnum):
    """Assumptions that problems answer."""

    SMOOTH = "smooth"  # block-Lipschitz gradients
    NOISE = "unbiased noise of bounded variance"
    DISSIMILARITY = "bounded gradient dissimilarity"
    BOUNDED_BELOW = "bounded below"
    BOUNDED_GRADIENTS = "bounded gradients"  # of the shared block, on average over clients
    GLOBAL_GRADIENT_EVERYWHERE = "bounded global gradient on all of R^d"
    CONVEX = "convex clients"
    STRONGLY_CONVEX = "strongly convex clients"
    PL = "Polyak-Lojasiewicz"  # of the global objective, not of its clients
    QUADRATIC = "quadratic clients"
    SHARED_MINIMISER = "clients that share their minimiser"
    UNCONSTRAINED = "no constraint"  # the domain is R^d
    # of the noise of gradients
    UNBIASED = "unbiased noise"
    BOUNDED_VARIANCE = "noise of bounded variance"
    INDEPENDENT = "noise independent over clients"
    NOISY = "stochastic gradients"
    NOISELESS = "full gradients"
    # of the loss of every single sample
    SMOOTH_SAMPLES = "smooth samples"
    CONVEX_SAMPLES = "convex samples"
    STRONGLY_CONVEX_SAMPLES = "strongly convex samples"


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
