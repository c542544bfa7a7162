"""Inner products by the tower rule equal those found by enumerating all outcomes."""

from dataclasses import replace
from random import Random

import pytest
from checker_theory import ROUND, THEORY, branches_of, slacks, value_at
from each import each
from finite_space import FiniteSpace
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.checker.errors import Refused

COUNTS = (("m", "integer", "1"), ("n", "integer", "m"))
ATOMS = ("u", "v", "p", "q", "Y", "w", "au")
SOURCES = ("past", "S", "xi", "i", "k")
numbers = st.integers(-3, 3)
sources = st.lists(st.sampled_from(SOURCES), unique=True, max_size=5)


def _larger(inner):
    return st.one_of(
        st.builds(lambda a, x, b, y: f"({a}*({x}) + {b}*({y}))", numbers, inner, numbers, inner),
        st.builds(lambda x, kept: f"given({', '.join([x, *kept])})", inner, sources),
        inner.map(lambda x: f"present({x})"),
    )


vectors = st.recursive(st.sampled_from(ATOMS), _larger, max_leaves=5)
plain = st.recursive(st.sampled_from(ATOMS), lambda x: _larger(x).filter(lambda e: "present" not in e), max_leaves=4)  # fmt: skip
populations = st.sampled_from([(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)])


def reader_at(n, m, scope=ROUND):
    """The branch of the counts' chart in which these counts lie, and where."""
    values = {"n": n, "m": m, "K": 2, "T": 1, "gamma": 2}
    for branch in branches_of(*COUNTS, scope=scope):
        point = slacks(branch, values)
        if point is not None:
            return branch.reader, point
    raise AssertionError("no branch")


def enumerated(space, scope, text):
    """The value of a text, with vectors drawn as the scope declares them."""
    centred = dict(scope.centred)
    atoms = {name: space.vector(depends, centred.get(name, "")) for name, depends in scope.atoms}
    return atoms, space.evaluate(text, **atoms)


def agrees(n, m, text, seed, scope=ROUND, spaced=None):
    reader, point = reader_at(n, m, scope)
    value = reader.read(text)
    space = FiniteSpace(n, m, Random(seed))
    atoms, expected = enumerated(space, spaced or scope, text)
    found = sum(value_at(r, point) * space.product(key, atoms) for key, r in value.terms.items())
    assert found == expected


@settings(deadline=None, max_examples=60)
@given(populations, vectors, vectors, st.integers(0, 99))
def test_inner_products_agree_with_enumeration(counts, left, right, seed):
    n, m = counts
    reader, _ = reader_at(n, m)
    try:
        reader.read(f"ip({left}, {right})")
    except Refused:
        return
    agrees(n, m, f"ip({left}, {right})", seed)


@settings(deadline=None, max_examples=30)
@given(populations, plain, st.integers(0, 99))
def test_without_the_indicator_nothing_is_refused_and_squares_agree(counts, text, seed):
    agrees(*counts, f"sq({text})", seed)


@each("counts", [(1, 1), (2, 1), (2, 2), (3, 2)])
@each(
    "text",
    [
        "sq(given(present(p), past, S, xi))",  # the sampled mean
        "sq(given(present(p + Y), past, S, xi) - given(p, past))",
        "ip(given(present(au)), p)",  # nothing at all is given
        "ip(given(present(p), past, xi), w)",
        "sq(present(v) - given(present(v), past, S))",
        "ip(present(given(p, past, i)), given(present(q), past, S, k))",
        "sq(given(present(Y), past, S, i, k))",
        "ip(present(u), given(present(v), S))",
        "ip(given(present(p), past, i), given(present(q), past, k))",
        "sq(given(present(p), past))",
    ],
)
def test_products_with_participants_agree_with_enumeration(counts, text):
    agrees(*counts, text, seed=7)


@pytest.mark.parametrize("n", [2, 3])
def test_in_a_scope_of_one_client_no_mean_is_taken_over_clients(n):
    drop = {"i"}
    fixed = replace(
        ROUND,
        sources=tuple(s for s in ROUND.sources if s not in drop),
        atoms=tuple((a, tuple(s for s in d if s not in drop)) for a, d in ROUND.atoms),
    )
    # the client's chance to take part is that of any client, so any fixed one will do
    reader, point = reader_at(n, 1, fixed)
    space = FiniteSpace(n, 1, Random(3))
    atoms = {name: space.vector(depends) for name, depends in fixed.atoms}
    first = [int(0 in chosen) for chosen in space.sets]
    space.indicator = space.vector(()) * 0 + first
    for text in ("sq(given(present(p), past, S, xi))", "ip(present(p), given(present(q), S))"):
        value = reader.read(text)
        found = sum(value_at(r, point) * space.product(x, atoms) for x, r in value.terms.items())
        assert found == space.evaluate(text, **atoms)


@pytest.mark.parametrize(
    "text",
    [
        "sq(present(w))",  # depends on who takes part
        "ip(w, present(p))",
        "sq(present(present(p)))",
        "sq(p, q)",
        "ip(p)",
        "sq(given(p, past, 2*i))",
        "sq(given(p, nobody))",
        "sq(unknown)",
        "sq(p*q)",
        "sq(x)",
    ],
)
def test_what_the_rule_does_not_cover_is_refused(text):
    reader, _ = reader_at(3, 2)
    with pytest.raises(Refused):
        reader.read(text)


def test_a_vector_that_depends_on_participants_is_not_independent_of_the_indicator():
    """The product would factor wrongly: the oracle says by how much."""
    space = FiniteSpace(2, 1, Random(0))
    atoms = {name: space.vector(depends) for name, depends in ROUND.atoms}
    product = space.evaluate("ip(present(w), w)", **atoms)
    assert product != space.sq(atoms["w"]) / 2


def test_noise_vanishes_in_the_mean_over_samples():
    reader, _ = reader_at(3, 2)
    for text in ("ip(Y, v)", "sq(given(Y, past, i, k, S))", "ip(present(Y), given(p, past, k))"):
        assert not reader.read(text).terms
    assert reader.read("ip(Y, p)").terms


def test_a_single_client_is_the_mean_over_clients_and_takes_part():
    reader, _ = reader_at(1, 1)
    for text in ("sq(present(p) - p)", "sq(given(p, past, xi) - given(p, past, xi, i))"):
        assert not reader.read(text).terms
    assert reader.read("sq(given(p, past) - p)").terms


def test_division_by_n_less_one_needs_a_second_client():
    branch = branches_of(scope=ROUND)[0]
    with pytest.raises(Refused, match="division"):
        branch.reader.read("sq(given(present(p), past, S, xi))")


def test_sampling_needs_a_source_of_participants():
    scope = Scope(sources=("past",), atoms=(("u", ("past",)),), sampled=True)
    with pytest.raises(Refused, match="S"):
        branches_of(("n", "above", "2"), conditions=["n >= 2"], scope=scope, theory=THEORY)
