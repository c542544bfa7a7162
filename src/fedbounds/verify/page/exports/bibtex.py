"""BibTeX of the papers and of this suite; what is not known is left out, never guessed."""

from collections.abc import Sequence
from importlib.metadata import metadata

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import PAPERS, Entry, paper

from .escape import latex_text

_SUITE = "fedbounds"


def bibliography(entries: Sequence[Entry], *, named: bool) -> str:
    """Entries of the papers of these claims, in their order, and of the suite.

    Parameters
    ----------
    entries : sequence of Entry
    named : bool
        Whether single claims may have been asked for: those of a paper are noted in its entry,
        unless all of them are meant.

    Raises
    ------
    FedboundsError
        For a claim that belongs to no paper.
    """
    own: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.paper not in PAPERS:
            raise FedboundsError(
                f"{entry.id} belongs to no paper; cite one of {', '.join(PAPERS)}, or its claims"
            )
        own.setdefault(entry.paper, []).append(entry)
    found = [_paper(key, claims if named else ()) for key, claims in own.items()]
    return "\n".join([*found, _suite()])


def _paper(key: str, claims: Sequence[Entry]) -> str:
    known = paper(key)
    fields = {
        "title": f"{{{latex_text(known.title)}}}",  # braces keep its capitals
        "author": " and ".join(latex_text(name) for name in known.authors),
    }
    if claims and len(claims) < len(known.entries):
        fields["annote"] = latex_text("; ".join(f"{e.place}: {e.id}" for e in claims))
    return _entry("misc", key, fields)


def _suite() -> str:
    """From the metadata of the installed package."""
    told = metadata(_SUITE)
    fields = {"title": f"{{{latex_text(told['Name'])}}}"}
    if told["Author"]:
        fields["author"] = f"{{{latex_text(told['Author'])}}}"  # one name, not given and family
    fields["note"] = latex_text(f"Version {told['Version']}. {told['Summary']}")
    return _entry("misc", _SUITE, fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}\n"
