"""Which steps about masked objectives and coupled runs are proved, and which are not."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import replay
from fedbounds.theory.proof.text import text

PROVED = {
    "prop-1:strong convexity",
    "prop-1:smoothness",
    "prop-2:strong convexity",
    "prop-2:smoothness",
    "prop-2:smoothness, unchanged",
    "prop-2:strong convexity, general",
    "prop-2:smoothness, general",
    "lem-mask-gap: a, masked part, equal p",
    "lem-mask-gap: a, masked part, equal q",
    "stat-random:a, squares",
    "stat-random:c",
    "stat-rolling:equal q, squares",
    "lem-2:gap at w*(p')",
    "lem-2:gap at w*(p)",
    "lem-2:norms of p",
    "lem-2:full, gap at w*(p)",
    "lem-2:full, gap at w*",
    "lem-7: gap at w*(M')",
    "lem-7: gap at w*(M)",
    "lem-7:full, gap at w*(M)",
    "lem-3:convex",
    "lem-3:strongly convex",
    "lem-8:convex",
    "lem-8:strongly convex",
    "lem-1:above",
    "lem-1:below",
    "lem-1:above, averaged",
    "lem-1:below, averaged",
    "lem-12: equal samples",
    "lem-12",
    "thm-5:a",
    "thm-5:a, stability",
    "thm-6:a",
    "thm-6:a, stability",
}


@pytest.fixture(scope="module")
def found():
    return {step.written.id: step for step in replayed("submodel")}


@pytest.mark.parametrize("name", sorted(PROVED))
def test_a_step_is_proved_and_so_is_all_it_rests_on(found, name):
    assert found[name].local == "proved"
    assert found[name].missing == ()


def test_unchanged_strong_convexity_does_not_follow(found):
    """Masks shrink curvature: reading B of Proposition 2; numbers show it."""
    step = found["prop-2:strong convexity, unchanged"]
    assert step.local == "does not follow"
    numbers = {name: Fraction(value) for name, value in step.numbers if name in ("left", "right")}
    assert numbers["left"] > numbers["right"]


# a right side slightly too small for its proof
TOO_STRONG = {
    "prop-1:smoothness": sp.Rational(9, 10),
    "lem-2:gap at w*(p')": sp.Rational(9, 10),
    "lem-3:convex": sp.Rational(9, 10),
    "stat-random:a, squares": sp.Rational(9, 10),
    "lem-12: equal samples": sp.Rational(9, 10),
    "thm-5:a": sp.Rational(9, 10),
}


@pytest.mark.parametrize("name", sorted(TOO_STRONG))
def test_a_smaller_right_side_is_not_proved(name):
    book = book_of("submodel")
    steps = [
        replace(
            step,
            statement=replace(step.statement, right=text(TOO_STRONG[name] * step.right)),
            right=TOO_STRONG[name] * step.right,
        )
        if step.id == name
        else step
        for step in book.steps
        if step.rule == "given" or step.id in needed(book, name)
    ]
    # the theorems that givens restate are not among them
    steps = [replace(step, uses=()) if step.rule == "given" else step for step in steps]
    changed = {step.written.id: step for step in replay(replace(book, steps=steps))}
    assert changed[name].local != "proved"


def needed(book, name):
    """Ids of a step and of everything that it cites."""
    steps = {step.id: step for step in book.steps}
    ids, waiting = set(), [name]
    while waiting:
        step = steps[waiting.pop()]
        ids.add(step.id)
        for use in (*step.uses, *step.base):
            cited = use if isinstance(use, str) else getattr(use, "name", "")
            if cited in steps and cited not in ids:
                waiting.append(cited)
    return ids
