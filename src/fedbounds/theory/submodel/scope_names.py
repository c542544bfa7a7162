"""What vectors of claims that runs are other runs speak of."""

STEP, WHOLE, FULL = "a local step", "a round and its virtual iterates", "a round with full masks"
