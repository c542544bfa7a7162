"""What a theory's ladder shows: numbers of each of its set-ups, counted by t."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from fedbounds.errors import require, unknown_name
from fedbounds.problems import Evidence
from fedbounds.problems.linear import rational
from fedbounds.theory.language.registry import glossary, rungs
from fedbounds.theory.language.setups import (
    Ending,
    Ladder,
    Pace,
    Rungs,
    Says,
    Settled,
    Setup,
    Slope,
    View,
)
from fedbounds.theory.language.symbols import T
from fedbounds.vocabulary import Method

from ..decide.case import Found, find, ladder_shown, without_floats
from ..decide.exponent import fitted_exponent
from ..measure.balls import enclosed
from ..measure.enumerated import paths
from ..measure.evaluate import Numbers, apart, around, evaluate
from ..measure.known import MissingError
from ..measure.limits import slope_at_zero
from ..measure.long import Long
from ..measure.many import Many
from ..measure.norms import PRECISE
from ..measure.roots import Roots
from ..measure.sources import TooManyError
from ..measure.surely import RELATIONS
from ..measure.unknowns import Refused, bare
from .found import evidence, is_replayed, known_of, many_of, view_of

Array = Any
Record = dict[str, Any]
OF_ENDS = (Ending, Pace, Settled, Slope)
_FEWEST = 3  # points of a fit
_FEW_OUTCOMES = 4_000  # of all rounds


@dataclass(frozen=True, eq=False)
class LadderInFloats:
    """A ladder whose set-ups are measured in floats with bounds of their rounding errors."""

    ladder: Ladder


@find.register
def _found(ladder: Ladder) -> Found:
    return _measured(ladder, floats=False)[0]


@find.register
def _found_in_floats(given: LadderInFloats) -> Found:
    return _measured(given.ladder, floats=True)[0]


@without_floats.register
def _without_floats(given: LadderInFloats) -> tuple[Ladder, Method] | None:
    if settles(rungs_of(given.ladder)):
        return None  # it is certain as it is, and has too many moments
    every = all(is_replayed(setup) for setup in given.ladder.setups)
    return (given.ladder, Method.RATIONAL) if every else None


def rungs_of(ladder: Ladder) -> Rungs:
    """What its theory says of it.

    Raises
    ------
    FedboundsError
        If there are no such rungs, or set-ups differ in more than they may.
    """
    every = rungs(ladder.theory)
    if ladder.rungs not in every:
        raise unknown_name(f"ladder of {ladder.theory}", ladder.rungs, every)
    require(len(ladder.setups) >= 2, "rungs", len(ladder.setups), "at least 2")
    seen, (first, *others) = every[ladder.rungs], map(plain_data, ladder.setups)
    for at, one in enumerate(others, 1):
        given = sorted(x for x in {*first, *one} if first.get(x) != one.get(x))
        alike = set(given) <= set(seen.varies)
        require(alike, f"what rung {at} has unlike the first", given, f"{', '.join(seen.varies)}")
    return seen


def plain_data(setup: Setup) -> dict[str, Any]:
    """All of it, by name."""
    run = setup.run
    own: dict[str, Any] = {"theory": setup.theory, "view": setup.view, "family": run.problem.family}
    own |= {"start": run.start, "rounds": run.rounds, **dict(run.problem.data)}
    return {**own, **dict(run.parameters), **dict(setup.chosen)}


@dataclass(eq=False)
class Rung:
    """One set-up of a ladder.

    Attributes
    ----------
    setup : Setup
    view : View
    known : Many
    """

    setup: Setup
    view: View
    known: Many

    def number(self, expression: sp.Expr) -> tuple[Any, Any]:
        """A number, and what rounding may have done to it.

        Raises
        ------
        MissingError
            If it has no value.
        """
        inner = expression.args[0] if isinstance(expression, sp.Abs) else expression
        if isinstance(inner, Ending):
            value, wrong = self._ending(inner.args[0].func.__name__)
            return (abs(value) if inner is not expression else value), wrong
        own: dict[str, Any] = {}
        names = {}
        for node in sorted(expression.atoms(Ending, Pace, Slope), key=str):
            symbol = sp.Symbol(f"_end_{len(own)}")
            names[node], own[symbol.name] = symbol, self._end(node)
        try:
            return self.known.number(expression.xreplace(names), own), 0
        except Refused as error:
            raise MissingError(f"{expression} has no value: {error}") from error

    def _end(self, node: sp.Expr) -> Any:
        name = node.args[0].func.__name__
        if isinstance(node, Slope | Pace):
            try:
                if isinstance(node, Pace):
                    return self.known.pace()
                return self._slope(name, node.args[1].name)
            except Refused as error:
                raise MissingError(f"{node} has no value: {error}") from error
        value, wrong = self._ending(name)
        if wrong:
            raise MissingError(f"{node} is known up to its rounding alone")
        if isinstance(value, Roots | arb):
            raise MissingError(f"{node} is no rational number")
        return rational(value)

    def _ending(self, name: str) -> tuple[Any, Any]:
        values = self.known.series(name)
        if len(values) <= self.setup.run.rounds:
            raise MissingError(f"no value for {name}: it is none of the state, or it diverges")
        if isinstance(values[-1], arb) and self.few:
            values = known_of(self.setup, self.view).series(name)
        errors = self.known.errors_of(name)
        return values[-1], 0 if errors is None else errors[-1]

    @property
    def few(self) -> bool:
        """Whether its outcomes are so few that they are listed where moments give a ball."""
        try:
            return paths(self.known.trace.subject) <= _FEW_OUTCOMES
        except TooManyError:
            return False

    def _slope(self, name: str, parameter: str) -> fmpq:
        known = self._unknown(parameter)
        return slope_at_zero(known.trace.found.rounds, known.forms(name))

    def degree(self, parameter: str) -> int:
        """Of second moments after a round, in a parameter."""
        step = self._unknown(parameter).trace.found.rounds.step
        return max((power for own in step.values() for (power,) in own), default=0)

    def _unknown(self, parameter: str) -> Many:
        """With the parameter unknown in the rounds."""
        subject = self.known.trace.subject
        value = rational(subject.values[parameter])
        others = {x: y for x, y in subject.values.items() if x != parameter}
        run = Long(replace(subject, values=others, rounds=0, changing={parameter: lambda t: value}))
        return Many(run, self.known.constants, self.known.quantities, self.known.states)


@lru_cache(maxsize=2)  # a ladder is shown after it was judged
def _measured(ladder: Ladder, *, floats: bool) -> tuple[Found, tuple[Any, ...]]:
    """What a ladder shows, and the parameter's values where anything is measured."""
    seen, names = rungs_of(ladder), glossary(ladder.theory)
    try:
        every = _rungs(ladder, floats)
    except Refused as error:
        missing = dict.fromkeys(seen.series, str(error))
        return Found(seen.told, {T.name: fmpq(len(ladder.setups))}, {}, missing=missing), ()
    values = _values(seen, every)
    for expression in seen.alike:
        found = dict.fromkeys(rung.number(expression)[0] for rung in every)
        told = ", ".join(map(str, found))
        require(len(found) == 1, f"{expression} of the rungs", told, "one number")
    series, errors, undefined = {}, {}, {}
    for name, expression in seen.series.items():
        try:
            pairs = [rung.number(expression) for rung in every]
        except MissingError as why:
            undefined[name] = str(why)
            continue
        series[name], errors[name] = (_column([pair[at] for pair in pairs]) for at in (0, 1))
    for says in seen.requires:
        _check(says, series)
    own = [constants_shown(rung, names.constants) for rung in every]
    free = {x.args[1].name for side in seen.series.values() for x in side.atoms(Slope)}
    alike, apart = agreed(own)
    lacking = {x: f"not every rung has a value of {x}" for x in alike if not _in_all(x, own)}
    parameters = {x: y for x, y in alike.items() if x not in free | lacking.keys()}
    undefined |= apart | lacking
    for name, expression in seen.first.items():
        parameters[name] = every[0].number(expression)[0]
    if floats and not settles(seen):
        series, errors = _in_floats(series, errors)
    shown = Found(
        family=f"{seen.told}: n={own[0]['n']}, ladder",
        parameters=parameters | {T.name: fmpq(len(every))},
        series=series,
        evidence=evidence_of_all(every),
        errors=errors if floats and not settles(seen) else {},
        scopes=frozenset(),
        undefined=undefined,
    )
    return shown, tuple(values)


