"""Theories that are not part of the package: a user's file or folder, or an installed package.

A contribution has what a paper has: a list of entries, claims, perhaps a book of proofs, and
cases; or it is a folder as a paper is one, whose modules are asked for as those of papers are.
Light: no SymPy. Installed packages name theirs in the entry point ``fedbounds.theories``, whose
name is the key and whose value is a function without arguments that returns one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from fedbounds.errors import FedboundsError

if TYPE_CHECKING:
    from .catalogue import Paper
    from .glossary import Glossary
    from .setups import View

GROUP = "fedbounds.theories"


@dataclass(frozen=True, eq=False)
class Contribution:
    """What a paper's modules offer, as one value.

    Attributes
    ----------
    paper : Paper
    claims : mapping from claim id to Claim
    book : function that returns the Book of proofs, or None
    cases : function of (profile, seed), or None
        Yields the cases that judge the claims; None if they are those of a folder.
    glossary : Glossary
        The names that the claims speak of.
    source : str
        A hash of all that defines it, part of every record's name.
    file : str
        Where it was read; empty for an installed package.
    views : mapping from name to View
        What is seen of its runs.
    package : str
        The imported package whose modules are what a paper's folder has, book and claims among
        them; empty if all stands here.
    left_out : function of a profile, or None
        How many runs of the whole plan that profile does not judge; None if it judges all.
    sought : function that returns Sought, or None
        Where instances of its claims are searched; None if a folder says so.
    forever : function of a profile, or None
        By claim and part, the planned cases on which it holds whatever the number of rounds is.
    later : function of a profile and of what it gave before, or None
        What is known of runs of any length, as plain data.
    irrational : function, or None
        How many values of parameters have no run, since they are not rational there.
    """

    paper: "Paper"
    claims: Mapping[str, Any]
    book: Callable[[], Any] | None
    cases: Callable[[Any, int], Any] | None
    glossary: "Glossary"
    source: str = ""
    file: str = ""
    views: "Mapping[str, View]" = field(default_factory=dict)
    package: str = ""
    left_out: Callable[[Any], int] | None = None
    sought: Callable[[], tuple[Any, ...]] | None = None
    forever: Callable[[Any], Mapping[tuple[str, str], frozenset[str]]] | None = None
    irrational: Callable[[], int] | None = None
    later: Callable[[Any, Any], Mapping[str, Any]] | None = None


_KNOWN: dict[str, Contribution] = {}


def contribute(found: Contribution) -> None:
    """Make a theory known under its key; a later one of the same key takes its place."""
    _KNOWN[found.paper.key] = found


def contributed(key: str) -> Contribution | None:
    """The contribution of that key, loaded from its package if need be; None if there is none."""
    if key not in _KNOWN and key in installed():
        contribute(_loaded(key))
    return _KNOWN.get(key)


def declared(key: str) -> Contribution | None:
    """The contribution of that key, if a file declares it; None of a paper and of a folder."""
    found = contributed(key)
    return None if found is None or found.package else found


def _loaded(key: str) -> Contribution:
    """What an installed package contributes under that key.

    Raises
    ------
    FedboundsError
        If two packages do, or it fails to load, or it is no contribution of that key.
    """
    points = tuple(entry_points(group=GROUP, name=key))
    values = ", ".join(repr(point.value) for point in points)
    if len(points) > 1:
        raise FedboundsError(f"{len(points)} packages contribute {key!r}: {values}; remove one")
    try:
        found = points[0].load()()
    except FedboundsError:
        raise
    except Exception as error:  # whatever a package does wrong
        raise FedboundsError(
            f"entry point {values} of {GROUP} fails: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(found, Contribution) or found.paper.key != key:
        raise FedboundsError(
            f"entry point {values} of {GROUP} returned {type(found).__name__}; "
            f"expected a Contribution with the key {key!r}"
        )
    return found


@cache
def installed() -> tuple[str, ...]:
    """Keys of the theories of installed packages."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def keys() -> tuple[str, ...]:
    """Keys of all contributions, loaded or installed."""
    return tuple(dict.fromkeys((*installed(), *_KNOWN)))
