"""The paper's displays around Theorem 4.5 and Corollary 4.6, typed a second time from its text."""

from math import sqrt

from scaffold_lemmas_typed import bound_v_increment, lemma_43, lemma_43_outer
from scaffold_numbers import Chain, bare, chain, hat, largest_growth, level

from fedbounds.vocabulary import Index


def drift_factor(c, _):
    return (
        c.L**2 * c.gamma / c.n
        + 72 * c.L**3 * c.K * c.gamma**2 / c.n
        + c.L**2 * c.gamma * c.m / c.n**2
        + 8 * c.L**3 * c.K * c.gamma**2 * c.m / c.n**2
    )


def simple_factor(c, _):
    return 4 * c.L**2 * c.gamma / c.n


def descent_44(factor):
    def side(c, q):
        return (
            q.f
            + (-c.K * c.gamma / 2 + 4 * c.L * c.K**2 * c.gamma**2) * hat(c, q)
            + factor(c, q) * q.E
            + 64 * c.L**3 * c.K * c.gamma**2 / (c.m * c.n) * q.C
            + 18 * c.L * c.K * c.s_u * c.gamma**2 / c.m
            + 2 * c.L * c.K * c.s_v * c.gamma**2 * c.m / c.n
        )

    return side


def average_45(measure, constant):
    return chain(
        lambda c, q: (0.5 - 6 * c.L * c.K * c.gamma) * measure(c, q),
        lambda c, q: (
            c.F_0 / (c.T * c.K * c.gamma)
            + constant * level(c) * c.L * c.gamma
            + 72 * c.L**3 * c.gamma / (c.m * c.n * c.T) * c.T * q.C
        ),
        index=Index.RUN,
    )


def average_final(measure):
    return chain(
        lambda c, q: (
            (0.5 - 6 * c.L * c.K * c.gamma - 8 * c.L * c.K * c.gamma * c.n ** (2 / 3) / c.m)
            * measure(c, q)
        ),
        lambda c, _: c.F_0 / (c.T * c.K * c.gamma) + 37 * level(c) * c.L * c.gamma,
        index=Index.RUN,
    )


THEOREMS: dict[str, tuple[Chain, ...]] = {
    "thm-4.5": (
        chain(
            hat,
            lambda c, _: 4 * c.F_0 / (c.T * c.K * c.gamma) + 148 * level(c) * c.L * c.gamma,
            index=Index.RUN,
        ),
    ),
    "eq-4.4": (
        chain(lambda _, q: q.after.f, descent_44(drift_factor), descent_44(simple_factor)),
        chain(drift_factor, simple_factor, index=Index.RUN),
    ),
    "thm-4.5-E": (
        chain(
            lambda _, q: q.E,
            lemma_43,
            lemma_43_outer,
            lambda c, q: (
                2 * c.L * c.K * c.gamma / c.m * q.C
                + c.n * c.K**2 * c.gamma / (2 * c.L) * hat(c, q)
                + 3 * c.n * c.K * c.gamma / (4 * c.L) * level(c)
            ),
        ),
    ),
    "thm-4.5-desc": (
        chain(
            lambda _, q: q.after.f,
            lambda c, q: (
                q.f
                + (-c.K * c.gamma / 2 + 6 * c.L * c.K**2 * c.gamma**2) * hat(c, q)
                + 72 * c.L**3 * c.K * c.gamma**2 / (c.m * c.n) * q.C
                + 21 * c.L * c.K * c.s_u * c.gamma**2 / c.m
                + 21 * c.L * c.K * c.s_v * c.gamma**2 * c.m / c.n
            ),
        ),
    ),
    "thm-4.5-round": (
        chain(
            lambda c, q: (0.5 - 6 * c.L * c.K * c.gamma) * hat(c, q),
            lambda c, q: (
                (q.f - q.after.f) / (c.K * c.gamma)
                + 21 * level(c) * c.L * c.gamma
                + 72 * c.L**3 * c.gamma / (c.m * c.n) * q.C
            ),
        ),
    ),
    "eq-4.5": (average_45(bare, 2),),
    "thm-4.5-sumC": (
        chain(
            lambda c, q: c.m / (4 * c.n) * c.T * q.C,
            lambda c, q: (
                c.m * c.n ** (2 / 3) * c.K / (36 * c.L**2) * c.T * hat(c, q)
                + c.m**2 * c.T / (18 * c.L**2) * level(c)
            ),
            index=Index.RUN,
        ),
    ),
    "thm-4.5-fin": (
        average_final(bare),
        chain(lambda c, _: 6 * c.L * c.K * c.gamma, lambda *_: 1 / 8, index=Index.RUN),
        chain(
            lambda c, _: 8 * c.L * c.K * c.gamma,
            lambda c, _: c.m / (8 * c.n ** (2 / 3)),
            index=Index.RUN,
        ),
    ),
    "cor-4.6": (
        chain(
            hat,
            lambda c, _: (
                8 * sqrt(37 * c.L * c.F_0 / (c.K * c.T) * level(c))
                + 288 * c.L * c.F_0 / c.T * largest_growth(c)
            ),
            index=Index.RUN,
        ),
    ),
}

# what the sheet's register offers instead: claim, ambiguity, display
ALTERNATIVES = (
    ("eq-A.13", "amb-6", chain(
        lambda _, q: q.before.Dv_2, bound_v_increment(lambda c, p: c.m / c.n * p.G_v))),
    ("eq-4.5", "amb-5", average_45(bare, 21)),
    ("eq-4.5", "amb-6", average_45(hat, 2)),
    ("thm-4.5-fin", "amb-6", average_final(hat)),
)  # fmt: skip
