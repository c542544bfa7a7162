"""Contests: algorithms, or bounds, side by side over a grid of parameters."""
