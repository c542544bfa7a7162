"""The numbers a bound needs: those a user gives, and those that conditions give.

A condition "x == ..." gives x. A number that a user may choose freely from a least value on (an
outer step size, a constant of a rate) takes that least value if it is left out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, require, unknown_name

from .claims import Condition, Part
from .glossary import Glossary
from .symbols import T, eta_u, eta_v, gamma, gamma_u, gamma_v
from .values import Values, failure, is_measured, names_in, number, sign, spelt

# definitions that formulas take for granted, each with the name that brings it in
DEFINITIONS = (
    ("gamma_u", Condition(gamma, "==", gamma_u * eta_u)),
    ("gamma_v", Condition(gamma, "==", gamma_v * eta_v)),
    ("log_T", Condition(sp.Symbol("log_T", positive=True), ">=", sp.log(T))),
)
FROM_BELOW = frozenset({"eta_u", "eta_v", "nu_max", "C_rate", "log_T"})
STEP_SIZES = frozenset({"gamma", "gamma_u", "gamma_v", "eta"})
_SOLVED_FOR = STEP_SIZES | {"eta_u", "eta_v", "w_gap"}  # other constants are the problem's
ORDERED = (("m", "n"),)  # the first is at most the second
SHARES = frozenset(  # probabilities and shares: at most 1
    {"p", "p_2", "p_own", "p_mean", "p_mean_2", "q", "q_own", "q_mean", "q_mean_2"}
    | {"c_k", "c_min", "c_max", "alpha_k"}
)

_LONGEST = 300  # characters of a number, and size of its exponent


@dataclass(frozen=True)
class Derived:
    """A number that was not given, its formula, and the condition that it comes from."""

    name: str
    formula: sp.Expr
    why: str


@dataclass(frozen=True)
class Inputs:
    """What a part needs, as far as it is known.

    Attributes
    ----------
    values : mapping from name to expression
        Rational where given; a formula in other names where derived.
    derived : tuple of Derived
    conditions : tuple of Condition
        Those to check: no definition of a name that nothing else needs.
    missing : tuple of str
    """

    values: Values
    derived: tuple[Derived, ...]
    conditions: tuple[Condition, ...]
    missing: tuple[str, ...]


def spelling(name: str) -> str:
    """The form of a name without "^" and spaces: "sigma_u2" for "sigma_u^2"."""
    return name.replace("^", "").replace(" ", "")


def meaning(names: Glossary, name: str) -> str:
    """What a name stands for, in words."""
    if name == "t":
        return "round"
    found = names.meanings.get(name) or names.meanings.get(name.partition("(")[0])
    if found:
        return found.text
    return "measured over the run" if "(" in name else "a number of the claim"


def exact(name: str, given: Any) -> sp.Rational:
    """A number, exactly.

    Parameters
    ----------
    given : int, fraction, float or str
        A text is an integer, a decimal such as "1e-3", or "p/q". A float stands for the shortest
        decimal that prints it.

    Raises
    ------
    FedboundsError
        If it is no such number.
    """
    if isinstance(given, Rational | sp.Rational) and not isinstance(given, bool):
        return sp.Rational(int(given.numerator), int(given.denominator))
    text = str(float(given)) if isinstance(given, float) else str(given).strip()
    power = re.search(r"[eE]([+-]?\d+)$", text)
    short = len(text) <= _LONGEST and (power is None or abs(int(power[1])) <= _LONGEST)
    try:
        found = Fraction(text) if short else None
    except (ValueError, ZeroDivisionError):
        found = None
    if found is None:
        raise FedboundsError(
            f"{name} is {text[:40]!r}; expected an integer, a decimal such as 1e-3, or p/q"
        )
    return sp.Rational(found.numerator, found.denominator)


def recognised(
    names: Glossary, what: str, given: Mapping[str, Any], parts: Iterable[Part]
) -> dict[str, sp.Expr]:
    """Given numbers by the names that the parts use.

    Raises
    ------
    FedboundsError
        If a name is unknown or given twice, or a number is malformed, has the wrong sign, or is
        too large (m > n, or a share above 1).
    """
    symbols: dict[str, sp.Basic] = {}
    for part in parts:
        symbols |= used_by(part)
    known = {spelling(name): name for name in symbols}
    found: dict[str, sp.Expr] = {}
    for text, raw in given.items():
        if spelling(text) not in known:
            raise unknown_name(f"symbol of {what}", text, symbols)
        name = known[spelling(text)]
        require(name not in found, name, "given twice", "one number")
        found[name] = exact(name, raw)
    for name in found:
        check_sign(names, symbols[name], name, found)
        require(name not in SHARES or found[name] <= 1, name, found[name], "at most 1")
    for least, most in ORDERED:
        if least in found and most in found:
            require(
                found[least] <= found[most], least, found[least], f"at most {most} = {found[most]}"
            )
    return found


def used_by(part: Part) -> dict[str, sp.Basic]:
    """Every symbol and measured number that a part may be given, by name."""
    formulas = [part.left, part.right, *_sides(part.conditions)]
    needed = frozenset().union(*(names_in(e) for e in formulas[1:]))
    formulas += _sides([tie for name, tie in DEFINITIONS if name in needed])
    found: dict[str, sp.Basic] = {s.name: s for e in formulas for s in e.free_symbols}
    measured = (e for e in sp.preorder_traversal(part.right) if is_measured(e))
    found |= {spelt(e): e for e in measured}
    return {name: e for name, e in found.items() if name in needed or not is_measured(e)}


def check_sign(names: Glossary, symbol: sp.Basic, name: str, values: Values) -> None:
    """Refuse a number that its symbol cannot be: not whole, negative, or zero.

    Raises
    ------
    FedboundsError
        Naming the symbol, the value, and what is expected.
    """
    value = values[name]
    if is_measured(symbol):
        square = isinstance(symbol, AppliedUndef) and symbol.func.__name__ not in names.signed
        positive, nonnegative, whole = False, square, False
    else:
        positive, nonnegative = bool(symbol.is_positive), bool(symbol.is_nonnegative)
        whole = bool(symbol.is_integer)
    if not (positive or nonnegative or whole):
        return
    kind = "an integer" if whole else "a number"
    expected = kind + (" > 0" if positive else " >= 0" if nonnegative else "")
    side = sign(value, values)
    right_sign = side > 0 if positive else side >= 0 or not nonnegative
    fits = right_sign and (not whole or number(value, values).number % 1 == 0)
    if not fits:
        shown = value if value.is_Rational else f"{value} = {float(number(value, values)):.6g}"
        raise FedboundsError(f"{name} ({meaning(names, name)}) is {shown}; expected {expected}")


def complete(part: Part, given: Values, free: frozenset[str] = frozenset()) -> Inputs:
    """Fill in what the conditions of a part give, and say what is missing.

    Parameters
    ----------
    given : mapping from name to rational
    free : frozenset of str
        Names that will have a value later: the step size to choose, the rounds to find.
    """
    symbols = used_by(part)
    ties = [tie for name, tie in DEFINITIONS if name in symbols]
    conditions = [*part.conditions, *ties]
    values: dict[str, sp.Expr] = dict(given)
    derived: list[Derived] = []
    while new := _next(conditions, values, free, symbols):
        values[new.name] = new.formula
        derived.append(new)
    known = values.keys() | free
    kept = tuple(
        c
        for c in conditions
        if (c in part.conditions or _names(c) <= known)
        and not _gives_what_nobody_needs(c, part, known)
    )
    needed = names_in(part.right).union(*(_names(c) for c in kept))
    unknown = needed - known
    # told m, n and the rest, a condition gives eta_u: not the user's to give
    missing = {name for name in unknown if not _comes_of(name, part, conditions)}
    return Inputs(values, tuple(derived), kept, tuple(sorted(missing or unknown)))


def step_to_choose(part: Part, given: Values) -> str | None:
    """Name of the one step size of the right side that neither a user nor a condition gives."""
    values = complete(part, given).values
    fixed = {
        c.left.name
        for c in part.conditions
        if c.relation == "==" and c.left.is_Symbol and "w_gap" not in _names(c)
    }
    loose = (names_in(part.right) & STEP_SIZES) - values.keys() - fixed
    return next(iter(loose)) if len(loose) == 1 else None


def missing_error(names: Glossary, what: str, missing: Iterable[str]) -> FedboundsError:
    """An error that lists every missing name with its meaning."""
    listed = sorted(missing, key=lambda name: ("(" in name, name))
    told = ", ".join(f"{name} ({meaning(names, name)})" for name in listed)
    measured = [name for name in listed if "(" in name]
    note = f"; its right side is measured: {', '.join(measured)}" if measured else ""
    return FedboundsError(f"{what} needs {told}{note}")


def unmet(
    names: Glossary, inputs: Inputs, part: Part, *, later: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Sentences on what fails: conditions with both sides, and signs of derived numbers.

    Conditions that contain a name in ``later`` are left out.
    """
    symbols = used_by(part)
    found = []
    for d in inputs.derived:
        if not _reach(d.formula, inputs.values) & later:
            check_sign(names, symbols[d.name], d.name, inputs.values)
    for c in inputs.conditions:
        if not _reach(c.left - c.right, inputs.values) & later:
            found.append(failure(c, inputs.values))
    return tuple(sentence for sentence in found if sentence)


