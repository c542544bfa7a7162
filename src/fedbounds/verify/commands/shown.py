"""`fb.claims`, `fb.prove` and `fb.check_laws`: what a notebook shows as a table."""

from collections import Counter
from functools import cached_property
from typing import Any

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded
from fedbounds.vocabulary import SIGNS

from ..judge.proofs import Proofs, proof_rows
from ..judge.proofs import prove as proofs_of
from ..own.known import is_loaded, theory_of
from ..own.laws import Checked
from ..own.laws import check_laws as laws_of
from ..own.names import entries_named, named_alone
from ..page.exports.rows import listing
from ..page.exports.table import Column, Table, table
from ..page.expressions import latex_of
from ..page.steps import claims_of, evaluated, given_of, mark, values
from .prove import require_proofs

_NAMED = 3  # in short
_PROOFS = ("claim", "proof", "fails at", "open", "rests on the givens")
_CHAIN = (
    "step", Column("statement", math=True), "from", "replay says", "runs say", "broken at",
)  # fmt: skip


class Claims(tuple[Entry, ...]):
    """Lines of the catalogue: id, kind, source, place and statement of every claim."""

    def __repr__(self) -> str:
        more = ", ..." if len(self) > _NAMED else ""
        return f"<{len(self)} claims: {', '.join(entry.id for entry in self[:_NAMED])}{more}>"

    def _repr_html_(self) -> str:
        return listing(self)._repr_html_()


def claims(*names: str) -> Claims:
    """The claims of papers, of files of one's own, or of all papers.

    Parameters
    ----------
    names : str
        As on the command line: ``"fedplt"``, ``"my_theorem.py"``, ``"example:ef21"``, or ids.

    Raises
    ------
    FedboundsError
        If there is no such paper, claim or file.

    Examples
    --------
    >>> [one.id for one in claims("fedplt")][:2]
    ['fedplt/psi', 'fedplt/alpha']
    """
    return Claims(entries_named(names))


class ShownProofs(Proofs):
    """Replayed proofs; a notebook shows how each stands."""

    @cached_property
    def _rows(self) -> dict[str, dict[str, Any]]:
        ids = {s.written.claim for own in self.steps.values() for s in own if s.written.claim}
        every = [encoded(entry) for entry in entries_named(tuple(self.steps)) if entry.id in ids]
        return proof_rows(self, [one for one in every if isinstance(one, Claim)])

    @property
    def table(self) -> Table:
        """A row for every claim with a proof, as `prove` found them."""
        return table(
            _PROOFS,
            [
                (key, row["status"], *(", ".join(row[x]) for x in ("failed", "open", "givens")))
                for key, row in claims_of(self._rows).items()
            ],
        )

    def chain(self, claim: str) -> Table:
        """What a claim's proof takes as given, then its steps and those of its correction.

        Of each: from what it follows, with the multipliers of its certificate, what replay and
        runs say of it, and the numbers that satisfy what it cites and break it.

        Parameters
        ----------
        claim : str
            The id of one that `table` has.
        """
        every = claims_of(self._rows)
        if claim not in every:
            raise unknown_name("proved claim", claim, every)
        given = given_of(self._rows).get(claim.partition("/")[0], [])
        taken = [step for step in given if step["id"] in every[claim]["givens"]]
        steps = (*taken, *every[claim]["steps"])
        return table(_CHAIN, [_of_step(step, claim.partition("/")[0]) for step in steps])

    def __repr__(self) -> str:
        steps = sum(map(len, self.steps.values()))
        return f"<proofs of {', '.join(self.steps)}: {steps} steps>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def _of_step(step: dict[str, Any], paper: str) -> tuple[str, ...]:
    statement = " ".join((step["left"], SIGNS[step["relation"]], step["right"]))
    numbers = step["numbers"] or {}
    sides = [(name, numbers[name]) for name in ("left", "right") if name in numbers]
    broken = ", ".join(f"{name} = {value}" for name, value in (*sides, *values(step)))
    uses = "; ".join(_used(use, paper) for use in step["by"])
    return step["id"], statement, uses, mark(step), evaluated(step), broken


def _used(use: dict[str, Any], paper: str) -> str:
    """What a step uses, and what its certificate multiplies it by, one by each branch."""
    name = str(use["name"])
    if use["kind"] == "square":
        latex = latex_of(name, paper)
        name = rf"$\|{latex}\|^2$" if latex else f"square of {name}"
    times = ["1" if x == "((1) / (1))" else latex_of(x, paper) or x for x in use["times"]]
    told = r",\ ".join(dict.fromkeys(times))
    return name if told in ("", "1") else f"${told}$ · {name}"


def prove(*names: str) -> ShownProofs:
    """Replay the proofs of papers, claims or files, and hold every step against runs.

    Parameters
    ----------
    names : str
        As of `claims`.

    Raises
    ------
    FedboundsError
        If one of them has no proof.
    ConflictError
        If a proved step is broken on a run.
    """
    if not names:
        raise FedboundsError("nothing named to prove; expected papers, claims or files")
    entries = entries_named(names)
    require_proofs(named_alone(names, entries))
    found = proofs_of([entry.id for entry in entries])
    shown = ShownProofs(found.steps, found.seen, found.witnesses, found.always)
    _ = shown._rows  # made now: a file of the same key may be loaded later
    return shown


class KeptLaws(tuple[Checked, ...]):
    """Common laws of an algorithm: which are kept, broken or not checked, and why."""

    def __repr__(self) -> str:
        words = (f"{count} {word}" for word, count in Counter(x.verdict for x in self).items())
        return f"<{len(self)} laws: {', '.join(words)}>"

    def _repr_html_(self) -> str:
        rows = [(one.law, one.verdict, one.reason) for one in self]
        return table(("law", "verdict", "reason"), rows)._repr_html_()


def check_laws(file: str) -> KeptLaws:
    """What algorithms of this kind have in common, on the algorithm of a file of one's own.

    Raises
    ------
    FedboundsError
        If it is no such file.
    """
    keys = {entry.paper for entry in entries_named((file,))}
    known = [key for key in keys if is_loaded(key)]
    if not known:
        raise FedboundsError(f"{file} is no file of your own; laws are about its algorithm")
    return KeptLaws(one for key in known for one in laws_of(theory_of(key)))
