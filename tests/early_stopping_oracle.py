"""Algorithm 1 of Meerkat-vp for one client, as it is printed: ratios are divisions."""

from fractions import Fraction


def stopped(scores, by):
    """Whether a client of these scores, whole or exact, is stopped early."""
    scores = [Fraction(int(x.p), int(x.q)) for x in scores]
    quiet, ratio, share = (Fraction(str(x)) for x in (by.quiet, by.ratio, by.share))
    T = len(scores)
    init_avg = sum(scores[: by.initial]) / by.initial
    late = [scores[s] for s in range(T) if (s >= T - by.later if by.latest else s < by.later)]
    later_avg = sum(late) / by.later
    count = len([x for x in late if (abs(x) if by.absolute else x) < quiet])
    if Fraction(count, int(by.later)) > share:
        return True
    if later_avg == 0:
        return init_avg > 0  # the ratio is infinite, or 0/0, which exceeds nothing
    return init_avg / later_avg > ratio