def sign_conditions(part: Part, inputs: Inputs) -> tuple[Condition, ...]:
    """That derived numbers are positive, where their formula does not show it: 1/eta - z > 0.

    They are written with ">="; a symbol that must be positive forbids equality.
    """
    symbols = used_by(part)
    return tuple(
        Condition(d.formula, ">=", sp.Integer(0))
        for d in inputs.derived
        if getattr(symbols[d.name], "is_nonnegative", False) and not d.formula.is_nonnegative
    )


def _reach(e: sp.Expr, values: Values) -> frozenset[str]:
    """Names that a formula needs, directly or through formulas of others."""
    names = names_in(e)
    below = (_reach(values[name], values) for name in names if name in values)
    return names.union(*below)


def _sides(conditions: Iterable[Condition]) -> list[sp.Expr]:
    return [sp.sympify(side, strict=True) for c in conditions for side in (c.left, c.right)]


def _names(condition: Condition) -> frozenset[str]:
    return frozenset().union(*(names_in(side) for side in _sides([condition])))


def _next(
    conditions: list[Condition],
    values: Values,
    free: frozenset[str],
    symbols: Mapping[str, sp.Basic],
) -> Derived | None:
    """One more number that a condition gives: first by equality, then as the least allowed."""
    known = values.keys() | free
    for c in conditions:
        unknown = _names(c) - known
        if c.relation == "==" and len(unknown) == 1:
            (name,) = unknown
            ours = name in _SOLVED_FOR or c.left == symbols[name]
            formula = _solved(c, symbols[name]) if ours else None
            if formula is not None:
                return Derived(name, formula, str(c))
    for name in sorted(FROM_BELOW & symbols.keys() - known):
        least = [c for c in conditions if c.left == symbols[name] and c.relation == ">="]
        if least and all(names_in(sp.sympify(c.right, strict=True)) <= known for c in least):
            formula = sp.Max(*(sp.sympify(c.right, strict=True) for c in least))
            return Derived(name, formula, f"least that {' and '.join(map(str, least))} allows")
    return None


