"""The proofs of the sheet, step by step."""
