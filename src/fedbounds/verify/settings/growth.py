"""The recursion of the decaying step with equality: D^t in rationals, and how t D^t grows."""

from functools import cache

from flint import fmpq

from fedbounds.theory.checker.data import Statement
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.fedplt.proofs.growth import GROWTH
from fedbounds.theory.proof.language import cited
from fedbounds.theory.proof.library import book_of
from fedbounds.theory.proof.replay import certified

_MULTIPLES = (1, 2, 3, 4, 5, 6)


def exceeds_every_multiple() -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Whether t D^t is proved to be unbounded; and when D^t first exceeds C/(t+1), for some C.

    C counts multiples of B/z^2.
    """
    return growth_is_proved(), tuple((c, _first_beyond(fmpq(c))) for c in _MULTIPLES)


def _first_beyond(C: fmpq) -> int:
    """The first t with D^t > C/(t + 1), for B/z^2 = 1; D^1 is B/z^2 whatever D^0 is."""
    D, t = fmpq(1), 1
    while D * (t + 1) <= C:
        D = D * fmpq(t, t + 1) + fmpq(1, (t + 1) ** 2)
        t += 1
    return t


@cache
def growth_is_proved() -> bool:
    """Whether the checker accepts the step that bounds t D^t from below."""
    book = book_of("fedplt")
    earlier: dict[str, Statement] = {}
    for step in book.steps:
        if step.id == GROWTH:
            given = {s.id for s in book.steps if s.rule == "given"}
            try:
                certified(book.theory, step, earlier)
            except Refused:
                return False
            return set(cited(step)) <= given
        earlier[step.id] = step.statement
    return False
