"""`fb.instance`, `fb.check` and `fb.judge`: one instance, and what is judged on it, as a table."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.setups import Objective, Planned, Run, Setup

from ..decide.case import Case
from ..decide.judgement import GRAVITY, Judgement
from ..judge import judge as judging
from ..judge.curve import curve_of
from ..judge.judge import Judged
from ..page.exports.table import Table, table
from ..page.runs import CurveData, curve_data
from ..setups.plan import case_of

_COLUMNS = ("claim", "reading", "part", "verdict", "left", "right", "right - left", "reason")


class Seen(Judgement):
    """A judgement that a notebook shows."""

    def __repr__(self) -> str:
        return f"<{self.claim.id} on {self.instance.name!r}: {self.verdict.value}>"

    def _repr_html_(self) -> str:
        return judged_table([self])._repr_html_()


class AllSeen(Judged):
    """All judgements on one instance, likewise."""

    def __repr__(self) -> str:
        found = Counter(one.verdict for one in self.judgements)
        words = [f"{found[word]} {word.value}" for word in GRAVITY if found[word]]
        return f"<{len(self.judgements)} judgements: {', '.join(words) or 'none'}>"

    @property
    def curve(self) -> CurveData | None:
        """Both sides round by round, of the first judgement that has them; None if none has."""
        for one in self.judgements:
            found = curve_of(one, self.measurement.numbers)
            if found is not None:
                best, name = one.deciding.tightness, {"instance": one.instance.name}
                return curve_data([{"curve": found, "tightness": best, "key": "", "problem": name}])
        return None

    def _repr_html_(self) -> str:
        return judged_table(self.judgements)._repr_html_()


def instance(
    paper: str,
    view: str,
    data: Mapping[str, Any],
    *,
    start: Sequence[Any],
    rounds: int,
    family: str = "quadratics",
    algorithm: str = "",
    name: str = "mine",
    floats: bool = False,
    replicas: int = 0,
    chosen: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Case:
    """A run of an algorithm on a problem by its numbers, to be judged or measured.

    Parameters
    ----------
    paper, view : str
        How the run is looked at: a view of the paper's theory, such as "rounds".
    data : mapping from name to numbers
        Of the problem family: "hessians", "slopes", "noise" of quadratics.
    start : sequence of numbers
        The model before the first round; with personal blocks, those of every client after it.
    rounds : int
        T.
    family : str
        Of problems, as the theory's set-ups name it.
    algorithm : str
        What claims call it, where the view is of several.
    name : str
        Of the instance, for tables.
    floats : bool
        Whether it is measured in floats with bounds of their rounding, not in rationals.
    replicas : int
        How many are sampled at most; 0 if expectations are exact.
    chosen : mapping from name to number
        What claims leave open: constants that O and Omega hide, a probability.
    parameters : numbers by name
        Of the algorithm: ``K=4, eta="1/64"``.

    Raises
    ------
    FedboundsError
        If there is no such view, or it takes other parameters.

    Examples
    --------
    >>> data = {"hessians": [[[2, 1], [1, 2]]], "slopes": [[-1, 1]], "noise": 0}
    >>> halves = instance("submodel", "rounds", data, start=(1, 0), rounds=3, keep=["1/2"], K=2,
    ...                   eta="1/64", algorithm="random masks")
    >>> halves.method.value
    'exact rationals'
    """
    require(type(rounds) is int, "rounds", repr(rounds), "a whole number")
    given = {what: _plain(what, value) for what, value in data.items()}
    every = {what: _plain(what, value) for what, value in parameters.items()}
    run = Run(
        Objective(family, tuple(given.items())),
        tuple(_plain("start", start)),
        tuple(every.items()),
        rounds,
    )
    open_ones = tuple((chosen or {}).items())
    setup = Setup(paper, view, run, open_ones)
    planned = Planned(name, setup, floats=floats, replicas=replicas)
    try:
        return case_of(planned, algorithm)
    except KeyError as error:
        raise FedboundsError(f"data of {family} lack {error}; expected its numbers") from error


def _plain(what: str, value: Any) -> Any:
    """Arrays as nested lists; what has no order, or is text in place of numbers, is refused."""
    unordered = isinstance(value, Set) or (what == "start" and isinstance(value, str | Mapping))
    require(not unordered, what, repr(value), "a sequence of numbers")
    return value.tolist() if isinstance(value, np.ndarray) else value


def check(claim: Claim, instance: Case, *, outside: bool = False) -> Seen:
    """Judge the first reading of a claim on an instance; see `judge.judge.check`."""
    return _seen(judging.check(claim, instance, outside=outside))


def judge(claims: Sequence[Claim], instance: Case, **how: Any) -> AllSeen:
    """Judge every reading of claims on an instance; see `judge.judge.judge`."""
    found = judging.judge(claims, instance, **how)
    return AllSeen(tuple(map(_seen, found.judgements)), found.measurement)


def _seen(one: Judgement) -> Seen:
    return Seen(one.claim, one.reading, one.instance, one.outcomes)


def judged_table(judgements: Iterable[Judgement]) -> Table:
    """A row for every part, the gravest verdicts first."""
    every = [(one, x) for one in judgements for x in one.outcomes]
    every.sort(key=lambda pair: GRAVITY.index(pair[1].verdict))
    return table(
        _COLUMNS,
        [
            (
                one.claim.id,
                one.reading.name,
                x.part,
                x.verdict.value,
                x.left,
                x.right,
                x.gap,
                x.reason,
            )
            for one, x in every
        ],
    )
