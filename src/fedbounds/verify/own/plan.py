"""Which runs judge a user's theory: every shape that can be enumerated, and long ones by moments.

Parameters are those that the file gives, or the edges of the claims' own conditions, where a claim
is most exposed. Limits are counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.theory.symbols import constants_in
from fedbounds.theory.typed import Names, expression, names_of
from fedbounds.vocabulary import Method

from ..case import Case
from ..evaluate import Numbers, evaluate
from ..measure.clients import Clients
from ..profile import Profile
from . import found as found  # what a set-up shows, and its script, are registered
from . import script as script
from . import slack as slack
from .algorithm import Parameters, called
from .declare import Theory
from .draws import MOST_OUTCOMES, TooManyError, laws_of
from .enumerated import MOST_ROWS
from .known import problem_of
from .setup import OwnRun, constants

Values = tuple[tuple[str, Any], ...]
_MOST = {Profile.QUICK: 60, Profile.DEFAULT: 240, Profile.THOROUGH: 2000}  # cases
M = "m"
_SHARES = (fmpq(1), fmpq(1, 2))  # of the largest step that a condition allows


def cases(theory: Theory, source: str, profile: Profile, seed: int) -> Iterator[Case]:
    """Cases in the order of their work, each shape of problem in turn."""
    found = sorted(_every(theory, source), key=lambda case: case.work)
    if not found:
        raise FedboundsError(
            f"{theory.line}: no run can be enumerated; give smaller problems, or fewer draws"
        )
    yield from _spread(found, _MOST[profile])


def _spread(found: list[Case], most: int) -> list[Case]:
    """At most so many, evenly over the list, the cheapest and the dearest among them."""
    if len(found) <= most:
        return found
    return [found[i * (len(found) - 1) // (most - 1)] for i in range(most)]


def _every(theory: Theory, source: str) -> Iterator[Case]:
    for number, (problem, start) in enumerate(theory.problems, 1):
        kept = problem if isinstance(problem, FederatedQuadratic) else number - 1
        for values in _parameters(theory, problem, start):
            outcomes = _outcomes(theory, problem, start, values)
            if not outcomes:
                continue
            shown = ", ".join(f"{k}={v}" for k, v in values)
            for rounds in theory.rounds:
                rows = prod(outcomes[:rounds])
                if rounds <= len(outcomes) and rows <= MOST_ROWS:
                    run = OwnRun(theory.key, source, kept, values, start, rounds)
                    yield _case(theory, run, f"{number}: {shown}, T={rounds}", rows)
            long = OwnRun(theory.key, source, kept, values, start, theory.horizon, True)
            if isinstance(kept, int) or not long.exact:
                continue
            work = MOST_ROWS + outcomes[0] * theory.horizon  # a short run is the better witness
            yield _case(theory, long, f"{number}: {shown}, T={theory.horizon}", work)


def _case(theory: Theory, run: OwnRun, name: str, outcomes: int) -> Case:
    method = Method.RATIONAL if run.exact else Method.ENUMERATION
    problem = problem_of(run)
    size = problem.clients * problem.shared_dimension
    return Case(f"problem {name}", theory.algorithm_name, run, method, outcomes * size)


def _outcomes(theory: Theory, problem: Any, start: Any, values: Values) -> list[int]:
    """Of each round, up to the first that has too many to be enumerated."""
    run = OwnRun(theory.key, "", problem, values, start, 1)
    own, longest = Clients(problem), max(theory.rounds)
    found: list[int] = []
    for at in range(longest):
        p = run.parameters(at)
        count = _of_a_round(theory, own, p, run.exact)
        if count is None:
            break
        found.append(count)
        if not p.asked_round:  # then every round draws alike
            return found * longest
    return found


def _of_a_round(theory: Theory, problem: Clients, p: Parameters, exact: bool) -> int | None:
    try:
        laws = laws_of(lambda random: called(theory.algorithm.draw, random, problem, p), exact)
    except TooManyError:
        return None
    count = prod(len(law.chances) for law in laws)
    return count if count <= MOST_OUTCOMES else None


def _parameters(theory: Theory, problem: Any, start: Any) -> Iterator[Values]:
    """Every combination of the parameters' values for a problem, in the order of the file."""
    known = {name.value: rational(c.value) for name, c in constants(problem, start).items()}
    dimension = problem.shared_dimension
    known |= {"n": fmpq(problem.clients), "d_u": fmpq(dimension)}
    known["sigma^2"] = dimension * rational(problem.noise.scale_u) ** 2
    known |= found.own_constants(theory, problem, start)
    yield from _extended(theory, known, list(theory.parameters.items()), ())


