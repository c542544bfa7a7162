"""Claims judged without a plan of runs: equivalences, comparisons, assumptions, experiments.

Each judgement becomes a record of the same shape as that of a run, so that tables and pages need
not know the difference.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from flint import fmpq

from fedbounds.problems import Evidence
from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.language.equivalences import ANALYSIS, Equivalence, Pair
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.setting import (
    Announced,
    AssumptionClaim,
    Existence,
    Experiment,
    Universal,
    experiment_of,
)
from fedbounds.vocabulary import Method, Relation, Verdict

from ..decide.case import Case, found
from ..decide.part import decide
from ..decide.plain import plain
from ..measure.evaluate import Numbers
from ..measure.same import Comparison
from ..setups.pairs import Shape, compared, told_difference
from .compare_bounds import as_rows
from .finding import Finding as Finding
from .plan import quick_cases
from .specimens import specimens

Record = dict[str, Any]
_MOST_CLIENTS = 4
_MOST_CASES = 16  # of a plan, that are asked for an assumption


def settle(claim: Any) -> Iterator[Finding]:
    """Every finding about a claim that needs no plan of runs; of others, about what they report."""
    if isinstance(claim, Claim):
        claim = experiment_of(claim)
    judges: dict[type, Callable[[Any], Iterator[Finding]]] = {
        Equivalence: _equivalence,
        ComparisonClaim: _comparison,
        AssumptionClaim: _assumption,
        Experiment: _experiment,
        Existence: _examined,
        Universal: _examined,
        Announced: _announced,
    }
    return judges[type(claim)](claim)


def _examined(claim: Existence | Universal) -> Iterator[Finding]:
    from .settings.judge import existence, universal  # which need a paper's own folder

    yield from existence(claim) if isinstance(claim, Existence) else universal(claim)


def _equivalence(claim: Equivalence) -> Iterator[Finding]:
    for pair in claim.pairs:
        for shape, shown in compared(pair, claim.shapes):
            yield Finding(
                reading=pair.reading,
                part=pair.name,
                instance=shape.name,
                verdict=shown.verdict,
                reason=shown.reason,
                family=f"{pair.general.name} and {pair.special.name} on quadratics",
                method=Method.RATIONAL,
                premise="equal as polynomials in start, state and noise, for all other draws",
                parameters={symbol.name: str(x) for symbol, x in shape.numbers.items()},
                extra=_apart(pair, shape, shown),
                relation=Relation.EQUAL,
            )
    if claim.analysis is not None:
        yield from _analysis(claim.analysis)


def _apart(pair: Pair, shape: Shape, shown: Comparison) -> Record:
    """Both sides of what differs first, and what shows it again; nothing where they agree."""
    if shown.difference is None:
        return {}
    told = {"difference": told_difference(pair, shape, shown.difference)}
    values: tuple[Any, ...] = shown.difference.values
    try:
        values = tuple(map(fmpq, values))
    except ValueError:  # balls, to as many digits as are certain
        values = tuple(map(float, values))
    left, right = values
    return told | {"left": plain(left), "right": plain(right), "gap": plain(right - left)}


def _analysis(part: Part) -> Iterator[Finding]:
    for n in range(1, _MOST_CLIENTS + 1):
        for m in range(1, n + 1):
            numbers = Numbers({"n": fmpq(n), "m": fmpq(m)}, {}, fmpq)
            outcome = decide(part, numbers, Method.RATIONAL)
            yield Finding(
                reading=ANALYSIS,
                part=part.name,
                instance=f"n={n} m={m}",
                verdict=outcome.verdict,
                reason=outcome.reason,
                family="parameters",
                method=Method.RATIONAL,
                premise="exact rationals or balls",
                parameters={"n": n, "m": m},
                extra={"left": outcome.left, "right": outcome.right, "gap": outcome.gap},
                relation=part.relation,
            )


def _comparison(claim: ComparisonClaim) -> Iterator[Finding]:
    for row in as_rows(claim):
        region = row["worse"]["region"] if row["worse"] else ""
        yield Finding(
            reading=row["reading"],
            part=row["pair"],
            instance=row["pair"],
            verdict=Verdict(row["verdict"]),
            reason=f"{row['word']}" + (f": worse where {region}" if region else ""),
            family="exponents of the bounds' terms",
            method=Method.EXPONENTS,
            premise="linear programme over exponents, its answer re-checked in rationals",
            extra={"comparison": _shown(row)},
        )


def _shown(row: Record) -> Record:
    """A comparison for the page: the walk that decides, in full."""
    walk = row["worse"] or row["better"]
    return {
        "pair": row["pair"],
        "word": row["word"],
        "region": "" if walk is None else walk["region"],
        "ray": {} if walk is None else walk["ray"]["exponents"],
        "points": [] if walk is None else walk["points"],
        "certificate": row["certificate"],
    }


def _assumption(claim: AssumptionClaim) -> Iterator[Finding]:
    every = (
        (reading, *one)
        for reading in claim.readings
        for one in _asked(claim.entry.paper, claim.read(reading))
    )
    for reading, name, family, clients, evidence in every:
        yield Finding(
            reading=reading.name,
            part="",
            instance=name,
            verdict=Verdict.NOT_VIOLATED if evidence.holds else Verdict.NOT_APPLICABLE,
            reason=evidence.reason,
            family=family,
            method=Method.CONSTANTS,
            premise="the problem's constants are exact or certified at all points",
            parameters={"n": clients},
        )


def _asked(paper: str, assumption: str) -> tuple[tuple[str, str, int, Evidence], ...]:
    """Cases of the paper's own plan that speak of it, and problems of each family that do."""
    every = ((name, problem, problem.satisfies(assumption)) for name, problem in specimens())
    families = tuple((name, type(p).__name__, p.clients, told) for name, p, told in every)
    shown = _planned(paper, assumption)
    return (*shown, *(one for one in families if one[3].holds is not None)) if shown else families


