"""Standings as the page writes them: a meaning, a letter and a name for its style sheet."""

import re
from typing import Any

from fedbounds.vocabulary import Standing

NOT_JUDGED = "not judged"

MEANING = {
    Standing.CONFIRMED: "every step of the paper's proof is proved, with certificates",
    Standing.CONFIRMED_BY_SOLVER: "as confirmed, but some step rests on a solver alone",
    Standing.PROVED_OTHERWISE: "proved by our steps, not by the paper's",
    Standing.CONDITIONAL: "proved from what is supposed and named, and measured or said not to be",
    Standing.GAP: "a step of the proof fails; the statement is neither proved nor refuted",
    Standing.TESTED: "no complete proof was replayed; every part survived measurement",
    Standing.REFUTED: "violated exactly, on an instance inside its assumptions and conditions",
    Standing.UNSATISFIABLE: "its assumptions or conditions contradict each other",
    Standing.OPEN: "not judged, or not firmly on every part",
    Standing.CONFLICT: "both proved and violated: a bug of fedbounds",
    Standing.SATISFIABLE: "an assumption that some examined problem satisfies",
    Standing.REPRODUCED: "an experiment whose stated outcome was seen here too",
    Standing.NOT_REPRODUCED: "an experiment whose stated outcome was not seen here",
    Standing.NOT_REPRODUCIBLE: "an experiment that the text does not fix well enough to repeat",
}
_LETTERS = {
    Standing.CONFIRMED: "C",
    Standing.CONFIRMED_BY_SOLVER: "C*",
    Standing.PROVED_OTHERWISE: "P",
    Standing.CONDITIONAL: "PG",
    Standing.GAP: "G",
    Standing.TESTED: "T",
    Standing.REFUTED: "R",
    Standing.UNSATISFIABLE: "U",
    Standing.OPEN: "O",
    Standing.CONFLICT: "!!",
    Standing.SATISFIABLE: "S",
    Standing.REPRODUCED: "E",
    Standing.NOT_REPRODUCED: "N",
    Standing.NOT_REPRODUCIBLE: "X",
}


def word_of(claim: dict[str, Any]) -> str:
    """The standing of a claim in words."""
    return str(claim["standing"] or NOT_JUDGED)


def letter(word: str) -> str:
    """What marks a standing where there is no room for its word; never by colour alone."""
    return "–" if word == NOT_JUDGED else _LETTERS[Standing(word)]


def slug(word: str) -> str:
    """Class of a standing in the style sheet.

    Examples
    --------
    >>> slug("proved otherwise"), slug("confirmed*")
    ('proved-otherwise', 'confirmed-by-solver')
    """
    return re.sub(r"[^a-z]+", "-", word.replace("*", " by solver"))
