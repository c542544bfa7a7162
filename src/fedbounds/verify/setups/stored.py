"""The set-ups of theories that a file may hold, and what each costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError, require, unknown_name
from fedbounds.theory.language.beside import Beside
from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.choices import Choice
from fedbounds.theory.language.registry import (
    besides,
    choices,
    ladders,
    rungs,
    setups,
    sides,
    views,
)
from fedbounds.theory.language.setups import (
    GIVEN,
    Ladder,
    Pace,
    Run,
    Settled,
    Setup,
    View,
    Where,
    formula,
    is_formula,
)
from fedbounds.theory.language.symbols import constants_in

from ..measure.enumerated import MOST_ROWS, first_outcome, one_state
from ..measure.moments import MOST_WORK as MOST_PRODUCTS
from ..measure.objectives import exact
from ..measure.trace import first_round, integrated, subject_of
from ..measure.unknowns import Refused, TooManyTerms
from .choices import BOUND
from .found import MOST_EXACT, first_round_of, is_long, view_of
from .plan import about, local_steps, outcomes_of
from .rungs import rungs_of
from .sides import sides_of
from .stored_common import LOCAL_STEPS, MASK, PROBABILITY, ROUNDS, STEP
from .stored_fields import (
    Data,
    Fields,
    Kind,
    Known,
    Listed,
    Number,
    Record,
    Text,
    Whole,
    WholeNumber,
    Word,
    untagged,
)
from .stored_problems import (
    BY_NUMBER,
    FAMILIES,
    ROW,
    Named,
    OfFamily,
    growth,
    work_of_an_entry,
    work_of_numbers,
)
from .stored_work import KEPT, Cost, check, power
from .stored_work import Setup as Stored
from .tried import check_tried

_VECTORS = 20  # about so many are looked at
_LONGEST = 60  # characters of the name of a choice
_DEEPEST = 3  # lists in lists
_MATRICES = 100  # flint solves so many times as fast as arrays of rationals
_TERMS = 2  # so many products of terms, counted from above, take as long as one of rationals
_TRIED = 100  # states and faces, where a projected run may end up


@dataclass(frozen=True)
class ByTheory(Record):
    """The fields of a paper's set-ups; those of another theory, which is loaded, are others.

    Attributes
    ----------
    loaded : mapping
        The fields of such another theory.
    of_paper : function
        Fields that each paper has its own of: its plan is read when a file names it.
    """

    loaded: Fields = field(default_factory=dict)
    of_paper: Callable[[str], Fields] = lambda paper: {}

    def values(self, data: Data, where: str, known: Known) -> dict[str, Any]:
        """The values of the fields."""
        fields = data.get("fields") if isinstance(data, dict) else None
        theory = fields.get("theory") if isinstance(fields, dict) else None
        of = self.fields
        if isinstance(theory, str) and theory in PAPERS:
            of = {**of, **self.of_paper(theory)}
        elif isinstance(theory, str):
            try:
                views(Text().read(theory, f"{where}.theory", known))
            except FedboundsError as error:  # it is not loaded
                raise FedboundsError(f"{where}.theory: {error}") from error
            of = self.loaded
        return Record(self.make, of, self.tagged).values(data, where, known)


@dataclass(frozen=True)
class NumberOr:
    """A number, or the name of a choice."""

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`; whether a view has the choice is seen when it is looked at."""
        plain = isinstance(data, str) and data.isidentifier() and len(data) <= _LONGEST
        return data if plain else Number().read(data, where, known)


@dataclass(frozen=True)
class WordOr:
    """One of these words, or a number."""

    words: tuple[str, ...]

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        return data if data in self.words else Number().read(data, where, known)


@dataclass(frozen=True)
class FormulaOr:
    """A formula of the round and of constants, or a number."""

    number: Kind

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        if is_formula(data):
            formula(data)
            return data
        return self.number.read(data, where, known)


@dataclass(frozen=True)
class Nested:
    """A number, or lists of numbers in lists."""

    deepest: int = _DEEPEST

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        if self.deepest and isinstance(untagged(data, "tuple"), list):
            return Listed(Nested(self.deepest - 1)).read(data, where, known)
        return Number().read(data, where, known)


