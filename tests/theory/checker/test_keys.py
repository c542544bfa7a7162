"""Sums over rounds, clients and steps agree with sums written out."""

from fractions import Fraction
from random import Random

import pytest
from checker_theory import THEORY, branches_of, slacks, value_at
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.keys import affine_of, affine_text, over_clients, over_rounds

small = st.integers(-3, 3)
affines = st.dictionaries(st.sampled_from(["t", "k", "T", ""]), small.filter(bool))


@given(affines)
def test_affine_texts_are_read_back(affine):
    assert affine_of(affine_text(affine)) == affine


@pytest.mark.parametrize(
    ("text", "affine"),
    [
        ("t - 1", {"t": 1, "": -1}),  # as SymPy writes it
        ("t-1", {"t": 1, "": -1}),
        ("2*t + 3", {"t": 2, "": 3}),
        ("-t", {"t": -1}),
        ("0", {}),
        ("T - t", {"T": 1, "t": -1}),
    ],
)
def test_affine_texts_with_spaces(text, affine):
    assert affine_of(text) == affine


@pytest.mark.parametrize(
    "text", ["", "t*2", "t/2", "t--1", "t 1", "(t)", "t**2", "-", "t-1)", "1.5"]
)
def test_what_is_no_affine_text_is_refused(text):
    with pytest.raises(Refused):
        affine_of(text)


def reader_at(rounds, clients=2, steps=2):
    (branch,) = branches_of()
    point = slacks(branch, {"T": rounds, "n": clients, "m": 1, "K": steps})
    return branch.reader, point


def numbers(seed):
    """A number for every quantity at every place: f(t), g(i, t), h(i, t, k)."""
    found = {}

    def number(*place):
        if place not in found:
            found[place] = Fraction(Random(f"{seed} {place}").randint(-9, 9))
        return found[place]

    return number


def measured(key, number, rounds, clients, steps, places):
    """The value of a key, with sums written out."""

    def evaluate(text, **bound):
        at = places | bound
        quantities = {
            "f": lambda t: number("f", t),
            "A": lambda t: number("A", t),
            "g": lambda t: number("g", t, at["i"]),
            "h": lambda t, k: number("h", t, k, at["i"]),
        }
        return eval(text, {"__builtins__": {}}, quantities | at | {"T": rounds})

    prefix, _, rest = key.partition("(")
    inner = rest.removesuffix(")")
    match prefix:
        case "Sum_t":
            return sum(evaluate(inner, t=t) for t in range(rounds))
        case "Sum_i":
            return sum(evaluate(inner, i=i) for i in range(clients))
        case "Sum_ik":
            return sum(evaluate(inner, i=i, k=k) for i in range(clients) for k in range(steps))
    return evaluate(key or "1")


def total(value, point, number, rounds, clients=2, steps=2, **places):
    return sum(
        value_at(ratio, point) * measured(key, number, rounds, clients, steps, places)
        for key, ratio in value.terms.items()
    )


rows = st.lists(st.tuples(small, st.sampled_from("fA"), st.integers(-1, 2)), max_size=3)


@given(rows, small, st.integers(0, 1), st.integers(1, 4), st.integers(0, 99))
def test_sums_over_rounds_with_their_boundary_terms(terms, constant, first, rounds, seed):
    if any(first + shift < 0 for _, _, shift in terms):
        return
    text = " + ".join(
        [f"({constant})", *(f"({c})*{q}(t{s:+d})" for c, q, s in terms), "2*f(T)", "A(0)"]
    )
    reader, point = reader_at(rounds)
    number = numbers(seed)
    summed = over_rounds(reader.read(text), first, reader.read("T"))
    each = reader.read(text)
    expected = sum(total(each, point, number, rounds, t=t) for t in range(first, rounds))
    if rounds - 1 < first:  # an empty sum
        expected = 0
    assert total(summed, point, number, rounds) == expected


