"""On what assumptions and claims in words are examined: runs in all rounds, constants, families."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import sympy as sp
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.problems import Evidence, federated_logistic
from fedbounds.problems.ridge_logistic import RidgeLogistic
from fedbounds.theory.language.registry import examined
from fedbounds.theory.language.setting import Variant
from fedbounds.theory.language.setups import Alone, Planned, Run, Setup, View

from ...measure import objectives
from ...measure.always import Always
from ...measure.evaluate import Numbers, evaluate
from ...measure.known import MissingError
from ...measure.objectives import exact
from ...measure.ranges import Range
from ...measure.regions import AllRounds
from ...measure.subject import Subject
from ...measure.trace import rules_of, subject_of
from ...setups.found import defined, view_of
from ..specimens import specimens


@dataclass(frozen=True, eq=False)
class Examined:
    """A run of which all rounds are looked at."""

    name: str
    setup: Setup

    @cached_property
    def view(self) -> View:
        """What is seen of it."""
        return view_of(self.setup)

    @cached_property
    def subject(self) -> Subject:
        """What is traced."""
        return subject_of(self.setup.run, self.view)

    @cached_property
    def always(self) -> Always:
        """What is known of all rounds."""
        rules = rules_of(self.setup.run, self.view)
        names = defined(self.setup, self.view, self.subject)
        if not self.view.problem:
            nothing = objectives.values(self.subject.problem.objective)
            names = {name: value for name, value in names.items() if name not in nothing}
        return Always(AllRounds(self.subject, rules), names)

    @cached_property
    def facts(self) -> dict[str, Evidence]:
        """What its problem tells, of the constants that are chosen; nothing where none is asked."""
        if not self.view.problem:
            return {}
        own = {x: y for x, y in self.always.constants.items() if isinstance(y, fmpq)}
        return objectives.facts(self.subject.problem.objective, own)

    def evidence(self, assumption: str) -> Evidence:
        """Whether an assumption holds in all rounds; None where that is not known."""
        if assumption not in self.view.assumptions:
            return self.facts.get(assumption, Evidence(None, "not known of this run"))
        reasons = []
        for says in self.view.assumptions[assumption]:
            holds, told = self.always.decided(says)
            if not holds:
                return Evidence(holds, f"fails: {told}" if holds is False else told)
            reasons.append(told)
        return Evidence(True, "; ".join(reasons))

    @cached_property
    def numbers(self) -> dict[str, fmpq]:
        """Constants that are known exactly."""
        found = {}
        for name in self.always.constants:
            try:
                value = self.always.constant(name)
            except MissingError:
                continue
            if not isinstance(value, Range):
                found[name] = fmpq(value)
        return found

    def varied(self, variant: Variant) -> "Examined":
        """The same with other parameters."""
        run = self.setup.run
        given = {name: exact(value) for name, value in run.parameters}
        plain = {x: y for x, y in given.items() if not isinstance(y, tuple)}
        changed = {name: _value(own, plain) for name, own in variant.parameters if name in given}
        own = tuple((name, str(changed.get(name, value))) if name in changed else (name, value)
                    for name, value in run.parameters)  # fmt: skip
        other = Run(run.problem, run.start, own, run.rounds)
        return Examined(f"{self.name}, {variant.name}", replace(self.setup, run=other))


SubjectOf: TypeAlias = Any  # an Examined, an Alone, or a problem of some family


def _value(expression: sp.Expr, given: dict[str, fmpq]) -> fmpq:
    found = evaluate(expression, Numbers(given, {}, lambda p, q: fmpq(p, q)))
    if not isinstance(found, fmpq):
        raise FedboundsError(f"{expression} of a variant is {found}; expected a rational number")
    return found


@lru_cache(maxsize=4)
def subjects(theory: str) -> tuple[tuple[str, SubjectOf], ...]:
    """A theory's own runs and constants, and problems of every family, by name."""
    own = [_subject(one) for one in examined(theory)]
    return (*((one.name, one) for one in own), *families())


def _subject(one: Planned | Alone) -> Examined | Alone:
    return one if isinstance(one, Alone) else Examined(one.name, one.setup)


def families() -> Iterator[tuple[str, Any]]:
    """One problem of each family; without a personal block logistic losses, and with a ridge."""
    yield from specimens()
    loss = federated_logistic(
        clients=4,
        shared_dimension=3,
        personal_dimension=0,
        samples=20,
        heterogeneity=0.5,
        regularisation=0.0,
        batch=4,
    )
    yield "logistic losses, fully shared", loss
    yield "ridge logistic losses", RidgeLogistic(loss, 0.1)
