"""Answers to a theory's function of a `Seeking`: what is common to all who search."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from types import MappingProxyType
from typing import Any, TypeVar

import sympy as sp
from flint import fmpq

from fedbounds.errors import require
from fedbounds.facts import Fact
from fedbounds.problems.linear import rational
from fedbounds.theory.language.claims import Claim, Condition, Part
from fedbounds.theory.language.contributed import Contribution, contributed
from fedbounds.theory.language.registry import sought, views
from fedbounds.theory.language.setups import Number, Objective, Setup, formula, is_formula
from fedbounds.theory.language.sought import Counts, Row, Seeking, Sought
from fedbounds.theory.language.symbols import SHARED
from fedbounds.vocabulary import Index, Method

from ..decide.case import Case
from ..decide.conditions import holds
from ..measure import objectives
from ..measure.balls import enclosed
from ..measure.evaluate import IrrationalError, Numbers, UndefinedError, evaluate
from ..measure.moments import FLOATS
from ..setups.found import MOST_EXACT_WORK, Named, is_long, method_of
from ..setups.inside import names_in, steps_inside

_Option = TypeVar("_Option")
_ROUNDS = "T"
MOST_WORK = 100_000  # of an instance, as `moments` counts, while one searches
_INDICES = (Index.RUN, Index.ROUND, Index.CLIENT, Index.STEP, Index.RUNG)


class Space:
    """Set-ups of an algorithm among which instances of a part are searched."""

    def __init__(self, part: Part, sought: Sought) -> None:
        self.part, self.sought = part, sought

    def __repr__(self) -> str:
        return f"<set-ups of {self.sought.runs} for part {self.part.name!r}>"

    @property
    def counts(self) -> tuple[Counts, ...]:
        """Those that the part's conditions on counts alone admit."""
        return _admitted(self.sought, self.part.conditions, self.part.first_round)

    def longer(self, counts: Counts, doublings: int) -> Counts:
        """The same with the number of rounds doubled so often, as far as conditions admit it."""
        rounds, admit = counts[_ROUNDS], Admits(self.part.conditions, self.part.first_round)
        for times in range(doublings, 0, -1):
            more = {**counts, _ROUNDS: int(rounds) << times}
            if admit(more):
                return more
        return counts

    def case(self, seeking: Seeking, names: frozenset[str], bits: int | None = None) -> Case:
        """The instance of one's answers, of which these quantities are measured, as `Named` says.

        Of a ladder, or of set-ups side by side, all is, in rationals.

        Raises
        ------
        NoStepsError
            If the part's conditions leave no step sizes there.
        """
        setup, own = self.sought.make(seeking), seeking.counts()
        told = " ".join(f"{name}={value}" for name, value in own.items())
        if not isinstance(setup, Setup):
            return Case(f"search, {told}", self.sought.runs, setup, Method.RATIONAL)
        most = _exactly(setup) if bits == FLOATS else MOST_WORK
        named = Named(setup, names, most, bits, steers=bits is not None)
        methods = {None: method_of(setup), FLOATS: Method.MOMENTS}
        method = methods.get(bits, Method.BALLS)
        return Case(f"search, {told}", self.sought.runs, named, method)


def _exactly(setup: Setup) -> int:
    """Products of a run that may be replayed: in rationals each counts as often as its round."""
    return MOST_EXACT_WORK if is_long(setup) else 2 * MOST_EXACT_WORK // (setup.run.rounds + 1)


def spaces(claim: Claim, part: Part, longer: bool = True) -> tuple[Space, ...]:
    """Where instances of a part are searched: of every algorithm that it is about.

    None of parts that speak of vectors, whose products a search does not measure. Without
    ``longer`` no run has more rounds than the counts say.
    """
    return _spaces(claim, part, longer, contributed(claim.entry.paper))