@given(rows, st.integers(0, 1), st.integers(0, 99))
def test_where_there_is_one_round_a_sum_is_its_first_term(terms, first, seed):
    if any(first + shift < 0 for _, _, shift in terms):
        return
    text = " + ".join(["1", *(f"({c})*{q}(t{s:+d})" for c, q, s in terms)])
    (branch,) = branches_of(("T", "equal", "1"), conditions=["T == 1"])
    point = slacks(branch, {"T": 1, "n": 1, "m": 1, "K": 1})
    reader, number = branch.reader, numbers(seed)
    summed = over_rounds(reader.read(text), first, reader.read("T"))
    assert not any(key.startswith("Sum_t") for key in summed.terms)
    expected = 0 if first else total(reader.read(text), point, number, 1, t=0)
    assert total(summed, point, number, 1) == expected


@given(small, small, small, st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_sums_over_clients_and_steps(a, b, c, clients, steps, seed):
    reader, point = reader_at(2, clients, steps)
    number = numbers(seed)
    summed = over_clients(
        reader.read(f"({a})*h(t, k) + ({b})*g(t) + ({c})*f(t) + {a}"),
        THEORY.per_client, THEORY.per_step, reader.read("n"), reader.read("K"),
    )  # fmt: skip
    expected = sum(
        a * number("h", 0, k, i) + b * number("g", 0, i) + c * number("f", 0) + a
        for i in range(clients)
        for k in range(steps)
    )
    assert total(summed, point, number, 2, clients, steps, t=0) == expected


@given(small, small, st.integers(1, 3), st.integers(0, 99))
def test_sums_over_clients(b, c, clients, seed):
    reader, point = reader_at(2, clients)
    number = numbers(seed)
    value = reader.read(f"({b})*g(t) + ({c})*f(t)")
    summed = over_clients(value, THEORY.per_client, THEORY.per_step, reader.read("n"), None)
    expected = sum(b * number("g", 0, i) + c * number("f", 0) for i in range(clients))
    assert total(summed, point, number, 2, clients, t=0) == expected


@pytest.mark.parametrize(
    "text",
    [
        "t*f(t)",
        "2**t*f(t)",  # a power of t is no constant
        "x**t",
        "f(t + t)",
        "f(T - t)",
        "h(t, k)",
        "h(0, t)",
        "Sum_i(g(t))",  # a sum over clients at round t
        "Sum_ik(h(t, k))",
        "f(t - 1)",  # before round 0
    ],
)
def test_what_cannot_be_summed_over_rounds(text):
    powers = [f"(({base}) / (1))**((1*t) / (1))" for base in ("2", "1*x")]
    (branch,) = branches_of(powers=dict.fromkeys(powers, True))
    reader = branch.reader
    with pytest.raises(Refused):
        over_rounds(reader.read(text), 0, reader.read("T"))


@pytest.mark.parametrize("text", ["k*g(t)", "2**k", "h(t, k + 1)", "h(t, 0)", "h(k, k)", "f(k)", "Sum_t(g(t))"])  # fmt: skip
def test_what_cannot_be_summed_over_clients_and_steps(text):
    (branch,) = branches_of(powers={"((2) / (1))**((1*k) / (1))": True})
    reader = branch.reader
    with pytest.raises(Refused):
        over_clients(
            reader.read(text), THEORY.per_client, THEORY.per_step,
            reader.read("n"), reader.read("K"),
        )  # fmt: skip


def test_vectors_are_summed_over_nothing():
    reader = branches_of(scope=THEORY.scopes["round"])[0].reader
    for text in ("sq(u)", "end - start"):
        value = reader.read(text)
        with pytest.raises(Refused, match="vectors"):
            over_rounds(value, 0, reader.read("T"))
        with pytest.raises(Refused, match="vectors"):
            over_clients(value, frozenset(), frozenset(), reader.read("n"), None)


def test_rounds_are_summed_from_0_or_1():
    reader, _ = reader_at(2)
    with pytest.raises(Refused):
        over_rounds(reader.read("f(t)"), 2, reader.read("T"))
