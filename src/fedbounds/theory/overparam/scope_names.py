"""What the vectors of a statement may be."""

AT_RANDOM = "a round of clients at random, one layer"
NEURONS = "a round of a ReLU network on a schedule"
