"""Inner products of random vectors, reduced by one tower rule.

Randomness comes from independent sources, among them the participants S and the client index i.
A term is E[a | inner], or E[1_{i in S} E[a | inner] | outer]. Conditional expectations on sets of
independent sources commute, so <E[a|D], E[b|D']> = <E[a|C], E[b|C]> with C common to D and D'.
Sampling without replacement enters through the chances that one, or two, given clients take part.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .errors import Refused
from .ratios import Ratio

PARTICIPANTS, CLIENT = "S", "i"


@dataclass(frozen=True)
class Atom:
    """A vector: the sources it depends on, and the one whose average makes it vanish (or "")."""

    depends: frozenset[str]
    centred: str = ""


@dataclass(frozen=True)
class Term:
    """E[a | inner]; times the indicator that the client takes part, given ``outer``, if any."""

    atom: str
    inner: frozenset[str]
    outer: frozenset[str] | None = None


Vector = dict[Term, Ratio]
Products = dict[str, Ratio]
Chances = Sequence[tuple[str, Ratio | None]]


@dataclass(frozen=True)
class Sampling:
    """Chances that one and that two given clients take part, and the number of clients."""

    one: Ratio
    two: Ratio
    clients: Ratio


@dataclass(frozen=True)
class Space:
    """The atoms of a scope.

    ``sampling`` is asked for when it is needed, and None where nobody is sampled; with a single
    client, i and S say nothing.
    """

    atoms: dict[str, Atom]
    sampling: Callable[[], Sampling] | None
    single: bool = False
    one_client: bool = False  # client i is fixed: no mean is taken over clients

    def vector(self, name: str, weight: Ratio) -> Vector:
        """An atom as a vector."""
        return {Term(name, self.atoms[name].depends): weight}

    def given(self, vector: Vector, kept: frozenset[str]) -> Vector:
        """E[vector | kept]."""
        found: Vector = {}
        for term, weight in vector.items():
            if term.outer is None:
                _add(found, Term(term.atom, term.inner & kept), weight)
            else:
                _add(found, Term(term.atom, term.inner, term.outer & kept), weight)
        return found

    def present(self, vector: Vector) -> Vector:
        """1_{i in S} times a vector that is independent of who takes part."""
        if self.single:
            return vector
        if self.sampling is None:
            raise Refused("nobody is sampled in this scope")
        found: Vector = {}
        for term, weight in vector.items():
            if term.outer is not None or PARTICIPANTS in term.inner:
                raise Refused(
                    f"{term.atom} depends on who takes part: times the indicator of i in S, "
                    "its expectation does not factor"
                )
            outer = term.inner | {PARTICIPANTS} | (set() if self.one_client else {CLIENT})
            _add(found, Term(term.atom, term.inner, outer), weight)
        return found

    def product(self, left: Vector, right: Vector) -> Products:
        """E <left, right> as a sum of keys "<a|b|sources>"."""
        found: Products = {}
        for a, weight in left.items():
            for b, other in right.items():
                for key, chance in self._pair(a, b):
                    value = weight * other if chance is None else weight * other * chance
                    found[key] = found[key] + value if key in found else value
        return found

    def _pair(self, a: Term, b: Term) -> Chances:
        both = a.inner & b.inner
        if a.outer is None and b.outer is None:
            return self._key(a, b, both)
        assert self.sampling is not None
        chances = self.sampling()
        one, two, n = chances.one, chances.two, chances.clients
        if a.outer is None or b.outer is None:
            # nothing at all may be given: an outer that is empty is not one that is missing
            kept = (a.inner if a.outer is None else a.outer) & (
                b.inner if b.outer is None else b.outer
            )
            if PARTICIPANTS in kept:
                raise Refused(f"{a.atom} and {b.atom} depend on who takes part in different ways")
            return [(key, one) for key, _ in self._key(a, b, both & kept)]
        kept = a.outer & b.outer
        if PARTICIPANTS not in kept:
            return [(key, one * one) for key, _ in self._key(a, b, both & kept)]
        if CLIENT in kept or self.one_client:
            return [(key, one) for key, _ in self._key(a, b, both & kept)]
        same = self._key(a, b, both & (kept | {CLIENT}))
        different = self._key(a, b, both & kept)
        return [(key, (one - two) / n) for key, _ in same] + [(key, two) for key, _ in different]

    def _key(self, a: Term, b: Term, kept: frozenset[str]) -> Chances:
        if self.single:
            kept = kept - {CLIENT}
        for term in (a, b):
            centred = self.atoms[term.atom].centred
            if centred and centred not in kept:
                return []
        first, second = sorted((a.atom, b.atom))
        return [(f"<{first}|{second}|{','.join(sorted(kept))}>", None)]


def norm_key(vector: Vector) -> str:
    """The key of the mean of a norm, of E[a | sources] alone."""
    match [(term, weight) for term, weight in vector.items() if not weight.is_zero()]:
        case [(Term(outer=None) as term, weight)] if weight == weight.ring.number(1):
            return f"<{term.atom}|{','.join(sorted(term.inner))}>"
    raise Refused("only the norm of one vector is known, as it stands")


def is_norm(key: str) -> bool:
    """Whether a key is the mean of a norm."""
    return key.startswith("<") and key.count("|") == 1


def is_square(key: str) -> bool:
    """Whether a key is the square of a norm."""
    if is_norm(key) or not key.startswith("<"):
        return False
    first, second, _ = key[1:-1].split("|")
    return first == second


def _add(vector: Vector, term: Term, weight: Ratio) -> None:
    vector[term] = vector[term] + weight if term in vector else weight
