"""On the Convergence and Stability of Distributed Sub-model Training: what it claims."""
