"""How a theory's quantities are looked at, and on what: data that one engine measures.

A `View` says what an algorithm shows, and what quantities, constants and assumptions are there; a
`Setup` is a run in a view. A definition is an expression in sq, ip and given; in `dot`, the inner
product of every single outcome; in `Largest` and `Least`, extremes over all that a run visits; in
quantities and constants.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import sympy as sp

from .plain import formula as formula
from .plain import is_formula as is_formula
from .plain import numbers as numbers
from .plain import pairs

PAST = "past"
Number = int | str  # a whole number, or "p/q"


class dot(sp.Function):
    """<x, y> of every outcome, client and step: not its mean."""

    nargs = 2


class Largest(sp.Function):
    """Over all that a run visits: every round, outcome, client and step; entries of a vector.

    Of several, each an expression, or a tuple of one and another: where the other is positive.
    """


class Least(sp.Function):
    """Likewise."""


class positive(sp.Function):
    """1 where a number of every outcome is above 0, else 0; its mean is a probability."""

    nargs = 1


class above(sp.Function):
    """The root of a number; where it is not rational, a rational above it by 2^-60 of it."""

    nargs = 1


class MeanOfLargest(sp.Function):
    """The mean over an index, the second argument, of the `Largest` of each of its values."""

    nargs = 2


class most(sp.Function):
    """The largest over an index, the second argument, of a number's mean over all else."""

    nargs = 2


class Everywhere(sp.Function):
    """Inside `Largest` and `Least`: of every state whatever, not of those alone of a run."""

    nargs = 1


class Around(sp.Function):
    """Inside `Largest` and `Least`: of every state in an open set that contains vectors.

    The first argument is what is looked at; the others are vectors of all rounds.
    """


class Upper(sp.Function):
    """A number that another does not exceed, as small as is known: that number, if it is known."""

    nargs = 1


class Settled(sp.Function):
    """What a quantity tends to as t grows, in a run: `RUN`, or a variant of it by its name.

    Or an expression that could be a quantity.
    """

    nargs = 2


class Ending(sp.Function):
    """What a quantity is after the last round."""

    nargs = 1


class Pace(sp.Function):
    """The factor per round at which means and second moments of such a run approach their limit."""

    nargs = 1


class Slope(sp.Function):
    """What a quantity tends to as t grows, over a parameter of the rounds, as that tends to 0."""

    nargs = 2


class Factor(sp.Function):
    """The largest size of an eigenvalue of a round of means, of such a run."""

    nargs = 1


class Remembered(sp.Function):
    """Of a quantity and a chance: what it was in the last round in which something happened.

    In a round that has that chance, whatever was before; 0 if in none. In the mean x(t + 1) =
    (1 - p) x(t) + p q(t), and x(0) = 0.
    """

    nargs = 2


RUN = sp.Symbol("run")


@dataclass(frozen=True)
class Shown:
    """How a theory reads what a step shows.

    Attributes
    ----------
    draws : mapping from source to names
        Which arrays of ``draw`` each random object is.
    indices : mapping from index to name
        Over which a mean is taken, in the order of the axes of what is shown; the name is that of
        the parameter that weighs it, or empty for equal weights.
    vectors : mapping from name to indices
        Of every array that is shown, the indices that it has axes for.
    factors : mapping from name to indices
        Of arrays by which vectors are multiplied, entry by entry.
    derived : mapping from name to expression
        Vectors that stand for others, multiplied by factors.
    may : tuple of str
        Vectors that are not there in every run.
    """

    draws: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    indices: Mapping[str, str] = field(default_factory=dict)
    vectors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    factors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    derived: Mapping[str, sp.Expr] = field(default_factory=dict)
    may: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """In the order of a space's axes."""
        return (PAST, *self.draws, *self.indices)


@dataclass(frozen=True)
class Says:
    """``left relation right``; "<" and ">" too, and of every outcome where it has `dot`."""

    left: sp.Expr
    relation: str
    right: sp.Expr

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True)
class Where:
    """A number that is there only where something holds, which may speak of it by its name."""

    value: sp.Expr
    holds: tuple[Says, ...]


Definition: TypeAlias = "sp.Expr | Where"


