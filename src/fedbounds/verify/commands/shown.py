"""`fb.claims`, `fb.prove` and `fb.check_laws`: what a notebook shows as a table."""

from collections import Counter
from functools import cached_property

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded

from ..judge.proofs import Proofs, proof_rows
from ..judge.proofs import prove as proofs_of
from ..own.known import is_loaded, theory_of
from ..own.laws import Checked
from ..own.laws import check_laws as laws_of
from ..own.names import entries_named, named_alone
from ..page.exports.rows import listing
from ..page.exports.table import Table, table
from .prove import require_proofs

_NAMED = 3  # in short
_PROOFS = ("claim", "proof", "fails at", "open", "rests on the givens")


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
    def table(self) -> Table:
        """A row for every claim with a proof, as `prove` found them."""
        ids = {s.written.claim for own in self.steps.values() for s in own if s.written.claim}
        every = [encoded(entry) for entry in entries_named(tuple(self.steps)) if entry.id in ids]
        rows = proof_rows(self, [one for one in every if isinstance(one, Claim)])
        return table(
            _PROOFS,
            [
                (key, row["status"], *(", ".join(row[x]) for x in ("failed", "open", "givens")))
                for key, row in rows.items()
                if "/" in key
            ],
        )

    def __repr__(self) -> str:
        steps = sum(map(len, self.steps.values()))
        return f"<proofs of {', '.join(self.steps)}: {steps} steps>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


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
    _ = shown.table  # made now: a file of the same key may be loaded later
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