@lru_cache(maxsize=64)  # every part is asked for several times, and counts are many
def _spaces(claim: Claim, part: Part, longer: bool, _of: Contribution | None) -> tuple[Space, ...]:
    """A file of one's own may be another one later."""
    if part.vectors or part.index not in _INDICES:
        return ()
    names = (part.algorithm,) if part.algorithm else claim.algorithms
    paper = claim.entry.paper
    own = [one for one in sought(paper) if one.runs in names and _shows(paper, one, part)]
    every = (Space(part, one if longer else replace(one, doublings=0)) for one in own)
    return tuple(space for space in every if space.counts)


def _shows(paper: str, sought: Sought, part: Part) -> bool:
    """Whether a part can be looked at in the view of some set-ups, as far as that is known."""
    if not sought.view:
        return True
    every = views(paper)
    view = every[sought.view]
    besides = view.besides.quantities if view.besides is not None else ()
    shown = {*view.quantities, *view.functions, *besides}
    of_views = {name for one in every.values() for name in (*one.constants, *one.choices)}
    of_views -= SHARED.constants.keys()  # of which problems tell some
    known = {*view.constants, *view.choices, *view.takes, *view.may_take}
    alike = [one for one in every.values() if one.runs == view.runs]
    of_problems = {*Fact} - {name for one in alike for name in one.assumptions}
    assumed = {*view.assumptions, *view.decided, *of_problems}
    return (
        part.quantities <= shown
        and part.constants & of_views <= known
        and assumed.issuperset(part.assumptions)
        and (not part.scopes or bool({*part.scopes} & {*view.scopes}))
    )


@lru_cache(maxsize=64)  # parts with the same conditions have the same
def _admitted(
    sought: Sought, conditions: tuple[Condition, ...], first_round: int
) -> tuple[Counts, ...]:
    chosen, admit = {*sought.steps.least, *sought.steps.largest}, Admits(conditions, first_round)
    return tuple(
        own for own in sought.counts if admit(own) and _leaves_rational(conditions, chosen, own)
    )


class Admits:
    """Whether conditions on counts hold; a number of rounds that follows is in no condition."""

    def __init__(self, conditions: Sequence[Condition], first_round: int) -> None:
        self._conditions = [(one, names_in(one)) for one in conditions]
        self._first_round = first_round

    def __call__(self, counts: Counts) -> bool:
        """Of some counts."""
        known = {name: value for name, value in counts.items() if not is_formula(value)}
        if any(names & (counts.keys() - known.keys()) for _, names in self._conditions):
            return False
        if _ROUNDS in known and not int(known[_ROUNDS]) > self._first_round:
            return False
        numbers = Numbers({name: fmpq(int(value)) for name, value in known.items()}, {}, fmpq)
        fixed = (one for one, names in self._conditions if names <= known.keys())
        return all(holds(one, numbers) for one in fixed)


def _leaves_rational(
    conditions: Sequence[Condition], chosen: Collection[str], counts: Counts
) -> bool:
    """Whether what a condition fixes is rational if all that may be 0 is, and all else is 1."""
    for condition in conditions:
        if condition.relation != "==" or str(condition.left) not in chosen:
            continue
        symbols = sp.sympify(condition.right, strict=True).free_symbols
        known = {symbol.name: fmpq(int(bool(symbol.is_positive))) for symbol in symbols}
        known |= {x: fmpq(int(y)) for x, y in counts.items() if not is_formula(y)}
        try:
            evaluate(condition.right, Numbers(known, {}, fmpq))
        except IrrationalError:
            return False
        except (ZeroDivisionError, UndefinedError):
            continue
    return True


