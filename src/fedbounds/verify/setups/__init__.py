"""Set-ups that are data: what they show as cases, how they are planned, proof steps on them."""
