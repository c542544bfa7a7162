"""Liu, Li, Zhan, Pan, Ma, Ding, Pan: FedAvg under partial participation, wide networks."""
