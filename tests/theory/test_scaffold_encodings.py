"""The Scaffold-P claims against the paper's displays typed a second time, as plain functions.

A typed display is a chain a <= b <= c; an encoded part is right if it is one link of a chain, or
a chain's two ends. Sides are compared one by one, except that E f^t may stand on either side.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import isclose, sqrt
from random import Random

import pytest
import sympy as sp
from scaffold_lemmas_typed import LEMMAS
from scaffold_numbers import At, Chain, Side, Values, draw, largest_growth, level, plain
from scaffold_theorems_typed import ALTERNATIVES, THEOREMS

from fedbounds.facts import Fact
from fedbounds.theory import personalization
from fedbounds.theory.language.claims import Claim, Part, read
from fedbounds.theory.language.symbols import Mean_t, Sum_t, T, k, t
from fedbounds.vocabulary import Index, Relation

MODULES = [
    importlib.import_module(f"{personalization.__name__}.{found.name}")
    for found in pkgutil.iter_modules(personalization.__path__)
]
ENCODED: dict[str, Claim] = {
    claim.id.partition("/")[2]: claim
    for module in MODULES
    for claim in getattr(module, "CLAIMS", ())
    if isinstance(claim, Claim)
}

PAPER = LEMMAS | THEOREMS

# ---- evaluation of the encoded side


def number(expression: sp.Expr, values: Values) -> float:
    """The side at these numbers; exact SymPy structure, floats for atoms."""

    def reduced(e: sp.Expr) -> sp.Expr:
        return e.args[0] if e.func is Mean_t else T * e.args[0]

    inside = sp.sympify(expression).replace(lambda e: e.func in (Mean_t, Sum_t), reduced)
    atoms = {
        atom: sp.Float(values.quantity(atom.func.__name__, *shifts(atom)))
        for atom in inside.atoms(sp.core.function.AppliedUndef)
    }
    # sums need whole numbers
    known = {
        symbol: sp.Integer(int(v)) if symbol.is_integer else sp.Float(v)
        for symbol in inside.free_symbols - {t, k}
        for v in [values.constants[symbol.name]]
    }
    return float(inside.xreplace(atoms).xreplace(known).doit().evalf())


def shifts(atom: sp.Expr) -> list[int]:
    return [int(at - origin) for at, origin in zip(atom.args, (t, k), strict=False)]


# ---- comparison

SEEDS = range(4)


def links(chain: Chain) -> Iterator[tuple[Side, Side]]:
    """Neighbours, and the two ends."""
    for a, b in combinations(range(len(chain.sides)), 2):
        if b == a + 1 or (a, b) == (0, len(chain.sides) - 1):
            yield chain.sides[a], chain.sides[b]


def same(a: float, b: float, size: float) -> bool:
    return isclose(a, b, rel_tol=1e-9, abs_tol=1e-9 * size)


def is_link(part: Part, left: Side, right: Side, base: int) -> bool:
    """Whether the part says left <= right, with the display's t read as t + base."""
    moved = "f" in part.quantities
    for seed in SEEDS:
        values = draw(seed)
        c, q = plain(values), At(values, base)
        found = number(part.left, values), number(part.right, values)
        typed = left(c, q), right(c, q)
        size = abs(typed[0]) + abs(typed[1])
        if not same(found[1] - found[0], typed[1] - typed[0], size):
            return False
        if not moved and not same(found[0], typed[0], size):
            return False
    return True


def link_of(part: Part, displays: tuple[Chain, ...]) -> tuple[int, int, int] | None:
    """Display, link and shift of the part, if it is printed."""
    for d, display in enumerate(displays):
        if part.index is not display.index:
            continue
        for a, (left, right) in enumerate(links(display)):
            for base in (0, 1) if display.index is Index.ROUND else (0,):
                if is_link(part, left, right, base):
                    return d, a, base
    return None


every_id = pytest.mark.parametrize("name", PAPER)


@every_id
def test_every_encoded_part_is_printed(name):
    for part in ENCODED[name].parts:
        assert part.relation is Relation.AT_MOST
        assert link_of(part, PAPER[name]) is not None, part.name


@every_id
def test_every_line_that_bears_the_name_is_encoded(name):
    """From the left end of the first display one comes to its right end; (A.13) has two lines."""
    found = {link_of(part, PAPER[name]) for part in ENCODED[name].parts}
    required = PAPER[name] if name == "eq-A.13" else PAPER[name][:1]
    for d, display in enumerate(required):
        pairs = list(links(display))
        ends = next(
            a for a, pair in enumerate(pairs) if pair == (display.sides[0], display.sides[-1])
        )
        neighbours = [a for a in range(len(pairs)) if a != ends] or [ends]
        encoded = {place[1] for place in found if place is not None and place[0] == d}
        assert ends in encoded or encoded >= set(neighbours)


