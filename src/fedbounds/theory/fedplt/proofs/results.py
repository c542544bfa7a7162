"""The recursion with a constant and with a decaying step size."""

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.fedplt.results import (
    BASE_CASE,
    CONSTANTS,
    DECAYING,
    LARGE,
    LEVEL,
    RECURSION,
)
from fedbounds.theory.fedplt.sequences import PACES, bound
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.theory.proof.language import Book, above, cite, condition, equal

from .. import assumed
from ..symbols import D_0, B_step, C_rate, w_gap, z
from .writing import Use, by_induction, prove

LONGER = (assumed.RECURSION_LONGER,)
_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))
_ETA = equal(eta, 1 / (z + w_gap))


def _recursions(book: Book) -> None:
    """The recursion for three choices of the step size of round t."""
    for name, assumptions in (
        ("recursion", RECURSION),
        ("recursion, eta = 1/(z (t + 1))", DECAYING),
        ("recursion, eta = 2/(z (t + 2))", LONGER),
    ):
        right = bound(PACES[assumptions[0]])
        book.suppose(name, D_W(t + 1), right, "Step 5, taken as given", assumptions)


def _constant(book: Book) -> None:
    claim = "constant-step"
    equalities = [equal(c.left, c.right) for c in CONSTANTS]
    for suffix, recursion, chart in (
        ("", "recursion:round", [*equalities, _ETA]),
        # the recursion has conditions on eta, which an eta below 1/z need not meet
        (", any step", "recursion:round", [*equalities, _ETA]),
        (", given", "asm recursion", [_ETA]),
    ):
        prove(book, claim, f"unrolled{suffix}", [recursion, _HYPOTHESIS], chart=chart)
        by_induction(book, ())
        prove(book, claim, f"floor{suffix}", [f"{claim}:unrolled{suffix}"], chart=chart)


def _decaying(book: Book) -> None:
    claim = "decaying-step"
    equalities = [equal(c.left, c.right) for c in CONSTANTS]
    # of the algorithm: the recursion of Step 5 was shown under conditions that 1/z does not meet
    prove(book, f"{claim}-reduced", "algorithm", ["recursion:round"], chart=equalities)
    first: list[Use] = [cite(f"{claim}-reduced:algorithm", at={t: 0})]
    prove(book, f"{claim}-base", "D^1", first)
    prove(book, f"{claim}-reduced", "given", ["asm recursion, eta = 1/(z (t + 1))"])
    start: list[Use] = [cite(f"{claim}-reduced:given", at={t: 0})]
    prove(book, f"{claim}-base", "D^1, given", start)
    # the base case bounds D^1 by C, not by C / 2; and D^0 by nothing if C >= B/z^2 only
    smallest, near = Condition(C_rate, "==", BASE_CASE.right), Condition(LEVEL, ">=", 2 * D_0)
    book.line(
        f"{claim}: at t = 1", D_W(1), "<=", C_rate / 2, [*start, "def start"],
        chart=[above(B_step, 2 * D_0 * z**2), equal(C_rate, BASE_CASE.right)],
        claim=claim, conditions=[smallest, near], assumptions=DECAYING,
    )  # fmt: skip
    book.line(
        f"{claim}: at t = 0, any C", D_W(0), "<=", C_rate, ["def start"],
        chart=[above(C_rate, LEVEL)], claim=claim, conditions=[LARGE],
    )  # fmt: skip
    prove(book, f"{claim}-base", "C", [condition(BASE_CASE)])
    # C >= (t + 2) B/z^2 is what it needs
    prove(book, f"{claim}-induction", "", chart=[above(C_rate, LEVEL)])
    for part, reduced, chart in (
        ("of the algorithm", f"{claim}-reduced:algorithm", [above(C_rate, D_0 + LEVEL)]),
        ("C of the base case", f"{claim}-reduced:given", [above(C_rate, D_0 + LEVEL)]),
        ("any C", f"{claim}-reduced:given", [above(C_rate, LEVEL)]),
    ):
        uses: list[Use] = [reduced, f"{claim}-induction", _HYPOTHESIS]
        prove(book, claim, part, uses, chart=chart)
        by_induction(book, [cite("def start", times=-1)])


def _corrected(book: Book) -> None:
    """Steps twice as long, C >= max(D^0, 4 B/z^2): the rate 1/t."""
    conditions = [Condition(C_rate, ">=", D_0), Condition(C_rate, ">=", 4 * LEVEL)]
    step = t / (t + 2) * C_rate / (t + 1) + 4 * LEVEL / (t + 2) ** 2
    book.line(
        "decaying-step-induction/corrected", step - C_rate / (t + 2), "<=", 0,
        chart=[above(C_rate, 4 * LEVEL)], claim="decaying-step-induction", source="ours",
        conditions=conditions[1:],
    )  # fmt: skip
    book.line(
        "decaying-step/corrected", D_W(t), "<=", C_rate / (t + 1),
        ["asm recursion, eta = 2/(z (t + 2))", _HYPOTHESIS],
        base=[cite("def start", times=-1), condition(conditions[0])],
        chart=[above(C_rate, 4 * LEVEL)],
        rule="induction", variable="t", claim="decaying-step", source="ours",
        conditions=conditions, assumptions=LONGER,
    )  # fmt: skip


def write(book: Book) -> None:
    """Cases 1 and 2."""
    _recursions(book)
    _constant(book)
    _decaying(book)
    _corrected(book)
