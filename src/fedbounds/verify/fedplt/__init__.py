"""FedPLT: its plan of cases, and what the settings still follow round by round."""
