r"""Marks for the authors' own LaTeX: ``\fedbounds{thm-3.7}`` prints a standing and an address.

What a macro does is in ``templates/marks.tex``; here are its data, a line for each claim. The words
and symbols need no package and no colour.
"""

import re
from collections.abc import Iterator
from typing import Any

from fedbounds.verify.page.addresses import Addresses
from fedbounds.verify.page.standings import MEANING, NOT_JUDGED, word_of
from fedbounds.verify.page.summary import in_order, short_id
from fedbounds.verify.page.template_text import template_text
from fedbounds.vocabulary import Kind, Source, Standing

from .escape import latex_text

Record = dict[str, Any]

_SYMBOLS = {
    Standing.CONFIRMED: r"\surd",
    Standing.CONFIRMED_BY_SOLVER: r"\surd^{*}",
    Standing.PROVED_OTHERWISE: r"(\surd)",
    Standing.CONDITIONAL: r"\vdash",
    Standing.GAP: r"\cdots",
    Standing.TESTED: r"\approx",
    Standing.REFUTED: r"\times",
    Standing.UNSATISFIABLE: r"\bot",
    Standing.OPEN: "?",
    Standing.CONFLICT: "!!",
    Standing.SATISFIABLE: r"\exists",
    Standing.REPRODUCED: "=",
    Standing.NOT_REPRODUCED: r"\neq",
    Standing.NOT_REPRODUCIBLE: r"\oslash",
}
_RARE = re.compile(r"[^A-Za-z0-9._/+-]")


def latex_marks(document: Record) -> str:
    """A file for the preamble: macros, and what they print of each claim of a results document."""
    claims = in_order(document)
    judged = [one for one in claims if one["kind"] != Kind.DEFINITION]
    example = key_of(judged[0]["id"]) if judged else "thm-1"
    macros = template_text("marks.tex").replace("EXAMPLE", example)
    lines = (*_claims(document), *_names(claims), _legend(document, judged), r"\fedbounds@after")
    return macros + "".join(f"{line}\n" for line in lines)


def key_of(claim_id: str) -> str:
    r"""What to type for a claim: its id, with the number of each sign that TeX takes otherwise.

    Examples
    --------
    >>> key_of("me/a_b/corrected"), key_of("me/50%")
    ('me/a_b/corrected', 'me/50*25*')
    """
    return _RARE.sub(lambda found: f"*{ord(found[0]):x}*", claim_id)


def symbol(word: str) -> str:
    """What stands for a standing in a formula."""
    return "-" if word == NOT_JUDGED else _SYMBOLS[Standing(word)]


def _claims(document: Record) -> Iterator[str]:
    addresses = Addresses(document["claims"])
    for claim in in_order(document):
        key = key_of(claim["id"])
        if claim["kind"] == Kind.DEFINITION:
            yield rf"\fedbounds@without{{{key}}}{{it is a definition, and not judged}}"
            continue
        address = addresses.from_folder(claim["id"]).replace("#", r"\#")
        yield (
            rf"\fedbounds@claim{{{key}}}{{{symbol(word_of(claim))}}}"
            rf"{{{latex_text(_words(claim))}}}{{{address}}}"
        )


def _words(claim: Record) -> str:
    """The standing, whose text it is, and whether that depends on how it is read."""
    more = [] if claim["source"] == Source.VERBATIM else [claim["source"]]
    more += ["readings differ"] if claim.get("readings_differ") else []
    return "; ".join(filter(None, (word_of(claim), ", ".join(more))))


def _names(claims: list[Record]) -> Iterator[str]:
    """Ids without their paper, where that is no id itself."""
    own: dict[str, list[str]] = {}
    for claim in claims:
        own.setdefault(key_of(short_id(claim["id"])), []).append(key_of(claim["id"]))
    whole = {key for keys in own.values() for key in keys}
    for short, keys in own.items():
        if not short or short in whole:
            continue
        if len(keys) == 1:
            yield rf"\fedbounds@short{{{short}}}{{{keys[0]}}}"
        else:
            told = f"it may be {' or '.join(keys)}; name one of these"
            yield rf"\fedbounds@without{{{short}}}{{{told}}}"


def _legend(document: Record, claims: list[Record]) -> str:
    """What the standings that occur mean, in the order of the vocabulary."""
    seen = {word_of(claim) for claim in claims}
    told = [
        rf"\fedboundsmark{{{symbol(word)}}}{{{latex_text(word)}}} {latex_text(MEANING[word])}."
        for word in Standing
        if word in seen
    ]
    run = document["run"]
    about = f"fedbounds {run['fedbounds']} (profile {run['profile']}, seed {run['seed']})"
    return rf"\def\fedboundslegend{{By {latex_text(about)}: {' '.join(told)}}}"