@dataclass(frozen=True)
class Point:
    """The shared coordinates, and then those of every client; all are shared unless said."""

    def read(self, data: Data, where: str, known: Known) -> tuple[Any, ...]:
        """See `Kind`."""
        personal = known.count("d_v") or 0
        if not personal:
            return ROW.read(data, where, known)
        found = Listed(Number()).read(data, where, known)
        d, n = (known.count(name) or 0 for name in ("d", "n"))
        if len(found) != d + (n - 1) * personal:
            raise FedboundsError(
                f"{where} has {len(found)} entries; expected d = {d} + {n - 1} times {personal}"
            )
        return found


@dataclass(frozen=True)
class Keeping:
    """A mask, of coordinates or of what is said, that keeps something."""

    mask: Kind = MASK

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        found = self.mask.read(data, where, known)
        require(any(found), where, list(found), "a 1 at least once")
        return found


# by their names; other parameters are numbers, in lists or not
_PARAMETERS: Fields = {
    "mask": Keeping(),
    "stopped": Listed(Whole(0, 1), "n"),
    "schedule": Listed(Keeping(Listed(Whole(0, 1), "n"))),
    "own": Whole(0, 1),
    "masks": Listed(MASK, "n"),
    "weights": Listed(Number(above=0), "n"),
    "tau": LOCAL_STEPS,
    "K": LOCAL_STEPS,
    "keep": Listed(PROBABILITY, "n"),
    "keeps": Listed(Listed(PROBABILITY, "n"), "T"),
    "more_hessians": Listed(Listed(Listed(ROW, "d"), "J"), "n"),
    "more_slopes": Listed(Listed(ROW, "J"), "n"),
    "sub_models": Listed(Listed(MASK), "n"),
    "orders": Whole(1, "n"),
    "m": Whole(1, "n"),
    "delta_p": PROBABILITY,
    "j": Whole(1, "K"),
    "k": Whole(0, "K - 1"),
    "cohort": Whole(1, "n"),
    **dict.fromkeys(("gamma_u", "gamma_v", "eta_u", "eta_v", "epsilon"), STEP),
    "eta": FormulaOr(STEP),
    "models": Listed(ROW, "n"),
    "common": Whole(0, 1),
    "attenuation": Listed(Number(least=0), "n"),
    "steps": Listed(STEP, "T"),
    "z": STEP,
    "B_step": Number(least=0),
    "n_s": Whole(1),
    "changed": Listed(Whole(0)),
    "place": Whole(0),
    "epochs": Whole(1),
}
_CHOSEN: Fields = {"k": Whole(0, "n - 1"), "z": STEP}


@cache
def stored() -> Stored:
    """Of all theories that have views."""
    found = {paper: views(paper) for paper in PAPERS}
    every = [view for own in found.values() for view in own.values()]
    named = {name for view in every for name in (*view.takes, *view.may_take)}
    takes = {name: _PARAMETERS.get(name, Nested()) for name in sorted(named)}
    run: Fields = {
        "problem": OfFamily(FAMILIES),
        "start": Point(),
        "parameters": Named(takes),
        "rounds": ROUNDS,
    }
    fields: Fields = {
        "theory": Word(tuple(paper for paper, own in found.items() if own)),
        "view": Text(),
        "run": Record(Run, run),
        "chosen": Named({}),
    }
    own: Fields = {
        "problem": OfFamily({**FAMILIES, GIVEN: BY_NUMBER}),
        "start": Point(),
        "parameters": Named({}, others=FormulaOr(Nested())),
        "rounds": ROUNDS,
    }
    loaded: Fields = {
        "theory": Text(),
        "view": Text(),
        "run": Record(Run, own),
        "chosen": Named({}, others=NumberOr()),
    }
    record = ByTheory(Setup, fields, loaded=loaded, of_paper=_chosen_in)
    return Stored(record, _cost, lambda setup: about(view_of(setup)), _fits)


# a choice of some of these
_CHOICE: Fields = {
    "n": WholeNumber(Whole(count="n")),
    "m": WholeNumber(Whole(1, "n")),
    "K": WholeNumber(Whole(count="K")),
    "j": WholeNumber(Whole(1, "K")),
    "T": WholeNumber(Whole(count="T")),
    **dict.fromkeys(("L", "F_0"), STEP),
    **dict.fromkeys(("b^2", "sigma_u^2", "sigma_v^2"), Number(least=0)),
}


@cache
def stored_choice() -> Stored:
    """Of parameters where nothing is run."""
    named: set[str] = set()
    theories = tuple(paper for paper in PAPERS if choices(paper))
    for theory in theories:
        named.update(name for one in choices(theory) for name, _ in one.choice.values)
    values = {name: kind for name, kind in _CHOICE.items() if name in named}
    values |= {name: Number() for name in sorted(named - values.keys())}
    fields: Fields = {"theory": Word(theories), "values": Named(values)}
    loaded: Fields = {"theory": Text(), "values": Named({}, others=Number())}
    return Stored(ByTheory(Choice, fields, loaded=loaded), _cost_of_sums, BOUND)


