"""Sub-model training: exact expectations under random, rolling and static masks."""
