"""Products of vectors as quadratic forms in the values that the vectors take on a finite space."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .finite import Array, Finite, Function, space_of
from .instances import Instance
from .points import Question

Column = tuple[int, ...]  # one coordinate of every vector, in the basis functions

_MOST_SIGNS = 6
_MOST_FUNCTIONS = 160


@dataclass(frozen=True, eq=False)
class Forms:
    """The products of vectors as quadratic forms in the basis functions."""

    space: Finite
    functions: list[tuple[str, Function]]
    exact: dict[str, dict[tuple[int, int], Fraction]]

    def matrix(self, key: str) -> Array:
        """One form, symmetric."""
        size = len(self.functions)
        found = np.zeros((size, size))
        for (a, b), weight in self.exact[key].items():
            found[a, b] += float(weight) / 2
            found[b, a] += float(weight) / 2
        return found

    def values(self, column: Column) -> dict[str, Fraction]:
        """The value of every product for one coordinate."""
        used = {j for j, x in enumerate(column) if x}
        return {
            key: sum(
                (w * column[a] * column[b] for (a, b), w in form.items() if {a, b} <= used),
                Fraction(0),
            )
            for key, form in self.exact.items()
        }


def forms_of(question: Question, found: Instance) -> Forms | None:
    lines = [found.gap, *(premise.line for premise in found.premises)]
    keys = sorted({name for line in lines for name in line if name.startswith("<")})
    products = {key: _parts(key) for key in keys}
    atoms = sorted({atom for a, b, _ in products.values() for atom in (a, b)})
    scope = question.scope
    depends, centred = {a: frozenset(d) for a, d in scope.atoms}, dict(scope.centred)
    counts = [int(found.point.get(name, Fraction(1))) for name in ("n", "m", "K")]
    noisy_past = any(a in scope.differences and not centred.get(a) for a in atoms)
    forgets = any("past" in depends[a] & depends[b] - kept for a, b, kept in products.values())
    space = space_of(scope, counts[0], counts[1], counts[2], noisy_past or forgets)
    if len(space.signs) > _MOST_SIGNS:
        return None
    functions = [(atom, function) for atom in atoms for function in space.functions(atom)]
    if len(functions) > _MOST_FUNCTIONS:
        return None
    rows = {atom: [j for j, (a, _) in enumerate(functions) if a == atom] for atom in atoms}
    exact = {}
    for key, (a, b, kept) in products.items():
        form = {
            (x, y): space.inner(functions[x][1], functions[y][1], kept)
            for x in rows[a]
            for y in rows[b]
        }
        exact[key] = {pair: weight for pair, weight in form.items() if weight}
    return Forms(space, functions, exact)


def _parts(key: str) -> tuple[str, str, frozenset[str]]:
    first, second, kept = key[1:-1].split("|")
    return first, second, frozenset(kept.split(",")) - {""}
