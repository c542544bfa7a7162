"""Names of what this paper assumes; what a problem answers itself is in `fedbounds.facts`.

l is the loss of one sample, W the domain.
"""

BOUNDED_DOMAIN = "bounded domain"
BOUNDED_MASKED_GRADIENTS = "bounded gradients at masked points"  # m o w, w in the domain
KEPT = "masks that keep every coordinate with the client's probability"  # E m_i = p_i 1
BERNOULLI = "masks with independent coordinates"
COVERAGE = "uniform coverage"  # (1/S) sum_s m_{i,s} = q_i 1
EQUAL_KEEP = "one keep probability for all clients"
UNEQUAL_KEEP = "keep probabilities that differ by client"
EPOCH_PROJECTION = "projection once per epoch"
WHOLE_EPOCHS = "whole epochs"  # T is a multiple of S
LIPSCHITZ_SAMPLES = "Lipschitz samples"  # |l(w; z) - l(w'; z)| <= G ||w - w'|| on the domain
INDEPENDENT_SAMPLES = "independent samples"  # of one law per client
DATA_FREE_MASKS = "masks that do not depend on the data"
SHARED_PARTITION = "one disjoint partition for all clients, shared permutation"
OWN_PERMUTATIONS = "one disjoint partition for all clients, one permutation per client"
OWN_PARTITIONS = "disjoint partitions that differ by client, shared permutation"
OVERLAPPING_WINDOWS = "overlapping windows, shared permutation"
SHARED_ORDER = "one permutation per epoch for all clients"
OWN_ORDERS = "one permutation per epoch and client"
