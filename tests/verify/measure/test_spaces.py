"""Largest means over an index, means of largest numbers, norms: on spaces written by hand."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.setups import Largest, MeanOfLargest, Shown, dot, most
from fedbounds.theory.proof.vectors import given, past, vectors
from fedbounds.verify.measure.known import Known
from fedbounds.verify.measure.reading import with_derived
from fedbounds.verify.measure.spaces import Listed, product, products_in

x, y, i, j, size = vectors({name: name for name in ("x", "y", "i", "j", "size")})


def exact(rows):
    return np.array(rows, dtype=object) * fmpq(1)


# sources past (two outcomes), i (three values), j (two); two coordinates
VALUES = exact(np.arange(2 * 3 * 2 * 2).reshape(2, 3, 2, 2) % 7 - 3)
SPACE = Listed(
    ("past", "i", "j"),
    (exact([fmpq(1, 4), fmpq(3, 4)]), exact([fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)]),
     exact([fmpq(1, 2)] * 2)),
    {"x": VALUES, "y": VALUES[:, :1] * 2},
    {},
    ("i", "j"),
)  # fmt: skip


def squared(at):
    """Of i, by loops."""
    weights = [w.tolist() for w in SPACE.weights]
    return sum(
        weights[0][p] * weights[2][k] * sum(z * z for z in VALUES[p, at, k])
        for p in range(2)
        for k in range(2)
    )


def test_the_largest_over_an_index_is_that_of_its_means():
    node = most(dot(x, x), i)
    every = [squared(at) for at in range(3)]
    assert product(node, SPACE, {}) == max(every)
    assert max(every) > product(given(dot(x, x)), SPACE, {})
    assert products_in(3 * node + given(dot(y, y))) == {node, given(dot(y, y))}


def test_the_largest_of_roots_is_exact():
    sizes = product(most(sp.sqrt(dot(x, x)), i), SPACE, {})
    every = [product(given(sp.sqrt(dot(x, x))), _alone(at), {}) for at in range(3)]
    assert any(own == sizes for own in every)
    assert not any(own > sizes for own in every)


def _alone(at):
    own = exact([fmpq(int(k == at)) for k in range(3)])
    return replace(SPACE, weights=(SPACE.weights[0], own, SPACE.weights[2]))


@dataclass
class Run:
    """As much of a traced run as definitions ask for."""

    spaces: tuple[Any, ...]
    subject: Any = None
    kept: dict[Any, Any] = field(default_factory=dict)
    moments: Any = None


@dataclass
class Subject:
    """Likewise."""

    shown: Shown
    rounds: int = 2
    values: dict[str, Any] = field(default_factory=dict)

    def rational(self, p, q):
        """In floats."""
        return p / q


def known(*spaces):
    shown = Shown(indices={"i": "", "j": ""})
    return Known(Run(spaces, Subject(shown)), {}, {})


def test_the_mean_of_the_largest_is_taken_over_all_rounds_of_each_value():
    later = replace(SPACE, vectors={"x": VALUES[:, ::-1] * 2, "y": VALUES[:, :1]})
    found = known(SPACE, later).number(MeanOfLargest(given(dot(x, x), past, i), i))
    squares = (VALUES * VALUES).sum(axis=3).sum(axis=2) / 2
    rounds = np.stack([squares, 4 * squares[:, ::-1]])
    assert found == sum(rounds.max(axis=(0, 1)) * SPACE.weights[1])
    alone = known(SPACE, later).number(Largest(given(dot(x, x), past, i)))
    assert alone == rounds.max() > found


def test_what_does_not_vary_with_the_index_has_one_largest_number():
    found = known(SPACE).number(MeanOfLargest(given(dot(y, y), past), i))
    assert found == known(SPACE).number(Largest(given(dot(y, y), past)))


def test_a_norm_stands_for_a_vector_of_one_number():
    shown = Shown(derived={"size": sp.sqrt(dot(x, x)) + sp.sqrt(dot(y, y))})
    space = with_derived(Subject(shown), SPACE)
    assert space.vectors["size"].shape == (2, 3, 2, 1)
    node = given(sp.sqrt(dot(x, x))) + given(sp.sqrt(dot(y, y)))
    parts = sum(product(one, SPACE, {}) for one in node.args)
    assert space.mean(space.vectors["size"], ()).item() == parts
    with pytest.raises(FedboundsError):
        product(given(dot(size, size)), SPACE, {})