def _in_floats(
    series: Mapping[str, Array], errors: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """All series in floats, with the radii of balls as errors."""
    near = {name: apart(around(own, errors[name].astype(float))) for name, own in series.items()}
    return {x: y for x, (y, _) in near.items()}, {x: y for x, (_, y) in near.items()}


def _values(seen: Rungs, every: Sequence[Rung]) -> list[Any]:
    """Of the parameter, rung by rung."""
    if isinstance(seen.values, tuple):
        names = tuple(rung.view.runs for rung in every)
        require(names == seen.values, seen.over, ", ".join(names), ", ".join(seen.values))
        return list(names)
    values = [rung.number(seen.values)[0] for rung in every]
    ordered = all(a > b if seen.falls else a < b for a, b in pairwise(values))
    order = f"{'falling' if seen.falls else 'growing'} from rung to rung"
    require(ordered, seen.over, ", ".join(map(str, values)), order)
    return values


def _check(says: Says, series: Mapping[str, Array]) -> None:
    """Raise unless a statement about the series of all rungs holds."""
    known = Numbers({}, series, lambda p, q: fmpq(p, q))
    left, right = (evaluate(side, known) for side in (says.left, says.right))
    require(RELATIONS[says.relation](left, right), f"{says} of the rungs", left, str(right))


def _rungs(ladder: Ladder, floats: bool) -> list[Rung]:
    """Its set-ups; they refuse where what is asked of them needs all rounds."""
    every = [rung_of(setup, floats=floats) for setup in ladder.setups]
    if not (floats and settles(rungs_of(ladder))):
        for rung in every:
            rung.known.trace.found  # noqa: B018
    return every


def settles(seen: Rungs) -> bool:
    """Whether all that is looked at is where runs settle: no round is followed, then."""
    return any(own.has(Settled, Pace) for own in seen.series.values()) and not any(
        own.has(Ending, Slope) for own in seen.series.values()
    )


def rung_of(setup: Setup, *, floats: bool) -> Rung:
    """One set-up, measured.

    Raises
    ------
    FedboundsError
        If it is not what its view requires.
    """
    view = view_of(setup)
    known = many_of(setup, view, floats=floats)
    for says in view.requires:
        broken = known.broken(says)
        require(not broken, "set-up", broken, str(says))
    return Rung(setup, view, known)


def _column(values: Sequence[Any]) -> Array:
    """Of numbers; sums of roots as balls where some are balls."""
    if any(isinstance(x, arb) for x in values):
        with ctx.workprec(PRECISE):
            values = [x.ball() if isinstance(x, Roots) else x for x in values]
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def constants_shown(rung: Rung, names: Mapping[str, Any]) -> dict[str, Any]:
    """Those that claims may name; where one has no value, the error that tells why."""
    found: dict[str, Any] = {}
    for name in rung.known.constants:
        if name in names:
            try:
                found[name] = rung.known.constant(name)
            except MissingError as why:
                found[name] = why
    return found


def _in_all(name: str, own: Sequence[Mapping[str, Any]]) -> bool:
    return all(name in each and not isinstance(each[name], MissingError) for each in own)


def agreed(own: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Constants on which all set-ups with a value agree; and why there is none of others."""
    found: dict[str, Any] = {}
    undefined: dict[str, str] = {}
    for name in dict.fromkeys(name for each in own for name in each):
        every = [each[name] for each in own if name in each]
        values = [x for x in every if not isinstance(x, MissingError)]
        if not values:
            undefined[name] = str(every[0])
        elif all(bare(x) == bare(values[0]) for x in values):
            found[name] = enclosed(values[0])
        else:
            undefined[name] = f"{name} is not the same in all: {', '.join(map(str, values))}"
    return found, undefined


def evidence_of_all(every: Sequence[Rung]) -> dict[str, Evidence]:
    """What holds on every rung; where it does not, the first one tells."""
    own = [evidence(r.view, r.known, r.known.trace.subject.problem.objective) for r in every]
    found = {}
    for name in own[0]:
        each = [told[name] for told in own if name in told]
        found[name] = next((x for x in each if x.holds is not True), each[0])
    return found


# ---- for a page


@ladder_shown.register
def _shown(ladder: Ladder) -> Record:
    return _told(ladder, floats=False)


@ladder_shown.register
def _shown_in_floats(given: LadderInFloats) -> Record:
    return _told(given.ladder, floats=True)


def _told(ladder: Ladder, *, floats: bool) -> Record:
    """The parameter, the series in floats, and the power of one of them."""
    seen, (found, own) = rungs_of(ladder), _measured(ladder, floats=floats)
    values = [value if isinstance(value, str) else float(value) for value in own]
    series = {
        name: [float(x) for x in row]
        for name, row in found.series.items()
        if name not in seen.hidden
    }
    fit, fitted = None, series.get(seen.fitted, [])
    if len(fitted) >= _FEWEST and min(fitted) > 0:
        power = fitted_exponent(values, fitted)
        fit = {
            "series": seen.fitted,
            "exponent": power.slope,
            "low": float(power.low),
            "high": float(power.high),
            "symbolic": seen.power or None,
        }
    return {"parameter": seen.over, "values": values, "series": series, "fit": fit}