class Asking:
    """Answers of counts and of step sizes; numbers are another matter.

    Parameters
    ----------
    space : Space
    bits : int
        Significant binary digits of what is irrational.
    """

    def __init__(self, space: Space, bits: int) -> None:
        self.space, self.bits = space, bits
        self.assumptions = frozenset(space.part.assumptions)
        self.constants = space.part.constants
        self._counts: dict[str, Any] = {}

    # ---- how they are had

    def which(self, options: Sequence[Any], what: str) -> int:
        """The number of one of several."""
        raise NotImplementedError

    def share(self) -> Fraction:
        """From 0 to 1."""
        raise NotImplementedError

    def size(self, least: Any, most: Any) -> Fraction:
        """A positive number between, whatever its scale."""
        raise NotImplementedError

    def factors(self, *, rising: Sequence[str], falling: Sequence[str]) -> dict[str, fmpq]:
        """How far from its edge every step size is."""
        raise NotImplementedError

    def doublings(self, most: int) -> int:
        """How often the number of rounds is doubled, ``most`` times at most."""
        return 0

    # ---- what follows

    def choice(self, options: Sequence[_Option]) -> _Option:
        """One of them."""
        return options[self.which(options, repr(options))]

    def counts(self) -> dict[str, Any]:
        """The same ones whenever they are asked for."""
        if not self._counts:
            every = self.space.counts
            self._counts = self._longer(every[self.which(every, "counts")])
        return dict(self._counts)

    def _longer(self, counts: Counts) -> dict[str, Any]:
        fixed = is_formula(counts[_ROUNDS]) or self.space.part.index is not Index.RUN
        most = 0 if fixed else self.space.sought.doublings
        return dict(self.space.longer(counts, self.doublings(most)) if most else counts)

    def schedule(self, clients: int, least: int, most: int, rows: int) -> tuple[Row, ...]:
        """See `Seeking.schedule`.

        Raises
        ------
        FedboundsError
            If there is none.
        """
        require(1 <= least <= most <= clients, "clients of a round", (least, most),
                f"from 1 to {clients}")  # fmt: skip
        fewest = 1 if least == most else 2
        require(rows >= fewest, "rows of a schedule", rows, f"at least {fewest}")
        every = list(range(fewest + self.which(range(fewest, rows + 1), "rows")))
        sizes = dict[int, int]()
        for size in sorted({least, most}):  # somewhere there are so many
            sizes[every.pop(self.which(every, f"row of {size} clients"))] = size
        for row in every:
            sizes[row] = least + self.which(range(least, most + 1), f"clients of row {row}")
        return tuple(self._row(row, clients, sizes[row]) for row in sorted(sizes))

    def _row(self, row: int, clients: int, size: int) -> Row:
        left = list(range(clients))
        taken = {left.pop(self.which(left, f"client {at} of row {row}")) for at in range(size)}
        return tuple(int(client in taken) for client in range(clients))

    def steps(
        self,
        problem: Objective,
        start: Sequence[Any],
        known: Mapping[str, Number] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Inside the part's conditions; and the number of rounds.

        Raises
        ------
        NoStepsError
            If there are none.
        """
        counts, of = self.counts(), self.space.sought.steps
        point = objectives.exact_array(objectives.exact(tuple(start)))
        of_problem = objectives.values(objectives.objective(problem), point)
        numbers = {x: enclosed(y) for x, y in of_problem.items()}
        numbers |= {x: objectives.exact(y) for x, y in known.items()}
        numbers |= {x: fmpq(int(y)) for x, y in counts.items() if not is_formula(y)}
        factors = self.factors(rising=tuple(of.least), falling=tuple(of.largest))
        found: dict[str, Any] = steps_inside(self.space.part, of, numbers, factors, self.bits)
        rounds = counts[_ROUNDS]
        if is_formula(rounds):
            self._counts[_ROUNDS] = rounds = _whole(rounds, numbers | found)
        return found | {_ROUNDS: rounds}


def _whole(rounds: str, known: Mapping[str, Any]) -> int:
    """The value of a formula, rounded up."""
    found = rational(evaluate(formula(rounds), Numbers(known, {}, lambda p, q: fmpq(p, q))))
    return ceil(Fraction(int(found.p), int(found.q)))
