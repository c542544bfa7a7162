"""Names of what this paper assumes; what a problem answers itself is in `fedbounds.facts`."""

EXACT = "differences that are exact: epsilon tends to 0, or f is quadratic"
HETEROGENEITY = "client gradients near the global one"  # B.3
OPTIMA = "client minimisers near the global one"  # B.5
NEAR_MASKED = "masked client gradients near the masked global one"
SHARED = "one direction for all clients"
GLOBAL = "the mask keeps at least the share c of the squared global gradient"
SHARE = "kept clients have at most the share gamma of all gaps"  # the display before (28)
SPARSE_SAMPLES = "the mask keeps the share c of every squared gradient of a sample"  # B.6
SPARSE = "the mask keeps the share c of every squared client gradient"  # B.6
