"""What ``import fedbounds as fb`` has of the commands `bound`, `search` and `compare`.

Each returns what its command prints: a table that a notebook shows, and the objects behind it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import encoded

from ..own.names import entry_named
from ..page.exports.render import render
from ..page.exports.table import Table, table
from ..search.tightest import BUDGET
from ..search.witness import EXAMPLES
from .bound.answer import Answers, answers
from .bound.tables import said
from .contest.region_rows import data
from .contest.regions import Regions, regions, sides
from .hunt import Searched, searched

_AS = ("reading", "part", "verdict", "left", "right", "right - left", "how", "instance")


@dataclass(frozen=True, eq=False, repr=False)
class Told:
    """A table, and what it was made of.

    Attributes
    ----------
    table : Table
    found : Answers, tuple of Searched, or Regions
    """

    table: Table
    found: Answers | tuple[Searched, ...] | Regions

    def __repr__(self) -> str:
        return repr(self.table)

    def __str__(self) -> str:
        return render(self.table, "md")

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def bound(
    claim: str,
    *,
    reading: str = "",
    part: str | None = None,
    outside: bool = False,
    to: Any = None,
    **given: Any,
) -> Told:
    """The value of a bound, term by term; nothing is run.

    Parameters
    ----------
    claim : str
        As on the command line: an id, or a file and a claim in it.
    reading, part : str
        The first reading, and all parts, if left out.
    outside : bool
        Also where conditions fail.
    to : number
        Look for the rounds until the bound is at most this.
    given : numbers by name
        Constants and parameters, as they are typed: ``n=100, sigma_u2="1/4"``.

    Examples
    --------
    >>> found = bound("personalization/thm-3.7", n=100, m=10, K=5, T=1000, L=1, F_0=1,
    ...               sigma_u2=1, sigma_v2=1, b2=1)
    >>> found.found.parts[0].value.dominating.share > 0.5
    True
    """
    eps = None if to is None else str(to)
    own = _claim(claim)
    found = answers(own, given, reading=reading, part=part, outside=outside, to=eps)
    rows = [
        (one.part.name, str(term.formula), said(term.value), term.share)
        for one in found.parts
        if one.value is not None
        for term in one.value.terms
    ]
    sums = [
        (one.part.name, str(one.part.left), said(one.value.value), 1.0)
        for one in found.parts
        if one.value is not None
    ]
    return Told(table(("part", "term", "value", "share"), [*rows, *sums]), found)


def search(claim: str, *, examples: int = EXAMPLES, budget: int = BUDGET) -> Told:
    """The smallest exact violation of each reading, and the tightest instances.

    Parameters
    ----------
    claim : str
        As of `bound`.
    examples : int
        Small instances that are tried.
    budget : int
        Evaluations in each search for the tightest instance.
    """
    found = tuple(searched(_claim(claim), examples, budget))
    rows: list[tuple[Any, ...]] = []
    for one in found:
        if one.witness is not None:
            judged, at = one.witness.judgement, one.witness.judgement.deciding
            sides_of = (at.left, at.right, at.gap)
            rows.append((one.reading.name, at.part, str(at.verdict), *sides_of, "smallest",
                         judged.instance.name))  # fmt: skip
        for best in one.tightest:
            at = best.outcome
            sides_of = (at.left, at.right, at.gap)
            rows.append((one.reading.name, best.part, str(at.verdict), *sides_of, best.how,
                         best.instance.name))  # fmt: skip
    return Told(table(_AS, rows), found)


def compare(first: str, second: str, *, over: Mapping[str, str], **given: Any) -> Told:
    """Two bounds of one quantity over a grid of parameters, each at its best step size.

    Parameters
    ----------
    first, second : str
        Claims, as of `bound`.
    over : mapping from name to "LOW:HIGH", "LOW:HIGH:COUNT" or "LOW:HIGH:COUNT:log"
    given : numbers by name
        As of `bound`.
    """
    pair = sides((first, _claim(first), None), (second, _claim(second), None))
    found = regions(pair, {name: str(value) for name, value in given.items()}, over)
    return Told(data(found), found)


def _claim(name: str) -> Claim:
    entry = entry_named(name)
    found = encoded(entry)
    if not isinstance(found, Claim):
        raise FedboundsError(f"{entry.id} is of kind {entry.kind.value}: it has no bound")
    return found