def _cost_of_sums(given: Any) -> Sequence[Cost]:
    """Geometric sums over K terms."""
    steps = float(int(dict(given.values).get("K", 1)))
    return (Cost(steps, steps),)


@cache
def stored_ladder() -> Stored:
    """Of ladders of such set-ups."""
    theories = tuple(paper for paper in PAPERS if rungs(paper))
    fields: Fields = {
        "theory": Word(theories),
        "rungs": Text(),
        "setups": Listed(stored().record, own=("K", "T"), least=2),
    }
    return Stored(
        ByTheory(Ladder, fields, loaded={**fields, "theory": Text()}),
        _cost_of_ladder,
        lambda ladder: rungs_of(ladder).runs,
        _ladder_fits,
    )


def _cost_of_ladder(given: Ladder) -> Sequence[Cost]:
    """That of all rungs, and of limits that are asked for."""
    seen = rungs(given.theory).get(given.rungs)
    series = () if seen is None else seen.series.values()
    limits = sum(1 for own in series if own.has(Settled, Pace))
    found = [cost for setup in given.setups for cost in _cost(setup)]
    if limits:
        entries = max(_entries(setup) for setup in given.setups)
        found.append(Cost(len(given.setups) * limits * entries**6 / _MATRICES))
    return found


def _entries(setup: Setup) -> int:
    """Numbers of state."""
    state = one_state(subject_of(setup.run, view_of(setup)))
    return int(sum(rows.size for rows in state.values()))


def _ladder_fits(ladder: Ladder) -> None:
    """Raise unless every rung is a set-up, and rungs differ in nothing but what they may."""
    rungs_of(ladder)
    for setup in ladder.setups:
        require(setup.theory == ladder.theory, "theory of a rung", setup.theory, ladder.theory)
        _fits(setup)


@cache
def stored_beside() -> Stored:
    """Of such set-ups side by side."""
    theories = tuple(paper for paper in PAPERS if sides(paper))
    fields: Fields = {
        "theory": Word(theories),
        "sides": Text(),
        "setups": Listed(stored().record, own=("K", "T", "S"), least=2),
    }
    return Stored(
        ByTheory(Beside, fields, loaded={**fields, "theory": Text()}),
        lambda given: [cost for setup in given.setups for cost in _cost(setup)],
        lambda beside: sides_of(beside).runs,
        _beside_fits,
    )


def _beside_fits(beside: Beside) -> None:
    """Raise unless every side is a set-up, and they differ in nothing but what they may."""
    sides_of(beside)
    for setup in beside.setups:
        require(setup.theory == beside.theory, "theory of a side", setup.theory, beside.theory)
        _fits(setup)


@cache
def _chosen_in(theory: str) -> Fields:
    """Constants of which set-ups say how they are meant, and the values of indices."""
    every = views(theory).values()
    ways: dict[str, set[str]] = {index: set() for view in every for index in view.alone}
    every_one = [one.setup for one in setups(theory)]
    every_one += [own for one in ladders(theory) for own in one.ladder.setups]
    every_one += [own for one in besides(theory) for own in one.beside.setups]
    for setup in every_one:
        ways |= {name: ways.get(name, set()) for name, _ in setup.chosen}
    for view in every:
        for name, own in view.choices.items():
            ways.setdefault(name, set()).update(own)
    words = {name: WordOr(tuple(sorted(own))) for name, own in sorted(ways.items())}
    return {"chosen": Named({name: _CHOSEN.get(name, kind) for name, kind in words.items()})}


