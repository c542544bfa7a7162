"""Values of bounds for given constants; nothing is run."""
