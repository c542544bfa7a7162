"""Proofs of the paper, and of what is true instead."""
