"""Where the site tells of a claim: a page of its own, or a line of the index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .summary import anchor, is_judged

Record = dict[str, Any]

INDEX, CLAIMS = "index.html", "claims"  # its file, and the folder of the pages of claims
CERTIFICATES = "proofs.json"  # which a run leaves beside it


@dataclass(frozen=True)
class Addresses:
    """Links to the claims of a document: from the index, from beside it, from a claim's page."""

    claims: Mapping[str, Record]

    def from_index(self, claim_id: str) -> str:
        """Empty if the document has no such claim."""
        if claim_id not in self.claims:
            return ""
        if is_judged(self.claims[claim_id]):
            return f"{CLAIMS}/{anchor(claim_id)}.html"
        return f"#{anchor(claim_id)}"

    def from_folder(self, claim_id: str) -> str:
        """The same, seen from a file beside the index."""
        found = self.from_index(claim_id)
        return f"{INDEX}{found}" if found.startswith("#") else found

    def from_claim(self, claim_id: str) -> str:
        """The same, seen from the page of a claim."""
        found = self.from_folder(claim_id)
        return f"../{found}" if found.startswith(INDEX) else found.removeprefix(f"{CLAIMS}/")
