"""Dabaja, El-Azouzi: convergence analysis of federated learning with partial parameter training."""
