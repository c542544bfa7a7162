"""Claims on set-ups, proof steps on set-ups, standings, severity."""
