"""Quantities of single replicas, by their definitions; only what replicas have."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.theory.language.setups import Says
from fedbounds.theory.language.symbols import T

from .evaluate import Numbers
from .expressions import without_products
from .known import Defined, Indices, MissingError
from .rows import by_row
from .samples import Rows
from .unknowns import Refused, bare

Array = Any


class Replicas(Defined[Rows]):
    """Quantities of every row: an array has a row of rounds for each."""

    def products(self, node: sp.Expr, indices: Indices = None) -> Array:
        """sq(x) or ip(x, y) of every row and round."""
        return self._measured(node, slice(0, self.trace.subject.rounds))

    def _at_end(self, node: sp.Expr, indices: Indices) -> Array:
        """At the start of the round after the last."""
        if not self.trace.pattern.is_of_the_past(node):
            raise MissingError(f"{node} depends on draws: it is no state of a round's start")
        rounds = self.trace.subject.rounds
        return self._measured(node, slice(rounds, rounds + 1))

    def _measured(self, node: sp.Expr, rounds: slice) -> Array:
        values = self._of_vectors([node], {})
        key = node, rounds.start, rounds.stop, *sorted(values.items())
        if key not in self.trace.kept:
            self.trace.pattern.check(node, values)
            every = [by_row(node, space, values) for space in self.trace.of(node, rounds)]
            self.trace.kept[key] = np.stack(np.broadcast_arrays(*every), axis=-1)
        found: Array = self.trace.kept[key]
        return found

    def _quantity(self, name: str) -> Array:
        if self.each.get(name):
            raise MissingError("it is one of each client, and replicas are measured as a whole")
        if name in self.quantities and not _is_affine(self.quantities[name]):
            raise MissingError("it is not affine in means: the mean over replicas says nothing")
        return super()._quantity(name)

    def _constant(self, name: str) -> Any:
        if name == T.name:
            return float(self.trace.subject.rounds)
        found = self.constants.get(name)
        return int(found.p) / int(found.q) if isinstance(found, fmpq) else super()._constant(name)

    def _single(self, node: sp.Expr) -> Any:
        """In round 0, where a number is the same in every row."""
        first = self.products(node)[:, 0]
        if any(bare(x) != bare(first[0]) for x in first[1:]):
            raise MissingError(f"{node} differs between replicas")
        return first[0]

    def holds(self, says: Says) -> tuple[bool | None, str]:
        """Replicas show of no statement that it holds."""
        return None, f"{says}: replicas do not show it"

    def _numbers(
        self, plain: sp.Expr, own: Mapping[str, Any], series: Mapping[str, Array] | None = None
    ) -> Numbers:
        return replace(super()._numbers(plain, own, series), rational=lambda p, q: p / q)

    def _extreme(self, node: sp.Expr, own: Mapping[str, Any]) -> Any:
        raise MissingError(f"{node} speaks of all that a run visits")

    def _settled(self, node: sp.Expr) -> Any:
        raise Refused("replicas have no limit")


@lru_cache(maxsize=4096)
def _is_affine(expression: sp.Expr) -> bool:
    """In products and in quantities, so that its mean over replicas is that of their means."""
    plain, nodes = without_products(expression)
    atoms = sorted(plain.atoms(AppliedUndef), key=str)
    names = {atom: sp.Dummy() for atom in atoms}
    inside = sp.expand(plain.xreplace(names))
    return all(
        sp.expand(inside.diff(a).diff(b)) == 0 for a in names.values() for b in names.values()
    ) and len(nodes) <= len(atoms)
