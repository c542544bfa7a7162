"""Names of what this paper assumes."""

EVENT = "the start has the spectra of Lemma A.1"
INDEPENDENT = "samples are linearly independent"  # lambda_min(X'X) > 0, of all samples
GRAM = "no samples are parallel, lambda > 0, and the least eigenvalue of H(0) is at least 3/4 of it"
STAYS = "all neurons stay within R of their start"
SHRINKS = "the residual shrinks as in (70) in all rounds, by the least |S_t|"
APART = "no two samples are parallel"
UNIT = "samples have length 1"
