"""Symbols, quantities, claims, conditions, readings, set-ups: what a theory is written in."""
