"""How much each numerical constant and each premise of a claim matters."""
