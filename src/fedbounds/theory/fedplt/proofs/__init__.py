"""The proofs of the partial-training paper, step by step."""
