"""What the vectors of a statement may be."""

AT_RANDOM = "a round of clients at random, one layer"
