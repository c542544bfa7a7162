"""What claims call the algorithms."""

FEDAVG = ("FedAvg on a schedule",)
SAMPLED = ("FedAvg, clients at random",)
EVERY = (*FEDAVG, *SAMPLED)
RELU = ("FedAvg of ReLU networks on a schedule",)
RELU_SAMPLED = ("FedAvg of ReLU networks, clients at random",)
EVERY_RELU = (*RELU, *RELU_SAMPLED)
SAMPLES = ("samples of ReLU networks",)
MATRICES = ("norms of matrices",)
NOTHING_RUN = ("bound",)
MORE_CLIENTS = ("FedAvg, clients at random, ladder in m",)
TRAINED = ("FedAvg, starts and clients at random",)