@dataclass(frozen=True, eq=False)
class View:
    """What is seen of an algorithm's runs.

    Attributes
    ----------
    told : str
        What was run, in a few words.
    algorithm : str or Algorithm
        Module and name, such as "fedplt.ROUNDS"; or itself, where it is no part of the package.
    shown : Shown
    runs : str
        What claims call the algorithm; empty: whatever a claim is about.
    scopes : tuple of str
        Of the statements about vectors that it can evaluate.
    quantities : mapping from name to expression
        Those without `sq` and `ip` speak of the ones before.
    states : tuple of str
        Quantities of a round's start: they are measured after the last round too.
    later : tuple of str
        Quantities of the next round: what is defined of round t is theirs of t + 1, and of round 0
        there is none.
    functions : mapping from quantity name to function (problem, state) or (problem, state, p)
        Quantities that are means of functions of the state.
    constants : mapping from name to definition
        Each may speak of those before it; or functions (problem, start), (problem, start, p).
    choices : mapping from name to mapping from choice to definition
        Constants that a set-up may define in several ways, or give as numbers.
    assumptions : mapping from assumption to what it says
        All of it; those that are missing are not known, but for what the problem tells.
    decided : mapping from assumption to function (problem, start) or (problem, start, p)
        Those that a function decides: True, False, or None where that is not known.
    meant : mapping from vector to expression
        Vectors whose factors are constants of a set-up.
    takes : tuple of str
        Names of the parameters of a run.
    may_take : tuple of str
        Of parameters that not every run has.
    single : bool
        Whether a run has one round.
    integrated : bool
        Whether draws are integrated, not listed: nothing that is defined speaks of one of them.
    requires : tuple of Says
        What a set-up must satisfy to be one.
    alone : tuple of str
        Indices whose values are looked at one by one; or the one value that is chosen, or that a
        parameter of that name says.
    each : mapping from quantity name to indices
        Quantities that are one for each value of these; others are one for the run.
    outcomes : mapping from quantity name to sources
        Quantities that have a value for every outcome of these sources.
    besides : View or None
        With more draws than are enumerated; what it measures is had by moments.
    moments : bool
        Whether draws are unknowns, and the run is followed by its moments: nothing that is defined
        speaks of a single outcome.
    tried : bool
        Whether outcomes are listed where they are few, else moments followed; of what neither
        measures the reasons are told. Gradients, gap and distance are quantities of such runs.
    problems : tuple
        Of which a run may give the number: those that are no plain data.
    declared : mapping from name to place
        Where a definition stands, and by an empty name the theory, for messages.
    many : bool
        Whether runs have more rounds than are enumerated: all is had by moments, and `Largest` and
        `Least` as bounds of what may be visited.
    changing : mapping from parameter of the algorithm to expression in t
        Parameters that are others in other rounds; of parameters that a run gives.
    problem : bool
        Whether a problem is asked for gradients; else the one of a run stands for none.
    variants : mapping from name to View
        The same runs with another algorithm: `Settled` speaks of them by name.
    """

    told: str
    algorithm: Any
    shown: Shown
    runs: str = ""
    scopes: tuple[str, ...] = ()
    quantities: Mapping[str, sp.Expr] = field(default_factory=dict)
    states: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    constants: "Mapping[str, Definition | Callable[..., Any]]" = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, Definition]] = field(default_factory=dict)
    assumptions: Mapping[str, tuple[Says, ...]] = field(default_factory=dict)
    decided: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    meant: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    may_take: tuple[str, ...] = ()
    single: bool = False
    integrated: bool = False
    requires: tuple[Says, ...] = ()
    alone: tuple[str, ...] = ()
    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outcomes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    besides: "View | None" = None
    moments: bool = False
    tried: bool = False
    problems: tuple[Any, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    many: bool = False
    changing: Mapping[str, sp.Expr] = field(default_factory=dict)
    problem: bool = True
    variants: "Mapping[str, View]" = field(default_factory=dict)


GIVEN = "given"  # the family of problems that a view has, by their number


@dataclass(frozen=True)
class Objective:
    """A problem by its family: plain data.

    Attributes
    ----------
    family : str
    data : tuple of pairs (name, numbers)
    """

    family: str
    data: tuple[tuple[str, Any], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", pairs(self.data))


@dataclass(frozen=True, eq=False)
class Run:
    """Rounds of an algorithm on a problem from a start: plain data.

    Attributes
    ----------
    problem : Objective
    start : tuple of numbers
    parameters : tuple of pairs (name, number or nested tuples)
        Or a formula of the round t and of constants, such as "1/(z*(t+1))".
    rounds : int
    """

    problem: Objective
    start: tuple[Number, ...]
    parameters: tuple[tuple[str, Any], ...]
    rounds: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", numbers(self.start))
        object.__setattr__(self, "parameters", pairs(self.parameters))

    def parameter(self, name: str) -> Any:
        """By name; None if it is not given."""
        return dict(self.parameters).get(name)


@dataclass(frozen=True, eq=False)
class Setup:
    """A run in a view of a theory: plain data.

    Attributes
    ----------
    theory : str
        Key of the theory whose view it is.
    view : str
        Name of the view.
    run : Run
    chosen : tuple of pairs (constant, name of a choice or number)
        And, for a view of one value of an index, that index and the value.
    """

    theory: str
    view: str
    run: Run
    chosen: tuple[tuple[str, Number], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "chosen", pairs(self.chosen))


@dataclass(frozen=True, eq=False)
class Rungs:
    """What is seen of set-ups that differ in one parameter: t counts them.

    Attributes
    ----------
    told : str
        What was run, in a few words.
    runs : str
        What claims call it.
    over : str
        The parameter.
    values : expression, or tuple of str
        Its value of a rung, in constants of that; T are its rounds, or all so far. Or what the
        views of all rungs say that their runs are, one by one.
    varies : tuple of str
        Parameters of a run, data of its problem, "view", "rounds" and constants in which set-ups
        may differ.
    series : mapping from quantity to expression
        Of a rung, likewise; with `Ending`, `Settled`, `Pace` and `Slope` of what it shows.
    alike : tuple of expressions
        Of a rung, likewise: what all rungs have in common.
    first : mapping from constant to expression
        Of the first rung; other constants are those on which all rungs agree.
    fitted : str
        A series whose power of the parameter is shown.
    power : str
        That of which a claim speaks.
    hidden : tuple of str
        Series that are not shown.
    falls : bool
        Whether the parameter falls from rung to rung.
    requires : tuple of Says
        Of the series, rungs counted by t.
    """

    told: str
    runs: str
    over: str
    values: sp.Expr | tuple[str, ...]
    varies: tuple[str, ...]
    series: Mapping[str, sp.Expr]
    alike: tuple[sp.Expr, ...] = ()
    first: Mapping[str, sp.Expr] = field(default_factory=dict)
    fitted: str = ""
    power: str = ""
    hidden: tuple[str, ...] = ()
    falls: bool = False
    requires: tuple[Says, ...] = ()


@dataclass(frozen=True, eq=False)
class Ladder:
    """Set-ups of one theory that differ in one parameter, which grows or falls: plain data.

    Attributes
    ----------
    theory : str
        Key of the theory whose rungs they are.
    rungs : str
        Name of what is seen of them.
    setups : tuple of Setup
    """

    theory: str
    rungs: str
    setups: tuple[Setup, ...]


@dataclass(frozen=True)
class Planned:
    """A set-up with its name.

    Attributes
    ----------
    name : str
    setup : Setup
    quick : bool or Planned
        Whether it is also in a quick plan; or what is there in its place.
    floats : bool
        Whether it is measured in floats with bounds of their rounding, not in rationals.
    steps : bool
        Whether steps of proofs are evaluated on it, where it is in a quick plan.
    judged : bool
        Whether claims are judged on it.
    replicas : int
        How many at most are sampled; 0 if it is measured.
    """

    name: str
    setup: Setup
    quick: "bool | Planned" = False
    floats: bool = False
    steps: bool = True
    judged: bool = True
    replicas: int = 0


@dataclass(frozen=True)
class PlannedLadder:
    """A ladder with its name.

    Attributes
    ----------
    name : str
    ladder : Ladder
    quick : Ladder or None
        What is in a quick plan in its place.
    floats : bool
        Whether it is measured in floats with bounds of their rounding, not in rationals.
    """

    name: str
    ladder: Ladder
    quick: Ladder | None = None
    floats: bool = False


@dataclass(frozen=True, eq=False)
class Family:
    """Set-ups that differ in one parameter: where a quantity tends, beside a bound on it.

    Attributes
    ----------
    name : str
    over : Symbol
        The parameter.
    values : tuple of numbers
        Of each set-up; empty if they are what the set-ups show.
    setups : tuple of Setup
        Of as many rounds as their constants are to hold for.
    quantity : str
        Whose limit is taken.
    bound : expression
        In constants of a set-up.
    power : expression
        The same bound in what is given: its power of the parameter is shown.
    large : bool
        Whether the parameter counts most where it is large.
    told : tuple of two str
        What the limit and the bound are called.
    """

    name: str
    over: sp.Symbol
    values: tuple[Number, ...]
    setups: tuple[Setup, ...]
    quantity: str
    bound: sp.Expr
    power: sp.Expr
    large: bool
    told: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Course:
    """A quantity over time, of a set-up measured in floats; or a number per round.

    Attributes
    ----------
    name : str
    what : Setup or expression of t
    quantity : str
    told : str
        What the quantity is called.
    rounds : int
    power : int
        Of t, which a bound predicts.
    """

    name: str
    what: Setup | sp.Expr
    quantity: str
    told: str
    rounds: int
    power: int


@dataclass(frozen=True, eq=False)
class Trend:
    """A quantity against another, in the rounds of a set-up: its power is shown.

    Attributes
    ----------
    name : str
    setup : Setup
    over, quantity : str
        Of which both are looked at.
    told : str
        What the first is called.
    """

    name: str
    setup: Setup
    over: str
    quantity: str
    told: str


@dataclass(frozen=True)
class Alone:
    """Constants and parameters alone: nothing is run.

    Attributes
    ----------
    name : str
    values : tuple of pairs (name, number)
    """

    name: str
    values: tuple[tuple[str, Number], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", pairs(self.values))