def _comes_of(name: str, part: Part, conditions: Iterable[Condition]) -> bool:
    """Whether a condition gives a name once the other names have values.

    A definition ties the step sizes to each other; it takes one of them to give the others.
    """

    def alone(c: Condition) -> bool:
        return bool(c.left.is_Symbol and c.left.name == name)

    given = any(
        c.relation == "==" and (alone(c) or (name in _SOLVED_FOR and name in _names(c)))
        for c in part.conditions
    )
    least = any(c.relation == ">=" and alone(c) for c in conditions)
    return given or (least and name in FROM_BELOW)


def _solved(condition: Condition, symbol: sp.Basic) -> sp.Expr | None:
    """The one value of a positive symbol that meets an equality, or None."""
    left, right = _sides([condition])
    for one, other in ((left, right), (right, left)):
        if symbol in one.free_symbols and symbol not in other.free_symbols:
            factor, rest = one.as_independent(symbol, as_Add=False)
            base, power = rest.as_base_exp()
            if base == symbol and power.is_Rational:
                return (other / factor) ** (1 / power)
    found = sp.solve(left - right, symbol)
    return found[0] if len(found) == 1 else None


def _gives_what_nobody_needs(c: Condition, part: Part, known: Iterable[str]) -> bool:
    """Whether an equality only defines a positive number that stands nowhere else."""
    if c.relation != "==":
        return False
    elsewhere = names_in(part.right).union(*(_names(o) for o in part.conditions if o is not c))
    loose = _names(c) - elsewhere - frozenset(known)
    return any(
        s.name in loose and all(side.is_Symbol or side.is_Mul for side in _sides([c]))
        for side in _sides([c])
        for s in side.free_symbols
    )
