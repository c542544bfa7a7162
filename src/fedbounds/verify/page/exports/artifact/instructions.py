"""What a reviewer reads first: what the archive holds, how to check it and judge it again."""

from collections.abc import Iterator
from importlib.metadata import distribution, metadata
from textwrap import wrap
from typing import Any

import fedbounds
from fedbounds.theory.language.catalogue import PAPERS, known
from fedbounds.verify.page.addresses import CERTIFICATES
from fedbounds.verify.page.numbers import count, listed
from fedbounds.verify.page.overview import by_standing
from fedbounds.verify.page.summary import command, is_refuted, judged_claims, titles, typed
from fedbounds.verify.page.template_text import template_text
from fedbounds.verify.results.engine import source_hash

from ..bibtex import bibliography
from .certificates import Certificates
from .witnesses import AGAIN

Record = dict[str, Any]

_SUITE = "fedbounds"
_WIDTH = 98


def read_me(document: Record, proofs: Certificates | None, *, apart: bool) -> str:
    """The text of README.txt.

    Parameters
    ----------
    document : dict
        A results document with its records.
    proofs : Certificates or None
    apart : bool
        Whether records lie in files of their own.
    """
    sections = {
        "judged": _judged(document),
        "holds": _holds(proofs, apart),
        "made": _made(document),
        "seen": _seen(document),
        "checked": _checked(proofs),
        "needs": _needs(document),
    }
    return template_text("read_me.txt").format(
        **{name: "".join(f"{line}\n" for line in lines) for name, lines in sections.items()},
        version=document["run"]["fedbounds"],
        command=command(document),
        again=AGAIN,
        licence=_licence(),
        citation=_citation(document).rstrip(),
    )


def licence_text() -> str | None:
    """The suite's licence; None if its installation has no text of it."""
    return distribution(_SUITE).read_text("licenses/LICENSE")


def _judged(document: Record) -> Iterator[str]:
    judged = judged_claims(document)
    for key, title, authors in titles(document):
        own = [claim for claim in judged if claim["id"].partition("/")[0] == key]
        words = ", ".join(f"{amount} {word}" for word, amount in by_standing(own))
        yield from _wrapped(f"{key}: {title}{f' ({authors})' if authors else ''}")
        yield from _wrapped(f"  {count(len(own), 'claim')}: {words or 'none judged'}")


def _holds(proofs: Certificates | None, apart: bool) -> Iterator[str]:
    if apart:
        yield "records/            the records on which it rests: keep them beside it"
    if proofs is not None:
        yield f"{CERTIFICATES}         a certificate of each step that is proved"


def _made(document: Record) -> Iterator[str]:
    run, timing = document["run"], document["run"]["timing"]
    yield f"fedbounds {run['fedbounds']}, source {run['source']}"
    yield f"profile {run['profile']}, seed {run['seed']}, device {run['device']}"
    host = f"Python {timing['python']}, {timing['system']} on {timing['machine']}"
    yield f"NumPy {run['numpy']}, {host}; {timing['seconds']:.0f} s"
    if source_hash() != run["source"]:
        yield ""
        yield "The archive was made by another state of fedbounds, which knows notes and files:"
        yield f"fedbounds {fedbounds.__version__}, source {source_hash()}"


def _seen(document: Record) -> Iterator[str]:
    readings = [r for claim in judged_claims(document) for r in claim["readings"] if is_refuted(r)]
    scripts = [reading["witness"] for reading in readings if reading["witness"]]
    if not readings:
        yield "No reading is refuted: there is no witness."
        return
    amount = f"{count(len(readings), 'reading')} refuted, {len(scripts)} with a script"
    yield f"{amount}, whatever the claim stands as."
    if scripts:
        yield "A script prints both sides; its last line says whether the reading is broken there:"
        yield from ("", f"  python {scripts[0]}")
    if len(scripts) < len(readings):
        yield from ("", "For readings without one, witnesses.md has a command, and the reason.")


def _checked(proofs: Certificates | None) -> Iterator[str]:
    if proofs is None:
        yield f"There is no {CERTIFICATES} here: no certificate can be checked."
        return
    each = listed(f"{number} of {key}" for key, number in proofs.counted.items())
    yield from _wrapped(
        f"The certificates ({each}) are checked by a small program of their own, without the "
        "search that found them:"
    )
    yield from ("", f"  python -m fedbounds.theory.checker {CERTIFICATES}", "")
    yield "It prints from what each claim is proved, or what it rests on that is not, and ends in"
    yield from ("", f"  {sum(proofs.counted.values())} certificates, 0 refused")


def _needs(document: Record) -> Iterator[str]:
    """Files of a user's own, which no result folder holds."""
    names = [typed(claim).partition("::") for claim in document["claims"].values()]
    own = sorted({file for file, inside, _ in names if inside})
    if own:
        yield from (f"This needs {listed(own)}, which results do not hold: put it here.", "")


def _wrapped(text: str) -> list[str]:
    """Lines of a paragraph; what goes on is indented where the first line is."""
    space = text[: len(text) - len(text.lstrip())]
    return wrap(
        text.lstrip(),
        _WIDTH,
        initial_indent=space,
        subsequent_indent=space,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _licence() -> str:
    word = str(metadata(_SUITE)["License-Expression"])
    return word if licence_text() is None else f"{word}, see LICENSE"


def _citation(document: Record) -> str:
    """Of the papers of this package whose claims are there, and of the suite."""
    entries = [known(name) for name in document["claims"] if name.partition("/")[0] in PAPERS]
    return bibliography([entry for entry in entries if entry is not None], named=True)
