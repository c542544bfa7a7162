"""Lemmas with one change that makes them false, as numbers show; Coq must refuse each."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fedbounds.theory.checker.data import Statement, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.proof.refute import breaking_numbers

from .book import Book, head
from .lemma import Lemma
from .statements import own_variables, proposition

# What is changed of the larger side: the last two are small.
_FACTORS = ("1/2", "2", "9/10", "99/100", "1001/1000")
_SHORT = 8000  # characters of a script that is tried on what is false


@dataclass(frozen=True)
class Planted:
    """A false lemma.

    Attributes
    ----------
    change : str
        What was changed, for who reads the table.
    lemma : Lemma
        With the script of the true one.
    definition : str
        Of the changed statement.
    """

    change: str
    lemma: Lemma
    definition: str


def planted(book: Book, seed: int, wanted: int) -> list[Planted]:
    """Changes drawn by a seed, each broken by exact numbers that satisfy all that it cites.

    Parameters
    ----------
    wanted : int
        How many, if there are so many.
    """
    order = random.Random(seed)
    pairs = [
        (lemma, step)
        for lemma, step in zip(book.lemmas, book.steps, strict=True)
        if sum(map(len, lemma.proof)) < _SHORT
    ]
    drawn = [(pair, change) for pair in pairs for change in _changes(pair[1].statement)]
    order.shuffle(drawn)
    found: list[Planted] = []
    for (lemma, step), (change, statement) in drawn:
        if len(found) == wanted:
            break
        if _is_broken(book, step, statement):
            found.append(_planted(book, lemma, step, change, statement, len(found)))
    return found


def _changes(statement: Statement) -> Iterator[tuple[str, Statement]]:
    """One thing of the conclusion, or a condition that is dropped."""
    for factor in _FACTORS:
        yield (
            f"right side times {factor}",
            replace(statement, right=f"({factor})*({statement.right})"),
        )
    if statement.relation == "<=":
        yield "<= turned to ==", replace(statement, relation="==")
        yield "<= turned round", replace(statement, relation=">=")
    if statement.relation == ">=":
        yield ">= turned round", replace(statement, relation="<=")
    for place, one in enumerate(statement.conditions):
        rest = statement.conditions[:place] + statement.conditions[place + 1 :]
        yield f"without {' '.join(one)}", replace(statement, conditions=rest)


def _is_broken(book: Book, step: Step, statement: Statement) -> bool:
    """Whether numbers satisfy what the step cites and the conditions, and break the statement."""
    earlier: Mapping[str, Statement] = {
        name: one for name, one in book.setting.earlier.items() if name != step.id
    }
    try:
        return breaking_numbers(book.theory, statement, step.certificate, earlier) is not None
    except Refused:
        return False


def _planted(
    book: Book, lemma: Lemma, step: Step, change: str, statement: Statement, number: int
) -> Planted:
    old, new = book.setting.names[step.id], f"N{number}_{book.setting.names[step.id]}"
    about = own_variables(book.theory, statement)
    wider = lemma.about.union(about, book.theory)
    proof = tuple(line.replace(f"unfold {old}.", f"unfold {new}.") for line in lemma.proof)
    definition = (
        f"Definition {new} {about.binders(book.theory)} : Prop :=\n"
        f"  {proposition(book.theory, statement)}.\n"
    )
    conclusion = f"{new} {about.arguments(book.theory)}".strip()
    return Planted(
        change,
        replace(
            lemma,
            name=f"F{number}_{lemma.name}",
            about=wider,
            conclusion=conclusion,
            proof=proof,
        ),
        definition,
    )


def interactive(book: Book, rows: Sequence[Planted], true: Sequence[Lemma]) -> str:
    """What coqtop reads: false lemmas and true ones beside them; each is asked for afterwards."""
    lines = [head([book.key])]
    for row in rows:
        lines += [row.definition, row.lemma.text(book.theory), "Abort All."]
    for lemma in true:
        lines += [lemma.text(book.theory), "Abort All."]
    lines += [f"Check {row.lemma.conclusion.partition(' ')[0]}." for row in rows]
    lines += [f"Check {lemma.name}." for lemma in (*(row.lemma for row in rows), *true)]
    return "\n".join(lines) + "\n"
