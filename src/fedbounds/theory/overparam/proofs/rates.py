"""Rates against each other."""

from fedbounds.theory.language.symbols import K, eta, n
from fedbounds.theory.proof.language import Book, above, below

from ..linear import SUMMED
from ..rates import FORMS, MORE
from ..symbols import P_min, S_least, S_other


def write(book: Book) -> None:
    """All of them."""
    some, short = above(n, S_least), below(eta, 2 * S_least / (K * P_min))
    more = [above(S_other, S_least), above(n, S_other)]
    for claim, chart in ((FORMS, [some, short]), (MORE, more)):
        for reading in claim.readings:
            for part in (one for one in reading.parts if one != "mean loss"):  # which is measured
                own = [some] if part == "(a) gives (b)" else chart  # of any step size
                book.prove(claim.id, part, chart=own, reading=reading)
    (constants,) = (one for one in SUMMED.readings if "constants" in one.parts)
    book.prove(SUMMED.id, "constants", chart=[some], reading=constants)
