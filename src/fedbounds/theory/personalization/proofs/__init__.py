"""The proofs of the partial-personalisation paper, step by step."""
