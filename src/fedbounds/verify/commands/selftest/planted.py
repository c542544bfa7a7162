"""A planted error as data, and its trial: the check on the original, then on the error.

A trial passes if the check says what it must of both. An original that is flagged is a false
alarm, an error that is not caught is a hole in the check: both are bugs of this suite.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ErrorKind(StrEnum):
    """Where an error is made."""

    ALGORITHM = "algorithm"
    PROBLEM = "problem"
    CLAIM = "claim"
    PROOF = "proof"
    DECISION = "decision"
    STORAGE = "storage"


class Outcome(StrEnum):
    """What a trial shows of the check."""

    CAUGHT = "caught"
    MISSED = "missed"  # the check does not say of the error what it must
    FALSE_ALARM = "false alarm"  # the check does not say of the original what it must


@dataclass(frozen=True)
class Said:
    """What a check says: a word, and a sentence with the numbers behind it."""

    word: str
    how: str


@dataclass(frozen=True)
class Planted:
    """An error and the check that catches it.

    Attributes
    ----------
    name : str
        Unique; what ``--only`` takes.
    kind : ErrorKind
    error : str
        What is wrong, in one line.
    where : str
        What it is planted in.
    check : str
        What should catch it, in a few words.
    subject : function
        Makes the original anew, so that nothing found of another object is used again.
    plant : function
        The original, to the same with the error.
    examine : function
        The check: of the original or the error, to what it says.
    control, catch : str
        The word that the check must say of the original, and of the error.
    """

    name: str
    kind: ErrorKind
    error: str
    where: str
    check: str
    subject: Callable[[], Any]
    plant: Callable[[Any], Any]
    examine: Callable[[Any], Said]
    control: str
    catch: str


@dataclass(frozen=True)
class Trial:
    """What the check said of the original and of the error."""

    planted: Planted
    original: Said
    error: Said

    @property
    def outcome(self) -> Outcome:
        """A false alarm outweighs a catch, which then says nothing."""
        if self.original.word != self.planted.control:
            return Outcome.FALSE_ALARM
        caught = self.error.word == self.planted.catch
        return Outcome.CAUGHT if caught else Outcome.MISSED


def attempt(planted: Planted) -> Trial:
    """Examine the original, then the error."""
    examine, subject = planted.examine, planted.subject
    return Trial(
        planted,
        _said(lambda: examine(subject())),
        _said(lambda: examine(planted.plant(subject()))),
    )


def _said(ask: Callable[[], Said]) -> Said:
    """A check that breaks down has caught nothing, and must not hide the others."""
    try:
        return ask()
    except Exception as error:
        return Said("broke down", f"{type(error).__name__}: {error}")
