"""Names of what this paper assumes."""

EVENT = "the start has the spectra of Lemma A.1"
INDEPENDENT = "samples are linearly independent"  # lambda_min(X'X) > 0, of all samples
