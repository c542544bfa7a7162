"""How proofs are written, searched for multipliers, and replayed."""
