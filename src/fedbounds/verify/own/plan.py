"""Which runs judge a user's theory: every problem and parameter, over a few rounds and over many.

Parameters are those that the file gives, or the edges of the claims' own conditions, where a claim
is most exposed. Limits are counted. How a run is measured is not planned: see `measure.methods`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, product
from types import MappingProxyType
from typing import Any

import sympy as sp
from flint import arb, fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import T
from fedbounds.theory.language.typed import Names, expression, names_of
from fedbounds.vocabulary import Method

from ..decide.case import Case
from ..decide.profile import Profile
from ..measure.clients import Clients
from ..measure.enumerated import MOST_ROWS, paths
from ..measure.evaluate import IrrationalError, Numbers, evaluate
from ..measure.objectives import every_constant, sizes
from ..measure.random import MOST_OUTCOMES
from ..measure.sources import TooManyError
from ..measure.subject import Subject
from ..setups.ends import ends, is_bound, named_with
from ..setups.tried import check_parameter, plain_constants, sees, told
from .declare import Theory
from .view import Values, setup_of

_MOST = {Profile.QUICK: 60, Profile.DEFAULT: 240, Profile.THOROUGH: 2000}  # cases
_SHARES = (fmpq(1), fmpq(1, 2))  # of the largest step that a condition allows
_SQUARES = (4, 16)  # lengths whose roots are rational
_LONGEST = 200  # rounds of a run that a condition asks for
_FAR = 4  # times 1/L: a step where nothing contracts


def chosen(theory: Theory, profile: Profile) -> list[Case]:
    """The plan of a profile; those of smaller ones first, so that it sees all that they see."""
    left, found = _planned(theory), list[Case]()
    for own, most in _MOST.items():
        some = _spread(left, most - len(found))
        found += some
        taken = set(map(id, some))
        left = [case for case in left if id(case) not in taken]
        if own is profile:
            break
    return sorted(found, key=lambda case: case.work)


def left_out(theory: Theory, profile: Profile) -> int:
    """How many runs of the whole plan a profile does not judge."""
    return max(0, len(_planned(theory)) - _MOST[profile])


def irrational(theory: Theory) -> int:
    """How many values of parameters have no run, since they are not rational there."""
    return _counted(theory)[1]


def _planned(theory: Theory) -> list[Case]:
    return _counted(theory)[0]


@lru_cache(maxsize=4)  # asked for the cases, and for how many are left out
def _counted(theory: Theory) -> tuple[list[Case], int]:
    skipped: list[str] = []
    return sorted(_every(theory, skipped), key=lambda case: case.work), len(skipped)


def _spread(found: list[Case], most: int) -> list[Case]:
    """At most so many: as many of every problem, from its cheapest on to its dearest.

    Where there is one of each, it is a cheap one of the first problems and a dear one of the last.
    """
    if len(found) <= most:
        return found
    problems: dict[Any, list[Case]] = {}
    for case in found:
        problems.setdefault(case.setup.run.problem, []).append(case)
    shares = _shares([len(own) for own in problems.values()], most)
    chosen: list[Case] = []
    for number, (own, share) in enumerate(zip(problems.values(), shares, strict=True)):
        first = number * (len(own) - 1) // max(1, len(problems) - 1)
        places = [i * (len(own) - 1) // (share - 1) for i in range(share)] if share > 1 else [first]
        chosen += [own[at] for at in places[:share]]
    return sorted(chosen, key=lambda case: case.work)


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """How many of each, one after another in turn, until there are so many."""
    shares = [0] * len(sizes)
    while sum(shares) < most:
        for number, size in enumerate(sizes):
            if shares[number] < size and sum(shares) < most:
                shares[number] += 1
    return shares


def _every(theory: Theory, skipped: list[str]) -> Iterator[Case]:
    for number, (problem, start) in enumerate(theory.problems):
        far = _far({x.value: c.value for x, c in every_constant(problem, start).items()})
        for values, rounds in _runs(theory, problem, start, skipped):
            shown = ", ".join(f"{name}={told(value)}" for name, value in values)
            clients = Clients(problem)
            subject = Subject(theory.algorithm, clients, start, dict(values), rounds)
            name = f"problem {number + 1}: {shown}, T={rounds}"
            is_far = any(x == far and theory.parameters[name] == "edges" for name, x in values)
            if is_far and not _takes(subject):
                continue  # as a probability above 1
            few = _paths(subject) if rounds in theory.rounds else None
            work = long_work(subject) if few is None else few
            work *= clients.clients * (clients.dimension + clients.personal_dimension)
            method = Method.RATIONAL if subject.exact else Method.ENUMERATION
            method = Method.BALLS if clients.irrational else method
            setup = setup_of(theory, number, values, rounds)
            yield Case(name, theory.algorithm_name, setup, method, int(work))


def _takes(subject: Subject) -> bool:
    """Whether the algorithm can have such values of its parameters."""
    try:
        _paths(replace(subject, rounds=1))
    except FedboundsError:
        return False
    return True


def _far(known: Mapping[str, Any]) -> fmpq | None:
    """A step of which no condition speaks; None where L is not known."""
    return _FAR / _inside(known["L"]) if "L" in known else None


def _runs(
    theory: Theory, problem: Any, start: Any, skipped: list[str]
) -> Iterator[tuple[Values, int]]:
    """Values of parameters, and rounds, on which these may depend."""
    every = partial(parameters_of, theory, problem, start, skipped=skipped)
    lengths = _lengths(theory)
    if speaks_of_rounds(theory):
        for rounds in lengths:
            yield from ((own, rounds) for own in every(rounds))
        return
    known = _known(theory, problem, start)
    for own in every(lengths[0]):
        asked = dict.fromkeys((*lengths, *_at_ends(theory, known, own)))
        yield from ((own, rounds) for rounds in asked)


def _at_ends(theory: Theory, known: Mapping[str, Any], values: Values) -> Iterator[int]:
    """The shortest and the longest runs that conditions on the length admit, part by part."""
    symbols = _names(theory).constants
    named = {symbols[x].name if x in symbols else x: y for x, y in values}
    for part in parts_of(theory):
        found = ends(part.conditions, T.name, {**known, **named})
        every = [*(int(x.ceil()) for x in found.least), *(int(x.floor()) for x in found.largest)]
        yield from (rounds for rounds in every if 0 < rounds <= _LONGEST)


def _lengths(theory: Theory) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*theory.rounds, *_of_roots(theory), theory.horizon)))


def _of_roots(theory: Theory) -> tuple[int, ...]:
    """Lengths that are squares, where roots and the length are spoken of."""
    return _SQUARES if speaks_of_rounds(theory) and "sqrt" in _texts(theory) else ()


def _texts(theory: Theory) -> str:
    given = [[own] if isinstance(own, str) else own for own in theory.parameters.values()]
    several = [own for own in given if isinstance(own, Sequence)]
    texts = [one for own in several for one in own if isinstance(one, str)]
    solved = [_names(theory).constants.get(x) for x, y in theory.parameters.items() if y == "edges"]
    every = (c for one in parts_of(theory) for c in one.conditions)
    sides = [f"{c.left} {c.right}" for c in every if _free(c).intersection(solved)]
    return " ".join((*texts, *sides))


def _free(condition: Condition) -> set[Any]:
    found: set[Any] = condition.left.free_symbols | condition.right.free_symbols
    return found


def speaks_of_rounds(theory: Theory) -> bool:
    """Whether values of parameters do, or conditions at whose edges they are."""
    return T.name in re.findall(r"\w+", _texts(theory))


def long_work(subject: Subject) -> int:
    """The work of a long run, above that of all short ones, which are the better witnesses."""
    first = _paths(replace(subject, rounds=1))
    return MOST_ROWS + (MOST_OUTCOMES if first is None else first) * subject.rounds


def _paths(subject: Subject) -> int | None:
    """Outcomes of a run, if they are few enough to be enumerated."""
    try:
        return paths(subject)
    except TooManyError:
        return None


def parameters_of(
    theory: Theory,
    problem: Any,
    start: Any,
    rounds: int,
    shares: Mapping[str, fmpq] = MappingProxyType({}),
    skipped: list[str] | None = None,
) -> Iterator[Values]:
    """Every combination of the parameters' values for a run, in the order of the file.

    What is no rational number there gives none, and is ``skipped``. ``shares``: how much is taken
    of parameters at edges, before others follow from them.
    """
    known = {**_known(theory, problem, start), T.name: fmpq(rounds)}
    choosing = _Choosing(theory, shares, [] if skipped is None else skipped)
    yield from _extended(choosing, known, list(theory.parameters.items()), ())


def _known(theory: Theory, problem: Any, start: Any) -> dict[str, fmpq]:
    """Constants and sizes, whatever the parameters are."""
    known = {name.value: c.value for name, c in every_constant(problem, start).items()}
    known |= sizes(problem)
    subject = Subject(theory.algorithm, Clients(problem), start, {}, 1)
    known |= plain_constants(theory.constants, subject)
    return {name: _inside(value) for name, value in known.items()}


def _inside(value: Any) -> fmpq:
    """A rational number; one in the ball of a constant, where parameters are to be chosen."""
    return rational(float(value.mid()) if isinstance(value, arb) else value)


@dataclass(frozen=True)
class _Choosing:
    """What is the same for all combinations."""

    theory: Theory
    shares: Mapping[str, fmpq]
    skipped: list[str]


def _extended(
    choosing: _Choosing, known: Mapping[str, Any], left: Sequence[tuple[str, Any]], done: Values
) -> Iterator[Values]:
    if not left:
        yield done
        return
    (name, given), *rest = left
    theory = choosing.theory
    symbol = _names(theory).constants.get(name)
    for value in _values(choosing, name, given, known):
        check_parameter(theory.line, theory.glossary, name, value, known["n"])
        further = known if symbol is None else {**known, symbol.name: value}
        yield from _extended(choosing, further, rest, (*done, (name, value)))


def _values(choosing: _Choosing, name: str, given: Any, known: Mapping[str, Any]) -> list[Any]:
    theory = choosing.theory
    if given == "edges":
        share = choosing.shares.get(name, fmpq(1))
        found = [share * x for x in _edges(theory, name, known)]
        symbol = _names(theory).constants.get(name)
        if symbol is not None and symbol.is_integer:
            found = [fmpq(x.floor()) for x in found]
        far = _far(known)  # the last that is tried
        return sorted({x for x in found if x > 0}, key=lambda x: (x == far, -float(x)))
    if isinstance(given, str):
        low, colon, high = given.partition(":")
        if not colon:
            return _rationals(choosing, name, [given], known)
        first, last = (_number(theory, name, end, known) for end in (low, high))
        return [fmpq(x) for x in range(int(first.ceil()), int(last.floor()) + 1)]
    if not isinstance(given, Sequence):
        raise FedboundsError(
            f'{theory.line}: parameter {name!r} has the values {given!r}; expected "edges", '
            f'"a:b" or a sequence such as ({given!r},)'
        )
    return _rationals(choosing, name, given, known)


def _rationals(
    choosing: _Choosing, name: str, given: Sequence[Any], known: Mapping[str, Any]
) -> list[Any]:
    """Of values those that are rational: a run with another step would be another one."""
    found: list[Any] = []
    for value in given:
        own = value if isinstance(value, tuple) else (value,)
        try:
            numbers = tuple(_number(choosing.theory, name, one, known) for one in own)
        except IrrationalError:
            choosing.skipped.append(f"{name} = {value}")
            continue
        found.append(numbers if isinstance(value, tuple) else numbers[0])
    return found


def _number(theory: Theory, name: str, value: Any, known: Mapping[str, Any]) -> fmpq:
    where = f"{theory.line}: parameter {name!r}"
    if not isinstance(value, str):
        try:
            return rational(value)
        except (TypeError, ValueError, AttributeError) as error:
            raise FedboundsError(f"{where} has the value {value!r}; expected a number") from error
    try:
        return _evaluated(expression(value, _names(theory)), known)
    except IrrationalError:
        raise
    except (FedboundsError, ArithmeticError) as error:
        raise FedboundsError(
            f'{where}: {error}; values are numbers, formulas, "a:b" or "edges"'
        ) from error


def _evaluated(of: sp.Expr, known: Mapping[str, Any]) -> fmpq:
    return rational(evaluate(of, Numbers(known, {}, lambda p, q: fmpq(p, q))))


def _names(theory: Theory) -> Names:
    return names_of(theory.glossary)


def _edges(theory: Theory, name: str, known: Mapping[str, Any]) -> list[fmpq]:
    """Ends of what conditions admit, part by part of every claim, and half of those above.

    A part that names no end says that there is none: one value is far out.
    """
    largest: list[fmpq] = []
    least: list[fmpq] = []
    without_end = False
    for part in parts_of(theory):
        asked = named_with(part.conditions, name)
        seeing = {own for own, value in theory.constants.items() if sees(value)} | {*theory.of_runs}
        if asked & seeing:
            named = ", ".join(sorted(asked & seeing))
            raise FedboundsError(
                f"{theory.line}: the edges of {name!r} depend on {named}, which sees the "
                "parameters, or the run; give its values"
            )
        bounds = [c for c in part.conditions if is_bound(c, name)]
        later = named_with(bounds, name) & theory.parameters.keys() - known.keys()
        # one that is at edges too meets the condition when its turn comes; given values do not
        unmet = asked & theory.parameters.keys() - known.keys()
        later |= {other for other in unmet if theory.parameters[other] != "edges"}
        if later:
            raise FedboundsError(
                f"{theory.line}: the edges of {name!r} depend on {', '.join(sorted(later))}, which "
                "come later; give parameters in the order in which they are needed"
            )
        found = ends(part.conditions, name, known)
        largest += found.largest
        least += found.least
        without_end = without_end or not found.largest
    if not (largest or least) and "L" not in known:
        raise FedboundsError(
            f'{theory.line}: parameter {name!r} is at "edges", but no condition bounds it from '
            "above and L is not known; give its values"
        )
    if not (largest or least):
        largest.append(1 / (4 * known["L"]))
    far = _far(known) if without_end else None
    steps = [end * share for end, share in product(largest, _SHARES)]
    return [*steps, *least, *([] if far is None else [far])]


def parts_of(theory: Theory) -> list[Part]:
    return [part for statement in theory.statements for part in statement.claim.parts]


def first_parameters(theory: Theory, problem: Any, start: Any) -> Values:
    """The first combination of the parameters' values.

    Raises
    ------
    FedboundsError
        If there is none.
    """
    found = _first(theory, problem, start)
    if found is None:
        raise FedboundsError(
            f"{theory.line}: no combination of parameters for n = {problem.clients}; "
            f"given: {theory.parameters}"
        )
    return found


def somewhere(theory: Theory) -> tuple[Any, Any, Values]:
    """The problem with the most clients on which there is a combination; start and values.

    Raises
    ------
    FedboundsError
        If there is none on any.
    """
    every = sorted(theory.problems, key=lambda pair: -pair[0].clients)
    for problem, start in every:
        found = _first(theory, problem, start)
        if found is not None:
            return problem, start, found
    return *every[0], first_parameters(theory, *every[0])


def _first(theory: Theory, problem: Any, start: Any) -> Values | None:
    combinations = (parameters_of(theory, problem, start, rounds) for rounds in _lengths(theory))
    return next(chain.from_iterable(combinations), None)
