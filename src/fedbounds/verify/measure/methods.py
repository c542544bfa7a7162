"""Methods in their order: every outcome where there are few, else exact moments, else the reasons.

A method that does not answer says why, and that is what is known of the quantities then.
"""

import re
from dataclasses import replace

import sympy as sp

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.vocabulary import Method

from .answers import Answer, Array, Asked, by_enumeration, by_moments
from .enumerated import paths
from .sources import TooManyError
from .subject import Subject
from .unknowns import Refused, RootError

_COMPARED = 1  # rounds at which moments are held against enumeration
_FOLDER = re.compile(r"^.*/(?=[^/]+\.py:\d+: )")


def answer(subject: Subject, asked: Asked) -> Answer:
    """What the first method says that answers; nothing but reasons, where none does.

    Raises
    ------
    ConflictError
        If two methods disagree: an error of this suite.
    FedboundsError
        If a function of the algorithm, or of a quantity, breaks its contract.
    """
    reasons = []
    try:
        paths(subject)
        return _enumerated(subject, asked)
    except (TooManyError, Refused) as error:  # of balls, what they do not decide
        reasons.append(_FOLDER.sub("", str(error)))
    try:
        found = by_moments(subject, asked)
    except Refused as error:
        reasons.append(_FOLDER.sub("", str(error)))
        return _nothing(asked, "; ".join(reasons))
    _compare(subject, asked, found)
    missing = {name: _FOLDER.sub("", why) for name, why in found.missing.items()}
    return replace(found, missing=missing, how="exact moments")


def _enumerated(subject: Subject, asked: Asked) -> Answer:
    """In rationals; in balls where a step takes roots that are none."""
    try:
        return replace(by_enumeration(subject, asked), how="enumerated")
    except RootError:
        found = by_enumeration(subject.in_balls(), asked)
        return replace(found, method=Method.BALLS, how="enumerated in balls")


def _nothing(asked: Asked, why: str) -> Answer:
    def products(node: sp.Expr) -> Array:
        raise FedboundsError(why)

    names = (*asked.functions, *asked.definitions)
    return Answer(Method.RATIONAL, {}, products, dict.fromkeys(names, why), "not measured")


def _compare(subject: Subject, asked: Asked, found: Answer) -> None:
    short = replace(subject, rounds=min(_COMPARED, subject.rounds))
    try:
        paths(short)
        first = by_enumeration(short, asked)
    except TooManyError:
        return
    for name in found.series.keys() & first.series.keys():
        pairs = zip(found.series[name], first.series[name], strict=False)
        if any(one != other for one, other in pairs):
            raise ConflictError(
                f"{name} of {subject.algorithm.name}: moments and enumeration disagree within "
                f"{_COMPARED} round"
            )
