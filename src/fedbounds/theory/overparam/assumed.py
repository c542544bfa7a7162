"""Names of what this paper assumes."""

EVENT = "the start has the spectra of Lemma A.1"
UNIFORM = "clients of a round are drawn uniformly"
INDEPENDENT = "samples are linearly independent"  # lambda_min(X'X) > 0, of all samples
