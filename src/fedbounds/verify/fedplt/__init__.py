"""FedPLT: which random runs and ladders judge it beside its planned set-ups."""
