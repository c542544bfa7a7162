"""What is true instead of claims of the paper."""

from fedbounds.theory.proof.ours import claims_of

from .proofs.book import book

CLAIMS = claims_of(book())
