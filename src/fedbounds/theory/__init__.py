"""What is claimed and why: statements, proofs, certificates. No arrays."""
