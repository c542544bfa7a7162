"""What claims call the algorithms."""

FEDAVG = ("FedAvg on a schedule",)
SAMPLED = ("FedAvg, clients at random",)
EVERY = (*FEDAVG, *SAMPLED)
NOTHING_RUN = ("bound",)
