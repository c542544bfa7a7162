"""FedPLT: its plan of instances, and its analysis on enumerated outcomes."""
