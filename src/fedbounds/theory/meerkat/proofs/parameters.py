"""What follows for every choice of parameters: the displays between (27) and (28), and remarks."""

from fedbounds.theory.proof.language import Book, above, below, equal, root

from ..parameters import AGAINST, INSIGHTS
from ..softmax import BALANCED, VARIANCE
from ..softmax import GRADIENT as SOFTMAX
from ..symbols import K_b, c, c_h, delta_1, delta_2, u_ratio, u_ratio2


def write(book: Book) -> None:
    """All of them."""
    roots = [root(x, 2) for x in (c, c_h)]
    book.prove("vp-delta", "coefficient", chart=roots)
    book.prove("vp-delta", "sign", chart=[*roots, above(K_b, 1)])
    fixed = INSIGHTS.readings[0]
    denser = [*roots, above(u_ratio2, u_ratio)]
    for part in ("transient in u", "floor in u"):
        book.prove("insights-2.1", part, chart=denser, reading=fixed)
    for part in ("transient in T", "floor in T"):
        book.prove("insights-2.1", part, chart=roots, reading=fixed)
    labels = SOFTMAX.readings[0]
    for part in labels.parts:
        book.prove("softmax-grad", part, reading=labels)
    book.prove("sigma-k", "one J", reading=VARIANCE.readings[0])
    alike = BALANCED.readings[1]
    book.prove("iid-label", "covariance, alike", chart=[equal(delta_1, delta_2)], reading=alike)
    apart = next(one for one in AGAINST.readings if one.parts == ("minimisers, density",))
    book.prove("vp-vs-meerkat", "minimisers, density", chart=[below(u_ratio, 1)], reading=apart)