@cache
def _planned(paper: str, assumption: str) -> tuple[tuple[str, str, int, Evidence], ...]:
    told = ((case.name, *_told(case)) for case in quick_cases(paper))
    speaking = (one for one in told if assumption in one[3])
    return tuple(
        (name, family, clients, evidence[assumption])
        for name, family, clients, evidence in islice(speaking, _MOST_CASES)
    )


@lru_cache(maxsize=256)  # every assumption is asked of the same cases
def _told(case: Case) -> tuple[str, int, Mapping[str, Evidence]]:
    """Family, clients, and what a case says of assumptions."""
    shown = found(case)
    return shown.family, int(shown.parameters.get("n", 1)), shown.evidence


def _experiment(claim: Experiment) -> Iterator[Finding]:
    """A description that leaves choices open cannot be repeated as stated."""
    for what in claim.unstated:
        yield Finding(
            reading=claim.readings[0].name,
            part=what,
            instance="description",
            verdict=Verdict.UNDECIDED,
            reason=f"not stated: {what}",
            family="the paper's description",
            method=Method.DESCRIPTION,
            premise="what a repetition would have to guess",
        )


def _announced(claim: Announced) -> Iterator[Finding]:
    """What is announced and nowhere stated has no formula to judge."""
    for what in claim.unstated:
        yield Finding(
            reading=claim.readings[0].name,
            part=what,
            instance="text",
            verdict=Verdict.UNDECIDED,
            reason=f"announced, not stated: {what}",
            family="the paper's text",
            method=Method.DESCRIPTION,
            premise="what a statement would have to say",
        )


def as_record(claim_id: str, found: Finding, key: str) -> Record:
    """A finding in the shape of a run's record."""
    numbers = dict.fromkeys(("left", "right", "gap", "relative_gap", "tightness"))
    numbers |= {name: found.extra[name] for name in ("left", "right", "gap") if name in found.extra}
    return {
        "key": key,
        "claim": claim_id,
        "reading": found.reading,
        "ambiguity": "",
        "problem": {
            "family": found.family,
            "instance": ", ".join(dict.fromkeys(filter(None, (found.part, found.instance)))),
            "clients": None,
        },
        "algorithm": found.family,
        "parameters": found.parameters,
        "constants": {},
        "verdict": found.verdict.value,
        "evidence": {
            "method": found.method.value,
            "level": None,
            "replicas": 0,
            "premise": found.premise,
            "replay": None,
        },
        **numbers,
        "at": {"part": found.part, "round": None, "client": None, "step": None},
        "reason": found.reason,
        "parts": [
            {
                "part": found.part,
                "relation": found.relation.value,
                "verdict": found.verdict.value,
                "reason": found.reason,
                "round": None,
                "rounds": 1,
                "equal": 0,
                "idle": 0,
                "beats_trivial": None,
                "candidate": False,
                "replay": None,
                **numbers,
            }
        ],
        "slack": [],
        "witness": None,
        **{x: y for x, y in found.extra.items() if x in ("comparison", "difference")},
    }