def _cost(given: Any) -> Sequence[Cost]:
    """Rounds of so many local steps, every outcome of what is drawn."""
    run, view = given.run, view_of(given)
    if view.tried:
        return _cost_of_tried(run)
    steps = local_steps(run)
    clients = _clients(run)
    limits = sum(1 for own in view.constants.values() if _is_limit(own))
    vectors = len(view.quantities) + limits if view.many else _VECTORS

    def cost(size: int, rounds: int = run.rounds) -> Cost:
        each = size * work_of_an_entry(run.problem, size)
        return Cost(vectors * rounds * steps * each, growth(run.problem, rounds * steps))

    where = f"instance.setup, {given.view}"
    looked = 1 if view.moments else run.rounds  # a round shows which entries move
    check((cost(len(run.start) * clients, looked),), Known(), where)  # before anything is run
    terms = Cost(_products(run, view, where) / _TERMS if view.moments else 0)
    check((terms,), Known(), where)  # before a round is run on unknowns
    # where nothing moves, rounds are still gone through
    entries = max(1, first_round_of(run, view).moving()) if view.moments else _entries(given)
    plain = cost(clients * entries)
    if view.moments and not first_round_of(run, view).is_wide():
        # no more are multiplied, whatever is asked; in balls, numbers do not become longer
        most = MOST_PRODUCTS + KEPT * vectors * run.rounds
        short = Cost(min(plain.operations, most), plain.depth)
        plain = Cost(most) if is_long(given) else short
    solved = Cost(limits * entries**6 / _MATRICES + work_of_numbers(run.problem))
    check((plain, solved), Known(), where)  # before an outcome is drawn
    if view.many or view.integrated or view.moments:  # by moments
        return (plain, solved, terms)
    outcomes = outcomes_of(subject_of(run, view))
    tried = Cost(_TRIED * limits * outcomes * plain.operations, plain.depth)
    return (Cost(power(outcomes, run.rounds) * plain.operations, plain.depth), solved, tried)


def _products(run: Run, view: View, where: str) -> int:
    """Of the terms of a round on unknowns."""
    try:
        return first_round_of(run, view).products()
    except TooManyTerms as error:
        raise FedboundsError(f"{where}: {error}") from error


def _cost_of_tried(run: Run) -> Sequence[Cost]:
    """Rounds of as many steps as the largest of the parameters, which may count them."""
    size = len(run.start) * _clients(run)
    every = [
        float(exact(x))
        for _, value in run.parameters
        for x in (value if isinstance(value, tuple) else [value])
    ]
    steps = max([1.0, *every])
    few = power(2, run.rounds)  # outcomes, if there are as many as two in a round
    rows = few if few <= MOST_ROWS else size**2
    return (Cost(rows * run.rounds * steps * size, run.rounds * steps),)


def _is_limit(definition: Any) -> bool:
    return isinstance(definition, sp.Expr) and definition.has(Settled)


def _clients(run: Run) -> int:
    """n, of whichever family."""
    data = dict(run.problem.data)
    return next((len(data[name]) for name in ("slopes", "targets") if name in data), 1)


def _fits(setup: Setup) -> None:
    """Raise unless the view speaks of what is chosen, and the algorithm runs on the problem."""
    view = view_of(setup)
    most = MOST_EXACT if view.many else None
    fits = most is None or setup.run.rounds <= most
    require(fits, "rounds T", setup.run.rounds, f"at most {most} where they are many")
    if view.tried:
        check_tried(setup, view)
        return
    known = _choosable(setup.theory, setup.view, view)
    for name, _ in setup.chosen:
        if name not in known:
            raise unknown_name(f"choice in the view {setup.view!r}", name, known)
    subject = subject_of(setup.run, view)
    if view.moments:
        _check_moments(setup.run, view)
    elif view.integrated:
        integrated(replace(subject, rounds=1))
    else:
        first_outcome(subject)


@lru_cache(maxsize=64)  # of every set-up that is read
def _choosable(theory: str, name: str, view: View) -> frozenset[str]:
    """Also what planned set-ups choose and claims alone speak of, such as Young's parameter."""
    alike = (one.setup for one in setups(theory) if one.setup.view == name)
    planned = {choice for setup in alike for choice, _ in setup.chosen}
    return frozenset({*view.choices, *_named(view), *view.alone, *planned})


def _check_moments(run: Run, view: View) -> None:
    """Raise unless a round has moments, or is the only one."""
    try:
        try:
            first_round_of(run, view).check()
        except Refused:
            if run.rounds > 1:
                raise
            first_round(subject_of(run, view))
    except Refused as error:
        raise FedboundsError(str(error)) from error


def _named(view: View) -> set[str]:
    """Constants of which its definitions and statements speak."""
    says = [*view.requires, *(one for own in view.assumptions.values() for one in own)]
    found: list[Any] = [*view.quantities.values()]
    for own in (view.constants, *view.choices.values()):
        for one in own.values():
            says += one.holds if isinstance(one, Where) else ()
            found.append(one.value if isinstance(one, Where) else one)
    found += [side for one in says for side in (one.left, one.right)]
    return {name for one in found for name in constants_in(one)}
