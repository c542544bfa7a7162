"""How the iterates move: one vectorised implementation per algorithm."""
