"""What a round is said to leave of a quantity, over all rounds so far."""

from collections.abc import Sequence

import sympy as sp

from fedbounds.theory.checker.data import Assignment, Premise
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.symbols import t
from fedbounds.theory.proof.language import Book, Uses, cite

_HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))


def before(
    book: Book,
    name: str,
    quantity: sp.Function,
    rest: sp.Expr,
    a_round: str,
    chart: Sequence[Assignment],
    conditions: Sequence[Condition],
    assumptions: Sequence[str],
) -> Uses:
    """By induction, before every round; with the round itself: what is cited of after it.

    Parameters
    ----------
    rest : expression
        What is left after a round, by the step ``a_round``.
    """
    book.line(name, quantity(t), "<=", rest**t * quantity(0), [a_round, _HYPOTHESIS], chart=chart,
              conditions=conditions, assumptions=assumptions, source="ours", rule="induction",
              variable="t")  # fmt: skip
    return [a_round, cite(name, times=rest)]
