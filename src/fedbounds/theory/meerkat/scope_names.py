"""What the vectors of a statement may be."""

LOCAL = "a local step of a client"
SAMPLE = "a local step on a sample"
ROUND = "a round"
STOPPED_ROUND = "a round in which some clients are stopped"
ONE_STEP = "a round of one local step"
