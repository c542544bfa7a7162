"""A paper's proved steps as files of Coq: statements, lemmas, and theorems from their givens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from fedbounds.theory.checker.data import Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.files import step_of, theory_of

from .errors import Withheld
from .lemma import Lemma, lemma_of
from .setting import Setting
from .statements import own_variables, proposition
from .theorem import theorem_of

GENERAL = ("Fedbounds", "Expectations")
PER_FILE = 10
_HEAD = (
    "From Coq Require Import Reals Lra Lia.\nRequire Import {general}.\n{more}Open Scope R_scope.\n"
)
_NOTHING: dict[str, Any] = {
    "chart": [],
    "premises": [],
    "squares": [],
    "rule": "none",
    "base": None,
}


@dataclass(frozen=True)
class Book:
    """What of a paper is exported.

    Attributes
    ----------
    key : str
    theory : Theory
    statements : dict from the id of a step to the text of its proposition
    lemmas : tuple of Lemma
        Of proved steps, in order.
    theorems : tuple of Lemma
        Claims of which every step down to what is given is a lemma.
    withheld : tuple of pairs (id, reason)
    proved : int
        Steps with a certificate, given ones left out.
    setting : Setting
    steps : tuple of Step
        Those of the lemmas.
    """

    key: str
    theory: Theory
    statements: Mapping[str, str]
    lemmas: tuple[Lemma, ...]
    theorems: tuple[Lemma, ...]
    withheld: tuple[tuple[str, str], ...]
    proved: int
    setting: Setting
    steps: tuple[Step, ...]


def book_of(key: str, data: Mapping[str, Any], own: str = "") -> Book:
    """The lemmas of a book of certificates, which the checker has accepted.

    Parameters
    ----------
    key : str
        Names the files.
    data : dict
        As ``fedbounds certificates`` writes it.
    own : str
        A step that is read alone, for tests; all if empty.
    """
    theory = theory_of(data["theory"])
    earlier: dict[str, Statement] = {}
    names: dict[str, str] = {}
    lemmas, steps, withheld, claims = [], [], [], []
    setting = Setting(theory, earlier, names)
    proved = 0
    for number, row in enumerate(data["steps"]):
        step = _step(row)
        if step.id not in names:
            names[step.id] = f"S{number}_{_identifier(step.id)}"
            earlier[step.id] = step.statement
        if step.certificate.rule in ("none", "given") or (own and step.id != own):
            continue
        proved += 1
        if row["claim"]:
            claims.append(step.id)
        try:
            lemmas.append(lemma_of(setting, step, f"L{number}_{_identifier(step.id)}"))
            steps.append(step)
        except Withheld as reason:
            withheld.append((step.id, str(reason)))
        except Refused as reason:
            withheld.append((step.id, f"not read: {reason}"))
    needed = {one for lemma in lemmas for one in (lemma.step, *lemma.cites)}
    statements = {
        one: _definition(theory, names[one], said) for one, said in earlier.items() if one in needed
    }
    proofs = {lemma.step: lemma for lemma in lemmas}
    given = {_step(row).id for row in data["steps"] if _step(row).certificate.rule == "given"}
    found = [theorem_of(setting, one, proofs, given) for one in dict.fromkeys(claims)]
    return Book(
        key,
        theory,
        statements,
        tuple(lemmas),
        tuple(one for one in found if one is not None),
        tuple(withheld),
        proved,
        setting,
        tuple(steps),
    )


def files(book: Book) -> dict[str, str]:
    """Names of files and their texts, in the order in which Coq must read them."""
    found = general() | {f"{book.key}.v": _statements(book)}
    parts = [book.lemmas[at : at + PER_FILE] for at in range(0, len(book.lemmas), PER_FILE)]
    for number, part in enumerate(parts):
        found[f"{book.key}_{number}.v"] = lemmas_text(book, part, f"{book.key}_{number}")
    if book.theorems:
        more = [book.key, *(f"{book.key}_{number}" for number in range(len(parts)))]
        found[f"{book.key}_theorems.v"] = _theorems(book, more)
    return found


def general() -> dict[str, str]:
    """The files that all papers share: real numbers, and random vectors."""
    here = resources.files(__package__)
    return {f"{name}.v": (here / f"{name}.v").read_text("utf-8") for name in GENERAL}


def lemmas_text(book: Book, lemmas: Sequence[Lemma], name: str) -> str:
    """Lemmas as a file, with what they rest on."""
    return _text(book, lemmas, [book.key], name)


def _text(book: Book, lemmas: Sequence[Lemma], more: Sequence[str], name: str) -> str:
    rows = [head(more)]
    for lemma in lemmas:
        rows.append(f"(* {comment(lemma.step)} *)\n{lemma.text(book.theory)}")
    every = ", ".join(lemma.name for lemma in lemmas)
    rows.append("(* What all of these rest on: the axioms of Coq's real numbers. *)")
    rows.append(f"Definition {name}_all := ({every}).\nPrint Assumptions {name}_all.\n")
    return "\n".join(rows)


def _theorems(book: Book, more: Sequence[str]) -> str:
    rows = [head(more)]
    for one in book.theorems:
        rows.append(f"(* {comment(one.step)} *)\n{one.text(book.theory)}")
        rows.append(f"Print Assumptions {one.name}.\n")
    return "\n".join(rows)


def head(more: Sequence[str]) -> str:
    """The first lines of a file that needs others."""
    return _HEAD.format(
        general=" ".join(GENERAL), more="".join(f"Require Import {one}.\n" for one in more)
    )


def _statements(book: Book) -> str:
    rows = [head([]), *book.statements.values()]
    rows += [f"(* withheld: {comment(one)}: {comment(why)} *)" for one, why in book.withheld]
    return "\n".join(rows) + "\n"


def comment(text: str) -> str:
    """A text that ends no comment and opens none."""
    return text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")


def _definition(theory: Theory, name: str, statement: Statement) -> str:
    binders = own_variables(theory, statement).binders(theory)
    return f"Definition {name} {binders} : Prop :=\n  {proposition(theory, statement)}.\n"


def _step(row: Mapping[str, Any]) -> Step:
    plain = {name: value for name, value in row.items() if name != "expanded"}
    return step_of(plain if row["certificate"] is not None else {**plain, "certificate": _NOTHING})


def _identifier(text: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in text)


def reasons(book: Book) -> Iterator[tuple[str, int]]:
    """Why steps are withheld, and how many for each reason."""
    every = [why for _, why in book.withheld]
    for why in sorted(set(every), key=lambda one: (-every.count(one), one)):
        yield why, every.count(why)