@every_id
def test_a_statement_on_the_round_before_starts_at_round_one(name):
    for part in ENCODED[name].parts:
        atoms = (part.left - part.right).atoms(sp.core.function.AppliedUndef)
        first = [shifts(atom)[0] for atom in atoms if atom.args[0].has(t)]
        assert part.first_round == max([0, *(-s for s in first)]), part.name


@pytest.mark.parametrize(
    ("name", "ambiguity", "display"), ALTERNATIVES, ids=[f"{a}, {b}" for a, b, _ in ALTERNATIVES]
)
def test_the_alternatives_of_the_register_are_readings(name, ambiguity, display):
    readings = [r for r in ENCODED[name].readings if r.ambiguity == ambiguity]
    assert any(
        link_of(part, (display,)) is not None
        for reading in readings
        for part in read(ENCODED[name], reading)
    )


# ---- conditions and assumptions of the numbered statements


def steps_agree(c):
    return isclose(c.gamma_u * c.eta_u, c.gamma_v * c.eta_v, rel_tol=1e-12)


def outer_steps(c):
    return c.eta_u >= sqrt(c.m) and c.eta_v >= sqrt(c.n / c.m)


def theorem_45(c):
    smallest = min(c.m / c.n ** (2 / 3), 1)
    return outer_steps(c) and c.gamma <= smallest / (72 * c.L * c.K) and steps_agree(c)


def tuned(c):
    return 1 / (72 * c.L * c.K * largest_growth(c) + sqrt(37 * c.L * c.K * c.T / c.F_0 * level(c)))


def corollary_46(c):
    return outer_steps(c) and isclose(c.gamma, tuned(c), rel_tol=1e-12) and steps_agree(c)


SMOOTH, NOISE = Fact.SMOOTH, Fact.NOISE
STATEMENTS = {
    "lem-4.1": (steps_agree, {SMOOTH, NOISE}),
    "lem-4.2": (lambda _: True, {SMOOTH}),
    "lem-4.3": (
        lambda c: 12 * c.L**2 * c.K * (c.K - 1) * (c.gamma_u**2 + c.gamma_v**2) <= 1,
        {SMOOTH, NOISE},
    ),
    "lem-4.4": (theorem_45, {SMOOTH, NOISE}),
    "thm-4.5": (theorem_45, {SMOOTH, NOISE, Fact.BOUNDED_BELOW}),
    "cor-4.6": (corollary_46, {SMOOTH, NOISE, Fact.BOUNDED_BELOW}),
}


def near_the_edges(seed: int) -> Values:
    """Parameters on both sides of every condition, a little or far; gamma tuned or at an edge."""
    rng = Random(seed)
    values = draw(seed)
    c = plain(values)
    new = dict(values.constants)
    new["eta_u"] = sqrt(c.m) * rng.choice((0.99, 1.01, 4.0))
    new["eta_v"] = sqrt(c.n / c.m) * rng.choice((0.99, 1.01, 4.0))
    edge = min(c.m / c.n ** (2 / 3), 1) / (72 * c.L * c.K)
    local = 1 / (c.L * sqrt(12 * c.K * (c.K - 1)))
    new["gamma"] = rng.choice(
        (tuned(c), edge * 0.99, edge * 1.01, local * 0.7, local * rng.uniform(0.3, 1.5))
    )
    for block in ("u", "v"):
        new[f"gamma_{block}"] = new["gamma"] / new[f"eta_{block}"]
    new["gamma_v"] *= rng.choice((1.0, 1.0, 1.1))
    if rng.random() < 0.3:  # about one per cent off the condition of Lemma 4.3
        both = new["gamma_u"] ** 2 + new["gamma_v"] ** 2
        scale = local / sqrt(both) * rng.choice((0.995, 1.005))
        new |= {name: new[name] * scale for name in ("gamma", "gamma_u", "gamma_v")}
    return replace(values, constants=new)


def holds(part: Part, values: Values) -> bool:
    decide = {
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
        "==": lambda a, b: isclose(a, b, rel_tol=1e-12),
    }
    return all(
        decide[x.relation](number(x.left, values), number(x.right, values)) for x in part.conditions
    )


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_numbered_statement_has_the_papers_conditions_and_assumptions(name):
    expected, assumptions = STATEMENTS[name]
    claim = ENCODED[name]
    assert claim.algorithms == ("Scaffold-P",)
    seen = set()
    for part in claim.parts:
        assert set(part.assumptions) == assumptions
        for seed in range(80):
            values = near_the_edges(seed)
            wanted = expected(plain(values))
            seen.add(wanted)
            assert holds(part, values) == wanted, seed
    assert seen == {True, False} or name == "lem-4.2"


# ---- the comparison has teeth


@every_id
def test_a_changed_term_is_seen(name):
    """One per cent more of any one term of the right side is no printed inequality."""
    for part in ENCODED[name].parts:
        for term in sp.Add.make_args(sp.expand(part.right)):
            wrong = replace(part, right=part.right + term / 100)
            assert link_of(wrong, PAPER[name]) is None, (part.name, term)