def _extended(
    theory: Theory, known: Mapping[str, Any], left: Sequence[tuple[str, Any]], done: Values
) -> Iterator[Values]:
    if not left:
        yield done
        return
    (name, given), *rest = left
    symbol = _names(theory).constants.get(name)
    for value in _values(theory, name, given, known):
        check_parameter(theory, name, value, known["n"])
        further = known if symbol is None else {**known, symbol.name: value}
        yield from _extended(theory, further, rest, (*done, (name, value)))


def check_parameter(theory: Theory, name: str, value: fmpq, clients: Any) -> None:
    """Raise unless a parameter may have a value, with so many clients."""
    symbol = _names(theory).constants.get(name)
    where = f"{theory.line}: parameter {name!r} is {value}"
    if name == M and value > clients:
        raise FedboundsError(
            f"{where} where n = {clients}; it counts participants, at most n: "
            'try "1:n", or a parameter of another name'
        )
    if symbol is not None and not _may_be(symbol, value):
        sign = "positive" if symbol.is_positive else "not negative"
        whole = "whole and " if symbol.is_integer else ""
        raise FedboundsError(f"{where}; expected {whole}{sign}, as proofs take it")


def _may_be(symbol: sp.Symbol, value: fmpq) -> bool:
    """Whether a value has the sign that is declared; proofs rest on it."""
    if symbol.is_integer and value.q != 1:
        return False
    return bool(value > 0 if symbol.is_positive else value >= 0)


def _values(theory: Theory, name: str, given: Any, known: Mapping[str, Any]) -> list[Any]:
    if given == "edges":
        found = [edge * share for edge, share in product(_edges(theory, name, known), _SHARES)]
        symbol = _names(theory).constants.get(name)
        if symbol is not None and symbol.is_integer:
            found = [fmpq(x.floor()) for x in found]
        return sorted({x for x in found if x > 0}, key=float, reverse=True)
    if isinstance(given, str):
        low, colon, high = given.partition(":")
        if not colon:
            return [_number(theory, name, given, known)]
        first, last = (_number(theory, name, end, known) for end in (low, high))
        return [fmpq(x) for x in range(int(first.ceil()), int(last.floor()) + 1)]
    if not isinstance(given, Sequence):
        raise FedboundsError(
            f'{theory.line}: parameter {name!r} has the values {given!r}; expected "edges", '
            f'"a:b" or a sequence such as ({given!r},)'
        )
    return [_number(theory, name, value, known) for value in given]


def _number(theory: Theory, name: str, value: Any, known: Mapping[str, Any]) -> fmpq:
    where = f"{theory.line}: parameter {name!r}"
    if not isinstance(value, str):
        try:
            return rational(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise FedboundsError(f"{where} has the value {value!r}; expected a number") from error
    try:
        return _evaluated(expression(value, _names(theory)), known)
    except (FedboundsError, ArithmeticError) as error:
        raise FedboundsError(
            f'{where}: {error}; values are numbers, formulas, "a:b" or "edges"'
        ) from error


def _evaluated(of: sp.Expr, known: Mapping[str, Any]) -> fmpq:
    return rational(evaluate(of, Numbers(known, {}, lambda p, q: fmpq(p, q))))


def _names(theory: Theory) -> Names:
    return names_of(theory.glossary)


def _edges(theory: Theory, name: str, known: Mapping[str, Any]) -> list[fmpq]:
    """Largest values that conditions ``name <= bound`` allow, claim by claim."""
    found: list[fmpq] = []
    for statement in theory.statements:
        bounds = [
            c.right
            for c in statement.claim.parts[0].conditions
            if c.left.is_Symbol and c.left.name == name and c.relation in ("<=", "==")
        ]
        later = {
            x for b in bounds for x in constants_in(b)
        } & theory.parameters.keys() - known.keys()
        if later:
            raise FedboundsError(
                f"{theory.line}: the edges of {name!r} depend on {', '.join(sorted(later))}, which "
                "come later; give parameters in the order in which they are needed"
            )
        values = [_evaluated(b, known) for b in bounds if _can(b, known)]
        if values and min(values) not in found:
            found.append(min(values))
    if not found and "L" not in known:
        raise FedboundsError(
            f'{theory.line}: parameter {name!r} is at "edges", but no condition bounds it from '
            "above and L is not known; give its values"
        )
    return found or [1 / (4 * known["L"])]


def _can(bound: sp.Expr, known: Mapping[str, Any]) -> bool:
    try:
        _evaluated(bound, known)
    except (FedboundsError, ArithmeticError):
        return False
    return True


def first_parameters(theory: Theory, problem: Any, start: Any) -> Values:
    """The first combination of the parameters' values.

    Raises
    ------
    FedboundsError
        If there is none.
    """
    found = next(_parameters(theory, problem, start), None)
    if found is None:
        raise FedboundsError(
            f"{theory.line}: no combination of parameters for n = {problem.clients}; "
            f"given: {theory.parameters}"
        )
    return found
