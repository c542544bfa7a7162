"""What a file from a stranger may hold, as data, and what it may cost to look at it."""
