"""Claims about what can be met together, and claims in words, on exact instances."""
