"""What the vectors of a statement may be."""

LOCAL = "a local step of a client"
SAMPLE = "a local step on a sample"
ROUND = "a round"
ONE_STEP = "a round of one local step"
