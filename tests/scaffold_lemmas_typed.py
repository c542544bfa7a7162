"""The paper's displays around Lemmas 4.1 to 4.4, typed a second time from its text."""

from scaffold_numbers import Chain, chain, hat, level

from fedbounds.vocabulary import Index


def local_noise(c):
    return c.s_u * c.gamma_u**2 + c.s_v * c.gamma_v**2


def lemma_43(c, q):
    return (
        96 * c.L**2 * c.K**2 * c.gamma_u**2 * q.C
        + 24 * c.n * c.K**3 * c.gamma_u**2 * q.G_u
        + 8 * c.n * c.K**3 * c.gamma_v**2 * q.G_v
        + 52 * c.n * c.K**2 * local_noise(c)
    )


def lemma_43_outer(c, q):
    return (
        96 * c.L**2 * c.K**2 * c.gamma**2 / c.eta_u**2 * q.C
        + 24 * c.n * c.K**3 * c.gamma**2 * (q.G_u / c.eta_u**2 + q.G_v / c.eta_v**2)
        + 52 * c.n * c.K**2 * c.gamma**2 * (c.s_u / c.eta_u**2 + c.s_v / c.eta_v**2)
    )


def per_step_sources(c, q):
    """What one step of (A.9) adds."""
    return (
        12 * c.L**2 * c.gamma_u**2 * (q.C_i + q.C / c.n)
        + 6 * c.K * c.gamma_u**2 * q.G_u
        + 2 * c.K * c.gamma_v**2 * q.g_vi
        + 13 * c.s_u * c.gamma_u**2
        + c.s_v * c.gamma_v**2
    )


def all_powers(c):
    return sum((1 + 2 / (c.K - 1)) ** r for r in range(int(c.K)))


def step_v(c, q):
    return (
        (1 + 1 / (c.K - 1) + 4 * c.L**2 * c.K * c.gamma_v**2) * q.Ev_ik
        + 4 * c.L**2 * c.K * c.gamma_v**2 * q.Eu_ik
        + 2 * c.K * c.gamma_v**2 * q.g_vi
        + c.s_v * c.gamma_v**2
    )


def bound_v_increment(measure):
    """The second line of (A.13)."""

    def side(c, q):
        p = q.before
        return (
            4 * c.K**2 * c.gamma**2 * measure(c, p)
            + 8 * c.L**2 * c.K * c.gamma**2 * c.m / c.n**2 * p.E
            + 2 * c.K * c.s_v * c.gamma**2 * c.m / c.n
        )

    return side


