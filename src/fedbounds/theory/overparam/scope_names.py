"""What the vectors of a statement may be."""

AT_RANDOM = "a round of clients at random, one layer"
LINEAR_AT_RANDOM = "a round of a linearised network, clients at random"
BESIDE_LINEAR = "a round of a deep linear network beside its linearisation"
LAYERS = "a round of a deep linear network on a schedule"
NEURONS = "a round of a ReLU network on a schedule"
NEURONS_AT_RANDOM = "a round of a ReLU network, clients at random"
