"""What claims call the algorithms."""

FEDAVG = ("FedAvg on a schedule",)
SAMPLED = ("FedAvg, clients at random",)
EVERY = (*FEDAVG, *SAMPLED)
RELU = ("FedAvg of ReLU networks on a schedule",)
RELU_SAMPLED = ("FedAvg of ReLU networks, clients at random",)
EVERY_RELU = (*RELU, *RELU_SAMPLED)
STARTS = ("random starts of deep linear networks",)
RELU_STARTS = ("random starts of ReLU networks",)
NOTHING_RUN = ("bound",)
MORE_CLIENTS = ("FedAvg, clients at random, ladder in m",)