# the first chain of an id is the display that gives it its name
LEMMAS: dict[str, tuple[Chain, ...]] = {
    "lem-4.1": (
        chain(
            lambda _, q: q.after.f - q.f,
            lambda c, q: (
                q.T_1u
                + q.T_1v
                + 2 * c.L * q.T_2u
                + 2 * c.L * q.T_2v
                + 4 * c.L * c.gamma**2 * (c.n - c.m) / (c.m * c.n**2) * q.S_3u
                + 18 * c.L * c.K * c.s_u * c.gamma**2 / c.m
                + 2 * c.L * c.K * c.s_v * c.gamma**2 * c.m / c.n
            ),
        ),
    ),
    "eq-A.8": (
        chain(
            lambda _, q: q.Du_2,
            lambda c, q: 2 * q.P_u + 18 * c.K * c.gamma**2 * c.s_u / c.m,
            lambda c, q: (
                2 * q.T_2u
                + 4 * c.gamma**2 * (c.n - c.m) / (c.m * c.n**2) * q.S_3u
                + 18 * c.K * c.gamma**2 * c.s_u / c.m
            ),
        ),
        chain(
            lambda _, q: q.P_u,
            lambda c, q: q.T_2u + 2 * c.gamma**2 * (c.n - c.m) / (c.m * c.n**2) * q.S_3u,
        ),
    ),
    "lem-4.2": (
        chain(
            lambda _, q: q.S_3u,
            lambda c, q: 16 * c.L**2 * c.K * q.C + 16 * c.L**2 * c.K * q.E,
        ),
    ),
    "lem-4.3": (chain(lambda _, q: q.E, lemma_43),),
    "lem-4.3-u": (
        chain(
            lambda _, q: q.next.Eu_ik,
            lambda c, q: (
                (1 + 1 / (c.K - 1) + 12 * c.L**2 * c.K * c.gamma_u**2) * q.Eu_ik
                + 12 * c.L**2 * c.K * c.gamma_u**2 * q.Ev_ik
                + 12 * c.L**2 * c.gamma_u**2 * q.C_i
                + 12 * c.L**2 * c.gamma_u**2 / c.n * q.C
                + 6 * c.K * c.gamma_u**2 * q.G_u
                + 13 * c.s_u * c.gamma_u**2
            ),
            index=Index.STEP,
        ),
        chain(lambda _, q: q.next.Ev_ik, step_v, index=Index.STEP),
    ),
    "eq-A.9": (
        chain(
            lambda _, q: q.next.E_ik,
            lambda c, q: (
                (1 + 1 / (c.K - 1) + 12 * c.L**2 * c.K * (c.gamma_u**2 + c.gamma_v**2)) * q.E_ik
                + 12 * c.L**2 * c.gamma_u**2 * q.C_i
                + 12 * c.L**2 * c.gamma_u**2 / c.n * q.C
                + 6 * c.K * c.gamma_u**2 * q.G_u
                + 2 * c.K * c.gamma_v**2 * q.g_vi
                + 13 * c.s_u * c.gamma_u**2
                + c.s_v * c.gamma_v**2
            ),
            index=Index.STEP,
        ),
        chain(lambda _, q: q.next.Ev_ik, step_v, index=Index.STEP),
    ),
    "lem-4.3-ik": (
        chain(
            lambda _, q: q.E_ik,
            lambda c, q: per_step_sources(c, q) * all_powers(c),
            lambda c, q: (
                48 * c.L**2 * c.K * c.gamma_u**2 * (q.C_i + q.C / c.n)
                + 24 * c.K**2 * c.gamma_u**2 * q.G_u
                + 8 * c.K**2 * c.gamma_v**2 * q.g_vi
                + 52 * c.K * local_noise(c)
            ),
            index=Index.STEP,
        ),
    ),
    "lem-4.4": (
        chain(
            lambda _, q: q.C,
            lambda c, q: (
                (1 - c.m / (4 * c.n)) * q.before.C
                + c.m * c.n ** (2 / 3) * c.K / (36 * c.L**2) * hat(c, q.before)
                + c.m**2 / (18 * c.L**2) * level(c)
            ),
        ),
    ),
    "eq-A.10": (
        chain(
            lambda _, q: q.C,
            lambda c, q: (
                (1 - c.m / (2 * c.n)) * q.before.C
                + 2 * c.n * c.K * (q.before.Du_2 + q.before.Dv_2)
                + 2 * c.m / c.n * q.before.E
                + 2 * c.n**2 * c.K / c.m * (q.before.M_u + q.before.M_v)
            ),
        ),
    ),
    "eq-A.11": (
        chain(
            lambda _, q: q.before.M_u,
            lambda _, q: q.before.T_2u,
            lambda c, q: (
                4 * c.L**2 * c.K * c.gamma**2 / c.n * q.before.E
                + 2 * c.K**2 * c.gamma**2 * q.before.G_u
            ),
        ),
    ),
    "eq-A.12": (
        chain(
            lambda _, q: q.before.M_v,
            lambda _, q: q.before.T_2v,
            lambda c, q: (
                4 * c.L**2 * c.K * c.gamma**2 * c.m / c.n**2 * q.before.E
                + 2 * c.K**2 * c.gamma**2 * (c.m / c.n * q.before.G_v)
            ),
        ),
    ),
    "eq-A.13": (
        chain(
            lambda _, q: q.before.Du_2,
            lambda c, q: (
                4 * c.K**2 * c.gamma**2 * q.before.G_u
                + 72 * c.L**2 * c.K * c.gamma**2 / c.n * q.before.E
                + 64 * c.L**2 * c.K * c.gamma**2 * (c.n - c.m) / (c.m * c.n**2) * q.before.C
                + 18 * c.K * c.s_u * c.gamma**2 / c.m
            ),
        ),
        chain(lambda _, q: q.before.Dv_2, bound_v_increment(lambda _, p: p.G_v)),
    ),
    "eq-A.14": (
        chain(
            lambda _, q: q.C,
            lambda c, q: (
                (1 - c.m / (3 * c.n)) * q.before.C
                + 3 * c.m / c.n ** (1 / 3) * q.before.E
                + c.m * c.n ** (2 / 3) * c.K / (72 * c.L**2) * hat(c, q.before)
                + c.m**2 / (72 * c.L**2) * level(c)
            ),
        ),
    ),
    "lem-4.4-E": (
        chain(
            lambda _, q: q.E,
            lemma_43,
            lemma_43_outer,
            lambda c, q: (
                q.C / (54 * c.n ** (2 / 3))
                + c.n * c.K / (216 * c.L**2) * hat(c, q)
                + c.m * c.n ** (1 / 3) / (72 * c.L**2) * level(c)
            ),
        ),
    ),
}
