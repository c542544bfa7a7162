"""Facts of analysis, and what the assumptions say of given vectors.

Each function returns a statement for its arguments, with its side conditions; the reference is in
its docstring, and a test tries it on numbers.
"""

import ast
import re
from collections.abc import Callable
from math import factorial

from flint import fmpq

from .data import Premise, Scope, Statement
from .errors import Refused
from .text import parsed

Fact = Callable[[Scope, tuple[str, ...]], Statement]
_TERMS = 40
_FRACTION = re.compile(r"([0-9]+)(?:/([1-9][0-9]*))?")


def growth(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """(1 + c/N)^N <= bound, as (1 + x)^N <= e^(N x): c and bound rational, bound >= e^c."""
    c, count, bound = arguments
    rate, limit = fmpq(*_fraction(c)), fmpq(*_fraction(bound))
    if not 0 <= rate <= 8 or limit < _exponential_above(rate):
        raise Refused(f"{bound} is not shown to be at least e^{c}")
    return Statement(f"(1 + ({c})/({count}))**({count})", "<=", bound, ((count, ">=", "1"),))


def power_grows(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """q^a <= q^b for q >= 1 and a <= b."""
    q, a, b = arguments
    conditions = ((q, ">=", "1"), (a, "<=", b))
    return Statement(f"({q})**({a})", "<=", f"({q})**({b})", conditions)


def power_falls(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """q^b <= q^a for 0 < q <= 1 and a <= b."""
    q, a, b = arguments
    conditions = ((q, "<=", "1"), (q, ">=", "0"), (a, "<=", b))
    return Statement(f"({q})**({b})", "<=", f"({q})**({a})", conditions)


def root_grows(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """sqrt(x) <= sqrt(y) for 0 <= x <= y."""
    x, y = arguments
    return Statement(f"sqrt({x})", "<=", f"sqrt({y})", ((x, ">=", "0"), (x, "<=", y)))


def largest(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """x <= Max(x, y, ...)."""
    every = _different(arguments)
    return Statement(every[0], "<=", f"Max({', '.join(every)})")


def least(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """Min(x, y, ...) <= x."""
    every = _different(arguments)
    return Statement(f"Min({', '.join(every)})", "<=", every[0])


def mean_norm(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """2 d E ||x|| <= d^2 + E ||x||^2: (||x|| - d)^2 is not negative."""
    x, d = (ast.unparse(parsed(text)) for text in arguments)
    return Statement(f"2*({d})*given(sqrt(dot({x}, {x})))", "<=", f"({d})**2 + sq({x})")


def smooth(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """||grad(x) - grad(y)||^2 <= 2 L^2 (||x_u - y_u||^2 + ||x_v - y_v||^2): block smoothness.

    From ||.|| <= L ||x_u - y_u|| + L ||x_v - y_v||; where one block agrees, the factor 2 falls.
    """
    first, second = arguments
    rows = {row[0]: row[1:] for row in scope.gradients}
    for name in arguments:
        if name not in rows:
            raise Refused(f"{name} is no gradient of this scope")
    (block, u, v), (other, up, vp) = rows[first], rows[second]
    if block != other:
        raise Refused(f"{first} and {second} are gradients in different blocks")
    apart = [f"sq(({x}) - ({y}))" for x, y in ((u, up), (v, vp)) if x != y]
    factor = "2*L**2" if len(apart) == 2 else "L**2"
    right = f"{factor}*({' + '.join(apart) or '0'})"
    return Statement(f"sq({first} - {second})", "<=", right, assumptions=("smooth",))


def variance(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """E ||noise||^2 is at most its constant."""
    (name,) = arguments
    bounds = dict(scope.noises)
    if name not in bounds:
        raise Refused(f"{name} is no noise of this scope")
    assumption = "unbiased noise of bounded variance"
    return Statement(f"sq({name})", "<=", bounds[name], assumptions=(assumption,))


def martingale(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """Square of a mean of martingale differences: over steps ("k"), or clients and steps ("ik").

    Durrett, Probability: Theory and Examples, orthogonality of martingale increments (Lemma A.1).
    """
    name, averaged = arguments
    if name not in scope.differences or averaged not in ("k", "ik"):
        raise Refused(f"{name} is no family of martingale differences of this scope")
    depends = dict(scope.atoms)[name]
    if not set(averaged) <= set(depends):
        raise Refused(f"{name} is one client's: it is not averaged over {averaged}")
    kept = ", ".join((name, *(s for s in depends if s not in averaged)))
    count = "K" if averaged == "k" else "(n*K)"
    assumption = "unbiased noise of bounded variance"
    left, right = f"sq(given({kept}))", f"sq({name})/{count}"
    return Statement(left, "==", right, assumptions=(assumption,))


def dissimilarity(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """Client mean of ||grad_u f_i - grad_u f||^2 <= b^2, at a point common to all in u."""
    (name,) = arguments
    rows = {row[0]: row[1:] for row in scope.gradients}
    depends = dict(scope.atoms)
    if name not in rows or rows[name][0] != "u":
        raise Refused(f"{name} is no gradient in the shared block")
    if "i" in depends.get(rows[name][1], ("i",)):
        raise Refused(f"the shared point of {name} differs between clients")
    kept = ", ".join((name, *(source for source in depends[name] if source != "i")))
    left = f"sq({name} - given({kept}))"
    return Statement(left, "<=", "b2", assumptions=("bounded gradient dissimilarity",))


def descent(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """f(y) <= f(x) + <grad f(x), y - x> + (L/2) ||y - x||^2 along one block (descent lemma)."""
    start, end, gradient = arguments
    values = {row[0]: row[1:] for row in scope.values}
    rows = {row[0]: row[1:] for row in scope.gradients}
    if start not in values or end not in values or gradient not in rows or "i" not in scope.sources:
        raise Refused(f"descent from {start} to {end} along {gradient}: not in this scope")
    (u, v), (up, vp), (block, gu, gv) = values[start], values[end], rows[gradient]
    moved = f"({up}) - ({u})" if block == "u" else f"({vp}) - ({v})"
    still = v == vp if block == "u" else u == up
    if not still or (gu, gv) != (u, v):
        raise Refused(f"{gradient} is not the gradient at {start} in the block that moves")
    right = f"ip({gradient}, {moved}) + L/2*sq({moved})"
    return Statement(f"{end} - {start}", "<=", right, assumptions=("smooth",))


def infimum(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """f(T) >= 0: the objective f is measured from its infimum, which exists."""
    () = arguments
    return Statement("0", "<=", "f(T)", assumptions=("bounded below",))


def initial_gap(scope: Scope, arguments: tuple[str, ...]) -> Statement:
    """f(0) = F_0, which stands for the objective at the start, measured from its infimum."""
    () = arguments
    return Statement("f(0)", "==", "F_0", assumptions=("bounded below",))


FACTS: dict[str, Fact] = {
    fact.__name__: fact
    for fact in (
        growth,
        power_grows,
        power_falls,
        root_grows,
        largest,
        least,
        mean_norm,
        smooth,
        variance,
        martingale,
        dissimilarity,
        descent,
        infimum,
        initial_gap,
    )
}


def fact_of(scope: Scope, premise: Premise) -> Statement:
    """What a cited fact says of its arguments."""
    if premise.name not in FACTS:
        raise Refused(f"unknown fact {premise.name!r}")
    try:
        return FACTS[premise.name](scope, premise.arguments)
    except (ValueError, KeyError) as error:
        raise Refused(f"{premise.name} of {premise.arguments}: {error}") from error


def _different(arguments: tuple[str, ...]) -> list[str]:
    """Expressions, each of which is one by itself."""
    every = [ast.unparse(parsed(text)) for text in arguments]
    if len(set(every)) < max(2, len(every)):
        raise Refused(f"{', '.join(every)}: expected two numbers or more, all different")
    return every


def _fraction(text: str) -> tuple[int, int]:
    found = _FRACTION.fullmatch(text)
    if found is None:
        raise Refused(f"{text!r} is no fraction")
    return int(found[1]), int(found[2] or 1)


def _exponential_above(rate: fmpq) -> fmpq:
    """A rational above e^rate: Taylor's sum with Lagrange's remainder at most 4^rate."""
    total, power = fmpq(0), fmpq(1)
    for k in range(_TERMS):
        total += power / factorial(k)
        power *= rate
    above: fmpq = total + power * 4 ** (int(rate) + 1) / factorial(_TERMS)
    return above
