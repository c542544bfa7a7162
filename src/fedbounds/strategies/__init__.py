"""Hypothesis strategies for problems, parameters, instances and the laws they are drawn from."""
