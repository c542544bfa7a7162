"""Errors in algorithms: a function, or an algorithm, is replaced while its check runs."""

from collections.abc import Callable
from importlib import import_module
from typing import Any
from unittest.mock import patch

from fedbounds.theory.language.catalogue import PAPERS
from fedbounds.theory.language.planted import Rule, WrongRule
from fedbounds.theory.language.registry import planted_rules

from ...measure.sources import Participants, Powers
from .algorithm_checks import said, told
from .enumerated import AGREES, DISAGREES, WAYS, moments_and_enumeration
from .planted import ErrorKind, Planted, Said


def replaced(
    planted: tuple[str, ErrorKind, str, str, str],
    place: tuple[Any, str],
    plant: Callable[[Rule], Rule],
    ask: Callable[[], Said],
    words: tuple[str, str],
) -> Planted:
    """What has that name in a module or a class, or what takes its place while the check asks."""
    owner, attribute = place

    def examine(rule: Rule) -> Said:
        with patch.object(owner, attribute, rule):
            return ask()

    original: Rule = vars(owner)[attribute]
    return Planted(*planted, lambda: original, plant, examine, *words)


def planted_in(paper: str, rule: WrongRule) -> Planted:
    """An error that a theory plants, with what shows it."""
    module, _, attribute = rule.function.partition(".")
    place = import_module(f"fedbounds.algorithms.{module}"), attribute
    check, *words = told(rule.check, paper)
    planted = rule.name, ErrorKind.ALGORITHM, rule.error, rule.where, check
    return replaced(
        planted, place, rule.wrong, lambda: said(rule.check, paper), (words[0], words[1])
    )


def _independent_pairs(moment: Rule) -> Rule:
    """P(i and j in S) = (m/n)^2."""

    def wrong(self: Participants, powers: Powers) -> Any:
        single = moment(self, {0: 1})
        return single ** sum(1 for power in powers.values() if power)

    return wrong


PLANTED = (
    *(planted_in(paper, rule) for paper in PAPERS for rule in planted_rules(paper)),
    replaced(
        ("independent-participants", ErrorKind.ALGORITHM,
         "P(i and j take part) = (m/n)^2, as if drawn independently", "exact moments", WAYS),
        (Participants, "moment"), _independent_pairs, moments_and_enumeration, (AGREES, DISAGREES),
    ),
)  # fmt: skip
