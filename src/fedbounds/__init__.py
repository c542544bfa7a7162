"""Check convergence theorems of partial federated optimisation."""

__version__ = "0.1.0"
