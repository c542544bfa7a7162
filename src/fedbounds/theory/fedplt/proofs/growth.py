"""Case 2 met with equality: t D^t grows without bound, so that no C gives D^t <= C/(t+1)."""

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.fedplt.results import LEVEL
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import K, k
from fedbounds.theory.proof.language import Book, condition

from ..symbols import D_late

GROWTH = "exact-convergence: growth"
_AFTER = K + k + 1
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def write(book: Book) -> None:
    """From round K to round K + k, k < K, t D^t gains k B/(2 K z^2): a quarter of B/z^2 at 2K - 1.

    D_late(k) is D^{K+k}. Since K may be 2, 3, 5, 9, ..., t D^t exceeds every number.
    """
    right = (K + k) / _AFTER * D_late(k) + LEVEL / _AFTER**2
    origin = "Case 2 with equality, which its premises allow, at round t = K + k"
    book.suppose("recursion with equality", D_late(k + 1), right, origin, (), "==")
    inside = condition(Condition(k, "<=", K - 1), times=LEVEL / (2 * K * _AFTER))
    book.line(
        GROWTH, K * D_late(0) + LEVEL * k / (2 * K), "<=", (K + k) * D_late(k),
        ["asm recursion with equality", _HYPOTHESIS, inside],
        vectors=False, claim="exact-convergence", source="ours", rule="induction", variable="k",
    )  # fmt: skip
