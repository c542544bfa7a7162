"""Encoded claims by id; a paper's modules are imported when first asked for."""

from functools import cache
from importlib import import_module

from fedbounds.errors import FedboundsError

from .catalogue import Entry, entry, paper
from .claims import Claim


@cache
def _module_claims(paper_key: str, module: str) -> dict[str, Claim]:
    loaded = import_module(f"fedbounds.theory.{paper_key}.{module}")
    return {claim.id: claim for claim in loaded.CLAIMS}


def encoded(found: Entry) -> Claim:
    """The claim of a catalogue entry; an error if it is not encoded yet."""
    if not found.module:
        raise FedboundsError(
            f"{found.id} is open: not encoded yet; `fedbounds list {found.paper}` "
            "shows which claims are"
        )
    return _module_claims(found.paper, found.module)[found.id]


def claim(claim_id: str) -> Claim:
    """The encoded claim of an id."""
    return encoded(entry(claim_id))


def encoded_claims(paper_key: str) -> tuple[Claim, ...]:
    """Every encoded claim of a paper, in sheet order."""
    return tuple(encoded(found) for found in paper(paper_key).entries if found.module)
