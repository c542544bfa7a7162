"""What W^t, W_k^t and the gradients are: a statement about vectors says which it speaks of."""

STEP, CLIENT = "one step", "one client"
ROUND, CLIENT_ROUND, CLIENT_ROUND_FGD = "a round", "a client's round", "a client's round, FGD"
VIRTUAL = "virtual aggregation"
UNBIASED_STEP, UNBIASED_ROUND = f"{STEP}, unbiased noise", f"{ROUND}, unbiased noise"
